import CWeir
import WeirTrace

/// A value that changes, and can be read and subscribed to, but not written.
///
/// What combiners, a command's `isEnabled` and `isExecuting` are; every `Observable` is one, too. A model that keeps an
/// observable to itself can publish it as this:
/// ```swift
/// private let count = Observable(0)
/// var shownCount: ReadOnlyObservable<Int> { count }
/// ```
/// See `Observable` for how values are delivered.
public class ReadOnlyObservable<Value>: Subject<Value> {
    @usableFromInline @exclusivity(unchecked) final var storage: Value
    /// Rises with every write of a value whose equality is not built in.
    @usableFromInline @exclusivity(unchecked) final var writes: UInt32 = 0
    /// Rises when a new subscriber receives the current value, or a combiner begins with it.
    @exclusivity(unchecked) private final var replays: UInt32 = 0
    /// Rises with every write in a batch: if the last one restores the value, nothing is delivered.
    @usableFromInline @exclusivity(unchecked) final var deferrals: UInt32 = 0
    /// The thread that wrote last in a batch that has not ended; 0: none.
    @exclusivity(unchecked) private final var batchThread: UInt = 0
    /// Batches of several threads have written, and have not all ended.
    @exclusivity(unchecked) private final var isBatchedTwice = false
    /// The `TrackedValue`; nil: no read was ever tracked. Set once, inside the gate.
    @usableFromInline @exclusivity(unchecked) final var tracked: UnsafeMutableRawPointer?
    /// What is bound to it; nil: nothing ever was.
    @exclusivity(unchecked) private final var feeders: Feeders?
    /// Of no use where values are compared in place. Not optional, for speed (see `Sink`).
    @usableFromInline final let isEqual: (Value, Value) -> Bool

    /// To be called by subclasses, which call `recordCreated` when they are complete.
    init(holding value: Value, privacy: TracePrivacy, file: StaticString, line: UInt) {
        storage = value
        isEqual = Equality.function(for: Value.self)
        super.init(.observable, privacy: privacy, file: file, line: line)
    }

    init(heirOf former: ReadOnlyObservable<Value>) {
        storage = former.storage
        isEqual = former.isEqual
        super.init(heirOf: former)
    }

    deinit {
        if let tracked { Unmanaged<AnyObject>.fromOpaque(tracked).release() }
    }

    override var height: Int32 { knownFeeders?.height ?? 0 }

    private var knownFeeders: Feeders? {
        let biased = weir_gate_enter(&gate)
        defer { weir_gate_leave(&gate, biased) }
        return feeders
    }

    /// The value follows that of `signal` until `binding` ends.
    final func isFed(by signal: Node, through binding: AnyObject) {
        let biased = weir_gate_enter(&gate)
        let feeders = feeders ?? Feeders()
        self.feeders = feeders
        weir_gate_leave(&gate, biased)
        feeders.add(signal, of: binding)
    }

    final func isNoLongerFed(through binding: AnyObject) { knownFeeders?.remove(binding) }

    /// The current value. Reading never delivers.
    ///
    /// Inside `withObservationTracking`, so in the body of a SwiftUI view, a read is tracked as that of an `@Observable` property
    /// is: the next different value calls `onChange`, before it is stored. To find out whether reads are tracked, each read calls
    /// the Observation module; the first read in a process also looks up a symbol of that module.
    public var value: Value {
        noteRead()
        return stored
    }

    /// As `value`, without a call.
    @inlinable @inline(__always)
    final var stored: Value {
        let biased = weir_gate_enter(&gate)
        defer { weir_gate_leave(&gate, biased) }
        return storage
    }

    /// Calls `handler` with the current value now if `initial`, and with every new value from now on.
    ///
    /// - Parameter owner: the object for which `handler` works; as with `subscribe(owner:)`.
    @discardableResult
    public final func subscribe(
        initial: Bool, owner: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (Value) -> Void
    ) -> Disposable {
        let home = handler.isolation
        let handler = Isolation.handler(handler)
        if let home {
            let sink = IsolatedSink(
                handler, queue: HomeQueue(home), target: nil, owner: owner, onEnd: nil, file: file, line: line,
                operation: IsolatedSink.receive)
            return IsolatedSubscription(initial ? attachCurrent(sink) : attach(sink), sink.queue)
        }
        if let owner {
            let sink = sink(for: owner, handler, file: file, line: line)
            return initial ? attachCurrent(sink) : attach(sink)
        }
        let sink = TerminalSink(handler, target: nil, onEnd: nil, file: file, line: line)
        return initial ? attachCurrent(sink) : attach(sink)
    }

    /// Another one after every write: what was computed from the value is outdated.
    @inlinable final var stamp: UInt32 { weir_load_u32(&version) &+ weir_load_u32(&deferrals) }

    /// Subscribes a combiner that has read the value; the key of the subscription.
    final func add(input sink: Sink<Value>) -> UInt64 { add(sink) { _ = weir_add_u32(&replays, 1) } }

    override final func withCurrent(file: StaticString, line: UInt) -> Signal<Value> {
        Operator(.current, Current(), to: self, file: file, line: line)
    }

    /// The sink receives the current value before this returns, whatever other threads do, or very nearly so: where they
    /// write faster than it can be told, the thread that delivers will tell it.
    override final func attachCurrent(_ sink: Sink<Value>) -> Disposable {
        if weir_recording() != 0 { sink.recordStarted(source: self) }
        var heard: UInt32?
        for _ in 0..<4 {
            let biased = weir_gate_enter(&gate)
            if !isDeliveredElsewhere(biased) {
                let key = insert(sink)
                if heard == version {
                    weir_gate_leave(&gate, biased)
                } else {
                    _ = weir_add_u32(&replays, 1)
                    deliverFirst(storage, to: sink, biased)
                }
                return Subscription(self, key: key)
            }
            // What is being delivered, and what waits, is not for a subscriber that comes now.
            if heard == version {
                let key = insert(sink)
                weir_gate_leave(&gate, biased)
                return Subscription(self, key: key)
            }
            heard = version
            _ = weir_add_u32(&replays, 1)
            let value = storage
            weir_gate_leave(&gate, biased)
            replay(value, to: sink)
        }
        let biased = weir_gate_enter(&gate)
        let key = insert(sink)
        _ = weir_add_u32(&replays, 1)
        if isDeliveredElsewhere(biased) {
            leaveToDeliverer(.join(Newcomer(sink) { self.storage }), biased)
        } else {
            deliverFirst(storage, to: sink, biased)
        }
        return Subscription(self, key: key)
    }

    @inlinable
    final func write(_ new: Value) { write(new, isAnnounced: false) }

    @inlinable @inline(__always)
    final func write(_ new: Value, isAnnounced: Bool) {
        var biased = weir_gate_enter(&gate)
        if Equality.isBuiltIn(Value.self) {
            if Equality.areEqual(storage, new) {
                weir_gate_leave(&gate, biased)
                if _slowPath(weir_recording() != 0) { recordSuppressed(.equal) }
                return
            }
        } else {
            var known: UInt32
            repeat {
                // A user's `==` must not run inside the gate.
                let old = storage
                known = writes
                weir_gate_leave(&gate, biased)
                if isEqual(old, new) {
                    if _slowPath(weir_recording() != 0) { recordSuppressed(.equal) }
                    return
                }
                biased = weir_gate_enter(&gate)
            } while _slowPath(writes != known)
            writes &+= 1
        }
        if _slowPath(tracked != nil), !isAnnounced {
            weir_gate_leave(&gate, biased)
            return writeTracked(new)
        }
        replace(by: new, biased)
    }

    /// Stores a value that differs, and delivers it, or leaves that to the end of the batch; leaves the gate.
    @inlinable @inline(__always)
    final func replace(by new: Value, _ biased: Bool) {
        var old = new
        swap(&storage, &old)
        if _slowPath(weir_turn_is(weir_turn_batch)) {
            return deferDelivery(since: old, biased)
        }
        deliverCurrent(new, biased)
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(old) {}
    }

    /// Delivers the value that has just been stored, or leaves that to the thread that delivers; leaves the gate.
    @inlinable @inline(__always)
    final func deliverCurrent(_ new: Value, _ biased: Bool) {
        let version = weir_load_u32(&self.version) &+ 1
        weir_store_u32(&self.version, version)
        if _slowPath(isDeliveredElsewhere(biased)) { return leaveWrite(version, biased) }
        _ = weir_turn_begin()
        beginDelivery()
        let slots = slots
        let count = Int(count)
        weir_gate_leave(&gate, biased)
        deliver(new, slots, count, version: version)
        endTurn()
        endDelivery()
    }

    /// Leaves the delivery of what is stored to the thread that delivers; inside the gate, which it leaves.
    @usableFromInline @inline(never)
    final func leaveWrite(_ version: UInt32, _ biased: Bool) {
        let backlog = neededBacklog()
        let isSuperseding = backlog.write != nil
        backlog.write = .init(hop: .queued, version: version, deferrals: deferrals, lastKey: lastKey)
        weir_gate_leave(&gate, biased)
        if isSuperseding && weir_recording() != 0 { recordSuppressed(.superseded) }
    }

    override final func deliverWrite(_ write: BacklogWrite, _ biased: Bool) {
        // Else a handler of what was delivered meanwhile has written since, and that write has been delivered to all.
        guard self.version == write.version else { return weir_gate_leave(&gate, biased) }
        // A version of its own: what is stored may be newer, and wait for the end of a batch on another thread. Then the
        // subscribers that have come since have not received it either.
        let version = write.version &+ 1
        weir_store_u32(&self.version, version)
        let isNewer = deferrals != write.deferrals
        let (slots, count, value) = (slots, isNewer ? Int(count) : count(upTo: write.lastKey), storage)
        weir_gate_leave(&gate, biased)
        write.hop.run(of: self) { deliver(value, slots, count, version: version) }
    }

    /// Inside a batch: the value that has been stored waits for its end; inside the gate, which it leaves.
    ///
    /// - Parameter old: the value before; not of interest but in the first write of this batch since a delivery.
    @usableFromInline @inline(never)
    final func deferDelivery(since old: Value, _ biased: Bool) {
        _ = weir_add_u32(&deferrals, 1)
        let me = UInt(bitPattern: weir_thread_current())
        if batchThread != 0 && batchThread != me { isBatchedTwice = true }
        batchThread = me
        let (version, evaluations, replays) = (version, foreignEvaluations, replays)
        weir_gate_leave(&gate, biased)
        if weir_recording() != 0 { recordSuppressed(.batched) }
        Settling.ofThisThread {
            $0.deferDelivery(of: self, version) { [self] in deliverBatched(since: old, version, replays, evaluations) }
        }
    }

    /// How often other threads have evaluated the combiners that this feeds; nil while one does. Inside the gate.
    private final var foreignEvaluations: UInt32? {
        var sum: UInt32 = 0
        guard let slots else { return sum }
        for index in 0..<Int(count) {
            guard let sink = liveSink(slots + index) else { continue }
            guard let evaluations = sink._withUnsafeGuaranteedRef({ $0.foreignEvaluations }) else { return nil }
            sum &+= evaluations
        }
        return sum
    }

    /// The batch is over: delivers the value that is there now, if it is not the one that was delivered last.
    ///
    /// - Parameter old: the value of the delivery `version`.
    private func deliverBatched(
        since old: Value, _ version: UInt32, _ replays: UInt32, _ evaluations: UInt32?
    ) {
        var biased = weir_gate_enter(&gate)
        let now = storage
        let isDelivered = self.version != version
        // Then `old` may be a value of another batch.
        let isBatchedTwice = isBatchedTwice
        if batchThread == UInt(bitPattern: weir_thread_current()) { (batchThread, self.isBatchedTwice) = (0, false) }
        // Somebody has subscribed, or a combiner has evaluated on another thread, and so received a value of the batch.
        let isKnown =
            isBatchedTwice || weir_load_u32(&self.replays) != replays || evaluations == nil
            || foreignEvaluations != evaluations
        weir_gate_leave(&gate, biased)
        // A later delivery, of a handler or of another thread, has delivered what is there.
        if isDelivered { return }
        if !isKnown && isEqual(old, now) {
            if weir_recording() != 0 { recordSuppressed(.equal) }
            return
        }
        biased = weir_gate_enter(&gate)
        guard self.version == version else { return weir_gate_leave(&gate, biased) }
        // Read again: another thread's batch may have stored another value meanwhile.
        deliverCurrent(storage, biased)
    }

    override final var heldModels: Any? {
        // The number of elements of a private array is private, too.
        isPrivate || _isPOD(Value.self) || Value.self == String.self ? nil : stored
    }

    override package func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void) {
        super.visitHeapReferences(visit)
        if let tracked { visit("observation", UnsafeRawPointer(tracked)) }
    }

    override final func encodedValue(_ log: ThreadLog) -> [UInt8] { log.encoded(stored) }
}

// The gate guards all of its state.
extension ReadOnlyObservable: @unchecked Sendable where Value: Sendable {}
