import WeirTrace

extension TraceDefinitions {
    /// The node over whose `values` a subscription loops; nil: it is no loop.
    ///
    /// The subscription of a loop has the line at which the property is declared, where no handler can be.
    package func node(inLoop id: UInt32) -> UInt32? {
        guard let subscription = subscriptions[id], let site = subscription.site, subscription.target == nil,
            let node = observed(by: subscription), let source = nodes[node]
        else { return nil }
        let isLoop =
            source.site == site && source.owner != nil && (source.kind == .observable || source.kind == .emitter)
            && (source.technique == .weir || source.technique == .traced)
        return isLoop ? node : nil
    }

    /// Whether a subscription is that of a `for await` loop, over a property's `values` or a traced sequence.
    package func isLoop(_ id: UInt32) -> Bool {
        subscriptions[id].map { nodes[$0.source]?.technique == .asyncSequence && !$0.isInternal } == true
            || node(inLoop: id) != nil
    }

    /// The node that a subscription observes; through `current`, the observable.
    private func observed(by subscription: TraceSubscription) -> UInt32? {
        guard nodes[subscription.source]?.kind == .current else { return subscription.source }
        return subscriptions.values.first { $0.target == subscription.source }?.source
    }
}
