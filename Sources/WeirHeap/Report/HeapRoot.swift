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
    /// The objects that it holds are private: the report has neither their sizes nor their number.
    public var holdsSecret = false

    /// A root.
    public init(address: UInt, pins: Int = 0, tag: UInt64 = 0, isHandler: Bool = false, wantsHolder: Bool = true) {
        self.address = address
        self.pins = pins
        self.tag = tag
        self.isHandler = isHandler
        self.wantsHolder = wantsHolder
    }
}
