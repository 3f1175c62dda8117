import Foundation
import Testing
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis
@testable import WeirCrafted

/// Threads that take turns after each record: the rules see what they see if each thread runs alone.
@Suite struct ShortRunTests {
    static let rounds = 6

    /// Each thread writes a node of its own, whose value changes every second time, and a handler hears it.
    private func pass(threads: Int, takingTurns: Bool, blockCapacity: Int) throws -> RedundancyPass {
        var file = CraftedFile()
        let numbers = (1...UInt32(threads)).map { $0 }
        for number in numbers { file.node(number, line: Int(number)) }
        for number in numbers { file.subscription(number, number, line: 1000 + Int(number)) }
        let turns = takingTurns ? [numbers] : numbers.map { [$0] }
        for turn in turns {
            for round in 0..<Self.rounds {
                for number in turn { file.emitted(number, round / 2, delivers: true, on: number) }
                for number in turn { file.delivered(number, on: number) }
                for number in turn { file.ended(on: number) }
            }
        }
        let written = try TemporaryTrace()
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        let reader = try TraceReader(path: written.path)
        var options = RedundancyOptions()
        options.rules = [.repeatedValue, .burst]
        return RedundancyPass(
            reader, Topology(try reader.definitions()), options: options, keeping: .max, reporting: nil,
            blockCapacity: blockCapacity)
    }

    // The flow knows threads up to number 63 by an array, and others by a dictionary.
    @Test(arguments: [1, 3, 150], [1, 5, 16_384])
    func `each thread keeps its frames and its numbers`(threads: Int, blockCapacity: Int) throws {
        let alone = try pass(threads: threads, takingTurns: false, blockCapacity: blockCapacity)
        let turns = try pass(threads: threads, takingTurns: true, blockCapacity: blockCapacity)
        let (count, rounds) = (UInt64(threads), UInt64(Self.rounds))
        #expect(turns.refreshes == count * rounds)
        #expect(turns.tallies.count == 2 * threads)
        let repeated = turns.tallies.filter { $0.rule == .repeatedValue }
        #expect(repeated.map(\.count) == Array(repeating: rounds / 2, count: threads))
        #expect(turns.tallies.map(\.occurrences) == alone.tallies.map(\.occurrences))
        // Each second refresh repeats a value. All of these but the last are also followed by another value in the same screen.
        #expect(turns.redundantRefreshes == count * rounds / 2)
        // All other threads take a turn of 1000 ticks while a handler runs.
        #expect(turns.handlerTicks == count * rounds * count * 1000)
        #expect(turns.wastedTicks == turns.handlerTicks / 2)
        for tally in turns.tallies {
            #expect(tally.occurrences.allSatisfy { $0.thread == tally.node }, "\(tally)")
        }
    }

    @Test(arguments: [1, 3, 16_384])
    func `records of unknown kinds count in the numbers of events`(blockCapacity: Int) throws {
        var file = CraftedFile()
        file.node(1)
        file.subscription(1, 1)
        var refreshes: [UInt64] = []
        // Several chunks: the later ones list open frames first.
        file.emitted(1, 0, delivers: true)
        for round in 0..<20_000 {
            file.emitted(1, 7, delivers: true)
            if round % 3 == 0 { file.unknown() }
            refreshes.append(file.nextSequence())
            file.delivered(1)
            if round % 5 == 0 { file.unknown() }
            file.ended()
        }
        let written = try TemporaryTrace()
        try Data(file.finish()).write(to: URL(fileURLWithPath: written.path))
        let reader = try TraceReader(path: written.path)
        #expect(reader.eventChunkCount > 3)
        var options = RedundancyOptions()
        options.rules = [.repeatedValue]
        let pass = RedundancyPass(
            reader, Topology(try reader.definitions()), options: options, keeping: .max, reporting: nil,
            blockCapacity: blockCapacity)
        #expect(pass.tallies.first?.occurrences.map(\.sequence) == Array(refreshes.dropFirst()))
    }

    @Test func `tables fill cache lines`() {
        #expect(MemoryLayout<FlowSubscription>.stride % 128 == 64)
        #expect(MemoryLayout<FlowSubscription>.offset(of: \.bursts.byBoth.ofOneWriter) == 192)
        #expect(MemoryLayout<FlowNode>.stride % 64 == 0)
        #expect(MemoryLayout<FlowStep>.stride == 16)
    }
}
