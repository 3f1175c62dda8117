/// Decides whether a write changes the value of an observable.
///
/// NaN counts as equal to NaN, also as a part of a value. Otherwise two observables that are bound to each other would write it
/// forever.
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
        { areEqual(equatable: unsafeBitCast($0, to: Same.self), unsafeBitCast($1, to: Same.self)) }
    }

    @inline(__always)
    static func areEqual<Same: Equatable>(equatable left: Same, _ right: Same) -> Bool {
        left == right || isUnequal(left) && isUnequal(right) && haveEqualParts(left, right, isLoop: false)
    }

    /// Whether the value does not equal itself, as NaN and a structure that contains it.
    private static func isUnequal(_ value: some Equatable) -> Bool { !(value == value) }

    /// A write that is nested in more deliveries of the same observable may belong to a loop.
    @inlinable static var mostNested: Int32 { 32 }

    /// Whether unequal values differ in nothing but NaN, for a write that may belong to a loop.
    ///
    /// An array equals itself without a look at its elements. So this compares parts also of values that equal themselves.
    @usableFromInline @inline(never)
    static func areEqualInLoop(_ left: Any, _ right: Any) -> Bool { arePartsEqual(left, right, isLoop: true) }

    @inline(never)
    private static func haveEqualParts(_ left: Any, _ right: Any, isLoop: Bool) -> Bool {
        if let number = left as? any FloatingPoint {
            return number.isNaN && (right as? any FloatingPoint)?.isNaN == true
        }
        let (parts, others) = (Mirror(reflecting: left), Mirror(reflecting: right))
        if parts.displayStyle == .class { return left as AnyObject === right as AnyObject }
        guard parts.subjectType == others.subjectType, parts.children.count == others.children.count else {
            return false
        }
        if parts.children.isEmpty { return !isLoop }
        return zip(parts.children, others.children).allSatisfy { part, other in
            part.label == other.label && arePartsEqual(part.value, other.value, isLoop: isLoop)
        }
    }

    private static func arePartsEqual(_ left: Any, _ right: Any, isLoop: Bool) -> Bool {
        guard let equatable = left as? any Equatable else { return haveEqualParts(left, right, isLoop: isLoop) }
        func areEqual<Part: Equatable>(_ left: Part) -> Bool {
            guard let right = right as? Part else { return false }
            if isLoop { return left == right || haveEqualParts(left, right, isLoop: true) }
            return Equality.areEqual(equatable: left, right)
        }
        return areEqual(equatable)
    }
}
