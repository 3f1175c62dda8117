import WeirTrace

/// Who may feed whom: the nodes and subscriptions that a trace defines, each at a place of its own.
///
/// Built once from the definitions; places count from 0, in the order of ids.
public final class Topology: Sendable {
    /// Everything that the trace defines.
    public let definitions: TraceDefinitions
    /// The ids of the nodes, by place; nodes that are only mentioned by a subscription are among them.
    public let nodeIDs: [UInt32]
    /// The subscriptions, by place.
    public let subscriptions: [TraceSubscription]
    /// The places of the nodes that the subscriptions observe, by place of the subscription.
    public let sources: [Int]
    /// The places of the nodes that the subscriptions feed, by place of the subscription; -1: none.
    public let targets: [Int]
    /// The places of the subscriptions that feed a node, by place of the node.
    public let inputs: [[Int]]
    /// The places of the subscriptions to a node, by place of the node.
    public let outputs: [[Int]]

    private let placeOfNode: SlotTable
    private let placeOfSubscription: SlotTable

    /// The topology that `definitions` tell.
    public init(_ definitions: TraceDefinitions) {
        self.definitions = definitions
        let subscriptions = definitions.subscriptions.values.sorted { $0.id < $1.id }
        var ids = Set(definitions.nodes.keys)
        for subscription in subscriptions {
            ids.insert(subscription.source)
            if let target = subscription.target { ids.insert(target) }
        }
        let nodeIDs = ids.sorted()
        var placeOfNode = SlotTable()
        for (place, id) in nodeIDs.enumerated() { placeOfNode[id] = place }
        var placeOfSubscription = SlotTable()
        for (place, subscription) in subscriptions.enumerated() { placeOfSubscription[subscription.id] = place }
        let sources = subscriptions.map { placeOfNode[$0.source] ?? -1 }
        let targets = subscriptions.map { subscription in subscription.target.flatMap { placeOfNode[$0] } ?? -1 }
        var inputs = [[Int]](repeating: [], count: nodeIDs.count)
        var outputs = inputs
        for place in subscriptions.indices {
            outputs[sources[place]].append(place)
            if targets[place] >= 0 { inputs[targets[place]].append(place) }
        }
        self.subscriptions = subscriptions
        self.nodeIDs = nodeIDs
        self.placeOfNode = placeOfNode
        self.placeOfSubscription = placeOfSubscription
        self.sources = sources
        self.targets = targets
        self.inputs = inputs
        self.outputs = outputs
    }

    /// The place of the node with this id; nil where the trace does not define it.
    public func place(ofNode id: UInt32) -> Int? { placeOfNode[id] }

    /// The place of the subscription with this id; nil where the trace does not define it.
    public func place(ofSubscription id: UInt32) -> Int? { placeOfSubscription[id] }
}
