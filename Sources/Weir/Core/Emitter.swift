import CWeir
import WeirTrace

/// Emits events that leave no current value behind.
///
/// ```swift
/// let rolled36 = Emitter<Void>()
/// rolled36.subscribe { print("36!") }
/// rolled36.emit()
/// ```
/// Every event goes to every subscriber, equal ones too. If a handler emits again, the later event is delivered first
/// (depth first), so the remaining subscribers hear the two in reverse order. See `Signal` for threads.
public final class Emitter<Value>: Signal<Value> {
    /// An emitter.
    ///
    /// - Parameter privacy: `.private` keeps values out of every trace.
    public init(privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line) {
        super.init(file: file, line: line, privacy: privacy)
        recordCreated()
    }

    /// Gives `value` to all subscribers; returns when all have been called.
    @inlinable
    public func emit(_ value: Value) {
        let biased = weir_gate_enter(&gate)
        deliveries &+= 1
        let slots = slots
        let count = Int(count)
        weir_gate_leave(&gate, biased)
        deliver(value, slots, count, version: 0)
        endDelivery()
    }

    override var kind: NodeKind { .emitter }
}

extension Emitter where Value == Void {
    /// Emits an event that has no value.
    @inlinable
    public func emit() { emit(()) }
}

extension Emitter: @unchecked Sendable where Value: Sendable {}
