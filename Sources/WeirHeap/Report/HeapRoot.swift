/// An object that a walk begins at, and that its report tells of.
public struct HeapRoot: Sendable, Equatable {
    /// The object. It must be alive as long as the walk takes.
    public var address: UInt
    /// Strong references to it that are the caller's own, and do not count as a reason to be alive.
    public var pins: Int
    /// Whatever the caller wants to know it by again.
    public var tag: UInt64
    /// It stands for a handler: what is alive through it alone is told as held by handlers only.
    public var isHandler: Bool
    /// Its way from outside is wanted in the report, and its retained size.
    public var wantsHolder: Bool
    /// What it holds that is private: the report has neither the sizes nor the number of such objects.
    public var secrecy = Secrecy.none

    /// What an object holds that is private.
    public enum Secrecy: Sendable, Equatable {
        case none
        /// Everything.
        case everything
        /// What the stored properties of these names hold.
        case properties(Set<String>)
        /// What all stored properties hold but those of these names.
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
    /// Whether what a way inside of the object leads to is private: the way begins with the name of a stored property.
    func covers(_ way: String) -> Bool {
        let name = way.drop { $0 == "." }.prefix { !".[(!?".contains($0) }
        // The macro of observable classes puts '_' before the names of properties, and '_$' before those of its own.
        let property = String(name.hasPrefix("_") ? name.dropFirst() : name)
        switch self {
        case .none: return false
        case .everything: return true
        case .properties(let names): return names.contains(property)
        case .othersThan(let names): return !names.contains(property) && !property.hasPrefix("$")
        }
    }
}
