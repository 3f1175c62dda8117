import WeirTrace

extension Topology {
    /// Whether all subscriptions to the node at a place hear the same; a cold source or an operator runs anew for each.
    func isHot(_ node: Int) -> Bool {
        switch definitions.nodes[nodeIDs[node]]?.kind {
        case .observable, .emitter, .combiner, .command, .channel, .array, .share, .replay, nil: true
        default: false
        }
    }
}
