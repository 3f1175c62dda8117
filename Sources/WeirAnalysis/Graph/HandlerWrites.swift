import WeirTrace

/// Which handlers and functions of combiners wrote to which nodes, which no subscription shows.
///
/// Memory grows with the pairs of a subscription and a node that was written during its deliveries.
struct HandlerWrites: Sendable {
    struct Write: Hashable, Sendable {
        /// The index of the subscription that was being delivered to.
        let subscription: Int
        /// The index of the node that was written.
        let node: Int
    }

    /// How often each write was seen.
    private(set) var counts: [Write: UInt64]
    private let topology: Topology
    /// Whether code can give a node values, by index. Operators and cold sources only emit because something subscribed to
    /// them.
    private let isWritable: [Bool]

    init(_ topology: Topology, _ counts: [Write: UInt64] = [:]) {
        self.topology = topology
        self.counts = counts
        isWritable = Self.writableNodes(topology)
    }

    /// Whether code can give a node values, by index.
    static func writableNodes(_ topology: Topology) -> [Bool] {
        topology.nodeIDs.map { id in
            switch topology.definitions.nodes[id]?.kind {
            case .observable, .emitter, .combiner, .command, .channel, .array, nil: true
            default: false
            }
        }
    }

    mutating func take(_ event: TraceEvent) {
        guard event.deliveringTo != 0, event.isWrite, let node = topology.place(ofNode: event.subject),
            isWritable[node], let subscription = topology.place(ofSubscription: event.deliveringTo)
        else { return }
        // A subscription is meant to make its target emit: only writes to other nodes come from its code.
        if topology.subscriptions[subscription].isInternal, topology.targets[subscription] == node { return }
        counts[Write(subscription: subscription, node: node), default: 0] &+= 1
    }

    /// The indexes of the subscriptions whose code wrote to a node, in order, by index of the node.
    var subscriptionsByNode: [Int: [Int]] {
        Dictionary(grouping: counts.keys, by: \.node).mapValues { $0.map(\.subscription).sorted() }
    }
}

extension TraceEvent {
    /// Whether code gave a node a value here, accepted or not.
    fileprivate var isWrite: Bool {
        switch kind {
        case .emitted: !isReplayed
        // A superseded value was written earlier, somewhere else.
        case .suppressed: suppressionReason != .superseded
        default: false
        }
    }
}
