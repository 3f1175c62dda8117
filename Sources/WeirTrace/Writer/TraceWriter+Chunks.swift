import CWeir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension TraceWriter {
    /// A chunk that a thread fills.
    struct Chunk {
        let index: Int
        let thread: UInt32
        let generation: UInt32
        /// The number of its first event; of definitions: 0.
        let firstSequence: UInt64
        let base: UnsafeMutableRawPointer
        /// Events in it, when it has been filled.
        var events: UInt64 = 0

        var committed: UnsafeMutablePointer<UInt32> { field(TraceFormat.ChunkField.committed) }

        func field<Number>(_ offset: Int) -> UnsafeMutablePointer<Number> {
            (base + offset).assumingMemoryBound(to: Number.self)
        }
    }

    /// A chunk of the current generation for the calling thread; nil when there is none to be had.
    ///
    /// Bounded: a thread waits for the system's work on the file at most so often.
    func take(_ taker: ChunkAllocator.Taker, thread: UInt32, firstSequence: UInt64) -> Chunk? {
        lock.withLock {
            guard !isStopped, file.isWhole else { return nil }
            countInterruptingEvents()
            beginGeneration(for: taker)
            isOutOfRoom = false
            for _ in 0..<Self.mostPreparations where allocator.readyCount == 0 && !isStopped && !isOutOfRoom {
                if isPreparing { lock.wait() } else { prepare(for: taker) }
            }
            guard !isStopped, let (index, serial) = allocator.take(taker.content) else { return nil }
            let chunk = Chunk(
                index: index, thread: thread, generation: allocator.generation, firstSequence: firstSequence,
                base: file.chunk(index))
            open[index] = chunk
            writeHeader(of: chunk, taker.content, thread: thread, serial: serial)
            if allocator.readyCount * 2 < readyTarget { lock.signal() }
            return chunk
        }
    }

    /// Another thread may take the chunk that this one has made ready, but hardly so often.
    private static let mostPreparations = 64

    /// The thread is done with the chunk.
    ///
    /// - Parameter sequence: the number of the thread's last event.
    func finish(_ chunk: Chunk, sequence: UInt64 = 0) {
        lock.withLock {
            guard var chunk = open.removeValue(forKey: chunk.index) else { return }
            if chunk.firstSequence > 0 { chunk.events = sequence &+ 1 &- chunk.firstSequence }
            if isClosed {
                file.finish(chunk: chunk.index)
            } else {
                filled.append(chunk)
                if keeperThread == nil { sealFilled() } else { lock.signal() }
            }
        }
    }

    func newThread() -> UInt32 { lock.withLock { nextThread() } }

    /// The number of the thread that the program began with, or of those that run the main queue in its place.
    func mainThread() -> UInt32 { number(ofExecutor: WEIR_MAIN_EXECUTOR) }

    /// The number by which the trace knows what runs its work in turn, on whichever threads: as if it were one thread.
    ///
    /// Addresses are used again, but never by two that live at once. Among very many actors the later ones share a number.
    func number(ofExecutor executor: UInt) -> UInt32 {
        lock.withLock {
            let known = executors.count < Self.mostExecutors ? executor : 0
            if let number = executors[executor] ?? executors[known] { return number }
            executors[known] = nextThread()
            return threads
        }
    }

    private func nextThread() -> UInt32 {
        threads += 1
        return threads
    }

    func newSnapshot() -> UInt32 {
        lock.withLock {
            snapshots &+= 1
            return snapshots
        }
    }

    func countLost(_ count: UInt64) {
        lock.withLock { if !isStopped { file.countLost(count) } }
    }

    // MARK: Ahead of the threads

    /// Chunks that should stand ready: as many as were used so far, but no more than 4 MiB.
    var readyTarget: Int { min(64, max(8, Int(clamping: allocator.lastSerial))) }

    /// Makes more chunks ready, by recycling or by growing the file. The lock is held at entry and at return,
    /// not while the system works.
    ///
    /// - Parameter taker: who waits for one; if need be, a generation begins early to get at an old chunk. nil: nobody does.
    func prepare(for taker: ChunkAllocator.Taker?) {
        isPreparing = true
        defer {
            isPreparing = false
            lock.broadcast()
        }
        guard file.isWhole else {
            isOutOfRoom = true
            return
        }
        if allocator.growth(1) == 0 || allocator.isDiskFull { sealFilled() }
        if let old = allocator.recycle() { return overwrite(old) }
        var count = allocator.growth(allocator.isDiskFull ? 1 : min(64, lastExtent * 2))
        while count > 0 {
            let first = allocator.grown
            let extent = lock.withoutLock {
                file.makeExtent(firstChunk: first, count: count) { Self.touch($0, chunks: count) }
            }
            if let extent {
                file.add(extent)
                allocator.grow(by: count)
                lastExtent = count
                for index in first..<first + count { allocator.makeReady(index) }
                return
            }
            // The disk is nearly full: take what it still has.
            count /= 2
        }
        if allocator.growth(1) > 0 { allocator.diskIsFull() }
        // Once sealed, they may be overwritten.
        if !filled.isEmpty { return sealFilled() }
        if !sealing.isEmpty {
            // The other thread is about to give a chunk back.
            lock.wait()
            return
        }
        // Whoever only prepares ahead gives up quietly: a thread in need may still get at an old chunk.
        guard let taker else { return }
        if !isStopped { beginGeneration(for: taker) }
        if let old = allocator.recycle() ?? allocator.recycle(desperate: true) { return overwrite(old) }
        isOutOfRoom = true
    }

    private func overwrite(_ old: ChunkAllocator.Retired) {
        if old.events > 0 { file.countOverwritten(old.events) }
        let base = file.chunk(old.index)
        // A file system that never overwrites in place may have no room for what was there before; then the chunk stays as it is.
        if lock.withoutLock({ Self.touch(base, chunks: 1) }) { allocator.makeReady(old.index) }
    }

    /// In nanoseconds. A generation costs each thread two chunks, some 20 µs.
    private static let generationOfAge: Int64 = 10_000_000

    private func beginGeneration(for taker: ChunkAllocator.Taker) {
        let isOfAge = !configuration.isVirtualClock && abs(weir_wall_clock() - generationBegan) > Self.generationOfAge
        let count = allocator.beginnings(for: taker, isOfAge: isOfAge)
        if count == 0 { return }
        let old = allocator.generation
        for _ in 0..<count { allocator.beginGeneration(Self.nextGeneration()) }
        generationBegan = weir_wall_clock()
        weir_recording_advance(old, allocator.generation)
    }

    /// First writes to a page of a mapping cost a fault each; here they are paid ahead. False: the pages cannot be written to.
    private static func touch(_ base: UnsafeMutableRawPointer, chunks: Int) -> Bool {
        let page = Int(getpagesize())
        let slack = Int(bitPattern: base) % page
        let presence = weir_populate(base - slack, chunks * TraceFormat.chunkSize + slack)
        if presence == weir_unwritable { return false }
        for index in 0..<chunks {
            let chunk = base + index * TraceFormat.chunkSize
            weir_store_release_u32(chunk.assumingMemoryBound(to: UInt32.self), 0)
            if presence == weir_present { continue }
            var offset = TraceFormat.chunkHeaderLength
            while offset < TraceFormat.chunkSize {
                chunk.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
                offset += 4096
            }
            chunk.storeBytes(of: 0, toByteOffset: TraceFormat.chunkSize - 1, as: UInt8.self)
        }
        return true
    }

    private func writeHeader(
        of chunk: Chunk, _ content: TraceFormat.Content, thread: UInt32, serial: UInt64
    ) {
        typealias Field = TraceFormat.ChunkField
        let base = chunk.base
        func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
            base.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
        }
        (base + 4).initializeMemory(as: UInt8.self, repeating: 0, count: TraceFormat.chunkHeaderLength - 4)
        put(content.rawValue, at: Field.content)
        put(UInt16(TraceFormat.chunkHeaderLength), at: Field.headerLength)
        put(thread, at: Field.thread)
        // In the file generations count from 1, whatever this process recorded before.
        put(chunk.generation &- firstGeneration &+ 1, at: Field.generation)
        put(serial, at: Field.serial)
        put(chunk.firstSequence, at: Field.firstSequence)
        put(weir_now(), at: Field.baseTicks)
        put(configuration.isVirtualClock ? 0 : weir_thread_number(), at: Field.systemThread)
        // The checks cover the magic, which is stored last: whoever sees it sees a whole header.
        var head = [UInt8](UnsafeRawBufferPointer(start: base, count: Field.committed))
        withUnsafeBytes(of: TraceFormat.chunkMagic.littleEndian) { head.replaceSubrange(0..<4, with: $0) }
        let check = head.withUnsafeBytes {
            TraceChecksum.of($0, UnsafeRawBufferPointer(start: base + Field.systemThread, count: 4))
        }
        put(UInt32(truncatingIfNeeded: check), at: Field.headerCheck)
        weir_store_release_u32(chunk.field(Field.magic), TraceFormat.chunkMagic.littleEndian)
    }

    // MARK: Behind the threads

    /// Seals what the threads have filled; the lock is held at entry and at return, not while sums are computed.
    func sealFilled() {
        while !filled.isEmpty {
            let chunk = filled.removeFirst()
            sealing.begin(chunk)
            let isWhole = file.isWhole
            let committed = lock.withoutLock { isWhole ? Self.seal(chunk) : 0 }
            if chunk.index == allocator.highestUsed { highestCommitted = committed }
            for sealed in sealing.end(chunk) {
                allocator.retire(sealed.index, events: sealed.events)
                if allocator.limit == .max { file.finish(chunk: sealed.index) }
            }
        }
        lock.broadcast()
    }

    func sealInPlace(_ chunk: Chunk) {
        guard file.isWhole else { return }
        let committed = Self.seal(chunk)
        if chunk.index == allocator.highestUsed { highestCommitted = committed }
    }

    private static func seal(_ chunk: Chunk) -> Int {
        typealias Field = TraceFormat.ChunkField
        let committed = weir_load_acquire_u32(chunk.committed)
        guard committed > 0 else { return 0 }
        let sum = withUnsafeBytes(of: committed) { sealed in
            TraceChecksum.of(
                UnsafeRawBufferPointer(start: chunk.base, count: Field.committed), sealed,
                UnsafeRawBufferPointer(
                    start: chunk.base + TraceFormat.chunkHeaderLength, count: Int(UInt32(littleEndian: committed))))
        }
        weir_store_release_u64(chunk.field(Field.checksum), sum.littleEndian)
        weir_store_release_u32(chunk.field(Field.sealed), committed)
        return Int(UInt32(littleEndian: committed))
    }

    // MARK: The thread that works ahead and behind

    func startKeeper() {
        let context = Unmanaged.passRetained(self)
        keeperThread = weir_thread_start(
            { Unmanaged<TraceWriter>.fromOpaque($0).takeRetainedValue().keep() }, context.toOpaque())
        if keeperThread == nil { context.release() }
    }

    private func keep() {
        lock.withLock {
            while !keeperShouldStop {
                if !filled.isEmpty {
                    sealFilled()
                } else if allocator.readyCount < readyTarget && !isOutOfRoom && !isPreparing && canPrepare {
                    prepare(for: nil)
                } else {
                    lock.wait()
                }
            }
        }
    }

    private var canPrepare: Bool { allocator.growth(1) > 0 && !allocator.isDiskFull || allocator.canRecycle }

    func stopKeeper() {
        let thread = lock.withLock {
            keeperShouldStop = true
            lock.broadcast()
            return keeperThread
        }
        if let thread { weir_thread_join(thread) }
    }
}
