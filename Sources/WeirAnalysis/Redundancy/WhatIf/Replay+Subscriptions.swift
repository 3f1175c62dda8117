import WeirTrace

// Tracks which subscriptions are alive.
extension Replay {
    func isAlive(_ subscription: Int) -> Bool {
        if isAbsent(subscription) { return false }
        if !lives.isEmpty, let lives = lives[subscription] { return lives }
        return program.lives[subscription] == .alive
    }

    /// Passes a node's current live subscriptions to `body`, in order; stops when `body` returns false.
    func forEachListener(of node: Int, _ body: (Int) throws(Stop) -> Bool) throws(Stop) {
        guard !moves.isEmpty else {
            var place = program.listeners.first(of: node)
            while place >= 0 {
                if isAlive(place), try !body(place) { return }
                place = program.listeners.next(behind: place)
            }
            return
        }
        try spend(program.listeners.counts[node])
        var listeners: [Int] = []
        var place = program.listeners.first(of: node)
        while place >= 0 {
            if moves[place] == nil { listeners.append(place) }
            place = program.listeners.next(behind: place)
        }
        for (index, place) in (added[node] ?? []).enumerated() where moves[place] == index { listeners.append(place) }
        for place in listeners where isAlive(place) { if try !body(place) { return } }
    }

    func begin(_ subscription: Int) throws(Stop) {
        let node = program.topology.sources[subscription]
        try checkSharing(node)
        lives[subscription] = true
        if plan.removeDuplicates.contains(subscription) { state.passed[subscription] = nil }
        if program.isHot(node) {
            moves[subscription] = added[node, default: []].count
            added[node, default: []].append(subscription)
        }
        if isOfRemovedRun(subscription) { return }
        if plan.shared.contains(node), try share(node, subscription) { return }
        if program.kinds[node] == .source { figures.sourceRuns += 1 }
    }

    func end(_ subscription: Int, _ reason: SubscriptionEndReason?) {
        let node = program.topology.sources[subscription]
        lives[subscription] = false
        if program.isHot(node) { moves[subscription] = -1 }
        guard plan.shared.contains(node) else { return }
        let hub = plan.hub(of: node)
        // The end of a run may wait for an actor, too.
        if reason == .completed || reason == .failed || reason == .failedUnhandled {
            _ = state.hubs.finish(subscription, hub, keeps: reason == .completed && plan.replayed.contains(hub))
        }
        state.hubs.leave(subscription, hub)
    }

    func end(
        _ node: Int, isFailure: Bool, _ deliveries: some Sequence<Int>, _ source: FactTree
    ) throws(Stop) {
        let hub = plan.hub(of: node)
        let keeps = !isFailure && plan.replayed.contains(hub)
        for delivery in deliveries {
            if case .endDelivery(let subscription) = source[delivery].role, plan.shared.contains(node),
                !state.hubs.finish(subscription, hub, keeps: keeps), !source.onlyEnds(delivery)
            {
                throw Stop(reason: .sharedRun, node: node)
            }
            if case .endDelivery(let subscription) = source[delivery].role, !hasBegun(subscription) {
                guard source.onlyEnds(delivery) else { throw Stop(reason: .structure, node: node) }
                continue
            }
            try perform(source.children(of: delivery), source, target: nil)
        }
    }
}
