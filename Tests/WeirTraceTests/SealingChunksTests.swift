import Testing

@testable import WeirTrace

/// The order in which filled chunks are retired: the recorder's soak found a gap in the middle of a thread's events
/// (`limits`, seed 313), after one of several sealing threads had been interrupted.
struct SealingChunksTests {
    private static func chunk(_ index: Int, thread: UInt32) -> TraceWriter.Chunk {
        TraceWriter.Chunk(
            index: index, thread: thread, generation: 1, firstSequence: 1,
            base: UnsafeMutableRawPointer(bitPattern: 64)!)
    }

    @Test func `a chunk waits for an earlier one of its thread, and only for that`() {
        let (first, second, third) = (Self.chunk(7, thread: 1), Self.chunk(3, thread: 1), Self.chunk(5, thread: 1))
        let other = Self.chunk(4, thread: 2)
        var sealing = SealingChunks()
        for chunk in [first, second, other, third] { sealing.begin(chunk) }
        #expect(sealing.end(second).isEmpty)
        #expect(sealing.end(other).map(\.index) == [4])
        #expect(sealing.end(third).isEmpty)
        #expect(!sealing.isEmpty)
        #expect(sealing.end(first).map(\.index) == [7, 3, 5])
        #expect(sealing.isEmpty)
    }

    @Test func `chunks that are sealed in order are retired at once`() {
        var sealing = SealingChunks()
        for index in 0..<100 {
            let chunk = Self.chunk(index, thread: UInt32(index % 3))
            sealing.begin(chunk)
            #expect(sealing.end(chunk).map(\.index) == [index])
        }
        #expect(sealing.isEmpty)
    }
}
