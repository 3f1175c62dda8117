import WeirTrace

/// The nodes and subscriptions that a trace defines, and which node feeds which; each has an index.
///
/// Built once from the definitions; indexes count from 0, in the order of ids.
package final class Topology: Sendable {
    /// Everything that the trace defines.
    package let definitions: TraceDefinitions
    /// The ids of the nodes, by index, including nodes that only a subscription mentions.
    package let nodeIDs: [UInt32]
    /// The subscriptions, by index.
    package let subscriptions: [TraceSubscription]
    /// The indexes of the nodes that the subscriptions observe, by index of the subscription.
    package let sources: [Int]
    /// The indexes of the nodes that the subscriptions feed, by index of the subscription; -1 if there is none.
    package let targets: [Int]
    /// The indexes of the subscriptions that feed a node, by index of the node.
    package let inputs: [[Int]]
    /// The indexes of the subscriptions to a node, by index of the node.
    package let outputs: [[Int]]
    /// Whether a node stores a value that `==` calls equal, by index of the node.
    package let storesEqualValues: [Bool]
    /// The runs of cold nodes.
    let runs: SubscriptionRuns

    private let placeOfNode: SlotTable
    private let placeOfSubscription: SlotTable

    /// Builds the topology of `definitions`.
    package init(_ definitions: TraceDefinitions) {
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
        storesEqualValues = nodeIDs.map { definitions.nodes[$0]?.technique == .traced }
        runs = SubscriptionRuns(
            kinds: nodeIDs.map { definitions.nodes[$0]?.kind }, sources: sources, inputs: inputs, outputs: outputs)
    }

    /// The index of the node with this id; nil if the trace does not define it.
    package func place(ofNode id: UInt32) -> Int? { placeOfNode[id] }

    /// The event at which a side of a channel got the value that it sent itself, if it has changed no more since.
    package func echo(of place: Int, _ node: NodeState) -> EventID? {
        storesEqualValues[place] ? nil : node.silentWrite
    }

    /// Whether the node that a subscription feeds goes on using the last value after this end.
    func keepsValue(_ subscription: Int, endedFor reason: UInt8) -> Bool {
        let target = targets[subscription]
        guard target >= 0 else { return false }
        switch definitions.nodes[nodeIDs[target]]?.kind {
        case .withLatest, .combineLatest: break
        default: return false
        }
        switch SubscriptionEndReason(rawValue: reason) {
        case .completed, .sourceReleased: return true
        default: return false
        }
    }

    /// The index of the node that says whether a command is enabled; nil: unknown.
    func enabled(ofCommand place: Int) -> Int? {
        guard let command = definitions.nodes[nodeIDs[place]], command.kind == .command else { return nil }
        func isEnabled(_ node: TraceNode) -> Bool {
            node.kind == .observable && node.site == command.site
                && node.label == command.label.map { $0 + ".isEnabled" }
        }
        // A command makes its parts just before its own node.
        if let made = definitions.nodes[command.id &- 4], isEnabled(made) { return self.place(ofNode: made.id) }
        guard command.label != nil, let found = definitions.nodes.values.first(where: isEnabled) else { return nil }
        return self.place(ofNode: found.id)
    }

    /// The index of the subscription with this id; nil if the trace does not define it.
    package func place(ofSubscription id: UInt32) -> Int? { placeOfSubscription[id] }
}

/// Which nodes of a kind are hot, and which compute.
extension NodeKind {
    /// Whether it exists once for all its subscribers; any other kind runs anew for each subscription.
    package var isHot: Bool {
        switch self {
        case .observable, .emitter, .combiner, .observer, .command, .execution, .channel, .array, .binding, .share,
            .replay:
            true
        default: false
        }
    }

    /// Whether it may pass values on later, in a hop of their own.
    var schedules: Bool {
        switch self {
        case .deliver, .subscribe, .delay, .debounce, .throttle, .timeout, .buffer, .sample, .retry: true
        default: false
        }
    }

    /// Whether it runs a function of the program to produce a value, which counts as an evaluation.
    var computes: Bool {
        switch self {
        case .combiner, .map, .compactMap, .filter, .scan, .combineLatest, .zip, .withLatest: true
        default: false
        }
    }
}
