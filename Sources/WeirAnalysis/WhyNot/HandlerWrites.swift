import WeirTrace

/// Which handlers were seen to write to which nodes: dependencies that no subscription tells.
struct HandlerWrites {
    private let topology: Topology
    private var subscriptionsByNode: [Int: Set<Int>] = [:]

    init(_ topology: Topology) { self.topology = topology }

    mutating func take(_ event: TraceEvent) {
        // A replay tells of a subscription; 'superseded' of the emission around it, not of a write in it.
        guard event.kind == .emitted && !event.isReplayed || event.kind == .suppressed,
            event.suppressionReason != .superseded, event.deliveringTo != 0,
            let subscription = topology.place(ofSubscription: event.deliveringTo),
            !topology.subscriptions[subscription].isInternal, let node = topology.place(ofNode: event.subject)
        else { return }
        subscriptionsByNode[node, default: []].insert(subscription)
    }

    /// The places of the subscriptions whose handlers wrote to a node, in order.
    func subscriptions(writing node: Int) -> [Int] { subscriptionsByNode[node]?.sorted() ?? [] }
}
