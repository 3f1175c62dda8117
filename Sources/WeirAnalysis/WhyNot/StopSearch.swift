import WeirTrace

/// Walks from a node that did not change against the flow, to the places at which what a stimulus caused stopped.
struct StopSearch {
    /// Something that may feed a node: a subscription with the node as its target, or one whose handler writes to it.
    private struct Feed {
        let subscription: Int
        let isHandler: Bool
    }

    /// A stop whose reasons are still to be told in full.
    struct Found {
        enum Reason {
            case suppressed(EventID)
            case ended(EventID)
            case madeNothing(of: EventID, subscription: Int)
            case handlerDidNotWrite(EventID, subscription: Int)
            case subscriptionEnded(subscription: Int)
            case notYetSubscribed(subscription: Int)
            case notDelivered(subscription: Int)
        }
        let node: Int
        let reason: Reason
        /// The places of the nodes from behind the stop to the node that did not change.
        let path: [Int]
    }

    private let topology: Topology
    /// When the stimulus began.
    private let before: TraceState
    private let reach: Reach
    /// The places of the subscriptions whose code wrote to a node, by place of the node.
    private let writers: [Int: [Int]]

    init(_ before: TraceState, _ reach: Reach, _ writers: HandlerWrites) {
        topology = before.topology
        self.before = before
        self.reach = reach
        self.writers = writers.subscriptionsByNode
    }

    /// So many stops are told; there may be as many as there are nodes, each far away.
    static let limit = 100

    /// The stops before a node, nearest first; where no live subscription leads to one, those that are missing. Of more
    /// than `limit` the rest are counted.
    func stops(before node: Int) -> (told: [Found], omitted: Int) {
        let live = walk(from: node) { isUsable($0) }
        if !live.stops.isEmpty { return live.told }
        var missing = walk(from: node) { _ in true }
        missing.stops.removeAll { stop in
            switch stop.reason {
            case .subscriptionEnded, .notYetSubscribed: before.nodes[stop.node].life == .released
            default: true
            }
        }
        if missing.stops.isEmpty { missing.stops = lostFeeds(of: node) }
        return missing.told
    }

    /// What fed a node once, the latest first, where nothing does now.
    private func lostFeeds(of node: Int) -> [Walk.Stop] {
        let feeds = feeds(of: node)
        if feeds.contains(where: { isUsable($0.subscription) }) { return [] }
        return feeds.reversed().filter { before.subscriptions[$0.subscription].life == .ended }
            .map { Walk.Stop(node: node, reason: .subscriptionEnded(subscription: $0.subscription)) }
    }

    /// The places of the nodes at which everything begins on which a node depends, or once did if nothing feeds it now.
    func roots(of node: Int) -> [Int] {
        let live = walk(from: node) { isUsable($0) }.roots.filter { $0 != node }
        return (live.isEmpty ? walk(from: node) { _ in true }.roots.filter { $0 != node } : live).sorted()
    }

    /// What a walk came upon, and how it went there.
    private struct Walk {
        struct Stop {
            let node: Int
            let reason: Found.Reason
        }
        var stops: [Stop] = []
        var roots: [Int] = []
        /// The node behind each one that was passed, on the way to where the walk began; -1: there it began.
        var next: [Int: Int]

        var told: (told: [Found], omitted: Int) {
            let told = stops.prefix(StopSearch.limit).map { stop in
                Found(node: stop.node, reason: stop.reason, path: path(from: stop.node))
            }
            return (told, stops.count - told.count)
        }

        private func path(from place: Int) -> [Int] {
            var path: [Int] = []
            var following = next[place] ?? -1
            while following >= 0 {
                path.append(following)
                following = next[following] ?? -1
            }
            return path
        }
    }

    private func walk(from node: Int, _ isFollowed: (Int) -> Bool) -> Walk {
        var walk = Walk(next: [node: -1])
        var queue = [node]
        var head = 0
        while head < queue.count {
            let place = queue[head]
            head += 1
            if let reason = stop(at: place) {
                walk.stops.append(Walk.Stop(node: place, reason: reason))
                continue
            }
            let feeds = feeds(of: place).filter { isFollowed($0.subscription) }
            if feeds.isEmpty { walk.roots.append(place) }
            for feed in feeds {
                let source = topology.sources[feed.subscription]
                if reach.nodes[source] != nil {
                    walk.stops.append(Walk.Stop(node: place, reason: reasonNotFed(by: feed)))
                } else if walk.next[source] == nil {
                    walk.next[source] = place
                    queue.append(source)
                }
            }
        }
        return walk
    }

    /// Why a node gave out nothing although something had come to it; nil: nothing had.
    private func stop(at place: Int) -> Found.Reason? {
        if let event = reach.suppressions[place] { return .suppressed(event) }
        if let event = reach.endings[place] { return .ended(event) }
        if let event = reach.discards[place] { return .suppressed(event) }
        for subscription in topology.inputs[place] {
            // A handler's target, an observer, gives out nothing itself.
            guard topology.subscriptions[subscription].isInternal, let event = reach.deliveries[subscription] else {
                continue
            }
            return .madeNothing(of: event, subscription: subscription)
        }
        return nil
    }

    private func reasonNotFed(by feed: Feed) -> Found.Reason {
        let subscription = feed.subscription
        if let event = reach.deliveries[subscription] {
            return feed.isHandler
                ? .handlerDidNotWrite(event, subscription: subscription)
                : .madeNothing(of: event, subscription: subscription)
        }
        switch before.subscriptions[subscription].life {
        case .ended: return .subscriptionEnded(subscription: subscription)
        case .unmentioned:
            if reach.beganLate(subscription) { return .notYetSubscribed(subscription: subscription) }
            if reach.hadEnded(subscription) { return .subscriptionEnded(subscription: subscription) }
            // What runs anew for each subscription may still bring an earlier one what had been on its way before.
            let source = topology.nodeIDs[topology.sources[subscription]]
            return topology.definitions.nodes[source]?.kind?.isHot ?? true
                ? .notDelivered(subscription: subscription) : .notYetSubscribed(subscription: subscription)
        case .alive:
            return reach.hadEnded(subscription)
                ? .subscriptionEnded(subscription: subscription) : .notDelivered(subscription: subscription)
        }
    }

    /// Whether something might have come through a subscription: it existed, to a node that did, or was begun.
    private func isUsable(_ subscription: Int) -> Bool {
        let target = topology.targets[subscription]
        if target >= 0, before.nodes[target].life == .released { return false }
        return before.subscriptions[subscription].life == .alive || reach.starts.contains(subscription)
            || reach.deliveries[subscription] != nil
    }

    private func feeds(of place: Int) -> [Feed] {
        topology.inputs[place].map { Feed(subscription: $0, isHandler: false) }
            + (writers[place] ?? []).map { Feed(subscription: $0, isHandler: true) }
    }
}
