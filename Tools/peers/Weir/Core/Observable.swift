import CWeir
import WeirTrace

/// Holds one value; a write of a different value goes to all subscribers.
///
/// ```swift
/// let username = Observable("")
/// username.subscribe { print($0) }
/// username.value = "Maruko"
/// ```
/// A write of an equal value goes no further; where the type is not `Equatable`, every write does. The value is
/// changed before the first subscriber hears of it. If a handler writes again, that newer value is delivered first, to
/// all; the interrupted delivery then skips its remaining subscribers, who already have the newer value (a trace says
/// 'superseded'). See `Subject` for threads, and for subscribing and disposing during a delivery.
///
/// Inside `batch { … }` a write is delivered when the batch ends.
///
/// Cost of a write with one subscriber, nothing recorded: a few nanoseconds for numbers.
public class Observable<Value>: Subject<Value> {
    @usableFromInline @exclusivity(unchecked) final var storage: Value
    /// Rises with every write of a value whose equality is not built in.
    @usableFromInline @exclusivity(unchecked) final var writes: UInt32 = 0
    /// The version at the last write inside a batch.
    @exclusivity(unchecked) private final var batchedVersion: UInt32 = 0
    /// Of no use where values are compared in place. Not optional, for speed (see `Sink`).
    @usableFromInline final let isEqual: (Value, Value) -> Bool

    /// An observable that holds `value`.
    ///
    /// - Parameters:
    ///   - value: the first value; nobody hears of it, unless they subscribe with `initial: true`.
    ///   - privacy: `.private` keeps values out of every trace.
    public init(
        _ value: Value, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) {
        storage = value
        isEqual = Equality.function(for: Value.self)
        super.init(.observable, privacy: privacy, file: file, line: line)
        if Swift.type(of: self) == Observable<Value>.self { recordCreated() }
    }

    /// The current value. Reading never delivers; a write returns when all subscribers have been called.
    @inlinable
    public final var value: Value {
        get {
            let biased = weir_gate_enter(&gate)
            defer { weir_gate_leave(&gate, biased) }
            return storage
        }
        set { write(newValue) }
    }

    /// Calls `handler` with the current value now if `initial`, and with every new value from now on.
    ///
    /// - Parameter owner: the object for which `handler` works; as with `subscribe(owner:)`.
    @discardableResult
    public final func subscribe(
        initial: Bool, owner: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Value) -> Void
    ) -> Disposable {
        if let owner {
            let sink = sink(for: owner, handler, file: file, line: line)
            let subscription = attach(sink)
            if initial { replay(to: sink) }
            return subscription
        }
        let sink = TerminalSink(handler, target: nil, onEnd: nil, file: file, line: line)
        let subscription = attach(sink)
        if initial { replay(to: sink) }
        return subscription
    }

    final func replay(to sink: Sink<Value>) { replay(value, to: sink) }

    override final func withCurrent(file: StaticString, line: UInt) -> Signal<Value> {
        Operator(.current, CatchUp(), to: self, file: file, line: line)
    }

    override final func attach(_ sink: Sink<Value>, caughtUp: () -> Void) -> Disposable {
        var current: Value?
        let key = add(sink) { current = storage }
        if let current { replay(current, to: sink) }
        caughtUp()
        return Subscription(self, key: key)
    }

    @inlinable
    final func write(_ new: Value) {
        var biased = weir_gate_enter(&gate)
        if Equality.isBuiltIn(Value.self) {
            if Equality.areEqual(storage, new) {
                weir_gate_leave(&gate, biased)
                if _slowPath(weir_recording() != 0) { recordSuppressed(.equal) }
                return
            }
        } else {
            // A user's `==` must not run inside the gate.
            let old = storage
            weir_gate_leave(&gate, biased)
            if isEqual(old, new) {
                if _slowPath(weir_recording() != 0) { recordSuppressed(.equal) }
                return
            }
            biased = weir_gate_enter(&gate)
            writes &+= 1
        }
        replace(by: new, biased)
    }

    /// Makes of the value what `change` makes of it; runs that again if another thread has written in the meantime.
    ///
    /// Not for types whose equality is built in: their writes are not counted.
    final func edit<Result>(_ change: (inout Value) throws -> Result) rethrows -> Result {
        while true {
            var biased = weir_gate_enter(&gate)
            let old = storage
            let writes = writes
            weir_gate_leave(&gate, biased)
            var new = old
            let result = try change(&new)
            if isEqual(old, new) {
                if weir_recording() != 0 { recordSuppressed(.equal) }
                return result
            }
            biased = weir_gate_enter(&gate)
            guard self.writes == writes else {
                weir_gate_leave(&gate, biased)
                continue
            }
            self.writes &+= 1
            replace(by: new, biased)
            return result
        }
    }

    /// Stores a value that differs, and delivers it, or leaves that to the end of the batch; leaves the gate.
    @inlinable @inline(__always)
    final func replace(by new: Value, _ biased: Bool) {
        var old = new
        swap(&storage, &old)
        let isBatched = weir_turn_begin()
        if _slowPath(isBatched) {
            weir_gate_leave(&gate, biased)
            weir_turn_end()
            return deferDelivery(since: old)
        }
        deliverCurrent(new, biased)
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(old) {}
    }

    /// Delivers the value that has just been stored; inside a turn that has begun, and leaves the gate.
    @inlinable @inline(__always)
    final func deliverCurrent(_ new: Value, _ biased: Bool) {
        let version = weir_load_u32(&self.version) &+ 1
        weir_store_u32(&self.version, version)
        deliveries &+= 1
        let slots = slots
        let count = Int(count)
        weir_gate_leave(&gate, biased)
        deliver(new, slots, count, version: version)
        endTurn()
        endDelivery()
    }

    /// Inside a batch: the value waits for its end.
    @usableFromInline @inline(never)
    final func deferDelivery(since old: Value) {
        if weir_recording() != 0 { recordSuppressed(.batched) }
        weir_store_u32(&batchedVersion, weir_load_u32(&version))
        Settling.ofThisThread { $0.deferDelivery(of: self) { [self] in deliverBatched(since: old) } }
    }

    /// The batch is over: delivers the value that is there now, if that is another than before the batch.
    private func deliverBatched(since old: Value) {
        // A handler of what was delivered before has written, and all have heard what is there now.
        if weir_load_u32(&batchedVersion) != weir_load_u32(&version) { return }
        let current = value
        if isEqual(old, current) {
            if weir_recording() != 0 { recordSuppressed(.equal) }
            return
        }
        _ = weir_turn_begin()
        deliverCurrent(current, weir_gate_enter(&gate))
    }

    override final var heldModels: Any? {
        // The number of elements of a private array is private, too.
        isPrivate || _isPOD(Value.self) || Value.self == String.self ? nil : value
    }

    override final func encodedValue(_ log: ThreadLog) -> [UInt8] { log.encoded(value) }
}

extension Observable: @unchecked Sendable where Value: Sendable {}
