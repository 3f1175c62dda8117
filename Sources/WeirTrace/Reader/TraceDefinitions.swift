/// What the ids in a trace's events mean; an id may lack a definition where the trace is damaged.
public struct TraceDefinitions: Sendable, Equatable {
    /// Nodes by id.
    public var nodes: [UInt32: TraceNode] = [:]
    /// Subscriptions by id.
    public var subscriptions: [UInt32: TraceSubscription] = [:]
    /// Tracked objects by id.
    public var objects: [UInt32: TraceObject] = [:]
    /// What the program declares as meant so, by node: each declaration once, at most 64 a node.
    public var intentions: [UInt32: [TraceIntention]] = [:]
    /// Where threads ran the work of others, by thread, in the order of the events; before the first one, their own.
    public var stints: [UInt32: [TraceStint]] = [:]
    /// Who is known by a number among those of the threads.
    public var runners: [UInt32: TraceStint.Runner] = [:]
    /// The parts of snapshots that are there.
    var snapshots: [UInt32: SnapshotParts] = [:]

    /// No definitions.
    public init() {}

    /// Keeps `intention`, unless it is known or the node has 64 of them.
    mutating func add(_ intention: TraceIntention) {
        let known = intentions[intention.node] ?? []
        guard known.count < TraceIntention.most, !known.contains(intention) else { return }
        intentions[intention.node, default: []].append(intention)
    }

    /// Whether all parts of that snapshot are in the trace; what they say may be damaged all the same.
    public func hasSnapshot(_ number: UInt32) -> Bool { snapshots[number]?.areAll ?? false }

    /// The node's name, or "node 12" where the trace does not define it.
    public func name(ofNode id: UInt32) -> String {
        nodes[id]?.name ?? TraceNode.name(ofUndefined: id)
    }
}
