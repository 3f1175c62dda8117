/// An object at which a walk begins, and which its report describes.
public struct HeapRoot: Sendable, Equatable {
    /// The address of the object, which must stay alive during the walk.
    public var address: UInt
    /// The caller's own strong references to it, which do not count as a reason to be alive.
    public var pins: Int
    /// The caller's own weak references to it, through which the program cannot reach it.
    public var weakPins = 0
    /// The caller's identifier for it.
    public var tag: UInt64
    /// Whether it represents a handler. Objects that only handlers keep alive are reported as held by handlers only.
    public var isHandler: Bool
    /// Whether the report includes its path from outside, and its retained size.
    public var wantsHolder: Bool
    /// Whether the report includes all closures that capture it, and not only the one on its path.
    public var wantsCaptures = false
    /// Which of the objects it holds are private: the report has neither their sizes nor their number.
    public var secrecy = Secrecy.none

    /// The private part of what an object holds.
    public enum Secrecy: Sendable, Equatable {
        case none
        /// Everything.
        case everything
        /// The contents of the stored properties with these names.
        case properties(Set<String>)
        /// The contents of all stored properties except those with these names.
        case othersThan(Set<String>)
    }

    /// A root.
    public init(address: UInt, pins: Int = 0, tag: UInt64 = 0, isHandler: Bool = false, wantsHolder: Bool = true) {
        self.address = address
        self.pins = pins
        self.tag = tag
        self.isHandler = isHandler
        self.wantsHolder = wantsHolder
    }
}

extension HeapRoot.Secrecy {
    /// Whether a path inside the object leads to something private. It begins with the name of a stored property.
    func covers(_ way: String) -> Bool {
        let name = way.drop { $0 == "." }.prefix { !".[(!?".contains($0) }
        // The macro of observable classes puts '_' before the names of properties, and '_$' before its own names.
        let property = String(name.hasPrefix("_") ? name.dropFirst() : name)
        switch self {
        case .none: return false
        case .everything: return true
        case .properties(let names): return names.contains(property)
        case .othersThan(let names): return !names.contains(property) && !property.hasPrefix("$")
        }
    }
}
