import Foundation
import Testing
import WeirTestSupport
@_spi(Records) import WeirTrace

@testable import WeirAnalysis
@testable import WeirCrafted

/// A frame whose end is missing has ended with the delivery around it. Every analysis must see it so: each of them loses its
/// footing if `FrameStack` or `FrameWalk` leaves such a frame open.
@Suite struct MissingEndTests {
    static let rounds = 4

    /// Node 1 feeds two handlers. The first one begins a stimulus and writes node 2, which a handler hears.
    private func trace(endsAreMissing: Bool) throws -> (TraceReader, Topology) {
        var file = CraftedFile()
        for node in [1, 2] as [UInt32] { file.node(node, line: Int(node)) }
        for (subscription, node) in [(1, 1), (2, 1), (3, 2)] as [(UInt32, UInt32)] {
            file.subscription(subscription, node, line: 10 + Int(subscription))
        }
        for round in 0..<Self.rounds {
            file.emitted(1, round, delivers: true)
            file.delivered(1)
            file.stimulus("inner")
            file.emitted(2, round, to: [3])
            if !endsAreMissing { file.stimulusEnded() }
            file.delivered(2, isFirst: false)
            file.ended()
        }
        let written = try TemporaryTrace()
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        let reader = try TraceReader(path: written.path)
        return (reader, Topology(try reader.definitions()))
    }

    private let rounds = UInt64(Self.rounds)

    @Test(arguments: [false, true])
    func `the reader gives each event its depth`(endsAreMissing: Bool) throws {
        let (reader, _) = try trace(endsAreMissing: endsAreMissing)
        var depths: [Int] = []
        reader.forEachEvent { event in
            depths.append(event.depth)
            return true
        }
        // Of the inner stimulus, the beginning and the end have the same depth.
        let round = [0, 1, 1, 2, 3, 3] + (endsAreMissing ? [] : [1]) + [1, 1]
        #expect(depths == (0..<Self.rounds).flatMap { _ in round })
    }

    @Test(arguments: [false, true])
    func `rules and replays see turns of their own`(endsAreMissing: Bool) throws {
        let (reader, topology) = try trace(endsAreMissing: endsAreMissing)
        let pass = RedundancyPass(reader, topology)
        #expect(pass.refreshes == 3 * rounds)
        // Each handler is refreshed again by the next turn. In one endless turn that would be no burst.
        #expect(pass.tallies.map(\.rule) == [.burst, .burst, .burst])
        #expect(pass.tallies.map(\.count) == [rounds - 1, rounds - 1, rounds - 1])
        let whatIf = WhatIf(
            reader, topology, remedies: Findings(pass, topology.definitions).found.compactMap(\.remedy))
        #expect(whatIf.recorded.refreshes == pass.refreshes)
        #expect(whatIf.recorded.handlerTicks == pass.handlerTicks)
    }

    @Test(arguments: [false, true])
    func `the summary, the state and the cascades agree on what is open`(endsAreMissing: Bool) throws {
        let (reader, topology) = try trace(endsAreMissing: endsAreMissing)
        let summary = try TraceSummary(of: reader)
        #expect(summary.rootEmissions == rounds)
        #expect(summary.nodes.map(\.refreshes) == [2 * rounds, rounds])
        #expect(summary.nodes.map(\.carriedOn) == [rounds, 0])
        var pass = try MomentPass(reader, topology, to: .end)
        try pass.run()
        #expect(pass.state.openFrames(ofThread: 1) == [])
        #expect(pass.state.nodes.map(\.refreshes) == [2 * rounds, rounds])
        var cascades: [Cascade] = []
        var assembler = CascadeAssembler { cascades.append($0) }
        reader.forEachEvent { event in
            assembler.take(event)
            return true
        }
        assembler.finish()
        #expect(cascades.map(\.items.count) == [Int](repeating: 6, count: Self.rounds))
        #expect(cascades.allSatisfy { $0.items.map(\.level) == [0, 1, 2, 3, 4, 1] })
    }

    @Test(arguments: [false, true])
    func `a filter by stimulus ends with the stimulus`(endsAreMissing: Bool) throws {
        let (reader, topology) = try trace(endsAreMissing: endsAreMissing)
        var filter = EventFilter(topology.definitions, timeScale: TimeScale(reader.header))
        filter.stimulus = .text("inner")
        var passed: [UInt32] = []
        reader.forEachEvent { event in
            if filter.passes(event), event.kind == .deliveryBegan || event.kind == .deliveryNext {
                passed.append(event.subject)
            }
            return true
        }
        #expect(passed == [UInt32](repeating: 3, count: Self.rounds))
    }

    @Test(arguments: [false, true])
    func `the question why not looks into the stimulus only`(endsAreMissing: Bool) throws {
        let (reader, _) = try trace(endsAreMissing: endsAreMissing)
        let answer = try Timeline.whyNot(reader, [1], after: .stimulus(.text("inner")))
        #expect(answer.calledHandlers == [3])
    }
}
