/// A class that holds objects in memory which no metadata describes: raw pointers, C structures.
///
/// ```swift
/// extension Registry: HeapOwner {
///     func visitHeapReferences(_ visit: (String, UnsafeRawPointer) -> Void) {
///         for (place, pointer) in entries.enumerated() { visit("[\(place)]", pointer) }
///     }
/// }
/// ```
/// What it names is counted as one strong reference each; name one that is not there, and something alive would be told
/// as garbage. Stored properties that metadata describes are found without it, and must not be named. Called in the
/// middle of a walk: it must not take locks, and what it changes is lost.
public protocol HeapOwner: AnyObject {
    /// Calls `visit` for each strong reference that raw memory holds for the object: its label and its target.
    func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void)
}

/// As `HeapOwner`, for classes of this package, whose public face it does not widen.
package protocol InternalHeapOwner: AnyObject {
    func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void)
}

/// A class of this package that others let go of when they are released, so that a circle through it is cut by itself.
package protocol SelfCutting: AnyObject {}
