import WeirTrace

/// Which handlers and functions of combiners wrote to which nodes, which no subscription shows.
///
/// A handler may also schedule work that writes: a task, the body of a loop over a stream. A hop names the subscription during
/// whose delivery its work was scheduled. Memory grows with the pairs of a subscription and a node that was written because of
/// its deliveries.
struct HandlerWrites: Sendable {
    struct Write: Hashable, Sendable {
        /// The index of the subscription that was being delivered to.
        let subscription: Int
        /// The index of the node that was written.
        let node: Int
    }

    /// When code can give a node values.
    enum Access: UInt8, Sendable {
        /// Never: an operator or a cold source only emits because something subscribed to it.
        case never
        /// Only during a delivery. A combiner, body or computed property that runs later does so because an input has changed.
        case atOnce
        /// Also later, in a hop.
        case always
    }

    /// How often each write was seen.
    private(set) var counts: [Write: UInt64]
    /// The indexes of the nodes that code outside of all handlers wrote to: of a stimulus, a task, a loop.
    private(set) var nodesSetElsewhere: Set<Int>
    private let topology: Topology
    /// By index of the node.
    private let access: [Access]

    init(_ topology: Topology, _ counts: [Write: UInt64] = [:], setElsewhere: Set<Int> = []) {
        self.topology = topology
        self.counts = counts
        nodesSetElsewhere = setElsewhere
        access = Self.access(topology)
    }

    /// When code can give a node values, by index.
    static func access(_ topology: Topology) -> [Access] {
        topology.nodeIDs.enumerated().map { place, id in
            guard let node = topology.definitions.nodes[id] else { return .always }
            switch node.kind {
            case .observable, .emitter, .combiner, .command, .channel, .array, .foreign, nil: break
            default: return .never
            }
            let isComputed = node.kind == .combiner || node.technique == .observation
            return isComputed && !topology.inputs[place].isEmpty ? .atOnce : .always
        }
    }

    mutating func take(_ event: TraceEvent) {
        let isLater = event.deliveringTo == 0
        let id = isLater ? event.scheduledBy : event.deliveringTo
        guard event.isWrite, let node = topology.place(ofNode: event.subject) else { return }
        if id == 0, access[node] == .always { nodesSetElsewhere.insert(node) }
        guard id != 0,
            access[node] == .always || access[node] == .atOnce && !isLater,
            let subscription = topology.place(ofSubscription: id)
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
