import WeirTrace

/// Walks upstream from a node that did not change, to the nodes where the effects of a stimulus stopped.
struct StopSearch {
    /// Something that may feed a node: a subscription with the node as its target, or one whose handler writes to it.
    private struct Feed {
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

    private let topology: Topology
    /// The state at the beginning of the stimulus.
    private let before: PriorState
    private let reach: Reach
    /// The indexes of the subscriptions whose code wrote to a node, by index of the node.
    private let writers: [Int: [Int]]
    /// The indexes of the nodes that a subscription's code wrote to, by index of the subscription.
    private let written: [Int: [Int]]
    /// The indexes of the nodes that code outside of all handlers wrote to.
    private let set: Set<Int>
    /// The indexes of the subscriptions whose handlers the stimulus called, by line.
    private let called: [TraceSite: [Int]]
    private let executions: ExecutionFeeds
    private let refusing: RefusingCommands

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
        var missing = walk(from: node) { _ in true }
        missing.stops = missingSubscriptions(missing)
        if missing.stops.isEmpty { missing.stops = lostFeeds(of: node) }
        return missing.reported
    }

    private func missingSubscriptions(_ walk: Walk) -> [Walk.Stop] {
        var reported: Set<Int> = []
        let found: [Walk.Stop] = walk.stops.compactMap { stop in
            var found: Walk.Stop?
            switch stop.reason {
            case .subscriptionEnded, .notYetSubscribed:
                if before.life(ofNode: stop.node) != .released { found = stop }
            default: break
            }
            var place = stop.node
            while let subscription = walk.through[place], let next = walk.next[place] {
                if before.life(ofSubscription: subscription) == .ended, before.life(ofNode: next) != .released {
                    found = Walk.Stop(node: next, reason: .subscriptionEnded(subscription: subscription))
                }
                place = next
            }
            guard let found else { return nil }
            switch found.reason {
            case .subscriptionEnded(let subscription), .notYetSubscribed(let subscription):
                return reported.insert(subscription).inserted ? found : nil
            default: return nil
            }
        }
        // A node that no longer reads a source, and reads it again later, misses one thing. So does a flatMap with several signals.
        let former = Set(
            found.compactMap {
                if case .subscriptionEnded(let subscription) = $0.reason { ends(of: subscription) } else { nil }
            })
        return found.filter { stop in
            guard case .notYetSubscribed(let subscription) = stop.reason, topology.targets[subscription] >= 0 else {
                return true
            }
            return !former.contains(ends(of: subscription))
                && !walk.path(from: stop.node).contains { topology.runs.isFlatMap($0) && former.contains([$0]) }
        }
    }

    /// The indexes of the source and the target of a subscription; of a subscription to a signal of a flatMap only that of the target.
    private func ends(of subscription: Int) -> [Int] {
        let target = topology.targets[subscription]
        if target >= 0, topology.runs.isFlatMap(target) { return [target] }
        return [topology.sources[subscription], target]
    }

    /// The stops before handlers that may set a node that the trace never shows to be written: handlers in the file of the node, or
    /// else those of which the trace shows no write at all.
    ///
    /// - Parameter node: the node that did not change; a command's refusal does not explain its `isEnabled`.
    func stopsBeforeUnknownHandlers(for node: Int) -> [Found] {
        let file = site(of: node)?.file
        // A handler cannot write to a source or an execution.
        if let kind = topology.definitions.nodes[topology.nodeIDs[node]]?.kind, kind == .source || kind == .execution {
            return []
        }
        var (near, far): ([Found], [Found]) = ([], [])
        func add(_ stop: Found, before handlers: [Int]) {
            if handlers.contains(where: { topology.subscriptions[$0].site?.file == file }) {
                near.append(stop)
            } else if handlers.contains(where: { written[$0] == nil }) {
                far.append(stop)
            }
        }
        let ends = reach.endings.keys.filter(isLastEnd)
        let stopped = Set(reach.suppressions.keys).union(reach.discards.keys).union(reach.fed).union(ends)
        for place in stopped.sorted() where reach.nodes[place] == nil && !follows(fromRefusalOf: place, [node]) {
            guard let reason = stop(at: place) else { continue }
            add(
                Found(node: place, reason: reason, path: []),
                before: handlers(behind: place) { isUsable($0) || reach.hasBegun($0) })
        }
        for place in reach.nodes.keys.sorted() {
            for output in topology.outputs[place] {
                if let missing = missing(output) { add(missing.stop, before: missing.handlers) }
            }
        }
        return Array((near.isEmpty ? far : near).prefix(Self.limit))
    }

    /// Why a value did not go through a subscription that had ended or did not exist yet, and the handlers behind it.
    private func missing(_ output: Int) -> (stop: Found, handlers: [Int])? {
        let target = topology.targets[output]
        let isHandler = target < 0
        // Each execution has subscriptions of its own.
        if isHandler && topology.subscriptions[output].isInternal || executions.isPart(output) { return nil }
        let reason = reasonNotFed(by: Feed(subscription: output, isHandler: isHandler))
        switch reason {
        case .subscriptionEnded, .notYetSubscribed: break
        default: return nil
        }
        // The stop is at the node that was not fed; that of a handler is at its source.
        let stop = Found(node: isHandler ? topology.sources[output] : target, reason: reason, path: [])
        return (stop, isHandler ? [output] : handlers(behind: target) { _ in true })
    }

    /// Whether a completion or failure went no further.
    private func isLastEnd(_ node: Int) -> Bool {
        !topology.outputs[node].contains { topology.targets[$0] >= 0 && reach.endings[topology.targets[$0]] != nil }
    }

    /// The handlers to which values of a node lead.
    private func handlers(behind node: Int, _ isFollowed: (Int) -> Bool) -> [Int] {
        var (next, seen, found) = ([node], Set([node]), [] as [Int])
        while let place = next.popLast() {
            // No subscription leads from a command that refused to the nodes through which it publishes.
            for part in refusing.parts(of: topology.nodeIDs[place]).compactMap(topology.place(ofNode:))
            where seen.insert(part).inserted { next.append(part) }
            for output in topology.outputs[place] where isFollowed(output) {
                let target = topology.targets[output]
                if target < 0 {
                    found.append(output)
                } else if topology.subscriptions[output].isInternal, seen.insert(target).inserted {
                    next.append(target)
                }
            }
        }
        return found
    }

    /// Why a handler was not called.
    func reasonNotCalled(_ subscription: Int) -> Found.Reason {
        if before.life(ofSubscription: subscription) == .alive, reach.nodes[topology.sources[subscription]] == nil {
            return .notDelivered(subscription: subscription)
        }
        return reasonNotFed(by: Feed(subscription: subscription, isHandler: true))
    }

    /// The former subscriptions to a node that nothing feeds now, the latest first.
    private func lostFeeds(of node: Int) -> [Walk.Stop] {
        let feeds = feeds(of: node)
        if feeds.contains(where: { isUsable($0.subscription) }) { return [] }
        return feeds.reversed().filter { before.life(ofSubscription: $0.subscription) == .ended }
            .map { Walk.Stop(node: node, reason: .subscriptionEnded(subscription: $0.subscription)) }
    }

    /// The former subscriptions of a node to its sources, if all had ended.
    func lostInputs(of node: Int) -> [Found] {
        let inputs = topology.inputs[node]
        if inputs.contains(where: { before.life(ofSubscription: $0) != .ended }) { return [] }
        return inputs.map { Found(node: node, reason: .subscriptionEnded(subscription: $0), path: []) }
    }

    /// The indexes of the root nodes on which a node depends, or once depended if nothing feeds it now.
    func roots(of node: Int) -> [Int] {
        let live = walk(from: node) { isUsable($0) }.roots.filter { $0 != node }
        return (live.isEmpty ? walk(from: node) { _ in true }.roots.filter { $0 != node } : live).sorted()
    }

    /// The stops and roots that a walk found, and its path.
    private struct Walk {
        struct Stop {
            let node: Int
            let reason: Found.Reason
        }
        var stops: [Stop] = []
        var roots: [Int] = []
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

    /// Why a node emitted nothing although something reached it; nil if nothing did.
    private func stop(at place: Int) -> Found.Reason? {
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
    private func endedBody(of node: Int, afterEmissionOf source: Int?) -> Int? {
        guard topology.definitions.nodes[topology.nodeIDs[node]]?.technique == .render else { return nil }
        let shows = topology.outputs[node].filter { !topology.subscriptions[$0].isInternal }
        let haveEnded = shows.allSatisfy { show in
            if before.life(ofSubscription: show) == .ended { return true }
            return source.map { reach.hadEnded(show, beforeEmissionOf: $0) } ?? reach.isOver(show)
        }
        return haveEnded ? shows.last : nil
    }

    /// Whether a command's `isEnabled` is one of these nodes: its refusal follows from that, and not the other way round.
    private func follows(fromRefusalOf command: Int, _ places: [Int]) -> Bool {
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

    private func refusingCommand(publishingThrough place: Int) -> Int? {
        refusing.command(publishingThrough: topology.nodeIDs[place]).flatMap(topology.place(ofNode:))
    }

    private func reasonNotFed(by feed: Feed) -> Found.Reason {
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
    private func isBuffered(_ node: Int) -> Bool {
        topology.definitions.nodes[topology.nodeIDs[node]]?.technique == .asyncSequence
    }

    /// The last value on the way to a node that went no further, although an earlier one of the stimulus reached the node at `last`; nil:
    /// there is none on the same thread.
    func laterStop(before node: Int, after last: EventID) -> EventID? {
        var (next, seen, found) = ([node], Set([node]), nil as EventID?)
        while let place = next.popLast() {
            for feed in feeds(of: place) where reach.deliveries[feed.subscription] != nil {
                let source = topology.sources[feed.subscription]
                guard seen.insert(source).inserted else { continue }
                next.append(source)
            }
            // A value that waits, or that another one of the node followed, is not lost.
            guard place != node, let stop = reach.suppressions[place], !reach.waits.contains(place),
                stop.thread == last.thread, stop.sequence > max(last.sequence, found?.sequence ?? 0),
                reach.nodes[place].map({ $0.last.thread == stop.thread && $0.last.sequence > stop.sequence }) != true
            else { continue }
            found = stop
        }
        return found
    }

    private func feeds(of place: Int) -> [Feed] {
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
    private func alike(_ subscriptions: [Int], writing place: Int) -> [Int] {
        if called.isEmpty { return [] }
        let sites = Set(
            subscriptions.lazy.map { topology.subscriptions[$0] }.filter { !$0.isInternal }.compactMap(\.site))
        func writesToAnother(_ subscription: Int) -> Bool {
            (written[subscription] ?? []).contains { site(of: $0) == site(of: place) }
        }
        return sites.flatMap { called[$0] ?? [] }
            .filter { !subscriptions.contains($0) && !writesToAnother($0) }.sorted()
    }

    private func site(of node: Int) -> TraceSite? { topology.definitions.nodes[topology.nodeIDs[node]]?.site }

    /// The indexes of the nodes that a subscription's code wrote to.
    func nodesWritten(by subscription: Int) -> [Int] { (written[subscription] ?? []).sorted() }

    /// Whether code outside of all handlers wrote to a node.
    func isSetElsewhere(_ node: Int) -> Bool { set.contains(node) }
}
