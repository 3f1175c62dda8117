import CWeir
import WeirTrace

/// Delivers values to its subscribers, in the order in which they subscribed.
///
/// The common part of `Observable` and `Emitter`.
///
/// **During a delivery.** A handler may write, subscribe and dispose at will. A write from inside a handler is
/// delivered at once, depth first. Who subscribes during a delivery hears from the next emission on. Who is disposed
/// during a delivery hears nothing more of it; its closure is released when no delivery of this signal is under way on any
/// thread, otherwise at once.
///
/// **Threads.** Every operation may be called from any thread and is memory-safe. Handlers run on the thread that
/// emits; when two threads emit at the same time, their deliveries interleave. A handler runs outside of all locks.
///
/// Invariants (`checkInvariants`): keys rise along the slots; `dead` counts the slots without a live sink; while no
/// delivery is under way, nothing is in limbo and no buffer is retired.
public class Signal<Value>: Node {
    @usableFromInline @exclusivity(unchecked) final var gate = weir_gate()
    @usableFromInline @exclusivity(unchecked) final var slots: UnsafeMutablePointer<Slot<Value>>?
    @usableFromInline @exclusivity(unchecked) final var count: Int32 = 0
    @usableFromInline @exclusivity(unchecked) final var dead: Int32 = 0
    @usableFromInline @exclusivity(unchecked) final var capacity: Int32 = 0
    /// Deliveries under way, on all threads.
    @usableFromInline @exclusivity(unchecked) final var deliveries: Int32 = 0
    /// Something waits for the end of all deliveries.
    @usableFromInline @exclusivity(unchecked) final var needsSweep = false
    /// Rises with every write of an observable; an interrupted delivery sees that it is outdated.
    @usableFromInline @exclusivity(unchecked) final var version: UInt32 = 0
    @exclusivity(unchecked) private final var lastKey: UInt64 = 0
    @exclusivity(unchecked) private final var limbo: [Sink<Value>] = []
    @exclusivity(unchecked) private final var retired: [UnsafeMutablePointer<Slot<Value>>] = []

    override init(file: StaticString, line: UInt, privacy: TracePrivacy) {
        super.init(file: file, line: line, privacy: privacy)
    }

    deinit {
        isEnding = true
        recordSourceReleased()
        for index in 0..<Int(count) {
            if let slots, let sink = Slot.sink(slots + index) { sink.release() }
        }
        slots?.deallocate()
        for buffer in retired { buffer.deallocate() }
    }

    override final var valueTypeName: String { String(describing: Value.self) }

    /// Calls `handler` with every value from now on, until the result is disposed or the signal is released.
    ///
    /// The signal holds the handler strongly. Dropping the result ends nothing; disposing it, or emptying the bag it is
    /// in, does. Cost: two allocations.
    @discardableResult
    public final func subscribe(
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Value) -> Void
    ) -> Disposable {
        attach(Sink(handler, target: nil, edge: nil, file: file, line: line))
    }

    // MARK: Subscribers

    final func attach(_ sink: Sink<Value>) -> Subscription<Value> {
        Subscription(self, key: add(sink))
    }

    final func add(_ sink: Sink<Value>) -> UInt64 {
        if weir_recording() != 0 { sink.recordStarted(source: self) }
        let biased = weir_gate_enter(&gate)
        if count == capacity { grow() }
        lastKey += 1
        let key = lastKey
        (slots.unsafelyUnwrapped + Int(count)).initialize(to: Slot(sink: sink, key: key))
        count += 1
        weir_gate_leave(&gate, biased)
        return key
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Slot<Value>>.allocate(capacity: max(2, Int(capacity) * 2))
        if let slots {
            larger.moveInitialize(from: slots, count: Int(count))
            // A delivery under way may still read the old buffer.
            if deliveries == 0 {
                slots.deallocate()
            } else {
                retired.append(slots)
                needsSweep = true
            }
        }
        slots = larger
        capacity = max(2, capacity * 2)
    }

    final func remove(_ key: UInt64, _ reason: SubscriptionEndReason) {
        let biased = weir_gate_enter(&gate)
        let removed = takeOut(key)
        let isOver = deliveries == 0
        if let removed, !isOver {
            limbo.append(removed.takeUnretainedValue())
            needsSweep = true
        }
        weir_gate_leave(&gate, biased)
        guard let removed else { return }
        if weir_recording() != 0 { removed._withUnsafeGuaranteedRef { $0.recordEnded(source: self, reason) } }
        // Outside of the gate: this may release the closure, and with it anything.
        removed.release()
    }

    /// Empties the slot with that key.
    private func takeOut(_ key: UInt64) -> Unmanaged<Sink<Value>>? {
        guard let slots else { return nil }
        var (low, high) = (0, Int(count))
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].key < key { low = middle + 1 } else { high = middle }
        }
        guard low < count, slots[low].key == key, let sink = Slot.sink(slots + low) else { return nil }
        sink._withUnsafeGuaranteedRef { weir_store_bool(&$0.isActive, false) }
        weir_store_release_pointer(&slots[low].pointer, nil)
        dead += 1
        if deliveries == 0 { compact() } else { needsSweep = true }
        return sink
    }

    /// Gives slots without a sink back: those at the end at once, those in between when they are the half.
    private func compact() {
        guard let slots else { return }
        while count > 0, slots[Int(count) - 1].pointer == nil {
            count -= 1
            dead -= 1
        }
        guard dead * 2 > count else { return }
        var kept = 0
        for index in 0..<Int(count) where slots[index].pointer != nil {
            slots[kept] = slots[index]
            kept += 1
        }
        count = Int32(kept)
        dead = 0
    }

    /// A delivery is over; with the last one, what waited for that goes.
    @inlinable @inline(__always)
    final func endDelivery() {
        let biased = weir_gate_enter(&gate)
        deliveries &-= 1
        if _fastPath(!needsSweep || deliveries != 0) { return weir_gate_leave(&gate, biased) }
        sweep(biased)
    }

    @usableFromInline @inline(never)
    final func sweep(_ biased: Bool) {
        needsSweep = false
        let released = limbo
        limbo = []
        for buffer in retired { buffer.deallocate() }
        retired = []
        compact()
        weir_gate_leave(&gate, biased)
        withExtendedLifetime(released) {}
    }

    // MARK: Delivery

    /// Gives `value` to the first `count` slots; the caller has counted the delivery, and ends it.
    @inlinable @inline(__always)
    final func deliver(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot<Value>>?, _ count: Int, version: UInt32
    ) {
        let generation = weir_recording()
        if _fastPath(generation == 0) {
            deliver(value, slots, from: 0, count, version: version)
        } else {
            deliverRecorded(value, slots, count, version: version, generation: generation)
        }
    }

    @inlinable @inline(__always)
    final func deliver(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot<Value>>?, from first: Int, _ count: Int, version: UInt32
    ) {
        guard let slots else { return }
        var index = first
        while index < count {
            if let sink = Slot.sink(slots + index) {
                sink._withUnsafeGuaranteedRef { $0.handler(value) }
                if weir_load_u32(&self.version) != version { return }
            }
            index &+= 1
        }
    }

    @inlinable
    final func deliverRecorded(
        _ value: Value, _ slots: UnsafeMutablePointer<Slot<Value>>?, _ count: Int, version: UInt32, generation: UInt32
    ) {
        guard let slots else { return recordUnheard(value) }
        var index = 0
        var found: Unmanaged<Sink<Value>>?
        while index < count {
            found = Slot.sink(slots + index)
            if found != nil { break }
            index &+= 1
        }
        guard let first = found else { return recordUnheard(value) }
        let log = ThreadLog()
        let node = log.isReady(generation) ? code(log) : 0
        let session = log.session
        let firstSubscription = node == 0 ? 0 : first._withUnsafeGuaranteedRef { $0.code(log, source: self) }
        // Whether the delivery before was timed, so that its end must be stamped.
        var isTimed = first._withUnsafeGuaranteedRef { $0.isTerminal }
        // Defining the subscription may have ended in another recording, where the node's code means nothing.
        guard firstSubscription != 0, log.session == session,
            log.emitted(node, value, isPrivate: isPrivate, to: firstSubscription, isTerminal: isTimed)
        else {
            // The emission has been counted as lost; its deliveries, and their end, have not.
            log.countLost(count &- index &+ 1)
            return deliver(value, slots, from: index, count, version: version)
        }
        first._withUnsafeGuaranteedRef { $0.handler(value) }
        index &+= 1
        while index < count {
            if _slowPath(weir_load_u32(&self.version) != version) {
                recordSuperseded(session)
                break
            }
            if let sink = Slot.sink(slots + index) {
                let subscription =
                    log.isReady(weir_recording())
                    ? sink._withUnsafeGuaranteedRef { $0.code(log, source: self) } : 0
                guard subscription != 0, log.session == session else {
                    if log.session == session {
                        log.countLost(count &- index)
                        log.popFrame()
                    }
                    return deliver(value, slots, from: index, count, version: version)
                }
                let isTerminal = sink._withUnsafeGuaranteedRef { $0.isTerminal }
                log.deliveryNext(subscription, stamped: isTerminal || isTimed)
                isTimed = isTerminal
                sink._withUnsafeGuaranteedRef { $0.handler(value) }
            }
            index &+= 1
        }
        let canEnd = log.isReady(weir_recording())
        guard log.session == session else { return }
        if canEnd { log.deliveryEnded(stamped: isTimed) }
        log.popFrame()
    }

    /// An emission that nobody hears.
    @inlinable @inline(never)
    final func recordUnheard(_ value: Value) {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        let node = code(log)
        if node != 0 { _ = log.emitted(node, value, isPrivate: isPrivate) }
    }

    @usableFromInline @inline(never)
    final func recordSuperseded(_ session: UInt32) {
        if ThreadLog().session == session { recordSuppressed(.superseded) }
    }

    @usableFromInline @inline(never)
    final func recordSuppressed(_ reason: SuppressionReason) {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        let node = code(log)
        if node != 0 { log.suppressed(node, reason) }
    }

    private func recordSourceReleased() {
        guard weir_recording() != 0 else { return }
        for index in 0..<Int(count) {
            guard let slots, let sink = Slot.sink(slots + index) else { continue }
            sink._withUnsafeGuaranteedRef { $0.recordEnded(source: self, .sourceReleased) }
        }
    }

    /// Stops the program when an invariant does not hold; for tests.
    package final func checkInvariants() {
        let biased = weir_gate_enter(&gate)
        defer { weir_gate_leave(&gate, biased) }
        let slots = UnsafeBufferPointer(start: slots, count: Int(count))
        precondition(zip(slots, slots.dropFirst()).allSatisfy { $0.key < $1.key }, "keys do not rise")
        precondition(slots.filter { $0.pointer == nil }.count == dead, "dead slots are miscounted")
        guard deliveries == 0 else { return }
        precondition(limbo.isEmpty && retired.isEmpty && !needsSweep, "something waits for a delivery that is over")
    }
}

extension Signal: @unchecked Sendable where Value: Sendable {}
