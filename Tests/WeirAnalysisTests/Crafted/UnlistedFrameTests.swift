import Foundation
import Testing
import WeirReport
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis
@testable import WeirCrafted

/// A chunk begins inside more frames than its `context` lists: nobody can say what happened in the others.
struct UnlistedFrameTests {
    /// One emission inside another, each delivered to a handler; with `depth` of them open, a chunk ends.
    private func trace(depth: Int) throws -> TraceReader {
        var file = CraftedFile()
        file.node(1)
        file.subscription(1, 1)
        for number in 0..<depth {
            file.emitted(1, number, delivers: true)
            file.delivered(1)
        }
        file.endChunk()
        file.emitted(1, -1, to: [1])
        for _ in 0..<depth { file.ended() }
        let written = try TemporaryTrace(isQuick: true)
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        return try TraceReader(path: written.path)
    }

    @Test func `With all frames listed, the trace is complete`() throws {
        let reader = try trace(depth: 900)
        #expect(try TraceSummary(of: reader).isComplete)
        #expect(RedundancyPass(reader, Topology(try reader.definitions())).refreshes == 901)
        #expect(TraceLosses(reader).isEmpty)
    }

    @Test func `With some frames only counted, it is incomplete, and every pass says so`() throws {
        let sentence = "More frames were open at the beginning of a chunk than it lists:"
        let summary = try TraceSummary(of: trace(depth: 1100))
        #expect(!summary.isComplete && Losses.sentences(of: summary).contains { $0.hasPrefix(sentence) })
        let reader = try trace(depth: 1100)
        let topology = Topology(try reader.definitions())
        #expect(TraceLosses(reader).isEmpty)
        _ = RedundancyPass(reader, topology)
        #expect(Losses.sentences(of: TraceLosses(reader)).contains { $0.hasPrefix(sentence) })
        #expect(GraphBuilder.counting(reader, topology) == nil)
    }
}
