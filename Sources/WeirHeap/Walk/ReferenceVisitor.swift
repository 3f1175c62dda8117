/// Takes the references of objects, as a `Scanner` finds them.
protocol ReferenceVisitor {
    /// Whether it wants to know the ways to references, and the references that are not strong.
    static var wantsLabels: Bool { get }

    /// A strong reference; `function` is the code of the closure whose context it is, 0: it is no closure's.
    mutating func visit(_ target: UInt, function: UInt)
    /// A reference that does not keep its target alive. Called only if labels are wanted.
    mutating func visitOther(_ target: UInt, _ ownership: HeapReference.Ownership)
    /// The references until the next `leave` lie behind `step`. Called only if labels are wanted.
    mutating func enter(_ step: LabelStep)
    mutating func leave()
    /// Something cannot be read: a number of `Plans.doubts`.
    mutating func visitUnseen(_ doubt: Int32)
    /// A word should be a reference, but cannot be one.
    mutating func visitBroken()
}

/// A part of the way inside of an object.
enum LabelStep {
    case label(Int32)
    case text(String)
    case index(Int)
    /// What the key leads to: where it is, and its type.
    case key(UInt, UInt)
    /// The key itself.
    case ofKey
    /// In a set.
    case element
}
