import WeirTrace

extension Remedy {
    /// The remedy for the tallies of one rule and line; the first of them wasted most. Nil: none is known to help.
    init?(for tallies: [RuleTally], _ lines: ProgramLines) {
        let (first, definitions) = (tallies[0], lines.definitions)
        let nodes = Self.distinct(tallies.map(\.node))
        let subscriptions = Self.distinct(tallies.map(\.subscription))
        let inputs = Self.distinct(tallies.map(\.via))
        let nodeSite = definitions.nodes[first.node]?.site
        let subscriptionSite = definitions.subscriptions[first.subscription]?.site ?? nodeSite
        switch first.rule {
        case .repeatedValue:
            self.init(.removeDuplicates, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .glitch:
            // A handler writes to an input of what has settled: waiting would not help.
            if tallies.allSatisfy({ $0.settled == $0.count }) { return nil }
            self.init(
                lines.computes(first.node) ? .settled : .computeOnce, nodes: nodes,
                site: lines.computingSite(ofNode: first.node))
        case .burst:
            // If most bursts are within one stimulus, the writes can be batched; otherwise only the subscriber can wait.
            let (within, all) = tallies.reduce((0 as UInt64, 0 as UInt64)) {
                ($0.0 &+ $1.withinStimulus, $0.1 &+ $1.count)
            }
            let canBatch = tallies.contains { lines.canBatch($0.node) }
            self.init(
                canBatch && within >= all &- within ? .batch : .throttle, nodes: nodes, subscriptions: subscriptions,
                site: subscriptionSite)
            cannotBatch = !canBatch
        case .unobserved: self.init(.makeLater, nodes: nodes, site: nodeSite)
        case .noopEvaluation:
            if tallies.allSatisfy({ $0.again == $0.count }), lines.canSettle(first.node) {
                self.init(.settled, nodes: nodes, site: lines.computingSite(ofNode: first.node))
            } else if lines.canNarrow(first.via, of: first.node) {
                self.init(
                    .narrowInput, nodes: nodes, subscriptions: inputs,
                    site: definitions.subscriptions[first.via]?.site ?? nodeSite)
            } else {
                return nil
            }
        case .resubscribedSource:
            let replays = tallies.contains { $0.atOnce > 0 }
            self.init(replays ? .replay : .share, nodes: nodes, site: nodeSite)
            missesEarlierValues = !replays && tallies.contains { $0.late > 0 }
        case .feedback:
            self.init(
                .cutLoop, nodes: nodes, subscriptions: inputs,
                site: definitions.subscriptions[first.via]?.site ?? nodeSite)
        case .zombieRefresh: self.init(.dispose, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .crossThread: self.init(.deliver, nodes: nodes, site: nodeSite)
        case .slowRefresh:
            self.init(.lightenHandler, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .unhandledFailure:
            self.init(.handleFailure, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .repeatedSubscription:
            self.init(.subscribeOnce, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .staleResponse:
            self.init(.dropStale, nodes: nodes, subscriptions: subscriptions, site: subscriptionSite)
        case .repeatedSource:
            self.init(.makeOnce, nodes: nodes, site: nodeSite)
            needsReplay = tallies.contains { $0.atOnce > 0 }
            missesEarlierValues = !needsReplay && tallies.contains { $0.late > 0 }
        // Whether fewer requests are wanted, or another strategy, only the program knows.
        case .cancelledRequest: return nil
        case .repeatedRequest:
            self.init(.removeDuplicateRequests, nodes: nodes, subscriptions: inputs, site: nodeSite)
        }
    }

    /// The remedy at the common cause of several findings, worst first; nil: each needs its own.
    init?(forAll findings: [Finding], _ lines: ProgramLines) {
        let tallies = findings.flatMap(\.tallies)
        let first = findings[0]
        guard let cause = first.cause else { return nil }
        if first.rule == .burst {
            let remedies = findings.compactMap(\.remedy)
            guard let own = first.remedy, remedies.count == findings.count, remedies.allSatisfy({ $0.kind == own.kind })
            else { return nil }
            self.init(
                own.kind, nodes: Self.distinct(remedies.flatMap(\.nodes)),
                subscriptions: Self.distinct(remedies.flatMap(\.subscriptions)), site: own.site)
            cannotBatch = remedies.allSatisfy(\.cannotBatch)
        } else {
            let causes = Self.distinct(tallies.compactMap(\.cause))
            let outputs = lines.definitions.subscriptions.values.filter { causes.contains($0.source) }.map(\.id)
            if let own = first.remedy, own.kind == .removeDuplicates, Set(own.subscriptions) == Set(outputs) {
                self = own
                return
            }
            self.init(
                .removeDuplicates, nodes: causes, subscriptions: Self.distinct(outputs),
                site: lines.definitions.nodes[cause]?.site)
        }
    }

    private static func distinct(_ ids: [UInt32]) -> [UInt32] { Set(ids).subtracting([0]).sorted() }
}
