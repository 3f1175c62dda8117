import WeirTrace

/// The handlers that may write to a node.
extension StopSearch {
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
            // The loop over a stream that had finished is over.
            let isStream = topology.definitions.nodes[topology.nodeIDs[place]]?.technique == .asyncSequence
            add(
                Found(node: place, reason: reason, path: []),
                before: handlers(behind: place) { isUsable($0) || reach.hasBegun($0) || isStream })
        }
        for place in reach.nodes.keys.sorted() {
            for output in topology.outputs[place] {
                if let missing = missing(output) { add(missing.stop, before: missing.handlers) }
            }
        }
        return Array((near.isEmpty ? far : near).prefix(Self.limit))
    }

    /// Why a value did not go through a subscription that had ended or did not exist yet, and the handlers behind it.
    func missing(_ output: Int) -> (stop: Found, handlers: [Int])? {
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
    func isLastEnd(_ node: Int) -> Bool {
        !topology.outputs[node].contains { topology.targets[$0] >= 0 && reach.endings[topology.targets[$0]] != nil }
    }

    /// The handlers to which values of a node lead.
    func handlers(behind node: Int, _ isFollowed: (Int) -> Bool) -> [Int] {
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
}
