import WeirTrace

// A shared source runs once for all overlapping subscriptions: the run that began first continues for all of them.
extension Replay {
    /// The subscriptions that receive a value recorded in the run behind the given subscription.
    func members(of source: Int, hearing subscription: Int) throws(Stop) -> [Int] {
        if state.hubs.isBeyondRecord(source) { throw Stop(reason: .sharedRun, node: source) }
        guard state.hubs.run(of: source) == subscription else { return [] }
        try spend(state.hubs.memberCount(of: source))
        return state.hubs.members(of: source)
    }

    /// Stops at the remedy of sharing a flatMap: it makes sources inside its runs, and some of these would fall away.
    func checkSharing(_ node: Int) throws(Stop) {
        if plan.shared.contains(node), program.kinds[node] != .source { throw Stop(reason: .structure, node: node) }
    }

    /// Whether the subscription only feeds a run that is no longer needed.
    func isOfRemovedRun(_ subscription: Int) -> Bool {
        guard !foresight.feeders.isEmpty, let run = foresight.feeders[subscription] else { return false }
        let source = program.topology.sources[run]
        return plan.shared.contains(source) && state.hubs.run(of: source) != run
    }
}
