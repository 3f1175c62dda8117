import WeirTrace

/// Walks upstream from a node that did not change, to the nodes where the effects of a stimulus stopped.
struct StopSearch {
    /// Something that may feed a node: a subscription with the node as its target, or one whose handler writes to it.
    struct Feed {
        let subscription: Int
        let isHandler: Bool
    }

    /// A stop whose reason is not yet complete.
    struct Found {
        enum Reason {
            case suppressed(EventID)
            case ended(EventID)
            case madeNothing(of: EventID, subscription: Int)
            case handlerDidNotWrite(EventID, subscription: Int)
            case subscriptionEnded(subscription: Int)
            case notYetSubscribed(subscription: Int)
            case waitsForActor(EventID, subscription: Int)
            case notDelivered(subscription: Int)
        }
        let node: Int
        let reason: Reason
        /// The indexes of the nodes from the one after the stop to the node that did not change.
        let path: [Int]

        init(node: Int, reason: Reason, path: [Int]) { (self.node, self.reason, self.path) = (node, reason, path) }

        /// Why a handler was not called.
        init(_ subscription: Int, _ reason: Reason, _ topology: Topology) {
            self.init(node: topology.sources[subscription], reason: reason, path: [])
        }
    }

    let topology: Topology
    /// The state at the beginning of the stimulus.
    let before: PriorState
    let reach: Reach
    /// The indexes of the subscriptions whose code wrote to a node, by index of the node.
    let writers: [Int: [Int]]
    /// The indexes of the nodes that a subscription's code wrote to, by index of the subscription.
    let written: [Int: [Int]]
    /// The indexes of the nodes that code outside of all handlers wrote to.
    let set: Set<Int>
    /// The indexes of the subscriptions whose handlers the stimulus called, by line.
    let called: [TraceSite: [Int]]
    let executions: ExecutionFeeds
    let refusing: RefusingCommands

    init(_ before: PriorState, _ reach: Reach, _ writers: HandlerWrites) {
        topology = before.topology
        self.before = before
        self.reach = reach
        self.writers = writers.subscriptionsByNode
        written = Dictionary(grouping: writers.counts.keys, by: \.subscription).mapValues { $0.map(\.node) }
        set = writers.nodesSetElsewhere
        var called: [TraceSite: [Int]] = [:]
        for subscription in reach.calledHandlers {
            if let site = topology.subscriptions[subscription].site { called[site, default: []].append(subscription) }
        }
        self.called = called
        executions = ExecutionFeeds(topology)
        refusing = RefusingCommands(topology, reach.suppressions.keys.filter { reach.nodes[$0] == nil })
    }

    /// The most stops to report; there may be as many as there are nodes, each far away.
    static let limit = 100

    /// The stops before a node, nearest first, with the number of stops beyond `limit`.
    ///
    /// If no live subscription leads to a stop, these are the missing subscriptions: on each path that the stimulus entered, the one
    /// nearest to the node.
    func stops(before node: Int) -> (reported: [Found], omitted: Int) {
        let live = walk(from: node) { isUsable($0) }
        if !live.stops.isEmpty { return live.reported }
        let late = lateSubscriptions(live)
        if !late.isEmpty { return (late, 0) }
        var missing = walk(from: node) { _ in true }
        missing.stops = missingSubscriptions(missing)
        if missing.stops.isEmpty { missing.stops = lostFeeds(of: node) }
        return missing.reported
    }

    /// The stops and roots that a walk found, and its path.
    struct Walk {
        struct Stop {
            let node: Int
            let reason: Found.Reason
        }
        var stops: [Stop] = []
        var roots: [Int] = []
        /// The nodes that the walk came to, nearest to its start first.
        var visited: [Int] = []
        /// The node after each visited one, towards the start of the walk; -1 at the start.
        var next: [Int: Int]
        /// The subscription through which a visited node feeds the one after it.
        var through: [Int: Int] = [:]

        var reported: (reported: [Found], omitted: Int) {
            let reported = stops.prefix(StopSearch.limit).map { stop in
                Found(node: stop.node, reason: stop.reason, path: path(from: stop.node))
            }
            return (reported, stops.count - reported.count)
        }

        func path(from place: Int) -> [Int] {
            var path: [Int] = []
            var following = next[place] ?? -1
            while following >= 0 {
                path.append(following)
                following = next[following] ?? -1
            }
            return path
        }
    }

    func walk(from node: Int, _ isFollowed: (Int) -> Bool) -> Walk {
        var walk = Walk(next: [node: -1])
        var queue = [node]
        var head = 0
        while head < queue.count {
            let place = queue[head]
            head += 1
            walk.visited.append(place)
            if let reason = stop(at: place) {
                if case .ended = reason {
                    // An operator on the way may wait for just that.
                    if emitsAtEnd(walk.path(from: place)) || addLosses(before: place, to: &walk) { continue }
                }
                walk.stops.append(Walk.Stop(node: place, reason: reason))
                continue
            }
            let path = [place] + walk.path(from: place)
            // A command that refused is the stop.
            if let command = refusingCommand(publishingThrough: place), walk.next[command] == nil,
                !follows(fromRefusalOf: command, path)
            {
                walk.next[command] = place
                queue.append(command)
            }
            let feeds = feeds(of: place).filter {
                isFollowed($0.subscription) && !follows(fromRefusalOf: topology.sources[$0.subscription], path)
            }
            if feeds.isEmpty || set.contains(place) { walk.roots.append(place) }
            for feed in feeds {
                let source = topology.sources[feed.subscription]
                if reach.nodes[source] != nil {
                    walk.stops.append(Walk.Stop(node: place, reason: reasonNotFed(by: feed)))
                } else if walk.next[source] == nil {
                    walk.next[source] = place
                    walk.through[source] = feed.subscription
                    queue.append(source)
                }
            }
        }
        return walk
    }

    /// Adds what was lost on the way to a node that ended without a value: where a value stopped, or what subscribed too late for it.
    ///
    /// - Returns: whether there is anything.
    func addLosses(before end: Int, to walk: inout Walk) -> Bool {
        let count = walk.stops.count
        var queue = [end]
        while let place = queue.popLast() {
            for subscription in topology.inputs[place] where topology.subscriptions[subscription].isInternal {
                let source = topology.sources[subscription]
                if reach.nodes[source] != nil {
                    let reason = reasonNotFed(by: Feed(subscription: subscription, isHandler: false))
                    let isKnown = walk.stops.contains { $0.node == place }
                    if case .notYetSubscribed = reason, !isKnown {
                        walk.stops.append(Walk.Stop(node: place, reason: reason))
                    }
                    continue
                }
                guard walk.next[source] == nil, let reason = stop(at: source) else { continue }
                walk.next[source] = place
                walk.through[source] = subscription
                if case .ended = reason {
                    queue.append(source)
                } else {
                    walk.stops.append(Walk.Stop(node: source, reason: reason))
                }
            }
        }
        return walk.stops.count > count
    }

    /// Why a node emitted nothing although something reached it; nil if nothing did.
    func stop(at place: Int) -> Found.Reason? {
        if reach.waits.contains(place), let body = endedBody(of: place, afterEmissionOf: nil) {
            return .subscriptionEnded(subscription: body)
        }
        if let event = reach.suppressions[place] { return .suppressed(event) }
        if let event = reach.endings[place] { return .ended(event) }
        if let event = reach.discards[place] { return .suppressed(event) }
        for subscription in topology.inputs[place] {
            // The target of a handler, an observer, emits nothing itself.
            guard topology.subscriptions[subscription].isInternal, let event = reach.deliveries[subscription] else {
                continue
            }
            return .madeNothing(of: event, subscription: subscription)
        }
        return nil
    }

    /// The subscription that shows what a body renders, if it had ended before another node's last emission was over, or has by now.
    ///
    /// A disposed body does not run, whatever it has read.
    func endedBody(of node: Int, afterEmissionOf source: Int?) -> Int? {
        guard topology.definitions.nodes[topology.nodeIDs[node]]?.technique == .render else { return nil }
        let shows = topology.outputs[node].filter { !topology.subscriptions[$0].isInternal }
        let haveEnded = shows.allSatisfy { show in
            if before.life(ofSubscription: show) == .ended { return true }
            return source.map { reach.hadEnded(show, beforeEmissionOf: $0) } ?? reach.isOver(show)
        }
        return haveEnded ? shows.last : nil
    }

    /// Whether a command's `isEnabled` is one of these nodes: its refusal follows from that, and not the other way round.
    func follows(fromRefusalOf command: Int, _ places: [Int]) -> Bool {
        guard reach.suppressions[command] != nil,
            topology.definitions.nodes[topology.nodeIDs[command]]?.kind == .command
        else { return false }
        return places.contains { place in
            // A command makes its nodes at its line; it publishes through the others.
            topology.definitions.nodes[topology.nodeIDs[place]]?.kind == .observable
                && site(of: place) == site(of: command)
                && refusingCommand(publishingThrough: place) != command
        }
    }

    func refusingCommand(publishingThrough place: Int) -> Int? {
        refusing.command(publishingThrough: topology.nodeIDs[place]).flatMap(topology.place(ofNode:))
    }

    func reasonNotFed(by feed: Feed) -> Found.Reason {
        let subscription = feed.subscription
        if let event = reach.deliveries[subscription] {
            return feed.isHandler
                ? .handlerDidNotWrite(event, subscription: subscription)
                : .madeNothing(of: event, subscription: subscription)
        }
        let target = topology.targets[subscription]
        if target >= 0, let body = endedBody(of: target, afterEmissionOf: topology.sources[subscription]) {
            return .subscriptionEnded(subscription: body)
        }
        if let event = reach.waitForActor(subscription) { return .waitsForActor(event, subscription: subscription) }
        switch before.life(ofSubscription: subscription) {
        case .ended: return .subscriptionEnded(subscription: subscription)
        case .unmentioned:
            if reach.beganLate(subscription) { return .notYetSubscribed(subscription: subscription) }
            if reach.hadEnded(subscription) { return .subscriptionEnded(subscription: subscription) }
            // A node that runs anew for each subscription may still deliver earlier values to an earlier subscription.
            let source = topology.nodeIDs[topology.sources[subscription]]
            return topology.definitions.nodes[source]?.kind?.isHot ?? true
                ? .notDelivered(subscription: subscription) : .notYetSubscribed(subscription: subscription)
        case .alive:
            return reach.hadEnded(subscription)
                ? .subscriptionEnded(subscription: subscription) : .notDelivered(subscription: subscription)
        }
    }

    /// Whether something could have come through a subscription: it was alive, with a target not released, or it began later.
    func isUsable(_ subscription: Int) -> Bool {
        // A command may be executed again at any time.
        if executions.isStart(subscription) { return before.life(ofNode: topology.sources[subscription]) != .released }
        let target = topology.targets[subscription]
        if target >= 0, before.life(ofNode: target) == .released { return false }
        if reach.starts.contains(subscription) || reach.deliveries[subscription] != nil { return true }
        let life = before.life(ofSubscription: subscription)
        return life == .alive || life == .unmentioned && isBuffered(topology.sources[subscription])
    }

    /// Whether a node keeps values for a later subscriber: the elements of a stream.
    func isBuffered(_ node: Int) -> Bool {
        topology.definitions.nodes[topology.nodeIDs[node]]?.technique == .asyncSequence
    }

    /// The last value on the way to a node that went no further, although an earlier one of the stimulus reached the node at `last`, or
    /// an element that the buffer of a stream dropped; nil: there is none on the same thread.
    func laterStop(before node: Int, after last: EventID) -> EventID? {
        var (next, seen, found) = ([node], Set([node]), nil as EventID?)
        while let place = next.popLast() {
            for feed in feeds(of: place) where reach.deliveries[feed.subscription] != nil {
                let source = topology.sources[feed.subscription]
                guard seen.insert(source).inserted else { continue }
                next.append(source)
            }
            // A value that waits, or that another one of the node followed, is not lost.
            guard place != node, let stop = reach.suppressions[place],
                found.map({ stop.sequence > $0.sequence }) ?? true
            else { continue }
            // Each element of a stream is wanted.
            let isDropped = topology.definitions.nodes[topology.nodeIDs[place]]?.technique == .asyncSequence
            guard
                isDropped
                    || stop.thread == last.thread && stop.sequence > last.sequence
                        && reach.nodes[place].map({ $0.last.thread == stop.thread && $0.last.sequence > stop.sequence })
                            != true
            else { continue }
            found = stop
        }
        return found
    }

    func feeds(of place: Int) -> [Feed] {
        let written = writers[place] ?? []
        let handlers = written + alike(written, writing: place)
        let all =
            topology.inputs[place].map { Feed(subscription: $0, isHandler: false) }
            + handlers.map { Feed(subscription: $0, isHandler: true) }
        if executions.isExecution(place) || !all.contains(where: { executions.isPart($0.subscription) }) { return all }
        let kept = all.filter { feed in
            !executions.isPart(feed.subscription)
                || isUsable(feed.subscription) && !executions.isStart(feed.subscription)
        }
        // A running execution leads to the command.
        var commands = Set(all.compactMap { executions.command(of: $0.subscription) })
        commands.subtract(kept.compactMap { executions.command(of: $0.subscription) })
        return kept
            + commands.sorted().compactMap { command in
                let starts = executions.starts(of: command)
                return (starts.last { reach.deliveries[$0] != nil } ?? starts.last)
                    .map { Feed(subscription: $0, isHandler: true) }
            }
    }

    /// The other called handlers of the lines of these, which run the same code; not those that write to a node of their own.
    func alike(_ subscriptions: [Int], writing place: Int) -> [Int] {
        if called.isEmpty { return [] }
        let sites = Set(
            subscriptions.lazy.map { topology.subscriptions[$0] }.filter { !$0.isInternal }.compactMap(\.site))
        func writesToAnother(_ subscription: Int) -> Bool {
            (written[subscription] ?? []).contains { site(of: $0) == site(of: place) }
        }
        return sites.flatMap { called[$0] ?? [] }
            .filter { !subscriptions.contains($0) && !writesToAnother($0) }.sorted()
    }

    func site(of node: Int) -> TraceSite? { topology.definitions.nodes[topology.nodeIDs[node]]?.site }

    /// The indexes of the nodes that a subscription's code wrote to.
    func nodesWritten(by subscription: Int) -> [Int] { (written[subscription] ?? []).sorted() }

    /// Whether code outside of all handlers wrote to a node.
    func isSetElsewhere(_ node: Int) -> Bool { set.contains(node) }
}
