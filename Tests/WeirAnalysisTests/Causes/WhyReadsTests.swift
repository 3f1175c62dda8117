import Foundation
import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

/// How many chunks `weir why` reads, as counts: of one thread and of four that interleave.
struct WhyReadsTests {
    /// Each thread writes its observable, which feeds its combiner, in turns.
    ///
    /// Thread n has the nodes 10n + 1, whose value never changes, 10n + 2 and their combiner 10n + 3.
    private func trace(threads: UInt32, turns: Int, endingEarly: Int = 0) throws -> (TraceReader, Topology) {
        let file = try TemporaryTrace(isQuick: true)
        try Data().write(to: URL(fileURLWithPath: file.path))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
        var assembler = TraceAssembler(descriptor: handle.fileDescriptor)
        assembler.chunkFill = 200
        for thread in 1...threads {
            for (number, kind) in [(1, NodeKind.observable), (2, .observable), (3, .combiner)] as [(UInt32, NodeKind)] {
                try assembler.add(TraceNode(id: 10 * thread + number, rawKind: kind.rawValue, label: nil))
            }
            for input in 1...2 as ClosedRange<UInt32> {
                try assembler.add(
                    TraceSubscription(
                        id: 10 * thread + input, source: 10 * thread + input, target: 10 * thread + 3, isInternal: true,
                        isTiming: false, site: nil, owner: nil))
            }
        }
        var scripts = (1...threads).map { EventScript(thread: $0) }
        for (index, thread) in (1...threads).enumerated() {
            for turn in 0..<(thread == 1 ? turns - endingEarly : turns) {
                scripts[index].emit(10 * thread + (turn == 0 ? 1 : 2), .signed(Int64(turn)))
                scripts[index].deliver(10 * thread + (turn == 0 ? 1 : 2))
                scripts[index].emit(10 * thread + 3, .signed(Int64(turn)), delivers: false)
                scripts[index].endDeliveries()
            }
        }
        for event in scripts.flatMap(\.events) { try assembler.add(event) }
        try assembler.finish(.init())
        let reader = try TraceReader(path: file.path)
        return (reader, Topology(try reader.definitions()))
    }

    private func reads(_ reader: TraceReader, _ topology: Topology, _ node: UInt32) throws -> Int {
        let before = reader.chunksRead
        let past = try #require(TracePast(reader, topology))
        let found = try #require(try past.why(.nodes([node]), at: nil))
        let reads = reader.chunksRead - before
        #expect(try found == Timeline(reader).why(.nodes([node]), at: nil))
        return reads
    }

    @Test func `a recent change takes as many reads in a long trace as in a short one`() throws {
        for (threads, expected) in [(1, 3), (4, 7)] as [(UInt32, Int)] {
            for turns in [200, 800] {
                let (reader, topology) = try trace(threads: threads, turns: turns)
                #expect(reader.eventChunkCount > turns / 20 * Int(threads))
                #expect(try reads(reader, topology, 12) == expected, "\(threads) threads, \(turns) turns")
            }
        }
    }
}
