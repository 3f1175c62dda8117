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

// A shared source runs once for all overlapping subscriptions: of the recorded runs, the one that answered first continues for all
// of them; of those that are fed by other subscriptions, the one that began first.
extension Replay {
    /// The subscriptions that receive a value recorded in the run behind the given subscription.
    func members(of source: Int, hearing subscription: Int) throws(Stop) -> [Int] {
        let hub = plan.hub(of: source)
        if state.hubs.isBeyondRecord(hub) { throw Stop(reason: .sharedRun, node: source) }
        guard state.hubs.answer(subscription, hub) else { return [] }
        try spend(state.hubs.memberCount(of: hub))
        return state.hubs.members(of: hub)
    }

    /// Lets a subscription share the run of a source; returns false if it starts the run.
    func share(_ source: Int, _ subscription: Int) throws(Stop) -> Bool {
        let hub = plan.hub(of: source)
        let kept = plan.replayed.contains(hub) ? state.hubs.lastValue(of: hub) : nil
        let run = state.hubs.run(of: hub)
        guard state.hubs.join(subscription, hub, continues: foresight.fedSources.contains(source)) else { return false }
        guard let kept, let run else { return true }
        try checkHops(behind: subscription, in: run)
        state.hubs.receive(subscription)
        depth += 1
        try receive(subscription, kept)
        if depth == 1 { try settle(counts: true) }
        depth -= 1
        return true
    }

    /// Whether a subscription ends with a shared run, which it hears directly or through operators of its own.
    func endsWithRun(_ subscription: Int) -> Bool {
        program.topology.chain(behind: subscription).contains { plan.shared.contains(program.topology.sources[$0]) }
    }

    /// Stops at the remedy of sharing an operator if it is not known what falls away with its other runs.
    func checkSharing(_ node: Int) throws(Stop) {
        if plan.shared.contains(node), foresight.unclear.contains(node) { throw Stop(reason: .structure, node: node) }
    }

    /// Stops if a subscription passes on later what it would receive from another run.
    ///
    /// The recorded hops followed the subscription's own run, which would fall away; at what times others would follow is unknown.
    func checkHops(behind subscription: Int, in run: Int) throws(Stop) {
        guard subscription != run else { return }
        if let known = hopsBehind[subscription] {
            if known { throw Stop(reason: .unknownCause, node: program.topology.sources[subscription]) }
            return
        }
        var queue = [subscription]
        var seen: Set<Int> = []
        var hops = false
        while !hops, let next = queue.popLast() {
            try spend()
            let target = program.topology.targets[next]
            guard target >= 0, seen.insert(target).inserted, !program.isHot(target) else { continue }
            hops = program.kinds[target]?.schedules == true && !program.passesOnLater(next)
            queue += program.topology.outputs[target]
        }
        hopsBehind[subscription] = hops
        if hops { throw Stop(reason: .unknownCause, node: program.topology.sources[subscription]) }
    }

    /// Stops if a subscription that joined late has received fewer values than its own run gave it.
    ///
    /// Whether it needs them, only the program knows: refreshes that fall away with them are not known to be redundant.
    func checkMissedValues() throws(Stop) {
        guard state.hubs.hasLateMembers else { return }
        for flow in turn.flows.elements where plan.shared.contains(program.topology.sources[flow.subscription]) {
            try spend()
            if !state.hubs.settle(flow.subscription, recorded: flow.received) {
                throw Stop(reason: .missedValue, node: program.topology.sources[flow.subscription])
            }
        }
    }

    /// Whether the subscription only feeds a run that is no longer needed.
    func isOfRemovedRun(_ subscription: Int) -> Bool {
        guard !foresight.feeders.isEmpty, let run = foresight.feeders[subscription] else { return false }
        let source = program.topology.sources[run]
        return plan.shared.contains(source) && state.hubs.run(of: plan.hub(of: source)) != run
    }
}
