/// Receives the references of objects from a `Scanner`.
protocol ReferenceVisitor {
    /// Whether it wants the paths of references, and the references that are not strong.
    static var wantsLabels: Bool { get }

    /// A strong reference. `function` is the closure's code if the target is a closure's context, else 0.
    mutating func visit(_ target: UInt, function: UInt)
    /// A reference that does not keep its target alive. Called only if labels are wanted.
    mutating func visitOther(_ target: UInt, _ ownership: HeapReference.Ownership)
    /// The references until the next `leave` are inside `step`. Called only if labels are wanted.
    mutating func enter(_ step: LabelStep)
    mutating func leave()
    /// Something cannot be read. `limitation` is an index in `Plans.limitations`.
    mutating func visitUnseen(_ limitation: Int32)
    /// A word should be a reference, but cannot be one.
    mutating func visitBroken()
}

/// A part of a path inside an object.
enum LabelStep {
    case label(Int32)
    case text(String)
    case index(Int)
    /// The value for a key: the address of the key, and its type.
    case key(UInt, UInt)
    /// The key itself.
    case ofKey
    /// An element of a set.
    case element
}
