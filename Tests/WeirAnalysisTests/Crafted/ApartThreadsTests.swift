import Foundation
import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirCrafted
@testable import WeirTrace

/// Threads are judged in another order than that of the trace until two of them touch one part of the graph: the rules find the same.
@Suite struct ApartThreadsTests {
    private static let threads: ClosedRange<UInt32> = 1...4
    private static let nodes: UInt32 = 6

    /// Each thread has nodes of its own, which feed a combiner and handlers. After `together` records, it uses those of all threads.
    private func crafted(_ seed: UInt64, records: Int, together: Int) -> CraftedFile {
        var random = SeededGenerator(seed: seed)
        var file = CraftedFile()
        for thread in Self.threads {
            let first = (thread - 1) * Self.nodes
            for node in first + 1...first + Self.nodes {
                let isJoin = node == first + Self.nodes
                file.node(node, kind: isJoin ? 3 : 1, line: Int(node))
                // Two subscriptions of one line, and one that feeds the join.
                file.subscription(3 * node, node, line: 1000 + Int(node))
                file.subscription(3 * node + 1, node, line: 1000 + Int(node))
                if !isJoin { file.subscription(3 * node + 2, node, first + Self.nodes, line: 2000) }
            }
        }
        var open = [UInt32: [UInt32]]()
        for record in 0..<records {
            let thread = UInt32.random(in: Self.threads, using: &random)
            let isTogether = record >= together && Int.random(in: 0..<20, using: &random) == 0
            let group = isTogether ? UInt32.random(in: Self.threads, using: &random) : thread
            let node = (group - 1) * Self.nodes + UInt32.random(in: 1...Self.nodes, using: &random)
            let frames = open[thread, default: []]
            // In some, records of rare kinds are much rarer.
            switch Int.random(in: 0..<(seed % 2 == 0 || record % 40 == 0 ? 100 : 95), using: &random) {
            case 0..<40 where frames.count < 6:
                file.emitted(node, Int.random(in: 0...2, using: &random), delivers: true, on: thread)
                open[thread, default: []].append(node)
            case 40..<70:
                guard let node = frames.last, node > 0 else { continue }
                file.delivered(3 * node + UInt32.random(in: 0...2, using: &random), on: thread)
            case 70..<93:
                guard let node = open[thread, default: []].popLast() else { continue }
                if node > 0 { file.ended(on: thread) } else { file.batchEnded(on: thread) }
            case 93..<95: file.suppressed(node, 1, on: thread)
            case 95..<97: file.started(3 * node + UInt32.random(in: 0...1, using: &random), on: thread)
            case 97: file.ended(subscription: 3 * node, on: thread)
            case 98:
                file.batch(on: thread)
                open[thread, default: []].append(0)
            case 99 where frames.isEmpty:
                let other = UInt32.random(in: Self.threads, using: &random)
                file.hop(node, cause: (other, max(1, file.nextSequence(other)) - 1), on: thread)
                file.emitted(node, record, to: [3 * node], on: thread)
                file.hopEnded(on: thread)
            default: file.emitted(node, record, on: thread)
            }
        }
        return file
    }

    @Test func `the rules find the same as in the order of the trace`() throws {
        var found: Set<RedundancyRule> = []
        for seed in Repeats.seeds(20, from: 92) {
            var file = crafted(seed, records: 3000, together: [0, 1000, 3000][Int(seed % 3)])
            let written = try TemporaryTrace()
            try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
            let passes = try [1, 1024].map { limit in
                let reader = try TraceReader(path: written.path)
                // With fewer buffers than threads, nothing is read ahead.
                reader.bufferLimit = limit
                return RedundancyPass(reader, Topology(try reader.definitions()), keeping: .max, reporting: nil)
            }
            #expect(passes[0].tallies == passes[1].tallies, "seed \(seed)")
            #expect(passes[0].unjudged == passes[1].unjudged, "seed \(seed)")
            #expect(passes[0].refreshes == passes[1].refreshes)
            #expect(passes[0].redundantRefreshes == passes[1].redundantRefreshes)
            #expect(passes[0].handlerTicks == passes[1].handlerTicks)
            #expect(passes[0].wastedTicks == passes[1].wastedTicks)
            #expect(passes[0].evaluations == passes[1].evaluations)
            found.formUnion(passes[0].tallies.map(\.rule))
        }
        #expect(
            found.isSuperset(of: [.repeatedValue, .glitch, .burst, .feedback, .repeatedSubscription, .crossThread]))
    }
}
