import CWeirCore
import WeirRecording

/// A hot signal: delivers values to its subscribers, in the order in which they subscribed.
///
/// `Observable` and `Emitter` are subjects.
///
/// **During a delivery.** A handler may write, emit, subscribe and dispose at will. A value that it emits on the same subject is
/// delivered at once to the subscribers that have received the current event, and to the others afterwards. A new subscriber
/// receives the next emission. A subscriber that is disposed during a delivery is not called again; its closure is released when
/// the delivery is over.
///
/// **Threads.** Every operation may be called from any thread. One thread at a time delivers: a thread that emits while another
/// one delivers leaves its value to that thread, and returns. So no subscriber is called on two threads at once, and each
/// receives values in the order in which they were stored. No lock is held while a handler runs.
///
/// Invariants (`checkInvariants`): keys increase along the slots; `dead` counts the slots without a live sink; while no delivery
/// is open, `limbo`, the backlog and `retired` are empty.
public class Subject<Value>: Signal<Value> {
    @usableFromInline @exclusivity(unchecked) final var gate = weir_gate()
    @usableFromInline @exclusivity(unchecked) final var slots: UnsafeMutablePointer<Slot>?
    @usableFromInline @exclusivity(unchecked) final var count: Int32 = 0
    @usableFromInline @exclusivity(unchecked) final var dead: Int32 = 0
    @usableFromInline @exclusivity(unchecked) final var capacity: Int32 = 0
    /// The number of open deliveries, each inside the previous one, all on one thread.
    @usableFromInline @exclusivity(unchecked) final var deliveries: Int32 = 0
    /// Whether work waits for the end of the outermost delivery.
    @usableFromInline @exclusivity(unchecked) final var isAwaited = false
    /// The delivering thread; meaningless while no delivery is open.
    @usableFromInline @exclusivity(unchecked) final var deliverer: UInt = 0
    /// The number of slots that the innermost open delivery has reached; meaningless while none is open.
    @usableFromInline @exclusivity(unchecked) final var reached: Int32 = 0
    /// The work that the delivering thread does next.
    @exclusivity(unchecked) final var backlog: Backlog<Value>?
    /// Increases with every write of an observable; an interrupted delivery sees that it is outdated.
    @usableFromInline @exclusivity(unchecked) final var version: UInt32 = 0
    @usableFromInline @exclusivity(unchecked) final var lastKey: UInt64 = 0
    /// Whether it has ever had a subscriber.
    final var hasHadSubscribers: Bool { weir_load_u64(&lastKey) != 0 }
    /// Whether it has a subscriber now.
    final var hasSubscribers: Bool {
        let held = HeldGate(&gate)
        let isSubscribed = count > dead
        held.leave(&gate)
        return isSubscribed
    }
    /// Sinks to release after the delivery. Not of their type: to make even an empty array, the runtime would look that up.
    @exclusivity(unchecked) private final var limbo: [AnyObject] = []
    /// Sinks taken out of their slots and not yet notified of the end.
    @exclusivity(unchecked) private final var unnotified: [(key: UInt64, sink: AnyObject)] = []
    @exclusivity(unchecked) private final var retired: [UnsafeMutablePointer<Slot>] = []

    /// Set once: no value is delivered afterwards.
    @exclusivity(unchecked) final var ending: Ending?

    init(_ kind: NodeKind, privacy: TracePrivacy, file: StaticString, line: UInt) {
        super.init(kind, privacy: privacy, file: file, line: line) { signal, sink in signal.attach(sink) }
    }

    /// Replaces `former`, which is being released, for its subscribers and in traces.
    init(heirOf former: Subject<Value>) {
        super.init(
            former.operation, isPrivate: former.isPrivate, file: former.file, line: former.line
        ) { signal, sink in signal.attach(sink) }
        (slots, count, dead, capacity) = (former.slots, former.count, former.dead, former.capacity)
        (lastKey, version) = (former.lastKey, former.version)
        (former.slots, former.count, former.dead, former.capacity) = (nil, 0, 0, 0)
        takeIdentity(of: former)
    }

    override final var isHot: Bool { true }
    override final var tracedNode: Node { self }
    override final var nodeIfTraced: Node? { self }

    deinit {
        isEnding = true
        for index in 0..<Int(count) {
            guard let slots, let sink = heldSink(slots + index)?.takeRetainedValue() else { continue }
            guard weir_exchange_bool(&sink.isActive, false) else { continue }
            if weir_recording() != 0 { sink.recordEnded(source: self, .sourceReleased) }
            sink.end(.released)
        }
        slots?.deallocate()
        for buffer in retired { buffer.deallocate() }
    }

    @inlinable @inline(__always)
    final func liveSink(_ slot: UnsafeMutablePointer<Slot>) -> Unmanaged<Sink<Value>>? { Slot.sink(slot) }

    /// The sink in the slot, even if it was cancelled while it was being attached.
    private func heldSink(_ slot: UnsafeMutablePointer<Slot>) -> Unmanaged<Sink<Value>>? {
        guard let pointer = slot.pointee.pointer else { return nil }
        return .fromOpaque(pointer)
    }

    override func passPrivacyOn() { hideSinks() }

    private func hideSinks() { for sink in sinks { sink.becomePrivate() } }

    override final func forLater(_: LaterSignals) -> () -> Signal<Value>? { { [weak self] in self } }

    // MARK: Subscribers

    override func attach(_ sink: consuming Sink<Value>) -> Disposable {
        Subscription(self, key: add(sink))
    }

    /// Returns the key of the subscription; 0: the subject had ended, and the sink was notified.
    ///
    /// - Parameter meanwhile: runs inside the gate, at the moment from which `sink` receives values.
    final func add(_ sink: consuming Sink<Value>, meanwhile: () -> Void = {}) -> UInt64 {
        begin(sink)
        let held = HeldGate(&gate)
        if let ending {
            held.leave(&gate)
            notify([sink], ending)
            return 0
        }
        let key = insert(sink)
        meanwhile()
        held.leave(&gate)
        // The subject may have become private in between.
        if isPrivate { hideSinks() }
        return key
    }

    /// Records that `sink` subscribes; called before it is inserted.
    final func begin(_ sink: Sink<Value>) {
        sharePrivacy(with: sink)
        if weir_recording() != 0 { sink.recordStarted(source: self) }
    }

    /// Called before and after `sink` is inserted, because the subject may become private in between.
    final func sharePrivacy(with sink: Sink<Value>) { if isPrivate { sink.becomePrivate() } }

    /// Same as `add`, for a subscriber that first receives `current()`, which is called inside the gate.
    ///
    /// If another thread is delivering, that thread calls the subscriber.
    final func add(_ sink: Sink<Value>, receiving current: @escaping () -> Value) -> UInt64 {
        begin(sink)
        return insert(sink, receiving: current)
    }

    /// The same, if the start of the subscription has been recorded.
    ///
    /// - Parameter hasReceived: whether it has received the current value already; called inside the gate.
    final func insert(
        _ sink: Sink<Value>, receiving current: @escaping () -> Value, unless hasReceived: () -> Bool = { false }
    ) -> UInt64 {
        let held = HeldGate(&gate)
        let key = insert(sink)
        if hasReceived() { held.leave(&gate) } else { deliverFirst(to: sink, receiving: current, held) }
        sharePrivacy(with: sink)
        return key
    }

    /// Delivers the first value to a subscriber, or leaves that to the delivering thread; called inside the gate, which it leaves.
    final func deliverFirst(to sink: Sink<Value>, receiving current: @escaping () -> Value, _ held: consuming HeldGate)
    {
        if isDeliveredElsewhere(held) {
            leaveToDeliverer(.join(Newcomer(sink, current: current)), held)
        } else {
            deliverFirst(current(), to: sink, held)
        }
    }

    /// Delivers the first value to a subscriber; called inside the gate, which it leaves.
    final func deliverFirst(_ value: Value, to sink: Sink<Value>, _ held: consuming HeldGate) {
        beginDelivery()
        let outer = reached
        reached = count
        held.leave(&gate)
        replay(value, to: sink)
        reached = outer
        endDelivery()
    }

    /// Called inside the gate.
    @discardableResult
    final func insert(_ sink: consuming Sink<Value>) -> UInt64 {
        if count == capacity { grow() }
        lastKey += 1
        (slots.unsafelyUnwrapped + Int(count)).initialize(to: Slot(sink: sink, key: lastKey))
        count += 1
        return lastKey
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Slot>.allocate(capacity: max(2, Int(capacity) * 2))
        if let slots {
            larger.moveInitialize(from: slots, count: Int(count))
            // A running delivery may still read the old buffer.
            if deliveries == 0 {
                slots.deallocate()
            } else {
                retired.append(slots)
                isAwaited = true
            }
        }
        slots = larger
        capacity = max(2, capacity * 2)
    }

    override final func removeSubscription(_ key: UInt64, _ reason: SubscriptionEndReason) {
        // Released outside of the gate, because that may release the closure and so run any code.
        guard let removed = remove(key) else { return leaveUnnotified(key, reason) }
        guard weir_exchange_bool(&removed.isActive, false) else { return }
        if weir_recording() != 0 { removed.recordEnded(source: self, reason) }
        removed.cancelled(reason)
    }

    /// Empties the slot with that key.
    final func remove(_ key: UInt64) -> Sink<Value>? {
        let held = HeldGate(&gate)
        let removed = takeOut(key)?.takeRetainedValue()
        if let removed, deliveries != 0 {
            limbo.append(removed)
            isAwaited = true
        }
        held.leave(&gate)
        return removed
    }

    /// The first slot whose key is at least `key`; called inside the gate.
    private func place(of key: UInt64) -> Int {
        guard let slots else { return 0 }
        var (low, high) = (0, Int(count))
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The keys of the slots after `key`; called inside the gate.
    final func keys(after key: UInt64) -> [UInt64] {
        guard let slots else { return [] }
        return (place(of: key + 1)..<Int(count)).map { slots[$0].key }
    }

    /// The live sink with that key; called inside the gate.
    final func sink(of key: UInt64) -> Sink<Value>? {
        let place = place(of: key)
        guard let slots, place < count, slots[place].key == key else { return nil }
        return liveSink(slots + place)?.takeUnretainedValue()
    }

    private func takeOut(_ key: UInt64) -> Unmanaged<Sink<Value>>? {
        let place = place(of: key)
        guard let slots, place < count, slots[place].key == key, let sink = heldSink(slots + place) else { return nil }
        weir_store_release_pointer(&slots[place].pointer, nil)
        dead += 1
        if deliveries == 0 { compact() } else { isAwaited = true }
        return sink
    }

    /// Removes slots without a sink: those at the end at once, those in between when they are more than half.
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

    /// Ends a delivery, and possibly the turn; then the work that waited for the turn to settle runs.
    @inlinable @inline(__always)
    final func endTurn() {
        if _slowPath(weir_turn_must_settle()) { Settling.settle() }
        weir_turn_end()
    }

    /// Ends a delivery; after the outermost one, delivers and releases everything that waited for it.
    @inlinable @inline(__always)
    final func endDelivery() {
        let held = HeldGate(&gate)
        deliveries &-= 1
        if _fastPath(!isAwaited || deliveries != 0) { return held.leave(&gate) }
        deliverBacklog(held)
    }

    final func sweep(_ held: consuming HeldGate) {
        isAwaited = false
        let released = limbo
        limbo = []
        for buffer in retired { buffer.deallocate() }
        retired = []
        compact()
        held.leave(&gate)
        withExtendedLifetime(released) {}
    }

    /// Delivers a value stored by another thread; called inside the gate, which it leaves. For observables.
    func deliverWrite(_ write: BacklogWrite, _ held: consuming HeldGate) { held.leave(&gate) }

    /// Called inside the gate when this thread begins a delivery, nested or not.
    @inlinable @inline(__always)
    final func beginDelivery() {
        deliveries &+= 1
        deliverer = UInt(bitPattern: weir_thread_current())
    }

    /// Called inside the gate, with the result of entering it.
    @inlinable @inline(__always)
    final func isDeliveredElsewhere(_ held: borrowing HeldGate) -> Bool {
        // A gate that is biased to this thread was never entered by another one.
        !held.isBiased && deliveries != 0 && deliverer != UInt(bitPattern: weir_thread_current())
    }

    /// The number of slots whose subscribers existed when the last key was `key`.
    final func count(upTo key: UInt64) -> Int {
        guard let slots else { return 0 }
        var count = Int(count)
        while count > 0, slots[count - 1].key > key { count -= 1 }
        return count
    }

    /// Keeps a value that is being delivered, and returns the one it replaces; called inside the gate. For subjects that replay.
    func remember(_ value: Value, _ forgotten: inout Value?) {}

    /// Whether this subject replays values.
    var remembers: Bool { false }

    // MARK: Ending

    /// Ends the subject once, after all earlier emissions: notifies all subscribers, and releases them.
    final func finish(_ ending: Ending, tag: UInt64 = 0) {
        let held = HeldGate(&gate)
        if deliveries != 0 { return leaveToDeliverer(.end(ending, tag: tag), held) }
        beginDelivery()
        reached = 0
        held.leave(&gate)
        end(ending, tag: tag)
        endDelivery()
    }

    /// Notifies all subscribers of the end of the subject; called inside a delivery.
    func end(_ ending: Ending, tag: UInt64) {
        let held = HeldGate(&gate)
        guard self.ending == nil else {
            held.leave(&gate)
            if weir_recording() != 0 { recordSuppressed(.afterCompletion) }
            return
        }
        self.ending = ending
        let sinks = takeAllOut()
        held.leave(&gate)
        notify(sinks, ending)
    }

    /// All sinks in slots.
    final var sinks: [Sink<Value>] {
        HeldGate.inside(&gate) {
            return (0..<Int(count)).compactMap { index in
                slots.flatMap { heldSink($0 + index)?.takeUnretainedValue() }
            }
        }
    }

    /// Empties all slots; called inside the gate. A delivery that this interrupts finds no more sinks.
    final func takeAllOut() -> [Sink<Value>] {
        var sinks: [Sink<Value>] = []
        for index in 0..<Int(count) {
            guard let slots, let sink = heldSink(slots + index) else { continue }
            sinks.append(sink.takeRetainedValue())
            unnotified.append((slots[index].key, sink.takeUnretainedValue()))
            weir_store_release_pointer(&slots[index].pointer, nil)
            dead += 1
        }
        if deliveries == 0 {
            compact()
        } else {
            limbo += sinks as [AnyObject]
            isAwaited = true
        }
        return sinks
    }

    override final var isHeard: Bool {
        HeldGate.inside(&gate) {
            guard let slots else { return false }
            return (0..<Int(count)).contains { index in
                liveSink(slots + index).map { $0._withUnsafeGuaranteedRef { $0.keepsSource } } ?? false
            }
        }
    }

    @usableFromInline
    final var hasEnded: Bool {
        HeldGate.inside(&gate) { ending != nil }
    }

    final func notify(_ sinks: [Sink<Value>], _ ending: Ending) {
        #if Recording
        let isRecorded = weir_recording() != 0
        var frame: EndFrame?
        var away: [Sink<Value>] = []
        for sink in sinks where weir_exchange_bool(&sink.isActive, false) {
            if isRecorded, sink.isIsolated, sink.endsAway(ending) {
                away.append(sink)
                continue
            }
            if isRecorded {
                if frame == nil { frame = EndFrame(ending, of: self, to: sink) } else { frame?.next(sink, of: self) }
            }
            sink.hear(ending)
            if isRecorded, let reason = sink.reason(of: ending) { sink.recordEnded(source: self, reason) }
        }
        if isRecorded, frame == nil { frame = EndFrame(ending, of: self, to: nil as Sink<Value>?) }
        frame?.close()
        for sink in away { sink.endAway(ending, from: self) }
        #else
        for sink in sinks where weir_exchange_bool(&sink.isActive, false) { sink.hear(ending) }
        #endif
        let reported = Set(sinks.map(ObjectIdentifier.init))
        let held = HeldGate(&gate)
        let former = unnotified
        unnotified.removeAll { reported.contains(ObjectIdentifier($0.sink)) }
        held.leave(&gate)
        withExtendedLifetime(former) {}
    }

    /// Cancels a subscription that is disposed while others are notified of the end: it is not notified any more.
    private func leaveUnnotified(_ key: UInt64, _ reason: SubscriptionEndReason) {
        let held = HeldGate(&gate)
        let found = unnotified.first { $0.key == key }?.sink
        held.leave(&gate)
        guard let sink = found.map({ unsafeDowncast($0, to: Sink<Value>.self) }),
            weir_exchange_bool(&sink.isActive, false)
        else { return }
        if weir_recording() != 0 { sink.recordEnded(source: self, reason) }
        sink.cancelled(reason)
    }

    #if Recording
    override package func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void) {
        super.visitHeapReferences(visit)
        // Another thread was changing the slots when the walk began: report too few references rather than wrong ones.
        guard let slots, weir_gate_is_free(&gate) else { return }
        for index in 0..<Int(count) {
            if let pointer = slots[index].pointer { visit("subscriptions[\(index)]", UnsafeRawPointer(pointer)) }
        }
    }
    #endif

    /// Stops the program if an invariant does not hold; for tests.
    package final func checkInvariants() {
        HeldGate.inside(&gate) {
            let slots = UnsafeBufferPointer(start: slots, count: Int(count))
            precondition(Swift.zip(slots, slots.dropFirst()).allSatisfy { $0.key < $1.key }, "keys do not rise")
            precondition(slots.filter { $0.pointer == nil }.count == dead, "dead slots are miscounted")
            guard deliveries == 0 else { return }
            precondition(limbo.isEmpty && retired.isEmpty && !isAwaited, "something waits for a delivery that is over")
            precondition(backlog?.isEmpty != false, "the backlog was not delivered")
        }
    }
}

extension Subject: @unchecked Sendable where Value: Sendable {}
