import CWeirCore
import WeirRecording

/// A property of a plain class that is recorded and can be subscribed to.
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
/// `$name` is an ``Observable``: operators, `combine` and `bind` take it. Every write is stored, as without the wrapper. A trace
/// also shows whether the write changed the value: a write of an equal value (of an `Equatable` type) is recorded as suppressed,
/// and subscribers of `$name` are not notified; for other types every write is a change. Until the model is adopted, a trace
/// names the property by its line.
///
/// For classes only: copies of a struct would share the value. Any thread may read and write; handlers run on the writing thread.
/// A change in place, such as `append`, reads, changes and writes; it is not atomic.
///
/// Cost of a change in place: no extra cost for an array, a string, a set or a dictionary that has no subscriber, that one thread
/// uses and that is not recorded; otherwise one copy, which shows whether the value has changed. During such a change without a
/// copy, the property must not be read or written, as with a stored property; another thread waits for its end.
@propertyWrapper
public final class Traced<Value>: Observable<Value> {
    /// Replaces the value while it is changed in place; determined at the first change. Guarded by the gate.
    @exclusivity(unchecked) private var standIn = StandIn.unknown
    /// The thread that is changing the value in place; 0: none.
    @exclusivity(unchecked) private var editor: UInt64 = 0

    private enum StandIn { case unknown, none, empty(Value) }

    /// A property that initially holds `wrappedValue`.
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
        get {
            checkAccess()
            return value
        }
        set {
            checkAccess()
            store(newValue)
        }
        _modify {
            checkAccess()
            if var edited = takeOut() {
                defer { putBack(edited) }
                yield &edited
            } else {
                var edited = value
                defer { store(edited) }
                yield &edited
            }
        }
    }

    private func store(_ new: Value) {
        storeIfEqual(new)
        value = new
    }

    // MARK: Changes in place

    /// Takes the value out and stays in the gate; nil: a subscriber or another thread may need the value or its change.
    private func takeOut() -> Value? {
        guard weir_recording() == 0, !weir_turn_is(weir_turn_batch) else { return nil }
        let held = HeldGate(&gate)
        if case .unknown = standIn {
            held.leave(&gate)
            let found = (Value.self as? any EmptyCollection.Type).flatMap { $0.init() as? Value }
            let again = HeldGate(&gate)
            standIn = found.map { .empty($0) } ?? .none
            again.leave(&gate)
            return takeOut()
        }
        // A gate that is not biased to this thread must not be held while foreign code runs.
        guard case .empty(var taken) = standIn, held.isBiased, count == 0, !isSpecial else {
            held.leave(&gate)
            return nil
        }
        swap(&storage, &taken)
        weir_store_u64(&editor, Self.thread)
        held.stay()
        return taken
    }

    private func putBack(_ edited: Value) {
        weir_store_u64(&editor, 0)
        // Code that used the gate during the change, for example to subscribe, has left it for this thread too.
        let held = gate.busy != 0 ? HeldGate(stayedIn: ()) : HeldGate(&gate)
        replace(by: edited, held)
    }

    private static var thread: UInt64 { UInt64(UInt(bitPattern: weir_thread_current())) }

    @inline(__always)
    private func checkAccess() {
        precondition(
            weir_load_u64(&editor) != Self.thread, "a traced property is used while it is being changed in place")
    }

    /// The property as an observable for subscriptions.
    public var projectedValue: Observable<Value> { self }

    /// Stores a value that equals the current one but may differ, such as another object; the write is then recorded as equal.
    private func storeIfEqual(_ new: Value) {
        var held = HeldGate(&gate)
        let (old, before) = (batched?.pointee.value ?? storage, stamp)
        held.leave(&gate)
        // A user's `==` must not run inside the gate. Equal numbers may differ in the sign of zero, equal strings in their spelling.
        guard isEqual(old, new) else { return }
        var former = new
        held = HeldGate(&gate)
        // If another thread has written in between, its write came first, and this one is an ordinary write.
        if before == stamp {
            if let batched { swap(&batched.pointee.value, &former) } else { swap(&storage, &former) }
        }
        held.leave(&gate)
        // Only here, outside of the gate: releasing it may run anything.
        withExtendedLifetime((old, former)) {}
    }
}

extension Traced: @unchecked Sendable where Value: Sendable {}  // Adds no state to `Observable`.

/// A type with an empty value that costs nothing to make.
private protocol EmptyCollection { init() }

extension Array: EmptyCollection {}
extension ContiguousArray: EmptyCollection {}
extension Set: EmptyCollection {}
extension Dictionary: EmptyCollection {}
extension String: EmptyCollection {}
