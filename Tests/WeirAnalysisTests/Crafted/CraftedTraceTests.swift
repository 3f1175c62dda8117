import Foundation
import Testing
import WeirCrafted
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

/// Hostile traces: every analysis ends, and does no more work than the file's size allows.
@Suite struct CraftedTraceTests {
    private func withTrace<Result>(
        _ crafted: CraftedTrace, records: Int, _ body: (TraceReader, Topology) throws -> Result
    ) throws -> Result {
        let file = try TemporaryTrace()
        try Data(crafted.bytes(records: records)).write(to: URL(fileURLWithPath: file.path))
        let reader = try TraceReader(path: file.path)
        return try body(reader, Topology(reader.definitions()))
    }

    private func whatIf(_ reader: TraceReader, _ topology: Topology) -> (WhatIf, RedundancyPass) {
        let pass = RedundancyPass(reader, topology)
        let findings = Findings(pass, topology.definitions)
        return (WhatIf(reader, topology, remedies: findings.found.compactMap(\.remedy)), pass)
    }

    @Test(arguments: CraftedTrace.all)
    func `a crafted trace is sound, and all analyses agree on what it holds`(_ crafted: CraftedTrace) throws {
        try withTrace(crafted, records: 2000) { reader, topology in
            let (whatIf, pass) = whatIf(reader, topology)
            #expect(whatIf.recorded.refreshes == pass.refreshes)
            #expect(whatIf.recorded.handlerTicks == pass.handlerTicks)
            #expect(whatIf.recorded.evaluations == pass.evaluations)
            #expect(whatIf.outcomes.count <= WhatIf.mostRemedies)
            #expect(reader.isIntact, "\(reader.damage)")
        }
    }

    @Test(arguments: CraftedTrace.all)
    func `the steps of replays grow with the trace`(_ crafted: CraftedTrace) throws {
        let steps = try [2000, 4000].map { records in
            try withTrace(crafted, records: records) { reader, topology in
                let (whatIf, _) = whatIf(reader, topology)
                return whatIf.steps
            }
        }
        // Below some thousand, the fixed work of each turn hides the growth.
        let allowed = 2.6 * Double(max(steps[0], 40_000))
        #expect(Double(steps[1]) <= allowed, "\(steps) steps")
    }

    @Test func `an explanation ends where it has walked enough`() throws {
        let chain = try #require(CraftedTrace.all.first { $0.name == "results without end" })
        try withTrace(chain, records: 20_000) { reader, topology in
            let timeline = try Timeline(reader, checkpointByteLimit: 1)
            timeline.move(to: .max)
            let last = try #require(topology.place(ofNode: 3).flatMap { timeline.state.nodes[$0].lastChange })
            let before = timeline.walkedEvents
            let whole = try #require(timeline.explanation(of: last))
            #expect(whole.omitted == 0)
            #expect(timeline.walkedEvents - before <= 3 * timeline.position + 60_000)
            let cut = try #require(timeline.explanation(of: last, mostEvents: 1))
            #expect(cut.chains.first?.steps.last?.event.id == last)
            #expect(cut.omitted > 0)
        }
    }

    @Test func `names beyond the longest are cut, between two characters`() throws {
        let crafted = try #require(CraftedTrace.all.first { $0.name == "one huge name" })
        try withTrace(crafted, records: 100) { _, topology in
            let labels = topology.definitions.nodes.values.compactMap(\.label)
            #expect(Set(labels.map(\.utf8.count)) == [TraceFormat.longestString])
        }
    }
}
