import Testing
import WeirReport

@testable import WeirAnalysis

struct RunDiffTests {
    private typealias Figures = (refreshes: UInt64, time: UInt64)

    private func runs(_ figures: [Figures], areRepeated: Bool = true) -> RunFigures {
        var runs = RunFigures(areRepeated: areRepeated)
        for figure in figures {
            let node = TraceFigures.Node(instances: 1, refreshes: figure.refreshes, handlerTime: figure.time)
            runs.take(TraceFigures(nodes: ["total": node], refreshes: figure.refreshes))
        }
        return runs
    }

    private func diff(_ before: RunFigures, _ after: RunFigures) -> RunDiff<FindingStory> {
        RunDiff(before, CheckTable(), after, CheckTable())
    }

    @Test(
        arguments: [
            ([10, 11, 12], [20, 21, 22], true),  // apart by more than either range
            ([10, 11, 12], [12, 13, 14], false),  // they touch
            ([10, 11, 16], [18, 19, 20], false),  // apart, but by less than the first range
            ([100, 101, 101], [105, 105, 105], false),  // apart by less than a tenth
            ([20, 21, 22], [10, 11, 12], true),  // faster
            ([0, 0, 0], [5, 5, 5], true),
        ] as [([UInt64], [UInt64], Bool)])
    func `a handler time differs if the gap is wider than the ranges`(
        _ before: [UInt64], _ after: [UInt64], _ differs: Bool
    ) {
        let found = diff(runs(before.map { (1, $0) }), runs(after.map { (1, $0) }))
        #expect(found.times.isEmpty != differs && found.isEmpty != differs)
        let parts = diff(
            runs(before.map { (1, $0) }, areRepeated: false), runs(after.map { (1, $0) }, areRepeated: false))
        #expect(parts.times.isEmpty, "only repeated runs have times")
    }

    @Test func `refreshes of repeated runs are a range, and those of parts a sum`() throws {
        let (before, after) = ([4, 5, 9], [10, 12, 30]) as ([UInt64], [UInt64])
        let found = diff(runs(before.map { ($0, 0) }), runs(after.map { ($0, 0) }))
        let change = try #require(found.refreshes.first).refreshes
        #expect([change.before.least, change.before.middle, change.before.most] == [4, 5, 9])
        #expect([change.after.least, change.after.middle, change.after.most] == [10, 12, 30])
        #expect(change.factor == 2.4)
        #expect(diff(runs(before.map { ($0, 0) }), runs([9, 30, 31].map { ($0, 0) })).refreshes.isEmpty)
        let parts = diff(
            runs(before.map { ($0, 0) }, areRepeated: false), runs(after.map { ($0, 0) }, areRepeated: false))
        #expect(parts.refreshes.first?.refreshes.before == .init([18]))
        #expect(parts.refreshes.first?.refreshes.after == .init([52]))
    }
}
