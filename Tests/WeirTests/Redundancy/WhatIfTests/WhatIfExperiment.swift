import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

/// The screen of a program; its handlers count their refreshes here, and take some time.
final class Screen: @unchecked Sendable {  // A program runs on one thread.
    let clock = VirtualClock(step: 0)
    private(set) var refreshes: UInt64 = 0
    private(set) var ticks: UInt64 = 0
    private(set) var sourceRuns: UInt64 = 0

    /// A refresh that takes the given number of microseconds.
    func show(_ microseconds: UInt64 = 7) {
        refreshes += 1
        ticks += microseconds * 1000
        clock.advance(nanoseconds: microseconds * 1000)
    }

    func runSource() { sourceRuns += 1 }
}

/// A program, recorded without and with the remedy in its code, and the prediction of the second from the first.
struct WhatIfExperiment {
    /// A remedy, in terms of node names.
    enum Cure {
        /// All handlers of a node.
        case removeDuplicates(String)
        case settled(String)
        case batch(String)
        case batchHandler(String)
        /// The source of a node, such as a flatMap.
        case removeDuplicateRequests(String)
        case latestRequest(String)
        case computeOnce(String)
        case throttle(String)
        case dispose(String)
        case share(String)
        case replay(String)
        /// All nodes of this name do the same work.
        case makeOnce(String, replays: Bool)
        case makeLater(String)
        /// All handlers of a node, each of which may change it.
        case cutLoop(String)
        case narrowInput(String)
        case deliver(String)
        /// All handlers of a node.
        case lightenHandler(String)

        func remedy(_ topology: Topology) throws -> Remedy {
            func node(_ name: String) throws -> UInt32 {
                try #require(topology.definitions.nodes.values.first { $0.label == name || $0.kind?.name == name }?.id)
            }
            func handlers(_ name: String) throws -> [UInt32] {
                _ = try node(name)
                let nodes = topology.definitions.nodes.values.filter { $0.label == name || $0.kind?.name == name }
                let ids = Set(nodes.map(\.id))
                return topology.subscriptions.filter { ids.contains($0.source) && !$0.isInternal }.map(\.id)
            }
            return switch self {
            case .removeDuplicates(let name):
                Remedy(.removeDuplicates, nodes: [], subscriptions: try handlers(name), site: nil)
            case .settled(let name): Remedy(.settled, nodes: [try node(name)], site: nil)
            case .batch(let name):
                Remedy(.batch, nodes: [try node(name)], subscriptions: try handlers(name), site: nil)
            case .latestRequest(let name): Remedy(.latestRequest, nodes: [try node(name)], site: nil)
            case .computeOnce(let name): Remedy(.computeOnce, nodes: [try node(name)], site: nil)
            case .batchHandler(let name): Remedy(.batchHandler, nodes: [], subscriptions: try handlers(name), site: nil)
            case .removeDuplicateRequests(let name):
                Remedy(
                    .removeDuplicateRequests, nodes: [try node(name)],
                    subscriptions: topology.subscriptions.filter { input in
                        input.target.flatMap { topology.definitions.nodes[$0]?.kind?.name } == name
                            && topology.definitions.nodes[input.source]?.label == "Model.source"
                    }.map(\.id), site: nil)
            case .throttle(let name): Remedy(.throttle, nodes: [], subscriptions: try handlers(name), site: nil)
            case .dispose(let name): Remedy(.dispose, nodes: [], subscriptions: try handlers(name), site: nil)
            case .share(let name): Remedy(.share, nodes: [try node(name)], site: nil)
            case .replay(let name): Remedy(.replay, nodes: [try node(name)], site: nil)
            case .makeOnce(let name, let replays):
                try {
                    let first = try node(name)
                    let nodes = topology.definitions.nodes.values.filter { $0.kind?.name == name }.map(\.id).sorted()
                    var remedy = Remedy(.makeOnce, nodes: nodes, site: nil)
                    remedy.originals = Dictionary(
                        uniqueKeysWithValues: nodes.filter { $0 != min(first, nodes[0]) }.map { ($0, nodes[0]) })
                    remedy.needsReplay = replays
                    return remedy
                }()
            case .cutLoop(let name):
                try {
                    var remedy = Remedy(
                        .cutLoop, nodes: [try node(name)], subscriptions: try handlers(name), site: nil)
                    (remedy.isOfOwnHandlers, remedy.isOfOwnState) = (true, true)
                    return remedy
                }()
            case .makeLater(let name): Remedy(.makeLater, nodes: [try node(name)], site: nil)
            case .deliver(let name): Remedy(.deliver, nodes: [try node(name)], site: nil)
            case .lightenHandler(let name):
                Remedy(.lightenHandler, nodes: [try node(name)], subscriptions: try handlers(name), site: nil)
            case .narrowInput(let name): Remedy(.narrowInput, nodes: [try node(name)], site: nil)
            }
        }
    }

    let recorded: WhatIf.Outcome
    let predicted: WhatIf.Outcome
    /// The outcome in the cured program's recording.
    let cured: WhatIf.Outcome

    init(
        _ cures: [Cure], values: TraceValues = .scalars, _ program: (_ isCured: Bool, _ screen: Screen) throws -> Void
    ) throws {
        try self.init(values: values) { topology in
            try cures.map { try $0.remedy(topology) }
        } program: {
            try program($0, $1)
        }
    }

    init(
        values: TraceValues = .scalars, remedies: (Topology) throws -> [Remedy],
        program: (_ isCured: Bool, _ screen: Screen) throws -> Void
    ) throws {
        let whatIf = try Self.run(false, values, program) { reader, topology in
            WhatIf(reader, topology, remedies: try remedies(topology))
        }
        recorded = whatIf.recorded
        predicted = whatIf.together
        cured = try Self.run(true, values, program) { WhatIf($0, $1, remedies: []) }.recorded
    }

    private static func run(
        _ isCured: Bool, _ values: TraceValues, _ program: (Bool, Screen) throws -> Void,
        _ analyse: (TraceReader, Topology) throws -> WhatIf
    ) throws -> WhatIf {
        let file = try TemporaryTrace(isQuick: true)
        let screen = Screen()
        try Trace.start(writingTo: file.path, values: values, clock: screen.clock, snapshots: .none)
        do {
            defer { Trace.stop() }
            try program(isCured, screen)
        }
        let reader = try TraceReader(path: file.path)
        let result = try analyse(reader, Topology(reader.definitions()))
        // The program's own counts.
        #expect(result.recorded.refreshes == screen.refreshes)
        #expect(result.recorded.handlerTicks == screen.ticks)
        if screen.sourceRuns > 0 { #expect(result.recorded.sourceRuns == screen.sourceRuns) }
        return result
    }

    /// The prediction covers every turn, differs from the recording, and equals the cured program's outcome.
    func expectExact(
        _ location: SourceLocation = #_sourceLocation, saves: Bool = true
    ) {
        #expect(predicted.uncomputed == [], sourceLocation: location)
        #expect(predicted.refreshes == cured.refreshes, "refreshes", sourceLocation: location)
        #expect(predicted.handlerTicks == cured.handlerTicks, "handler time", sourceLocation: location)
        #expect(predicted.evaluations == cured.evaluations, "evaluations", sourceLocation: location)
        #expect(predicted.sourceRuns == cured.sourceRuns, "runs of sources", sourceLocation: location)
        if saves {
            var same = recorded
            same.uncomputed = predicted.uncomputed
            #expect(predicted != same, "the remedy changes nothing", sourceLocation: location)
        }
    }

    /// Some turns could not be computed, for this reason alone.
    func expectUncomputed(_ reason: WhatIf.Reason, _ location: SourceLocation = #_sourceLocation) {
        #expect(predicted.uncomputed.map(\.reason) == [reason], sourceLocation: location)
    }
}
