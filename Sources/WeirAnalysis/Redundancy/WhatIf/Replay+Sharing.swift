import WeirTrace

// A shared source runs once for all who overlap: the run that began first goes on for all of them.
extension Replay {
    /// Who hears a value that was recorded in the run behind the subscription.
    func members(of source: Int, hearing subscription: Int) throws(Stop) -> [Int] {
        if state.hubs.isBeyondRecord(source) { throw Stop(reason: .sharedRun, node: source) }
        guard state.hubs.run(of: source) == subscription else { return [] }
        try spend(state.hubs.memberCount(of: source))
        return state.hubs.members(of: source)
    }

    /// Whether the subscription only feeds a run that is not needed any more.
    func isOfRemovedRun(_ subscription: Int) -> Bool {
        guard !foresight.feeders.isEmpty, let run = foresight.feeders[subscription] else { return false }
        let source = program.topology.sources[run]
        return plan.shared.contains(source) && state.hubs.run(of: source) != run
    }
}
