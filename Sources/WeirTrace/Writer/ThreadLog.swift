import CWeir

/// The calling thread's place in the trace: every record of an event is written here.
///
/// A record costs about a nanosecond, a stamp about ten: no lock, no allocation, no call out of the fast path.
/// Protocol: ask `isReady(_:)` with the current generation before each record; where it says no, write nothing.
/// A record stands between `begin()` and `commit(_:)`: a signal handler that emits in between finds no room.
@frozen
public struct ThreadLog {
    @usableFromInline let thread: UnsafeMutablePointer<weir_thread>

    /// The log of the calling thread. Not to be kept: after an `await`, code may be on another thread.
    @inlinable @inline(__always)
    public init() { thread = weir_thread_current() }

    /// A log at a place that is no thread's, to measure what a record costs.
    init(thread: UnsafeMutablePointer<weir_thread>) { self.thread = thread }

    /// Whether a compact record can be written in `generation`; tries to make it so.
    @inlinable @inline(__always)
    public func isReady(_ generation: UInt32) -> Bool {
        _fastPath(weir_record_fits(thread, generation)) || makeReady()
    }

    /// Same as `isReady`, for a record in a frame that was opened in `generation`; nil: another recording has begun since then.
    @inlinable @inline(__always)
    public func isReady(since generation: UInt32) -> Bool? {
        // The thread's generation cannot differ: it changes after the recording's does.
        if _fastPath(weir_recording() == generation && weir_has_room(thread)) { return true }
        let isReady = isReady(weir_recording())
        return stays(in: generation) ? isReady : nil
    }

    /// Whether the thread's frames still belong to the recording that `generation` was part of.
    @inlinable @inline(__always)
    public func stays(in generation: UInt32) -> Bool { session <= generation }

    @usableFromInline @inline(never)
    func makeReady() -> Bool { makeReady(room: ThreadKeeper.compactRoom) }

    /// Counts events that were not even tried, because what they belong to could not be recorded.
    @usableFromInline @inline(never)
    package func countLost(_ count: Int) {
        guard weir_recording() != 0 else { return }
        let count = UInt64(max(0, count))
        if weir_has_interrupted_recorder() { return weir_count_interrupting(count) }
        ThreadKeeper.inside { $0.countLost(count) }
    }

    func makeReady(room: Int) -> Bool {
        guard weir_recording() != 0 else { return false }
        if weir_has_interrupted_recorder() {
            weir_count_interrupting(1)
            return false
        }
        if _slowPath(weir_choosing() != 0) { recordAwaitedCause() }
        return ThreadKeeper.inside { $0.makeReady(room: room) }
    }

    /// The generation that the thread's records belong to.
    @inlinable @inline(__always)
    public var generation: UInt32 { thread.pointee.generation }

    /// The recording that the thread's frames belong to; another one has begun when it changes.
    @inlinable @inline(__always)
    public var session: UInt32 { thread.pointee.session }

    /// Open frames of this thread.
    @inlinable @inline(__always)
    public var depth: UInt32 { thread.pointee.depth }

    /// Whether the recording's value policy keeps any values.
    @inlinable @inline(__always)
    public var recordsValues: Bool { thread.pointee.policy != 0 }

    // MARK: Pieces of a record

    /// Begins a record: returns its place.
    @inlinable @inline(__always)
    func begin() -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(weir_record_begin(thread)) }

    /// Makes the records up to `end` part of the trace.
    @inlinable @inline(__always)
    func commit(_ end: UnsafeMutableRawPointer) {
        weir_record_commit(thread, end.assumingMemoryBound(to: UInt8.self))
    }

    @inlinable @inline(__always)
    func stamp(_ end: inout UnsafeMutableRawPointer, at now: UInt64 = weir_now()) {
        let last = thread.pointee.last_stamp
        // The counters of two processors may differ a little: time never goes back.
        let passed = Int64(bitPattern: now &- last) > 0 ? now &- last : 0
        thread.pointee.last_stamp = last &+ passed
        Varint.write(passed, &end)
    }

    /// Tag, id, stamp.
    @inlinable @inline(__always)
    func head(
        _ kind: EventKind, _ code: UInt32, flags: UInt8, stamped: Bool, _ end: inout UnsafeMutableRawPointer
    ) {
        let tag = kind.rawValue | flags | (stamped ? TraceFormat.EventFlag.stamped : 0)
        end.storeBytes(of: tag, as: UInt8.self)
        end.storeBytes(of: code.littleEndian, toByteOffset: 1, as: UInt32.self)
        end += 1 &+ TraceCode.length(code)
        if stamped { stamp(&end) }
    }

    /// Tag, id, stamp of a record that takes the next sequence number.
    @inlinable @inline(__always)
    func head(_ kind: EventKind, _ code: UInt32, stamped: Bool) -> UnsafeMutableRawPointer {
        var end = begin()
        thread.pointee.sequence &+= 1
        head(kind, code, flags: 0, stamped: stamped, &end)
        return end
    }

    /// What is recorded next begins something, unless it is inside of something: a trace must know who runs it.
    @inlinable @inline(__always)
    func noteExecutor() {
        if _slowPath(thread.pointee.serves), depth == 0 { noteExecutorNow() }
    }

    @usableFromInline @inline(never)
    func noteExecutorNow() {
        if !weir_has_interrupted_recorder() { ThreadKeeper.inside { $0.noteExecutor() } }
    }

    // MARK: Emissions

    /// An emission that nobody hears, with its value. False: it could not be recorded.
    ///
    /// `redefine` defines the ids again if the room for a long value was found in a new generation.
    @inlinable @inline(__always)
    public func emitted<Value>(_ node: UInt32, _ value: Value, isPrivate: Bool, redefine: () -> Void) -> Bool {
        noteExecutor()
        guard let end = write(node, value, isPrivate: isPrivate, flags: 0, stamped: depth == 0) else {
            return outOfLine(node, value, flags: 0, to: 0, isTerminal: false, redefine)
        }
        thread.pointee.sequence &+= 1
        commit(end)
        return true
    }

    /// An emission, the frame that it opens, and the beginning of its first delivery.
    ///
    /// One commit for both records. False: they could not be recorded; then nothing else of the emission may be.
    /// `isTerminal`: the delivery is timed; the stamp of a root serves it too. `redefine` is as above.
    @inlinable @inline(__always)
    public func emitted<Value>(
        _ node: UInt32, _ value: Value, isPrivate: Bool, replayed: Bool = false, to subscription: UInt32,
        isTerminal: Bool, redefine: () -> Void
    ) -> Bool {
        let flags = TraceFormat.EventFlag.delivers | (replayed ? TraceFormat.EventFlag.replayed : 0)
        noteExecutor()
        let depth = depth
        let isRoot = depth == 0
        guard var end = write(node, value, isPrivate: isPrivate, flags: flags, stamped: isRoot) else {
            return outOfLine(node, value, flags: flags, to: subscription, isTerminal: isTerminal, redefine)
        }
        // Read once the record has begun: until then a signal handler may record.
        let sequence = thread.pointee.sequence &+ 1
        pushFrame(node: node, subscription: subscription, sequence: sequence, at: depth)
        thread.pointee.sequence = sequence &+ 1
        head(.deliveryBegan, subscription, flags: 0, stamped: isTerminal && !isRoot, &end)
        commit(end)
        return true
    }

    /// Begins an emission, which is not part of the trace yet, and returns its end; nil: the value must be written out of line.
    @inlinable @inline(__always)
    func write<Value>(
        _ node: UInt32, _ value: Value, isPrivate: Bool, flags: UInt8, stamped: Bool
    ) -> UnsafeMutableRawPointer? {
        let isRecorded = recordsValues && !isPrivate
        if isRecorded && !ValueEncoding.mayBeInline(Value.self) { return nil }
        var end = begin()
        let last = thread.pointee.last_stamp
        head(.emitted, node, flags: flags, stamped: stamped, &end)
        if _fastPath(isRecorded) {
            if _fastPath(ValueEncoding.writeInline(value, &end)) { return end }
            thread.pointee.last_stamp = last
            weir_record_cancel(thread)
            return nil
        }
        let form: TraceFormat.ValueForm = recordsValues ? .withheld : .notRecorded
        end.storeBytes(of: form.rawValue, as: UInt8.self)
        return end + 1
    }

    @inlinable @inline(__always)
    func outOfLine<Value>(
        _ node: UInt32, _ value: Value, flags: UInt8, to subscription: UInt32, isTerminal: Bool, _ redefine: () -> Void
    ) -> Bool {
        let generation = generation
        let isWritten = withUnsafePointer(to: value) {
            emittedOutOfLine(
                node, UnsafeRawPointer($0), of: Value.self, flags: flags, to: subscription, isTerminal: isTerminal)
        }
        if isWritten, self.generation != generation { redefine() }
        return isWritten
    }

    /// Opens a frame for the emission just written, and begins its first delivery.
    func deliver(
        to subscription: UInt32, of node: UInt32, isTimed: Bool, _ end: inout UnsafeMutableRawPointer
    ) {
        pushFrame(node: node, subscription: subscription)
        thread.pointee.sequence &+= 1
        head(.deliveryBegan, subscription, flags: 0, stamped: isTimed, &end)
    }

    /// A completion or failure, its error as `encoded(_:)` gives it, and the beginning of its first delivery.
    ///
    /// `subscription` 0: nobody hears it, and no frame is opened. False: it could not be recorded.
    @usableFromInline @inline(never)
    package func ended(
        _ kind: EventKind, _ node: UInt32, _ error: [UInt8], to subscription: UInt32, isTerminal: Bool,
        redefine: () -> Void = {}
    ) -> Bool {
        let (session, generation) = (session, generation)
        guard makeReady(room: error.count + ThreadKeeper.compactRoom), self.session == session else { return false }
        let isRoot = depth == 0
        var end = begin()
        thread.pointee.sequence &+= 1
        head(kind, node, flags: subscription == 0 ? 0 : TraceFormat.EventFlag.delivers, stamped: isRoot, &end)
        error.withUnsafeBytes {
            if let base = $0.baseAddress { end.copyMemory(from: base, byteCount: $0.count) }
        }
        end += error.count
        if subscription != 0 { deliver(to: subscription, of: node, isTimed: isTerminal && !isRoot, &end) }
        commit(end)
        if self.generation != generation { redefine() }
        return true
    }

    /// An emission of what was computed from `start` to `stop`, as `encoded(_:)` gives it, and its only delivery, which took as long.
    ///
    /// What was recorded since comes before it. False: it could not be recorded.
    @inline(never)
    package func computed(
        _ node: UInt32, _ value: [UInt8], to subscription: UInt32, from start: UInt64, to stop: UInt64,
        redefine: () -> Void
    ) -> Bool {
        let (session, generation) = (session, generation)
        guard makeReady(room: value.count + ThreadKeeper.compactRoom), self.session == session else { return false }
        noteExecutor()
        let isRoot = depth == 0
        var end = begin()
        func put(_ kind: EventKind, _ code: UInt32, _ flags: UInt8, stamped: Bool) {
            thread.pointee.sequence &+= 1
            head(kind, code, flags: flags | (stamped ? TraceFormat.EventFlag.stamped : 0), stamped: false, &end)
            if stamped { stamp(&end, at: start) }
        }
        put(.emitted, node, TraceFormat.EventFlag.delivers, stamped: isRoot)
        value.withUnsafeBytes {
            if let base = $0.baseAddress { end.copyMemory(from: base, byteCount: $0.count) }
        }
        end += value.count
        pushFrame(node: node, subscription: subscription)
        put(.deliveryBegan, subscription, 0, stamped: !isRoot)
        commit(end)
        if self.generation != generation { redefine() }
        deliveryEnded(at: stop)
        popFrame()
        return true
    }

    /// The program writes `node` at the write site with this code; what comes of it is recorded next.
    @inline(never)
    package func written(_ node: UInt32, at writeSite: UInt32) {
        var end = head(.written, node, stamped: depth == 0)
        end.storeBytes(of: TraceFormat.ValueForm.unsigned.rawValue, as: UInt8.self)
        end += 1
        TraceCode.write(writeSite, &end)
        commit(end)
    }

    /// A value that went no further, and why.
    @inlinable @inline(__always)
    public func suppressed(_ node: UInt32, _ reason: SuppressionReason) {
        let end = head(.suppressed, node, stamped: depth == 0)
        end.storeBytes(of: reason.rawValue, as: UInt8.self)
        commit(end + 1)
    }

    /// A delivery ends and the next one of the same emission begins; a stamp serves both.
    @inlinable @inline(__always)
    public func deliveryNext(_ subscription: UInt32, stamped: Bool) {
        let end = head(.deliveryNext, subscription, stamped: stamped)
        setFrame(subscription: subscription)
        commit(end)
    }

    /// All deliveries of the innermost open emission have ended; what waited for the turn to settle runs now, inside it.
    @inlinable @inline(__always)
    public func settlingBegan(stamped: Bool) { deliveryNext(TraceCode.none, stamped: stamped) }

    /// The last delivery of the innermost open emission ends, and with it the emission.
    @inlinable @inline(__always)
    public func deliveryEnded(stamped: Bool) {
        if stamped { return deliveryEnded(at: weir_now()) }
        let end = begin()
        thread.pointee.sequence &+= 1
        end.storeBytes(of: EventKind.deliveryEnded.rawValue, as: UInt8.self)
        commit(end + 1)
    }

    /// The same, of a delivery that ended at `time`.
    @inlinable @inline(__always)
    public func deliveryEnded(at time: UInt64) {
        var end = begin()
        thread.pointee.sequence &+= 1
        end.storeBytes(of: EventKind.deliveryEnded.rawValue | TraceFormat.EventFlag.stamped, as: UInt8.self)
        end += 1
        stamp(&end, at: time)
        commit(end)
    }

    /// A record of a node or subscription that is no emission: its beginning or its end.
    @inlinable @inline(__always)
    public func fact(_ kind: EventKind, _ code: UInt32, isTimed: Bool = true) {
        commit(head(kind, code, stamped: isTimed && depth == 0))
    }

    /// A subscription's end, and why.
    @inlinable @inline(__always)
    public func subscriptionEnded(
        _ subscription: UInt32, _ reason: SubscriptionEndReason, isTimed: Bool = true
    ) {
        let end = head(.subscriptionEnded, subscription, stamped: isTimed && depth == 0)
        end.storeBytes(of: reason.rawValue, as: UInt8.self)
        commit(end + 1)
    }

    // MARK: Frames

    /// The last record opened a frame; its delivery goes to `subscription`.
    @inlinable @inline(__always)
    func pushFrame(node: UInt32, subscription: UInt32, sequence: UInt64, at depth: UInt32) {
        if _fastPath(depth < UInt32(weir_frame_capacity)) {
            thread.pointee.frames.unsafelyUnwrapped[Int(depth)] =
                weir_frame(sequence: sequence, node: node, subscription: subscription)
        }
        thread.pointee.depth = depth &+ 1
    }

    func pushFrame(node: UInt32, subscription: UInt32) {
        pushFrame(node: node, subscription: subscription, sequence: thread.pointee.sequence, at: depth)
    }

    @inlinable @inline(__always)
    func setFrame(subscription: UInt32) {
        let depth = thread.pointee.depth &- 1
        if _fastPath(depth < UInt32(weir_frame_capacity)) {
            thread.pointee.frames.unsafelyUnwrapped[Int(depth)].subscription = subscription
        }
    }

    /// The innermost frame is closed.
    @inlinable @inline(__always)
    public func popFrame() {
        thread.pointee.depth &-= 1
    }
}
