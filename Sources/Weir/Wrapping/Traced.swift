import CWeir
import WeirTrace

/// A property of a plain class that is recorded, and that others can subscribe to.
///
/// ```swift
/// final class SignUp {
///     @Traced var name = ""
///     @Traced(privacy: .private) var password = ""
/// }
/// let model = SignUp()
/// Trace.adopt(model)  // names 'SignUp.name', 'SignUp.password'
/// model.$name.subscribe { print($0) }
/// model.name = "Maruko"
/// ```
/// `$name` is an ``Observable``: operators, `combine` and `bind` take it. Every write is stored, as without the wrapper. Whether it
/// changed anything is recorded: a write of an equal value (of an `Equatable` type) stands in a trace as suppressed, and
/// subscribers of `$name` do not hear of it; of other types every write is a change. Until the model is adopted, a trace names it by
/// its line.
///
/// For classes only: copies of a struct would share the value. Any thread may read and write; handlers run on the thread that
/// writes. A change in place, such as `append`, reads, changes and writes: it copies a collection, and is not atomic.
@propertyWrapper
public final class Traced<Value>: Observable<Value> {
    /// A property that holds `wrappedValue` at first.
    ///
    /// - Parameter privacy: `.private` keeps values out of every trace.
    public init(
        wrappedValue: Value, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) {
        super.init(wrappedValue, privacy: privacy, file: file, line: line)
        recordCreated()
    }

    override var technique: NodeTechnique { .traced }

    /// The property's value.
    public var wrappedValue: Value {
        get { value }
        set {
            storeIfEqual(newValue)
            value = newValue
        }
    }

    /// The property as something to subscribe to.
    public var projectedValue: Observable<Value> { self }

    /// Stores a value that equals the current one but may be another, such as an object; the write that follows is told as equal.
    private func storeIfEqual(_ new: Value) {
        var biased = weir_gate_enter(&gate)
        if Equality.isBuiltIn(Value.self) {
            // Equal numbers may differ in the sign of zero, equal strings in their spelling.
            var former = new
            if Equality.areEqual(storage, new) { swap(&storage, &former) }
            weir_gate_leave(&gate, biased)
            return withExtendedLifetime(former) {}
        }
        let old = storage
        let before = writes
        weir_gate_leave(&gate, biased)
        // A user's `==` must not run inside the gate.
        guard isEqual(old, new) else { return }
        var former = new
        biased = weir_gate_enter(&gate)
        // Where another thread has written in between, that write came first, and ours is an ordinary one.
        if before == writes { swap(&storage, &former) }
        weir_gate_leave(&gate, biased)
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime((old, former)) {}
    }
}

extension Traced: @unchecked Sendable where Value: Sendable {}
