import CWeirCore
import WeirRecording

/// A value that changes; it can be read and subscribed to, but not written.
///
/// Combiners, and `isEnabled` and `isExecuting` of a command, are read-only observables; so is every `Observable`. A model that
/// keeps an observable private can publish it like this:
/// ```swift
/// private let count = Observable(0)
/// var shownCount: ReadOnlyObservable<Int> { count }
/// ```
/// `Observable` describes how values are delivered.
public class ReadOnlyObservable<Value>: Subject<Value> {
    /// The value that subscribers have received, or are about to receive. Every new value has a new `version`.
    @usableFromInline @exclusivity(unchecked) final var storage: Value
    /// The value written by batches, until the batch that wrote last is over; nil: none has written.
    @usableFromInline @exclusivity(unchecked) final var batched: UnsafeMutablePointer<BatchedValue<Value>>?
    /// Increases with every write in a batch.
    @usableFromInline @exclusivity(unchecked) final var batchedWrites: UInt32 = 0
    /// Whether a read was tracked or a batch has written: then `change` does the work of a write.
    @usableFromInline @exclusivity(unchecked) final var isSpecial = false
    /// The `TrackedValue`; nil: no read was ever tracked. Set once, inside the gate.
    @usableFromInline @exclusivity(unchecked) final var tracked: UnsafeMutableRawPointer?
    /// The sources bound to it; nil: there never was one.
    @exclusivity(unchecked) private final var feeders: Feeders?
    /// Unused for values that are compared inline. Not optional, for speed (see `Sink`).
    @usableFromInline final let isEqual: (Value, Value) -> Bool

    /// Called by subclasses, which call `recordCreated` when they are complete.
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
        HeldGate.inside(&gate) { feeders }
    }

    /// The value follows that of `signal` until `binding` ends.
    final func isFed(by signal: Node, through binding: AnyObject) {
        if signal.isPrivate { becomePrivate() }
        let held = HeldGate(&gate)
        let feeders = feeders ?? Feeders()
        self.feeders = feeders
        held.leave(&gate)
        feeders.add(signal, of: binding)
    }

    final func isNoLongerFed(through binding: AnyObject) { knownFeeders?.remove(binding) }

    /// The current value. Reading never delivers.
    ///
    /// Inside `withObservationTracking`, for example in the body of a SwiftUI view, a read is tracked like that of an
    /// `@Observable` property: the next different value calls `onChange` before it is stored. Observation starts to listen when
    /// the body ends: a write by another thread between the read and that moment is not announced. Each read calls the
    /// Observation module to find out whether reads are tracked; the first read in a process also looks up a symbol of that
    /// module.
    public var value: Value {
        noteRead()
        return held
    }

    /// Same as `value`, but not tracked.
    @inlinable @inline(__always)
    final var held: Value {
        HeldGate.inside(&gate) { _slowPath(batched != nil) ? batched.unsafelyUnwrapped.pointee.value : storage }
    }

    /// Same as `held`, but without the values of an open batch: combiners compute from it.
    @inlinable @inline(__always)
    final var stored: Value {
        HeldGate.inside(&gate) { storage }
    }

    /// Same as `stored`, for a combiner that evaluates: a value of one word is read outside of the gate.
    ///
    /// No value is missed. The thread that delivers a value enters the gate of the evaluation after the value was stored. Either it
    /// evaluates, or the evaluating thread enters that gate once more, and evaluates again.
    @inlinable @inline(__always)
    final var storedForEvaluation: Value { Word.holds(Value.self) ? Word.load(&storage) : stored }

    /// Stores `new`, and returns a value that must be released outside of the gate; called inside the gate.
    @inlinable @inline(__always)
    final func exchange(_ new: Value) -> Value {
        var former = new
        if Word.holds(Value.self) { Word.store(new, at: &storage) } else { swap(&storage, &former) }
        return former
    }

    /// Calls `handler` with the current value now if `initial` is true, and with every new value from now on.
    ///
    /// - Parameter owner: the object for which `handler` works, as in `subscribe(owner:)`.
    @inlinable @discardableResult
    public final func subscribe(
        initial: Bool, owner: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext _ handler: @escaping @Sendable @isolated(any) (Value) -> Void
    ) -> Disposable {
        guard initial else { return subscribe(owner: owner, file: file, line: line, handler) }
        let home = handler.isolation
        let handler = Isolation.handler(handler)
        if let home { return attachCurrent(handler, in: home, owner: owner, file: file, line: line) }
        guard let owner else {
            return attachCurrent(TerminalSink(handler, target: nil, onEnd: nil, file: file, line: line))
        }
        return attachCurrent(sink(for: owner, handler, file: file, line: line))
    }

    /// Subscribes a handler that belongs to the actor `home`, beginning with the current value.
    @usableFromInline @inline(never)
    final func attachCurrent(
        _ handler: @escaping (Value) -> Void, in home: any Actor, owner: AnyObject?, file: StaticString, line: UInt
    ) -> Disposable {
        let sink = IsolatedSink(
            handler, queue: HomeQueue(home), target: nil, owner: owner, onEnd: nil, file: file, line: line,
            operation: IsolatedSink.receive)
        return IsolatedSubscription(attachCurrent(sink), sink.queue)
    }

    /// Returns a different stamp after every write: values computed from the former value are outdated.
    @inlinable final var stamp: UInt32 { weir_load_u32(&version) &+ weir_load_u32(&batchedWrites) }

    override final func withCurrent(file: StaticString, line: UInt) -> Signal<Value> {
        Operator(.current, Current(), to: self, file: file, line: line)
    }

    /// The sink receives the current value before this returns, with one exception: if other threads write faster than this
    /// delivers, the delivering thread delivers the value instead.
    @usableFromInline
    override final func attachCurrent(_ sink: Sink<Value>) -> Disposable {
        begin(sink)
        var heard: UInt32?
        for _ in 0..<4 {
            let held = HeldGate(&gate)
            // A new subscriber does not receive values that another thread is delivering, or that wait.
            let canBeInserted = heard == version || !isDeliveredElsewhere(held)
            let key = canBeInserted ? insert(sink) : 0
            if heard == version {
                held.leave(&gate)
                sharePrivacy(with: sink)
                return Subscription(self, key: key)
            }
            heard = version
            let value = handOut()
            if canBeInserted {
                if let mine = batchedHere { mine.pointee.informed.append(key) }
                deliverFirst(value, to: sink, held)
                sharePrivacy(with: sink)
                return Subscription(self, key: key)
            }
            held.leave(&gate)
            replay(value, to: sink)
        }
        return Subscription(self, key: insert(sink, receiving: handOut) { heard == version })
    }

    @inlinable
    final func write(_ new: Value) {
        var held = HeldGate(&gate)
        if Equality.isBuiltIn(Value.self) {
            if _fastPath(!isSpecial), Equality.areEqual(storage, new) {
                held.leave(&gate)
                if _slowPath(weir_recording() != 0) { recordSuppressed(.equal) }
                return
            }
        } else {
            var known = version &- 1
            while _fastPath(!isSpecial), known != version {
                // A user's `==` must not run inside the gate.
                let (old, depth) = (storage, deliveries)
                known = version
                held.leave(&gate)
                if isSame(old, new, depth) {
                    if _slowPath(weir_recording() != 0) { recordSuppressed(.equal) }
                    return
                }
                held = HeldGate(&gate)
            }
        }
        if _slowPath(isSpecial) {
            held.leave(&gate)
            return change { $0 = new }
        }
        replace(by: new, held)
    }

    /// Whether a write that is nested in `depth` deliveries changes nothing.
    @inlinable @inline(__always)
    final func isSame(_ old: Value, _ new: Value, _ depth: Int32) -> Bool {
        isEqual(old, new) || _slowPath(depth > Equality.mostNested) && Equality.areEqualInLoop(old, new)
    }

    /// Stores the value that `change` computes from the current one, in one step: if another thread writes while `change` runs,
    /// it runs again.
    @inlinable @inline(never)
    final func change<Result>(isAnnounced: Bool = false, _ change: (inout Value) throws -> Result) rethrows -> Result {
        while true {
            var held = HeldGate(&gate)
            let old = batched?.pointee.value ?? storage
            let (known, depth) = (stamp, deliveries)
            held.leave(&gate)
            var new = old
            let result = try change(&new)
            let isEqual = isSame(old, new, depth)
            held = HeldGate(&gate)
            guard stamp == known else {
                held.leave(&gate)
                continue
            }
            if isEqual {
                // A write equal to the value written by another thread's batch counts as a read of that value.
                if batchedHere == nil { batched?.pointee.isKnown = true }
                held.leave(&gate)
                if weir_recording() != 0 { recordSuppressed(.equal) }
                return result
            }
            if tracked != nil, !isAnnounced {
                held.leave(&gate)
                return try announce {
                    let held = HeldGate(&gate)
                    guard stamp == known else {
                        held.leave(&gate)
                        return try self.change(isAnnounced: true, change)
                    }
                    store(new, held)
                    return result
                }
            }
            store(new, held)
            return result
        }
    }

    /// Same as `replace`, but a batch may have written; called inside the gate, which it leaves.
    @inlinable
    final func store(_ new: Value, _ held: consuming HeldGate) {
        if batched == nil { replace(by: new, held) } else { replaceBatched(by: new, held) }
    }

    /// Stores a different value and delivers it, or leaves that to the end of the batch; called inside the gate, which it leaves.
    @inlinable @inline(__always)
    final func replace(by new: Value, _ held: consuming HeldGate) {
        if _slowPath(weir_turn_is(weir_turn_batch)) { return hold(new, held) }
        let old = exchange(new)
        let version = weir_load_u32(&self.version) &+ 1
        weir_store_u32(&self.version, version)
        if _slowPath(isDeliveredElsewhere(held)) {
            leaveWrite(version, lastKey: lastKey, held)
        } else {
            deliverInTurn(new, Int(count), version, held)
        }
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(old) {}
    }

    /// Delivers the stored value to the first `count` slots; called inside the gate, which it leaves.
    @inlinable @inline(__always)
    final func deliverInTurn(_ value: Value, _ count: Int, _ version: UInt32, _ held: consuming HeldGate) {
        _ = weir_turn_begin()
        beginDelivery()
        let slots = slots
        held.leave(&gate)
        deliver(value, slots, count, version: version)
        endTurn()
        endDelivery()
    }

    /// Leaves the delivery of the stored value to the delivering thread; called inside the gate, which it leaves.
    @usableFromInline @inline(never)
    final func leaveWrite(_ version: UInt32, lastKey: UInt64, _ held: consuming HeldGate) {
        let backlog = neededBacklog()
        let isSuperseding = backlog.write != nil
        backlog.write = .init(hop: .queued, version: version, lastKey: lastKey)
        held.leave(&gate)
        if isSuperseding && weir_recording() != 0 { recordSuppressed(.superseded) }
    }

    override final func deliverWrite(_ write: BacklogWrite, _ held: consuming HeldGate) {
        // Otherwise a later write has been or will be delivered.
        guard version == write.version else { return held.leave(&gate) }
        let (slots, count, value) = (slots, count(upTo: write.lastKey), storage)
        held.leave(&gate)
        write.hop.run(of: self) { deliver(value, slots, count, version: write.version) }
    }

    override final var heldModels: Any? {
        // The number of elements of a private array is private, too.
        isPrivate || _isPOD(Value.self) || Value.self == String.self ? nil : held
    }

    #if Recording
    override package func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void) {
        super.visitHeapReferences(visit)
        if let tracked { visit("observation", UnsafeRawPointer(tracked)) }
    }
    #endif

    #if Recording
    /// The value that was delivered last. While one is being delivered, that is not known: the new value is already stored.
    override final func encodedValue(_ log: ThreadLog) -> [UInt8] {
        let held = HeldGate(&gate)
        let value = deliveries == 0 ? storage : nil
        held.leave(&gate)
        return value.map(log.encoded) ?? log.encodedAbsence
    }
    #endif
}

// The gate guards all of its state.
extension ReadOnlyObservable: @unchecked Sendable where Value: Sendable {}
