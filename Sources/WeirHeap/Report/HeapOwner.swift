/// A class that holds objects in memory that no metadata describes: raw pointers, C structures.
///
/// ```swift
/// extension Registry: HeapOwner {
///     func visitHeapReferences(_ visit: (String, UnsafeRawPointer) -> Void) {
///         for (place, pointer) in entries.enumerated() { visit("[\(place)]", pointer) }
///     }
/// }
/// ```
/// Each visit counts as one strong reference. Do not visit a reference that does not exist: a live object would be reported as
/// garbage. The walk finds stored properties that metadata describes by itself; do not visit them. It calls this method while it
/// runs: the method must not take locks, and its changes are lost.
public protocol HeapOwner: AnyObject {
    /// Calls `visit` with the label and the target of each strong reference that the object holds in raw memory.
    func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void)
}

/// The same as `HeapOwner`, for classes of this package, without a change to their public interface.
package protocol InternalHeapOwner: AnyObject {
    func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void)
}

/// A class of this package whose holders release it when they are released, which breaks any cycle through it.
package protocol SelfCutting: AnyObject {}
