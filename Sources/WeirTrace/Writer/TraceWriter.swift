import CWeir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One recording: its start, its stop, and the state that its threads share.
///
/// At most one is active in a process. Threads come here once per chunk, not per event.
package final class TraceWriter: @unchecked Sendable {
    package struct Configuration: Sendable {
        package var path: String
        package var policy: ValuePolicy
        /// Most UTF-8 bytes of a description.
        package var descriptionLimit: Int
        /// Most bytes of the file; nil: no bound, and nothing is overwritten.
        package var byteLimit: Int?
        package var isVirtualClock: Bool
        /// Whether the heap is walked at checkpoints and at the end.
        package var takesSnapshots: Bool
        /// The modules whose nodes are recorded; nil: all.
        package var modules: ModuleChoice?
        /// The labels of the recording.
        package var labels: [String: String]
        /// Receives turns and refreshes while they happen.
        package var signposts: (any SignpostSink)?
        /// Whether writes are recorded with the lines that call them.
        package var hasWriteSites: Bool

        package init(
            path: String, policy: ValuePolicy, descriptionLimit: Int, byteLimit: Int?, isVirtualClock: Bool,
            takesSnapshots: Bool = false, modules: ModuleChoice? = nil, labels: [String: String] = [:],
            signposts: (any SignpostSink)? = nil, hasWriteSites: Bool = false
        ) {
            self.path = path
            self.policy = policy
            self.descriptionLimit = descriptionLimit
            self.byteLimit = byteLimit
            self.isVirtualClock = isVirtualClock
            self.takesSnapshots = takesSnapshots
            self.modules = modules
            self.labels = labels
            self.signposts = signposts
            self.hasWriteSites = hasWriteSites
        }
    }

    package let configuration: Configuration
    /// The first generation of this recording: ids given in earlier ones mean nothing here.
    let firstGeneration: UInt32
    let ids = DefinitionIDs()
    let fingerprints: FingerprintNumbers?
    let signpostMemory: SignpostMemory?

    // Guarded by `lock`.
    let lock = SystemLock()
    let file: TraceFile
    var allocator: ChunkAllocator
    var open: [Int: Chunk] = [:]
    var filled: [Chunk] = []
    var sealing = SealingChunks()
    var threads: UInt32 = 0
    /// Numbers among those of the threads, by `weir_executor`; 0: of all that had no room here.
    var executors: [UInt: UInt32] = [:]
    static let mostExecutors = 4096
    var snapshots: UInt32 = 0
    /// Of the thread that writes snapshots later than they are taken, and of it alone.
    var laterSnapshots: DefinitionChunk?
    /// No chunk is emitted any more.
    var isStopped = false
    /// The file is complete; threads that were inside a record still have their chunks mapped.
    var isClosed = false
    var isPreparing = false
    var isOutOfRoom = false
    var lastExtent = 2
    /// Of `weir_interrupting_events()`, those that are counted.
    private var interruptingEvents = weir_interrupting_events()
    /// Wall clock, in nanoseconds.
    var generationBegan = weir_wall_clock()
    /// Committed bytes of the chunk with the highest index, once that is sealed.
    var highestCommitted = 0
    var keeperThread: UnsafeMutableRawPointer?
    var keeperShouldStop = false

    private static let activeLock = SystemLock()
    nonisolated(unsafe) private static var activeWriter: TraceWriter?
    /// The thread that stops the recording; guarded by `activeLock`.
    private var stoppingThread: UnsafeMutablePointer<weir_thread>?

    /// The recording under way, if any.
    package static var active: TraceWriter? { activeLock.withLock { activeWriter } }

    /// Whether another program has left the file as it was; if not, to write on would end this one.
    package var isIntact: Bool { lock.withLock { isStopped || file.isWhole } }

    package var lostEvents: UInt64 {
        lock.withLock {
            if isStopped { return 0 }
            countInterruptingEvents()
            return file.lostEvents
        }
    }

    /// Starts recording: from now on `weir_generation` is not zero, and threads write.
    package static func start(_ configuration: Configuration) throws(TraceWriterError) {
        let failure: TraceWriterError? = activeLock.withLock {
            if let active = activeWriter { return .alreadyRecording(path: active.configuration.path) }
            do throws(TraceWriterError) {
                let writer = try TraceWriter(configuration, generation: nextGeneration())
                activeWriter = writer
                _ = forkHandler
                writer.startKeeper()
                weir_signposts_set(configuration.signposts != nil)
                weir_write_sites_set(configuration.hasWriteSites)
                weir_choosing_set(configuration.modules == nil ? 0 : writer.firstGeneration)
                weir_recording_set(writer.firstGeneration)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Stops recording: seals and closes the file. Returns the events that were lost; nil if none was under way.
    ///
    /// While another thread does so, waits until it is done.
    ///
    /// - Parameter lastWords: called when threads record no more events, and before the file is closed.
    @discardableResult
    package static func stop(_ lastWords: () -> Void = {}) -> UInt64? {
        let writer: TraceWriter? = activeLock.withLock {
            // Before the first recording it is not for us to say that there is none: the environment may not have been asked.
            guard let writer = activeWriter else { return nil }
            if let thread = writer.stoppingThread {
                // A signal handler that exits the program may have interrupted that thread.
                while activeWriter === writer, thread != weir_thread_current() { activeLock.wait() }
                return nil
            }
            writer.stoppingThread = weir_thread_current()
            weir_recording_set(0)
            return writer
        }
        guard let writer else { return nil }
        lastWords()
        let lost = writer.close()
        activeLock.withLock {
            activeWriter = nil
            activeLock.broadcast()
        }
        return lost
    }

    nonisolated(unsafe) private static let generationCounter = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        .initialized(to: 0)

    /// Generations rise over all recordings of a process, so that a thread can distinguish an old chunk from a new one.
    static func nextGeneration() -> UInt32 { weir_add_u32(generationCounter, 1) + 1 }

    private init(_ configuration: Configuration, generation: UInt32) throws(TraceWriterError) {
        self.configuration = configuration
        firstGeneration = generation
        fingerprints = configuration.isVirtualClock ? FingerprintNumbers() : nil
        signpostMemory = configuration.signposts == nil ? nil : SignpostMemory()
        let chunkLimit = try Self.chunkLimit(configuration.byteLimit)
        allocator = ChunkAllocator(limit: chunkLimit, generation: generation)
        let isVirtual = configuration.isVirtualClock
        let clock = isVirtual ? UInt32(weir_clock_virtual) : weir_clock_best()
        weir_clock_set(clock)
        let ticksPerSecond = weir_clock_rate(clock)
        file = try TraceFile(
            path: configuration.path,
            header: TraceFileHeaderContent(
                processID: isVirtual ? 0 : UInt32(getpid()),
                clock: TraceClockKind(rawValue: UInt8(clock)) ?? .monotonic,
                valuePolicy: configuration.policy,
                isFlightRecorder: chunkLimit != nil,
                ticksPerSecond: ticksPerSecond,
                startTicks: weir_now(),
                startWallClock: isVirtual ? 0 : weir_wall_clock(),
                byteLimit: UInt64(configuration.byteLimit ?? 0),
                program: isVirtual ? "" : String(cString: weir_program_name()),
                recordCost: isVirtual
                    ? nil : .measured(policy: configuration.policy, ticksPerSecond: ticksPerSecond),
                modules: configuration.modules?.names ?? [],
                labels: configuration.labels))
        filled.reserveCapacity(256)
        lock.withLock { prepare(for: .definitions) }
        guard allocator.readyCount >= 2 else { throw file.abandon(chunks: 2) }
    }

    private static func chunkLimit(_ bytes: Int?) throws(TraceWriterError) -> Int? {
        guard let bytes else { return nil }
        let chunks = (bytes - TraceFormat.headerLength) / TraceFormat.chunkSize
        guard chunks >= ChunkAllocator.leastLimit else {
            let least = TraceFormat.headerLength + ChunkAllocator.leastLimit * TraceFormat.chunkSize
            throw .limitTooSmall(bytes: bytes, least: least)
        }
        return chunks
    }

    private func close() -> UInt64 {
        lock.withLock { isStopped = true }
        stopKeeper()
        ThreadKeeper.leave(self)
        finishSnapshots()
        let (lost, harm) = complete()
        if let harm { Complaint.say("\(harm)") }
        if let unknown = configuration.modules?.unknown { Complaint.say(unknown) }
        return lost
    }

    private func complete() -> (lost: UInt64, harm: TraceFileHarm?) {
        lock.withLock {
            // A thread may be growing the file, or summing up a chunk, with the lock released.
            while isPreparing || !sealing.isEmpty { lock.wait() }
            for chunk in filled { sealInPlace(chunk) }
            filled = []
            // Other threads may be in the middle of a record: their pages must stay, in memory and in the file.
            for chunk in open.values { sealInPlace(chunk) }
            isClosed = true
            var end = TraceFormat.headerLength
            let highest = allocator.highestUsed
            if highest >= 0 {
                end += highest * TraceFormat.chunkSize
                end += open[highest] == nil ? TraceFormat.chunkHeaderLength + highestCommitted : TraceFormat.chunkSize
            }
            if let last = open.keys.max() {
                end = max(end, TraceFormat.headerLength + (last + 1) * TraceFormat.chunkSize)
            }
            countInterruptingEvents()
            let lost = file.lostEvents
            file.unmapAll(butOf: open.keys)
            return (lost, file.complete(length: end))
        }
    }

    /// Counts the events that signal handlers lost; inside the lock.
    func countInterruptingEvents() {
        let all = weir_interrupting_events()
        if all != interruptingEvents { file.countLost(all &- interruptingEvents) }
        interruptingEvents = all
    }

    /// A forked child must not write to its parent's file: there, recording is off until it starts its own.
    private static let forkHandler: Void = {
        pthread_atfork(nil, nil) {
            weir_recording_set(0)
            TraceWriter.activeWriter = nil
            ThreadKeeper.forgetInForkedChild()
        }
    }()
}

extension UnsafeMutablePointer {
    func initialized(to value: Pointee) -> Self {
        initialize(to: value)
        return self
    }
}
