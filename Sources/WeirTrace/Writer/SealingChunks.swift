/// The filled chunks that threads are sealing, until they are retired: each thread's in the order in which it filled them.
///
/// Several threads may seal at once, and one of them may be interrupted for long. A later chunk of the same thread waits for it.
/// Otherwise a flight recorder could overwrite the later chunk and keep the earlier one.
struct SealingChunks {
    private var chunks: [(chunk: TraceWriter.Chunk, isSealed: Bool)] = []

    var isEmpty: Bool { chunks.isEmpty }

    /// Sealing of the chunk begins. Chunks of one thread must begin in the order in which it filled them.
    mutating func begin(_ chunk: TraceWriter.Chunk) { chunks.append((chunk, false)) }

    /// The chunk has been sealed; returns the chunks that may be retired now, in order.
    mutating func end(_ chunk: TraceWriter.Chunk) -> [TraceWriter.Chunk] {
        var unfinished: Set<UInt32> = []
        var sealed: [TraceWriter.Chunk] = []
        chunks.removeAll { entry in
            let isSealed = entry.isSealed || entry.chunk.index == chunk.index
            if isSealed && !unfinished.contains(entry.chunk.thread) {
                sealed.append(entry.chunk)
                return true
            }
            unfinished.insert(entry.chunk.thread)
            return false
        }
        for place in chunks.indices where chunks[place].chunk.index == chunk.index { chunks[place].isSealed = true }
        return sealed
    }
}
