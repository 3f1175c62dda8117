import CWeirCore
import WeirRecording

// The hot path: every emission pays for every line.
extension Subject {
    /// Delivers `value` to all subscribers, in a turn; while a delivery is open, see `broadcastInDelivery`.
    ///
    /// - Parameter meanwhile: runs inside the gate: a subscriber added after it does not receive the value.
    @inlinable @inline(__always)
    final func broadcast(_ value: Value, meanwhile: () -> Void = {}) {
        let held = HeldGate(&gate)
        if _slowPath(deliveries != 0) { return broadcastInDelivery(value, held) }
        _ = weir_turn_begin()
        meanwhile()
        beginDelivery()
        let slots = slots
        let count = Int(count)
        held.leave(&gate)
        deliver(value, slots, count, version: 0)
        endTurn()
        endDelivery()
    }

    /// Delivers `value` to the slots from `first` on; stops when a newer value has been delivered.
    @inlinable @inline(__always)
    final func deliver(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot>?, from first: Int, _ count: Int, version: UInt32
    ) {
        guard let slots else { return }
        var index = first
        while index < count {
            if let sink = liveSink(slots + index) {
                reached = Int32(truncatingIfNeeded: index &+ 1)
                sink._withUnsafeGuaranteedRef { $0.receive(value) }
                if weir_load_u32(&self.version) != version { return }
            }
            index &+= 1
        }
    }
}

#if Recording
extension Subject {
    /// Delivers the value from before the subscription to `sink`.
    final func replay(_ value: Value, to sink: Sink<Value>) {
        let generation = weir_recording()
        let log = ThreadLog()
        guard generation != 0, isReady(log, generation) else { return receive(value, sink) }
        if sink.isIsolated, sink.isAway { return sink.receiveAway(value, from: self, cause: log.openPlace) }
        let turn = weir_has_signposts() ? log.turnBegins { signpostName } : nil
        defer { turn?.end() }
        let frame = openEmission(of: value, isReplayed: true, to: sink)
        guard frame.isOpen else { return receive(value, sink) }
        if weir_has_signposts() { sink.receiveWithSignpost(value, from: self) } else { sink.receive(value) }
        frame.close(stamped: true)
    }

    /// A replay that is not recorded.
    private func receive(_ value: Value, _ sink: Sink<Value>) {
        guard weir_recording() != 0, isLeftOut else { return sink.receive(value) }
        if sink.isIsolated, sink.isAway { return sink.receiveAway(value, from: self, cause: ThreadLog().openPlace) }
        let delivery = LeftOutDelivery(of: self)
        sink.receive(value)
        delivery.end()
    }

    /// Delivers `value` to the first `count` slots; the caller has counted the delivery, and ends it.
    @inlinable @inline(__always)
    final func deliver(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot>?, _ count: Int, version: UInt32
    ) {
        let generation = weir_recording()
        if _fastPath(generation == 0) {
            deliver(value, slots, from: 0, count, version: version)
        } else if _slowPath(weir_tasks_carry_causes()) {
            deliverInTask(value, slots, count, version: version)
        } else {
            deliverRecorded(value, slots, count, version: version, generation: generation)
        }
    }

    /// Same as `deliverRecorded`, but with the cause of the task, unless there is a nearer one.
    @inlinable @inline(never)
    final func deliverInTask(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot>?, _ count: Int, version: UInt32
    ) {
        if isLeftOut {
            guard let slots else { return }
            return deliverLeftOut(value, slots, from: 0, count, version: version)
        }
        let hop = TaskHop(of: self)
        if weir_has_write_sites() { recordWriteSite(isDelivering: true) }
        if weir_has_signposts() {
            deliverWithSignposts(value, slots, count, version: version)
        } else {
            deliverRecorded(value, slots, count, version: version, generation: weir_recording())
        }
        hop.end()
    }

    /// The usual case comes first, in the caller: one subscriber, which has received a value in this generation before.
    @inlinable @inline(__always)
    final func deliverRecorded(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot>?, _ count: Int, version: UInt32, generation: UInt32
    ) {
        let log = ThreadLog()
        guard count == 1, let slots, let sink = liveSink(slots),
            sink._withUnsafeGuaranteedRef({ $0.hasHead(generation) }),
            case let isTimed = sink._withUnsafeGuaranteedRef({ $0.isTerminal }),
            log.emitted(
                sink._withUnsafeGuaranteedRef { $0.head }, value, isPrivate: isPrivate, isTerminal: isTimed,
                generation: generation)
        else { return deliverRecordedToAll(value, slots, count, version: version, generation: generation) }
        reached = 1
        sink._withUnsafeGuaranteedRef { $0.receive(value) }
        guard let canEnd = log.isReady(since: generation) else { return }
        if _slowPath(weir_turn_must_settle()) {
            return settleRecorded(isTimed: isTimed, generation: generation, canEnd: canEnd)
        }
        if canEnd { log.deliveryEnded(stamped: isTimed) }
        log.popFrame()
    }

    @inlinable
    final func deliverRecordedToAll(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot>?, _ count: Int, version: UInt32, generation: UInt32
    ) {
        deliverRecorded(value, slots, count, version: version, generation: generation, hasSignposts: false)
    }

    /// The turn settles inside the last delivery of the emission with which it began; then that delivery ends.
    @usableFromInline @inline(never)
    final func settleRecorded(isTimed: Bool, generation: UInt32, canEnd: Bool) {
        let log = ThreadLog()
        if canEnd { log.settlingBegan(stamped: isTimed) }
        Settling.settle()
        guard let canEnd = log.isReady(since: generation) else { return }
        if canEnd { log.deliveryEnded(stamped: false) }
        log.popFrame()
    }

    /// Same as `deliverRecorded`, inside the interval of the turn if it begins one, and with one for each handler.
    @usableFromInline @inline(never)
    final func deliverWithSignposts(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot>?, _ count: Int, version: UInt32
    ) {
        let turn = ThreadLog().turnBegins { signpostName }
        deliverRecorded(value, slots, count, version: version, generation: weir_recording(), hasSignposts: true)
        turn?.end()
    }

    /// `hasSignposts` is a constant, so that a delivery without them has no instruction for them.
    @inlinable @inline(__always)
    final func deliverRecorded(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot>?, _ count: Int, version: UInt32, generation: UInt32,
        hasSignposts: Bool
    ) {
        guard let slots else { return recordUnheard(value) }
        var index = 0
        // Handlers that receive the value later, in hops to their actors, are notified once the emission has been recorded.
        var hasAway = false
        var found: Unmanaged<Sink<Value>>?
        while index < count {
            found = liveSink(slots + index)
            if let sink = found {
                guard _slowPath(isAway(sink)) else { break }
                (found, hasAway) = (nil, true)
            }
            index &+= 1
        }
        guard let first = found else {
            return hasAway ? recordAway(value, slots, count) : recordUnheard(value)
        }
        let log = ThreadLog()
        // Whether the previous delivery was timed, so that its end must be stamped.
        var isTimed = first._withUnsafeGuaranteedRef { $0.isTerminal }
        guard isReady(log, generation),
            let codes = first._withUnsafeGuaranteedRef({ $0.codes(log, source: self) }),
            case let generation = log.generation,
            log.emitted(
                codes.node, value, isPrivate: isPrivate, to: codes.subscription, isTerminal: isTimed,
                redefine: { _ = (code(log), first._withUnsafeGuaranteedRef { $0.code(log, source: self) }) })
        else {
            if isLeftOut { return deliverLeftOut(value, slots, from: hasAway ? 0 : index, count, version: version) }
            // The emission has been counted as lost; its deliveries and their end have not.
            log.countLost(count &- index &+ 1)
            return deliver(value, slots, from: hasAway ? 0 : index, count, version: version)
        }
        if _slowPath(hasAway) { handOver(value, slots, upTo: index) }
        reached = Int32(truncatingIfNeeded: index &+ 1)
        receive(value, first, hasSignposts: hasSignposts)
        index &+= 1
        while index < count {
            if _slowPath(weir_load_u32(&self.version) != version) {
                recordSuperseded(generation)
                break
            }
            if let sink = liveSink(slots + index) {
                if _slowPath(isAway(sink)) {
                    handOver(value, slots + index, upTo: 1)
                    index &+= 1
                    continue
                }
                let subscription =
                    log.isReady(weir_recording())
                    ? sink._withUnsafeGuaranteedRef { $0.code(log, source: self) } : 0
                guard subscription != 0, log.stays(in: generation) else {
                    if log.stays(in: generation) {
                        log.countLost(count &- index)
                        log.popFrame()
                    }
                    return deliver(value, slots, from: index, count, version: version)
                }
                let isTerminal = sink._withUnsafeGuaranteedRef { $0.isTerminal }
                log.deliveryNext(subscription, stamped: isTerminal || isTimed)
                isTimed = isTerminal
                reached = Int32(truncatingIfNeeded: index &+ 1)
                receive(value, sink, hasSignposts: hasSignposts)
            }
            index &+= 1
        }
        guard let canEnd = log.isReady(since: generation) else { return }
        if _slowPath(weir_turn_must_settle()) {
            return settleRecorded(isTimed: isTimed, generation: generation, canEnd: canEnd)
        }
        if canEnd { log.deliveryEnded(stamped: isTimed) }
        log.popFrame()
    }

    @inlinable @inline(__always)
    final func receive(_ value: Value, _ sink: Unmanaged<Sink<Value>>, hasSignposts: Bool) {
        if hasSignposts {
            sink.takeUnretainedValue().receiveWithSignpost(value, from: self)
        } else {
            sink._withUnsafeGuaranteedRef { $0.receive(value) }
        }
    }

    /// Delivers a value of a subject that the recording leaves out.
    @usableFromInline @inline(never)
    final func deliverLeftOut(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot>?, from first: Int, _ count: Int, version: UInt32
    ) {
        let delivery = LeftOutDelivery(of: self)
        var index = first
        while let slots, index < count, weir_load_u32(&self.version) == version {
            if let sink = liveSink(slots + index) {
                reached = Int32(truncatingIfNeeded: index &+ 1)
                if isAway(sink) {
                    handOver(value, slots + index, upTo: 1, cause: ThreadLog().openPlace)
                } else {
                    sink._withUnsafeGuaranteedRef { $0.receive(value) }
                }
            }
            index &+= 1
        }
        if weir_turn_must_settle() { Settling.settle() }
        delivery.end()
    }

    /// Whether a handler belongs to an actor and cannot be called now.
    @inlinable @inline(__always)
    final func isAway(_ sink: Unmanaged<Sink<Value>>) -> Bool {
        sink._withUnsafeGuaranteedRef { $0.isIsolated && $0.isAway }
    }

    /// Passes `value`, whose emission is the innermost open one, to those of the first `count` handlers that receive it in hops.
    @usableFromInline @inline(never)
    final func handOver(_ value: Value, _ slots: UnsafeMutablePointer<Slot>, upTo count: Int) {
        handOver(value, slots, upTo: count, cause: ThreadLog().openPlace)
    }

    private func handOver(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot>, upTo count: Int, cause: ThreadLog.Place?
    ) {
        for index in 0..<count {
            guard let sink = liveSink(slots + index), isAway(sink) else { continue }
            sink._withUnsafeGuaranteedRef { $0.receiveAway(value, from: self, cause: cause) }
        }
    }

    /// Records an emission that is received in hops only.
    @usableFromInline @inline(never)
    final func recordAway(_ value: Value, _ slots: UnsafeMutablePointer<Slot>, _ count: Int) {
        let log = ThreadLog()
        let node = isReady(log, weir_recording()) ? code(log) : 0
        guard node != 0, log.emitted(node, value, isPrivate: isPrivate, redefine: { _ = code(log) }) else {
            let version = weir_load_u32(&version)
            if isLeftOut { return deliverLeftOut(value, slots, from: 0, count, version: version) }
            return deliver(value, slots, from: 0, count, version: version)
        }
        handOver(value, slots, upTo: count, cause: log.lastPlace)
    }

    /// Records an emission without subscribers.
    @inlinable @inline(never)
    final func recordUnheard(_ value: Value) {
        let log = ThreadLog()
        guard isReady(log, weir_recording()) else { return }
        if hasEnded { return recordSuppressed(.afterCompletion) }
        let node = code(log)
        if node != 0 { _ = log.emitted(node, value, isPrivate: isPrivate, redefine: { _ = code(log) }) }
    }

    @usableFromInline @inline(never)
    final func recordSuperseded(_ generation: UInt32) {
        if ThreadLog().stays(in: generation) { recordSuppressed(.superseded) }
    }
}
#else
extension Subject {
    final func replay(_ value: Value, to sink: Sink<Value>) { sink.receive(value) }

    @inlinable @inline(__always)
    final func deliver(_ value: Value, _ slots: UnsafeMutablePointer<Slot>?, _ count: Int, version: UInt32) {
        deliver(value, slots, from: 0, count, version: version)
    }
}
#endif
