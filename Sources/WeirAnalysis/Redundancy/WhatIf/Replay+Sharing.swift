import WeirTrace

// A shared source runs once for all who overlap: the run that began first goes on for all of them.
extension Replay {
    /// A subscription to a shared source begins; false: it starts the run.
    func join(_ subscription: Int, _ source: Int) -> Bool {
        state.join(subscription, source)
    }

    func leave(_ subscription: Int, _ source: Int) { state.leave(subscription, source) }

    /// The run behind the subscription has ended by itself; false: it is one that was not needed.
    func finish(_ subscription: Int, _ source: Int) -> Bool { state.finish(subscription, source) }

    /// Who hears a value that was recorded in the run behind the subscription.
    func members(of source: Int, hearing subscription: Int) throws(Stop) -> [Int] {
        guard let hub = state.hubs[source] else { return [] }
        if hub.isBeyondRecord { throw Stop(reason: .sharedRun, node: source) }
        return hub.run == subscription ? hub.members : []
    }

    /// Whether the subscription only feeds a run that is not needed any more.
    func isOfRemovedRun(_ subscription: Int) -> Bool {
        guard let run = foresight.feeders[subscription] else { return false }
        let source = program.topology.sources[run]
        return plan.shared.contains(source) && state.hubs[source]?.run != run
    }
}

extension ReplayState {
    mutating func join(_ subscription: Int, _ source: Int) -> Bool {
        guard hubs[source] != nil else {
            hubs[source] = Hub(run: subscription, members: [subscription])
            return false
        }
        hubs[source]?.members.append(subscription)
        return true
    }

    mutating func leave(_ subscription: Int, _ source: Int) {
        guard let hub = hubs[source], hub.members.contains(subscription) else { return }
        hubs[source]?.members.removeAll { $0 == subscription }
        if hub.members.count == 1 {
            hubs[source] = nil
        } else if hub.run == subscription {
            hubs[source]?.isBeyondRecord = true
        }
    }

    mutating func finish(_ subscription: Int, _ source: Int) -> Bool {
        guard let hub = hubs[source], hub.members.contains(subscription) else { return false }
        if hub.run == subscription {
            // Its end is the end for all.
            hubs[source] = nil
            return true
        }
        hubs[source]?.isBeyondRecord = true
        return false
    }
}
