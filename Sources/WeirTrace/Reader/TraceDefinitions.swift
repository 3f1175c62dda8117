/// What the ids in a trace's events mean; an id may lack a definition where the trace is damaged.
public struct TraceDefinitions: Sendable, Equatable {
    /// Nodes by id.
    public var nodes: [UInt32: TraceNode] = [:]
    /// Subscriptions by id.
    public var subscriptions: [UInt32: TraceSubscription] = [:]
    /// Tracked objects by id.
    public var objects: [UInt32: TraceObject] = [:]
    /// What the program declares as meant so, by node.
    public var intentions: [UInt32: [TraceIntention]] = [:]

    /// No definitions.
    public init() {}

    /// The node's name, or "node 12" where the trace does not define it.
    public func name(ofNode id: UInt32) -> String {
        nodes[id]?.name ?? TraceNode.name(ofUndefined: id)
    }
}
