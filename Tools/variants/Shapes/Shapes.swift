// A separate library, so that it can be built with library evolution: then programs that use it do not know at compile time
// how its types are laid out.

/// A class to inherit from.
open class Shape {
    /// Precedes the reference to an object.
    public var name = "shape"
    /// The object that the shape holds.
    public var neighbour: AnyObject?

    /// A shape without neighbour.
    public init() {}
}

/// A structure that holds an object.
public struct Slot {
    /// Precede the reference to an object.
    public var count = 1, name = "slot"
    /// The object that the slot holds.
    public var object: AnyObject?

    /// An empty slot.
    public init() {}
}

/// An enum with several payloads.
public enum Choice {
    case nothing
    case object(AnyObject)
    case text(String)
    case handler(() -> Void)
}
