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
/// 'superseded'). See `Signal` for threads, and for subscribing and disposing during a delivery.
///
/// Cost of a write with one subscriber, nothing recorded: a few nanoseconds for numbers.
public class Observable<Value>: Signal<Value> {
    @usableFromInline @exclusivity(unchecked) final var storage: Value
    /// Nil: not `Equatable`, or compared without a call.
    @usableFromInline final let isEqual: ((Value, Value) -> Bool)?

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
        super.init(file: file, line: line, privacy: privacy)
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
    @discardableResult
    public final func subscribe(
        initial: Bool, file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Value) -> Void
    ) -> Disposable {
        let sink = Sink(handler, target: nil, edge: nil, file: file, line: line)
        let subscription = attach(sink)
        if initial { replay(to: sink) }
        return subscription
    }

    final func replay(to sink: Sink<Value>) {
        let current = value
        let generation = weir_recording()
        let log = ThreadLog()
        guard generation != 0, log.isReady(generation) else { return sink.handler(current) }
        let subscription = sink.code(log, source: self)
        let node = subscription == 0 ? 0 : code(log)
        guard node != 0,
            log.emitted(
                node, current, isPrivate: isPrivate, replayed: true, to: subscription, isTerminal: sink.isTerminal)
        else { return sink.handler(current) }
        let session = log.session
        sink.handler(current)
        guard log.session == session else { return }
        if log.isReady(weir_recording()), log.session == session { log.deliveryEnded(stamped: true) }
        if log.session == session { log.popFrame() }
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
        } else if let isEqual {
            // A user's `==` must not run inside the gate.
            let old = storage
            weir_gate_leave(&gate, biased)
            if isEqual(old, new) {
                if _slowPath(weir_recording() != 0) { recordSuppressed(.equal) }
                return
            }
            biased = weir_gate_enter(&gate)
        }
        var old = new
        swap(&storage, &old)
        let version = weir_load_u32(&self.version) &+ 1
        weir_store_u32(&self.version, version)
        deliveries &+= 1
        let slots = slots
        let count = Int(count)
        weir_gate_leave(&gate, biased)
        deliver(new, slots, count, version: version)
        endDelivery()
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime(old) {}
    }

    override var kind: NodeKind { .observable }
    override final func encodedValue(_ log: ThreadLog) -> [UInt8] { log.encoded(value) }
}

extension Observable: @unchecked Sendable where Value: Sendable {}
