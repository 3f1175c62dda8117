import WeirTrace

/// The subscriptions that had ended or came too late, and what a node depends on.
extension StopSearch {
    /// The subscriptions on the way that the stimulus began, too late for what a shared source had emitted before.
    func lateSubscriptions(_ walk: Walk) -> [Found] {
        var late: Set<Int> = []
        return walk.visited.compactMap { source in
            guard let subscription = walk.through[source], let target = walk.next[source],
                reach.starts.contains(subscription), reach.deliveries[subscription] == nil,
                let kind = topology.definitions.nodes[topology.nodeIDs[source]]?.kind,
                kind == .share || kind == .replay || kind == .multicast, before.hasEmitted(source)
            else { return nil }
            let path = walk.path(from: target)
            // Behind a late subscription, others are late, too.
            if late.contains(target) || !late.isDisjoint(with: path) { return nil }
            late.insert(source)
            return Found(node: target, reason: .notYetSubscribed(subscription: subscription), path: path)
        }
    }

    func missingSubscriptions(_ walk: Walk) -> [Walk.Stop] {
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
    func ends(of subscription: Int) -> [Int] {
        let target = topology.targets[subscription]
        if target >= 0, topology.runs.isFlatMap(target) { return [target] }
        return [topology.sources[subscription], target]
    }

    /// The former subscriptions to a node that nothing feeds now, the latest first.
    func lostFeeds(of node: Int) -> [Walk.Stop] {
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

    /// The indexes of the nodes on the live way to a node, nearest first.
    func nodesOnTheWay(to node: Int) -> [Int] {
        var (nodes, seen, head) = ([node], Set([node]), 0)
        while head < nodes.count {
            for feed in feeds(of: nodes[head]) where isUsable(feed.subscription) {
                let source = topology.sources[feed.subscription]
                if seen.insert(source).inserted { nodes.append(source) }
            }
            head += 1
        }
        return nodes
    }

    /// The root nodes on which a node depends through an operator that emits only when they complete.
    func completingRoots(of node: Int) -> [Int] {
        let walk = walk(from: node) { isUsable($0) }
        return walk.roots.filter { emitsAtEnd(walk.path(from: $0)) }
    }

    /// Whether one of these nodes emits only when its source completes.
    func emitsAtEnd(_ path: [Int]) -> Bool {
        path.contains { place in
            switch topology.definitions.nodes[topology.nodeIDs[place]]?.kind {
            case .last, .reduce, .collect: true
            default: false
            }
        }
    }

    /// Nodes that the stimulus reached and that are others of the same line as nodes on which a node depends or depended.
    func twins(of node: Int) -> [(reached: Int, other: Int)] {
        let others = walk(from: node) { _ in true }.visited.filter { reach.nodes[$0] == nil }
        return reach.reached.compactMap { reached in
            guard let place = topology.place(ofNode: reached.node), let site = site(of: place),
                let known = topology.definitions.nodes[reached.node]
            else { return nil }
            return others.first { other in
                let definition = topology.definitions.nodes[topology.nodeIDs[other]]
                return self.site(of: other) == site && definition?.kind == known.kind
                    && definition?.label == known.label
            }.map { (place, $0) }
        }
    }

    /// The indexes of the root nodes on which a node depends, or once depended if nothing feeds it now.
    func roots(of node: Int) -> [Int] {
        let live = walk(from: node) { isUsable($0) }.roots.filter { $0 != node }
        return (live.isEmpty ? walk(from: node) { _ in true }.roots.filter { $0 != node } : live).sorted()
    }
}
