/// A declaration of the program that a rule's findings at a node are intended.
public struct TraceIntention: Sendable, Equatable {
    /// The most intentions kept for one node.
    package static let most = 64

    /// The id of the node.
    public var node: UInt32
    /// The rule's name; see `RedundancyRule`. Later versions may add names.
    public var rule: String
    /// The reason why it is intended.
    public var reason: String
    /// The source line of the declaration.
    public var site: TraceSite?

    /// An intention.
    public init(node: UInt32, rule: String, reason: String, site: TraceSite? = nil) {
        self.node = node
        self.rule = rule
        self.reason = reason
        self.site = site
    }
}
