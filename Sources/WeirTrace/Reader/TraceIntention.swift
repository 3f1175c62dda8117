/// What a program declares as meant so: that a rule's findings at a node are none.
public struct TraceIntention: Sendable, Equatable {
    /// More than so many of one node are not kept.
    package static let most = 64

    /// The id of the node.
    public var node: UInt32
    /// The rule's name; see `RedundancyRule`. A later version may know other ones.
    public var rule: String
    /// Why it is meant so.
    public var reason: String
    /// Where it was declared.
    public var site: TraceSite?

    /// An intention.
    public init(node: UInt32, rule: String, reason: String, site: TraceSite? = nil) {
        self.node = node
        self.rule = rule
        self.reason = reason
        self.site = site
    }
}
