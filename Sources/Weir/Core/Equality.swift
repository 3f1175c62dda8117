/// Decides whether a write changes the value of an observable.
///
/// A value that does not equal itself (NaN) counts as equal to every other such value. Otherwise two observables that are bound
/// to each other would write it forever.
@usableFromInline
enum Equality {
    /// Types whose `==` is known: compared directly, without a call. Constant if the caller is specialised.
    @inlinable @inline(__always)
    static func isBuiltIn<Value>(_: Value.Type) -> Bool {
        Value.self == Int.self || Value.self == Bool.self || Value.self == String.self || Value.self == Double.self
    }

    /// Precondition: `isBuiltIn(Value.self)`.
    @inlinable @inline(__always)
    static func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
        if Value.self == Int.self { return unsafeBitCast(left, to: Int.self) == unsafeBitCast(right, to: Int.self) }
        if Value.self == Bool.self { return unsafeBitCast(left, to: Bool.self) == unsafeBitCast(right, to: Bool.self) }
        if Value.self == Double.self {
            let (left, right) = (unsafeBitCast(left, to: Double.self), unsafeBitCast(right, to: Double.self))
            return left == right || left != left && right != right
        }
        return unsafeBitCast(left, to: String.self) == unsafeBitCast(right, to: String.self)
    }

    /// The type's own `==`, looked up once for each observable; without one, no two values are equal.
    @usableFromInline
    static func function<Value>(for type: Value.Type) -> (Value, Value) -> Bool {
        if isBuiltIn(type) { return { areEqual($0, $1) } }
        guard let equatable = type as? any Equatable.Type else { return { _, _ in false } }
        return opened(equatable)
    }

    private static func opened<Value, Same: Equatable>(_: Same.Type) -> ((Value, Value) -> Bool) {
        // `Same` is `Value`, but the compiler cannot know that.
        {
            let (left, right) = (unsafeBitCast($0, to: Same.self), unsafeBitCast($1, to: Same.self))
            return left == right || !(left == left) && !(right == right)
        }
    }
}
