import Dispatch

/// Prepares the chunks of events of an undamaged trace on a second thread, ahead of a pass that takes them one by one.
///
/// Chunks are prepared in the order of time, and at most `most` of those that the pass has not taken. Where the pass would have
/// to wait, it prepares chunks itself.
final class ChunksAhead<Prepared>: @unchecked Sendable {
    fileprivate enum Slot {
        case open
        /// A thread prepares the chunk.
        case begun
        /// Nil: the chunk is damaged, or cannot be prepared.
        case prepared(Prepared?)
        case taken
    }

    private let file: InputFile
    /// By time.
    private let entries: [ChunkIndex.Entry]
    /// The places in `entries`, by the number of the chunk.
    private let places: [UInt32]
    private let most: Int
    private let prepare: (ChunkHeader, UnsafeRawBufferPointer) -> Prepared?
    private let lock = SystemLock()
    // Under the lock.
    private var slots: [Slot]
    private var next = 0
    private var taken = 0
    private var isOver = false

    /// - Parameter prepare: Called on two threads.
    init(
        _ reader: TraceReader, atMost most: Int, _ prepare: @escaping (ChunkHeader, UnsafeRawBufferPointer) -> Prepared?
    ) {
        file = reader.file
        entries = reader.index.events.sorted {
            ($0.baseTicks, $0.thread, $0.serial) < ($1.baseTicks, $1.thread, $1.serial)
        }
        var places = [UInt32](repeating: 0, count: Int(entries.lazy.map(\.index).max() ?? 0) + 1)
        for (place, entry) in entries.enumerated() { places[Int(entry.index)] = UInt32(place) }
        self.places = places
        slots = Array(repeating: .open, count: entries.count)
        (self.most, self.prepare) = (most, prepare)
    }

    /// Runs a pass, while the second thread prepares chunks.
    func run(_ pass: () throws -> Void) rethrows {
        let group = DispatchGroup()
        DispatchQueue.global(qos: .userInitiated).async(group: group) {
            let buffer = ChunkBuffer()
            self.lock.withLock { while !self.isOver, self.hasOpen { self.prepareNext(buffer) } }
        }
        defer {
            lock.withLock {
                isOver = true
                lock.broadcast()
            }
            group.wait()
        }
        try pass()
    }

    /// Takes a chunk, once; nil: it has to be read record by record.
    func take(_ entry: ChunkIndex.Entry, _ buffer: ChunkBuffer) -> Prepared? {
        let place = Int(places[Int(entry.index)])
        return lock.withLock {
            while case .begun = slots[place] { prepareNext(buffer) }
            defer {
                slots[place] = .taken
                taken += 1
                lock.broadcast()
            }
            if case .prepared(let prepared) = slots[place] { return prepared }
            slots[place] = .begun
            return unlocked { load(entry, buffer) }
        }
    }

    // MARK: Under the lock

    private var hasOpen: Bool {
        while next < entries.count, !slots[next].isOpen { next += 1 }
        return next < entries.count
    }

    /// Prepares the next chunk; waits if there are enough.
    private func prepareNext(_ buffer: ChunkBuffer) {
        guard hasOpen, next < taken + most else { return lock.wait() }
        let place = next
        slots[place] = .begun
        let prepared = unlocked { load(entries[place], buffer) }
        slots[place] = .prepared(prepared)
        lock.broadcast()
    }

    private func unlocked<Result>(_ body: () -> Result) -> Result {
        lock.unlock()
        defer { lock.lock() }
        return body()
    }

    private func load(_ entry: ChunkIndex.Entry, _ buffer: ChunkBuffer) -> Prepared? {
        file.undamaged(entry, into: buffer).flatMap { prepare($0, $1) }
    }
}

extension ChunksAhead.Slot {
    fileprivate var isOpen: Bool { if case .open = self { true } else { false } }
}

extension InputFile {
    /// A chunk, if it has no damage.
    func undamaged(_ entry: ChunkIndex.Entry, into buffer: ChunkBuffer) -> (ChunkHeader, UnsafeRawBufferPointer)? {
        let offset = ChunkHeader.offset(of: Int(entry.index))
        guard case .count(let count) = read(into: buffer.bytes, at: offset) else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: buffer.bytes.prefix(min(count, TraceFormat.chunkHeaderLength)))
        guard case .sound(let header, nil) = ChunkHeader.read(head, index: Int(entry.index)),
            header.serial == entry.serial, count - TraceFormat.chunkHeaderLength >= header.committed
        else { return nil }
        let records = UnsafeRawBufferPointer(buffer.records(header.committed))
        return header.checksumHolds(head: head, records: records) ? (header, records) : nil
    }
}

/// Hands blocks from a thread that fills them to the caller, in order; they are used again.
package final class BlockPipe<Block>: @unchecked Sendable {
    private let lock = SystemLock()
    // Under the lock.
    private var empty: [Block]
    /// In order.
    private var filled: [Block] = []
    private var isOver = false

    package init(_ blocks: [Block]) { empty = blocks }

    /// Calls `fill` on a second thread, which hands over blocks, and `take` with each of these on the calling thread.
    package func run(filling fill: (BlockPipe) -> Void, _ take: (Block) -> Void) {
        let group = DispatchGroup()
        withoutActuallyEscaping(fill) { fill in
            nonisolated(unsafe) let fill = fill
            DispatchQueue.global(qos: .userInitiated).async(group: group) {
                fill(self)
                self.change { self.isOver = true }
            }
            while let block = nextFilled() {
                take(block)
                change { empty.append(block) }
            }
            group.wait()
        }
    }

    /// Waits for an empty block.
    package func nextEmpty() -> Block {
        lock.withLock {
            while empty.isEmpty { lock.wait() }
            return empty.removeLast()
        }
    }

    package func handOver(_ block: Block) { change { filled.append(block) } }

    private func nextFilled() -> Block? {
        lock.withLock {
            while filled.isEmpty, !isOver { lock.wait() }
            return filled.isEmpty ? nil : filled.removeFirst()
        }
    }

    private func change(_ body: () -> Void) {
        lock.withLock {
            body()
            lock.broadcast()
        }
    }
}

/// A buffer for one chunk or the file header, and the last content read into it.
final class ChunkBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int = TraceFormat.chunkSize) {
        bytes = .allocate(byteCount: byteCount, alignment: 64)
    }

    deinit { bytes.deallocate() }

    var head: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<TraceFormat.chunkHeaderLength])
    }

    func records(_ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: bytes[TraceFormat.chunkHeaderLength...].prefix(count))
    }
}
