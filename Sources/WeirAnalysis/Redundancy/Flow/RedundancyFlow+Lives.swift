import WeirTrace

/// Tracks the lives of nodes and subscriptions.
extension RedundancyFlow {
    func nodeCreated(_ record: FlowRecord) {
        let place = tables.place(ofNode: record.subject)
        if place >= 0 { tables.nodes[Int(place)].isBorn = true }
    }

    mutating func subscriptionStarted(_ record: FlowRecord, _ thread: UnsafeMutablePointer<FlowThread>) {
        let place = tables.place(ofSubscription: record.subject)
        guard place >= 0 else { return }
        let id = EventID(thread.pointee.number, record.sequence)
        if applies(.resubscribedSource) { resubscribedSource.began(place, id, tables) }
        guard tables.subscriptions[Int(place)].life == .unmentioned else { return }
        tables.subscriptions[Int(place)].life = .alive
        resubscribedSource.runs(place, id, tables)
        unobserved.subscriptionBegan()
    }

    /// Begins a subscription whose beginning was not recorded.
    mutating func begin(_ place: Int32, _ id: EventID) {
        tables.subscriptions[Int(place)].life = .alive
        noteUnbegun(place)
        unobserved.subscriptionBegan()
        resubscribedSource.runs(place, id, tables)
    }

    mutating func subscriptionEnded(
        _ record: FlowRecord, reason: UInt8, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let place = tables.place(ofSubscription: record.subject)
        guard place >= 0 else { return }
        if reason == SubscriptionEndReason.failedUnhandled.rawValue, applies(.unhandledFailure) {
            unhandledFailure.count(place, EventID(thread.pointee.number, record.sequence), thread, tables)
        }
        let subscription = tables.subscriptions + Int(place)
        if subscription.pointee.life == .unmentioned { noteUnbegun(place) }
        subscription.pointee.life = .ended
        unobserved.subscriptionEnded()
        resubscribedSource.ended(place, tables)
    }

    private func noteUnbegun(_ place: Int32) {
        let subscription = tables.subscriptions[Int(place)]
        tables.nodes[Int(subscription.source)].hasUnbegun = true
        if subscription.target >= 0 { tables.nodes[Int(subscription.target)].hasUnbegun = true }
    }
}
