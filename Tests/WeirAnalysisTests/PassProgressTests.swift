import Foundation
import Testing
import WeirAnalysis
import WeirTestSupport
import WeirTrace

@testable import WeirCrafted

struct PassProgressTests {
    @Test func `a pass tells how far it is, and hands out the same events`() throws {
        var crafted = CraftedFile()
        crafted.node(1)
        crafted.subscription(1, 1)
        for round in 0..<45_000 {
            crafted.emitted(1, round % 100, delivers: true)
            crafted.delivered(1)
            crafted.ended()
        }
        let file = try TemporaryTrace(isQuick: true)
        try Data(crafted.finish()).write(to: URL(fileURLWithPath: file.path))
        let reader = try TraceReader(path: file.path)
        var reports: [PassProgress] = []
        var events: UInt64 = 0
        reader.forEachEvent(reporting: { reports.append($0) }) { _ in
            events += 1
            return true
        }
        var fractions: [Double] = []
        let reported = try TraceSummary(of: reader) { fractions.append($0.fraction) }
        let silent = try TraceSummary(of: reader)
        #expect(reported.eventCount == events && silent.eventCount == events && reported.nodes == silent.nodes)
        #expect(fractions.allSatisfy { (0...0.99).contains($0) } && !fractions.isEmpty)
        #expect(events > 2 * PassProgress.interval)
        #expect(UInt64(reports.count) == events / PassProgress.interval)
        #expect(reports.map(\.events) == (1...UInt64(reports.count)).map { $0 * PassProgress.interval })
        // The estimate comes from the first chunks; in a trace of equal rounds it is nearly exact.
        let expected = Double(reports[0].expectedEvents) / Double(events)
        #expect((0.8...1.25).contains(expected))
    }

    @Test func `the part done is between nothing and nearly all`() {
        #expect(PassProgress(events: 5, expectedEvents: 0).fraction == 0)
        #expect(PassProgress(events: 5, expectedEvents: 10).fraction == 0.5)
        #expect(PassProgress(events: 15, expectedEvents: 10).fraction == 0.99)
    }
}
