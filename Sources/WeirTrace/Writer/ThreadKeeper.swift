import CWeir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A thread's part in a recording, beyond what the hot path needs: its chunks, its strings, its losses.
///
/// Used by its thread alone. Lives until the thread ends.
final class ThreadKeeper {
    private let thread: UnsafeMutablePointer<weir_thread>
    /// The records of a chunk that is no part of the trace; see `closePlace`.
    private let scratch: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) private(set) var writer: TraceWriter? {
        didSet {
            ids = writer.map { .passUnretained($0.ids) }
            firstGeneration = writer?.firstGeneration ?? 0
            fingerprints = writer?.fingerprints
            descriptionLimit = writer?.configuration.descriptionLimit ?? 0
            let policy = writer?.configuration.policy ?? .none
            recordsValues = policy != .none
            isDescribed = recordsValues && policy != .scalars
        }
    }
    /// The writer's, to be reached without reference counting.
    @exclusivity(unchecked) private(set) var ids: Unmanaged<DefinitionIDs>?
    @exclusivity(unchecked) private(set) var firstGeneration: UInt32 = 0
    private(set) var number: UInt32 = 0
    private var events: TraceWriter.Chunk?
    /// The generation of the last chunk of events; 0: there was none.
    private var lastEvents: UInt32 = 0
    @exclusivity(unchecked) private var definitions: DefinitionChunk? {
        didSet { currentDefinitions = definitions.map { .passUnretained($0) } }
    }
    /// The same, to be reached without reference counting.
    @exclusivity(unchecked) private var currentDefinitions: Unmanaged<DefinitionChunk>?
    /// Events lost since the last one that was recorded.
    private var lost: UInt64 = 0
    private var nextTry: UInt64 = 0
    /// The interval of the turn that a stimulus or hop began on this thread.
    var turn: SignpostInterval?
    private var recorded = Recorded()
    var enumCases = EnumCase.Cache()
    let encoders = ValueEncoders()
    /// A copy costs less than another one.
    let newHasher = Hasher()
    // What the recording says of values.
    @exclusivity(unchecked) private var fingerprints: FingerprintNumbers?
    @exclusivity(unchecked) private(set) var descriptionLimit = 0
    @exclusivity(unchecked) private(set) var recordsValues = false
    @exclusivity(unchecked) private(set) var isDescribed = false

    /// What was last said of who runs on this thread, and in which generation.
    private struct Recorded {
        var executor: UInt = 0
        var generation: UInt32 = 0
    }

    /// While there is no room, a thread asks for a chunk again after so many lost events.
    private static let eventsBetweenTries: UInt64 = 1024
    /// A compact record takes less than this; the limit of a chunk stands so far before its end.
    static let compactRoom = 128
    /// For the records of signal handlers that come between the question for room and the record.
    private static let handlerRoom = 2 * compactRoom
    private static let scratchRoom = handlerRoom + StructureFields.mostRoom

    private static let roomForRecords =
        TraceFormat.chunkSize - TraceFormat.chunkHeaderLength - compactRoom - handlerRoom

    private init(_ thread: UnsafeMutablePointer<weir_thread>) {
        self.thread = thread
        // Plain numbers, each written before it is read: the pages of frames that are never open are not touched.
        thread.pointee.frames = .allocate(capacity: Int(weir_frame_capacity))
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: TraceFormat.chunkHeaderLength + Self.scratchRoom)
        memory.initialize(repeating: 0, count: TraceFormat.chunkHeaderLength + Self.scratchRoom)
        scratch = memory + TraceFormat.chunkHeaderLength
    }

    deinit {
        thread.pointee.frames?.deallocate()
        (scratch - TraceFormat.chunkHeaderLength).deallocate()
    }

    // MARK: Of the calling thread

    /// Runs `body` with the calling thread's keeper, without reference counting.
    static func withThatOfCallingThread<Result>(_ body: (ThreadKeeper) -> Result) -> Result {
        unmanagedOfCallingThread()._withUnsafeGuaranteedRef(body)
    }

    /// Runs `body`, a slow part of the recorder that runs no foreign code, with the calling thread's keeper.
    static func inside<Result>(_ body: (ThreadKeeper) -> Result) -> Result {
        weir_enter_inside()
        defer { weir_leave_inside() }
        return withThatOfCallingThread(body)
    }

    /// That keeper, which lives as long as the thread.
    @inline(__always)
    static func unmanagedOfCallingThread() -> Unmanaged<ThreadKeeper> {
        weir_thread_current().pointee.keeper.map { .fromOpaque($0) } ?? .passUnretained(ofCallingThread())
    }

    static func ofCallingThread() -> ThreadKeeper {
        let thread = weir_thread_current()
        if let keeper = thread.pointee.keeper {
            return Unmanaged<ThreadKeeper>.fromOpaque(keeper).takeUnretainedValue()
        }
        let keeper = Unmanaged.passRetained(ThreadKeeper(thread))
        thread.pointee.keeper = keeper.toOpaque()
        pthread_setspecific(key, keeper.toOpaque())
        return keeper.takeUnretainedValue()
    }

    /// The system calls this when the thread ends: what it filled is sealed, and a later thread starts anew.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            let opaque: UnsafeMutableRawPointer? = value
            guard let opaque else { return }
            weir_enter_inside()
            let keeper = Unmanaged<ThreadKeeper>.fromOpaque(opaque)
            keeper.takeUnretainedValue().endTurn()
            keeper.takeUnretainedValue().leave()
            keeper.release()
            weir_thread_current().pointee = weir_thread()
        }
        return key
    }()

    /// The calling thread is done with `writer`, which is being closed.
    static func leave(_ writer: TraceWriter) {
        guard let keeper = weir_thread_current().pointee.keeper else { return }
        let here = Unmanaged<ThreadKeeper>.fromOpaque(keeper).takeUnretainedValue()
        guard here.writer === writer else { return }
        here.leave()
        here.forgetPlace()
    }

    /// In a forked child nothing may touch the parent's chunks again, not even to seal them.
    static func forgetInForkedChild() {
        guard let keeper = weir_thread_current().pointee.keeper else { return }
        let here = Unmanaged<ThreadKeeper>.fromOpaque(keeper).takeUnretainedValue()
        // The parent's writer is left as it is, unreleased: to release it could unmap or close.
        if let writer = here.writer { _ = Unmanaged.passRetained(writer) }
        here.writer = nil
        here.turn = nil
        here.events = nil
        here.definitions = nil
        here.forgetPlace()
    }

    /// Nothing is ready in any generation, not even in 0, which stands for none.
    private func forgetPlace() {
        thread.pointee.generation = 0
        closePlace()
    }

    private func leave() {
        closePlace()
        finishChunks()
        writer = nil
    }

    private func endTurn() {
        turn?.end()
        turn = nil
    }

    private func finishChunks() {
        finishEvents()
        finishDefinitions()
    }

    private func finishEvents() {
        if let events { writer?.finish(events, sequence: thread.pointee.sequence) }
        events = nil
    }

    private func finishDefinitions() {
        if let definitions { writer?.finish(definitions.chunk) }
        definitions = nil
    }

    // MARK: Room for events

    /// Sees to it that `room` bytes can be written in the current generation. False: the event is lost, and counted;
    /// or recording is off.
    func makeReady(room: Int) -> Bool {
        let generation = weir_recording()
        guard generation != 0 else { return false }
        if thread.pointee.generation == generation, let cursor = thread.pointee.cursor,
            let limit = thread.pointee.limit, cursor < limit, room <= (limit + Self.compactRoom) - cursor
        {
            return true
        }
        closePlace()
        if thread.pointee.generation != generation, !enter(generation) { return false }
        if lost >= nextTry {
            if takeEvents() { return true }
            nextTry = lost + Self.eventsBetweenTries
        }
        countLost(1)
        return false
    }

    /// Leaves no room until a chunk is taken.
    ///
    /// A signal handler may come here between the question for room and the record. That record goes to scratch memory, which
    /// looks like a chunk, and is counted as lost.
    private func closePlace() {
        thread.pointee.limit = nil
        if thread.pointee.payload == scratch, strayBytes > 0 { countLost(1) }
        strayBytes = 0
        thread.pointee.payload = scratch
        thread.pointee.cursor = scratch
    }

    private var strayBytes: UInt32 {
        get { committedInScratch.pointee }
        set { committedInScratch.pointee = newValue }
    }

    private var committedInScratch: UnsafeMutablePointer<UInt32> {
        UnsafeMutableRawPointer(scratch - Int(weir_committed_before_records)).assumingMemoryBound(to: UInt32.self)
    }

    func countLost(_ count: UInt64) {
        lost += count
        writer?.countLost(count)
    }

    /// Moves on to a new generation, perhaps of a new recording.
    private func enter(_ generation: UInt32) -> Bool {
        guard let active = TraceWriter.active else { return false }
        finishEvents()
        // It may have been taken for the new generation already.
        if active !== writer || definitions.map({ $0.generation < generation }) ?? false { finishDefinitions() }
        if active !== writer {
            // A frame of the former recording is no frame of this one.
            endTurn()
            lastEvents = 0
            writer = active
            let isMain = weir_thread_is_main()
            number = isMain ? active.mainThread() : active.newThread()
            thread.pointee.serves = !isMain
            recorded = Recorded()
            lost = 0
            thread.pointee.sequence = 0
            thread.pointee.depth = 0
            thread.pointee.session = active.firstGeneration
            thread.pointee.policy = UInt32(active.configuration.policy.rawValue)
        }
        thread.pointee.generation = generation
        nextTry = lost
        return true
    }

    private func takeEvents() -> Bool {
        guard let writer else { return false }
        finishEvents()
        guard
            let chunk = writer.take(
                .events(after: lastEvents), thread: number, firstSequence: thread.pointee.sequence &+ 1)
        else { return false }
        events = chunk
        lastEvents = chunk.generation
        // Taking the chunk may have begun a generation: what was defined before must be defined again.
        thread.pointee.generation = chunk.generation
        let payload = (chunk.base + TraceFormat.chunkHeaderLength).assumingMemoryBound(to: UInt8.self)
        thread.pointee.payload = payload
        thread.pointee.last_stamp = chunk.field(TraceFormat.ChunkField.baseTicks).pointee
        thread.pointee.cursor = payload
        thread.pointee.limit = payload + Self.roomForRecords
        let log = ThreadLog()
        if thread.pointee.depth > 0 { log.context() }
        if lost > 0 {
            log.eventsLost(lost)
            lost = 0
        }
        nextTry = 0
        return true
    }

    // MARK: Deliveries that are not recorded

    /// The file of the node whose delivery is open and has caused no record yet.
    private var awaited: UnsafePointer<UInt8>?
    /// The recording in which the stimulus around it began.
    private var awaitedIn: UInt32?

    /// From now on the thread's next record takes the slow path.
    func awaitRecord(of file: UnsafePointer<UInt8>) -> Bool {
        guard awaited == nil, awaitedIn == nil else { return false }
        awaited = file
        thread.pointee.limit = nil
        return true
    }

    /// The file, if no record has come since `awaitRecord`; none is awaited from now on.
    func takeAwaited() -> UnsafePointer<UInt8>? {
        guard let file = awaited else { return nil }
        awaited = nil
        // The chunk is as it was, unless the recording has ended.
        if let events {
            let payload = (events.base + TraceFormat.chunkHeaderLength).assumingMemoryBound(to: UInt8.self)
            if thread.pointee.payload == payload { thread.pointee.limit = payload + Self.roomForRecords }
        }
        return file
    }

    func awaitedCauseBegan(in session: UInt32) { awaitedIn = session }

    /// Returns the recording in which the stimulus must be ended; nil: none began.
    func awaitNoRecord() -> UInt32? {
        defer { awaitedIn = nil }
        return takeAwaited() == nil ? awaitedIn : nil
    }

    // MARK: Values

    /// Form and value of anything. May run foreign code, which may record, stop or start anything.
    ///
    /// - Parameter known: as `encoder(of:)` has just found it.
    @inline(__always)
    func encode(
        _ value: UnsafeRawPointer, of type: Any.Type, known: Unmanaged<ValueEncoder>? = nil, to out: inout EncodedValue
    ) {
        // Recording has just been stopped.
        guard recordsValues else { return out.put(.notRecorded) }
        let inside = thread.pointee.inside
        thread.pointee.inside = inside &+ 1
        let encoder = known ?? encoders.encoder(of: value, type, .whole, self)
        // Foreign code may record.
        thread.pointee.inside = 0
        encoder._withUnsafeGuaranteedRef { $0.write(value, to: &out, in: nil, self) }
        thread.pointee.inside = inside
    }

    /// The encoder of values of the type; nil: it was not used lately, or none is needed.
    @inline(__always)
    func encoder(of type: Any.Type) -> Unmanaged<ValueEncoder>? {
        recordsValues ? encoders.encoderUsedLately(of: type, self) : nil
    }

    func fingerprint(of hash: UInt64) -> UInt64 { fingerprints?.number(of: hash) ?? hash }

    // MARK: Definitions

    /// What is recorded next begins something: says who runs it, unless that is known.
    func noteExecutor() {
        let executor = UInt(weir_executor())
        let generation = thread.pointee.generation
        if executor == recorded.executor, executor == 0 || generation == recorded.generation { return }
        guard let writer, let chunk = definitionChunk() else { return countLost(1) }
        let number = executor == 0 ? 0 : writer.number(ofExecutor: executor)
        let type = executor > WEIR_MAIN_EXECUTOR ? Self.dynamicType(ofExecutor: executor) : nil
        recorded = Recorded(executor: executor, generation: generation)
        chunk._withUnsafeGuaranteedRef { chunk in
            let name = chunk.id(ofType: type)
            chunk.record(.executorSpan) { body in
                Varint.write(thread.pointee.sequence &+ 1, &body)
                Varint.write(UInt64(number), &body)
                body.storeBytes(of: UInt8(min(executor, 2)), as: UInt8.self)
                body += 1
                Varint.write(name, &body)
            }
            chunk.commit()
        }
    }

    /// An executor is an object, and lives while it runs something.
    private static func dynamicType(ofExecutor address: UInt) -> Any.Type? {
        UnsafeRawPointer(bitPattern: address).map {
            type(of: Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue())
        }
    }

    /// The chunk of definitions, with room for a whole group of records; nil when there is none to be had, or when the thread has
    /// fallen behind the recording by more than a generation.
    @inline(__always)
    func definitionChunk() -> Unmanaged<DefinitionChunk>? {
        if let known = currentDefinitions,
            known._withUnsafeGuaranteedRef({ $0.hasRoom && explains($0.generation) })
        {
            return known
        }
        return nextDefinitionChunk()
    }

    @inline(never)
    private func nextDefinitionChunk() -> Unmanaged<DefinitionChunk>? {
        guard let writer else { return nil }
        let last = definitions
        finishDefinitions()
        guard let chunk = writer.take(.definitions, thread: number, firstSequence: 0) else {
            // Only a new chunk of events can begin a generation, in which there is room again.
            thread.pointee.limit = nil
            return nil
        }
        let next = DefinitionChunk(chunk)
        // String ids are good for one generation.
        if let last, last.chunk.generation == chunk.generation { next.inherit(last) }
        definitions = next
        return explains(chunk.generation) ? currentDefinitions : nil
    }

    /// Whether definitions of this generation stay as long as the thread's events; see `ChunkAllocator`.
    private func explains(_ definitions: UInt32) -> Bool {
        definitions == thread.pointee.generation || definitions == thread.pointee.generation &+ 1
    }
}
