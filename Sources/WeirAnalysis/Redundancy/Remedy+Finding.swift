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
        case .glitch: self.init(.settled, nodes: nodes, site: lines.computingSite(ofNode: first.node))
        case .burst:
            // If most bursts are within one stimulus, the writes can be batched; otherwise only the subscriber can wait.
            let (within, all) = tallies.reduce((0 as UInt64, 0 as UInt64)) {
                ($0.0 &+ $1.withinStimulus, $0.1 &+ $1.count)
            }
            self.init(
                within >= all &- within ? .batch : .throttle, nodes: nodes, subscriptions: subscriptions,
                site: subscriptionSite)
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
        case .resubscribedSource: self.init(.share, nodes: nodes, site: nodeSite)
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
        }
    }

    private static func distinct(_ ids: [UInt32]) -> [UInt32] { Set(ids).subtracting([0]).sorted() }
}
