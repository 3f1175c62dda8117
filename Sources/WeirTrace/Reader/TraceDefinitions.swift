/// The definitions of the ids in a trace's events; a damaged trace may lack some.
public struct TraceDefinitions: Sendable, Equatable {
    /// Nodes by id.
    public var nodes: [UInt32: TraceNode] = [:]
    /// Subscriptions by id.
    public var subscriptions: [UInt32: TraceSubscription] = [:]
    /// Tracked objects by id.
    public var objects: [UInt32: TraceObject] = [:]
    /// The program's declarations of intended findings, by node: each declaration once, at most 64 per node.
    public var intentions: [UInt32: [TraceIntention]] = [:]
    /// The executor spans of each thread, in the order of events; before the first one, a thread runs its own work.
    public var executorSpans: [UInt32: [ExecutorSpan]] = [:]
    /// The executors that have a number among those of the threads.
    public var runners: [UInt32: ExecutorSpan.Runner] = [:]
    /// The lines that write, by the number that events of the kind `written` have as their count.
    public var writeSites: [UInt32: TraceWriteSite] = [:]
    /// The parts of snapshots that are present.
    var snapshots: [UInt32: SnapshotParts] = [:]

    /// No definitions.
    public init() {}

    /// Adds `intention`, unless it is a duplicate or the node already has 64.
    mutating func add(_ intention: TraceIntention) {
        let known = intentions[intention.node] ?? []
        guard known.count < TraceIntention.most, !known.contains(intention) else { return }
        intentions[intention.node, default: []].append(intention)
    }

    /// Whether all parts of a snapshot are in the trace; their content may still be damaged.
    public func hasSnapshot(_ number: UInt32) -> Bool { snapshots[number]?.areAll ?? false }

    /// The node's name, or "node 12" if the trace does not define it.
    public func name(ofNode id: UInt32) -> String {
        nodes[id]?.name ?? TraceNode.name(ofUndefined: id)
    }
}
