/// A subscription, as its definition in the trace tells it.
public struct TraceSubscription: Sendable, Equatable {
    /// The number by which events name it.
    public var id: UInt32
    /// The node that is observed.
    public var source: UInt32
    /// The node that it feeds: an observer or a combiner; `nil`: a closure.
    public var target: UInt32?
    /// It feeds a node of the graph; otherwise it is terminal, and its deliveries are refreshes.
    public var isInternal: Bool
    /// It triggers but gives no value.
    public var isTiming: Bool
    /// Where it was made.
    public var site: TraceSite?
    /// The id of the object for which it works, where the program said so.
    public var owner: UInt32?

    /// A subscription; what is unknown about it is left out.
    public init(
        id: UInt32, source: UInt32, target: UInt32? = nil, isInternal: Bool = false, isTiming: Bool = false,
        site: TraceSite? = nil, owner: UInt32? = nil
    ) {
        self.id = id
        self.source = source
        self.target = target
        self.isInternal = isInternal
        self.isTiming = isTiming
        self.site = site
        self.owner = owner
    }
}
