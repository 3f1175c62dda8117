// A library of its own, so that it can be built with library evolution: then programs that use it do not know at compile
// time how its types are laid out.

/// A class to inherit from.
open class Shape {
    public var name = "shape"
    public var neighbour: AnyObject?

    public init() {}
}

/// A structure that holds an object, with something before it.
public struct Slot {
    public var count = 1
    public var name = "slot"
    public var object: AnyObject?

    public init() {}
}

/// An enum with several payloads.
public enum Choice {
    case nothing
    case object(AnyObject)
    case text(String)
    case handler(() -> Void)
}
