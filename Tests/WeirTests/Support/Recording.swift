import Foundation
import Testing
import Weir
import WeirTestSupport
import WeirTrace

/// A process has one recorder, so all tests of the core run one after the other: every suite here is inside this one. Tests that
/// record only to have traces to read are not: they take turns with these.
///
/// It runs ahead of all others. Otherwise each of its steps would queue behind them, and most of it would run alone in the end, on
/// one core.
@Suite(.serialized, .ahead, .patientWalks, .holdingRecorder) enum Everything {}

extension Everything {
    /// Suites that record in this process, and ask a command that was built for debugging.
    @Suite enum AskingOtherProcesses {}
}

/// Suites whose programs run in processes of their own, and may run in parallel.
@Suite(.blocking) enum OtherProcesses {}

/// The contents of a recording, read back.
struct Recording {
    var header: TraceHeader
    var events: [TraceEvent] = []
    var definitions: TraceDefinitions
    var damage: [TraceDamage]

    init(reading path: String) throws {
        let reader = try TraceReader(path: path)
        definitions = try reader.definitions()
        var events: [TraceEvent] = []
        reader.forEachEvent {
            events.append($0)
            return true
        }
        self.events = events
        damage = reader.damage
        header = reader.header
    }

    func name(_ node: UInt32) -> String { definitions.nodes[node]?.name ?? "undefined node \(node)" }

    func emissions(of label: String) -> [TraceValue] {
        events.filter { $0.kind == .emitted && name($0.subject) == label }.map(\.value)
    }

    /// The causes of a node's last emission, itself first: names of nodes and stimuli, and hops.
    func causes(ofLastEmission label: String) -> [String] {
        causes(of: events.last { $0.kind == .emitted && name($0.subject) == label })
    }

    func causes(of event: TraceEvent?) -> [String] {
        let known = Dictionary(events.map { ($0.id, $0) }) { first, _ in first }
        var event = event
        var names: [String] = []
        while let current = event, names.count < 20 {
            switch current.kind {
            case .stimulusBegan: names.append(current.text)
            case .hopBegan: names.append("hop")
            default: names.append(name(current.subject))
            }
            event = current.cause.flatMap { known[$0] }
        }
        return names
    }

    func count(_ kind: EventKind) -> Int { events.filter { $0.kind == kind }.count }

    /// The events as readable lines: indented by depth, with the names that adoption gave.
    var story: [String] {
        events.map { event in
            let indent = String(repeating: "  ", count: event.depth)
            let reason = event.suppressionReason.map { "\($0)" } ?? ""
            switch event.kind {
            case .emitted:
                return "\(indent)\(name(event.subject)) = \(event.value)\(event.isReplayed ? " (replayed)" : "")"
            case .suppressed: return "\(indent)\(name(event.subject)) suppressed: \(reason)"
            case .deliveryBegan: return "\(indent)to \(target(event.subject))"
            case .deliveryNext: return "\(indent)then \(target(event.subject))"
            case .deliveryEnded: return "\(indent)done"
            case .stimulusBegan: return "\(indent)stimulus \(event.text)"
            case .completed: return "\(indent)\(name(event.subject)) completed"
            case .failed: return "\(indent)\(name(event.subject)) failed: \(event.value)"
            case .checkpoint: return "\(indent)checkpoint \(event.text)"
            case .nodeCreated, .nodeReleased: return "\(indent)\(name(event.subject)) \(event.kind)"
            case .subscriptionEnded:
                return "\(indent)end of \(target(event.subject)): \(event.endReason.map { "\($0)" } ?? "?")"
            case .subscriptionStarted: return "\(indent)start of \(target(event.subject))"
            default: return "\(indent)\(event.kind)"
            }
        }
    }

    private func target(_ subscription: UInt32) -> String {
        if subscription == 0 { return "settling" }
        guard let known = definitions.subscriptions[subscription] else { return "undefined \(subscription)" }
        return known.target.map(name) ?? "closure"
    }
}

typealias TemporaryTrace = WeirTestSupport.TemporaryTrace

/// Records `body` under a virtual clock, and reads the recording back; without snapshots, unless they are requested.
func record(
    values: TraceValues = .scalars, limit: TraceLimit = .standard, snapshots: TraceSnapshots = .none,
    modules: [String] = [], _ body: () throws -> Void
) throws -> Recording {
    let file = try TemporaryTrace(isQuick: true)
    try Trace.start(
        writingTo: file.path, values: values, limit: limit, clock: VirtualClock(), snapshots: snapshots,
        modules: modules)
    do {
        defer { Trace.stop() }
        try body()
    }
    return try Recording(reading: file.path)
}

/// The same for an asynchronous `body`.
func recordTask(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async throws -> Recording {
    let file = try TemporaryTrace(isQuick: true)
    try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
    do {
        defer { Trace.stop() }
        try await body()
    }
    return try Recording(reading: file.path)
}

/// The same seed gives the same numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension TraceReader {
    /// The lines of the handlers, once for each call. A line of another test shows that the test still ran.
    func calledLines(_ definitions: TraceDefinitions) -> [String] {
        var lines: [String] = []
        forEachEvent { event in
            if event.kind == .deliveryBegan || event.kind == .deliveryNext,
                let subscription = definitions.subscriptions[event.subject], !subscription.isInternal
            {
                lines.append(subscription.site.map { "\($0)" } ?? "an unknown line")
            }
            return true
        }
        return lines
    }
}
