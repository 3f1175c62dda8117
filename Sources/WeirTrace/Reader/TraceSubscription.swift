/// A subscription, as defined in the trace.
public struct TraceSubscription: Sendable, Equatable {
    /// The id of the subscription in events.
    public var id: UInt32
    /// The observed node.
    public var source: UInt32
    /// The node that it feeds: an observer or a combiner; `nil`: a closure.
    public var target: UInt32?
    /// Whether it feeds a node of the graph; otherwise it is terminal, and its deliveries are refreshes.
    public var isInternal: Bool
    /// Whether it triggers the node without providing a value.
    public var isTiming: Bool
    /// Whether an `await` waits for its first value: the program has no subscription that it could dispose.
    public var isOfAwait: Bool
    /// The call site that made it.
    public var site: TraceSite?
    /// The id of the object on whose behalf it works, if the program named one.
    public var owner: UInt32?

    /// A subscription; omit unknown details.
    public init(
        id: UInt32, source: UInt32, target: UInt32? = nil, isInternal: Bool = false, isTiming: Bool = false,
        isOfAwait: Bool = false, site: TraceSite? = nil, owner: UInt32? = nil
    ) {
        self.id = id
        self.source = source
        self.target = target
        self.isInternal = isInternal
        self.isTiming = isTiming
        self.isOfAwait = isOfAwait
        self.site = site
        self.owner = owner
    }
}
