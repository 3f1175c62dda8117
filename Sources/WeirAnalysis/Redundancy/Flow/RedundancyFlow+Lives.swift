@_spi(Records) import WeirTrace

/// Tracks the lives of nodes and subscriptions.
extension RedundancyFlow {
    func nodeCreated(_ step: FlowStep, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>) {
        thread.pointee.noteBeginning(sequence)
        let place = step.place
        if place >= 0 { tables.nodes[Int(place)].isBorn = true }
    }

    mutating func subscriptionStarted(
        _ step: FlowStep, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        thread.pointee.noteBeginning(sequence)
        let place = step.place
        guard place >= 0 else { return }
        let id = EventID(thread.pointee.number, sequence)
        if applies(.resubscribedSource) { resubscribedSource.began(place, id, tables) }
        guard tables.subscriptions[Int(place)].life == .unmentioned else { return }
        tables.subscriptions[Int(place)].life = .alive
        resubscribedSource.runs(place, id, tables)
        unobserved.subscriptionBegan()
        noteRequest(place, thread)
        let subscription = tables.subscriptions + Int(place)
        if subscription.pointee.isTerminal {
            let source = tables.nodes + Int(subscription.pointee.source)
            if source.pointee.traits.contains(.isBody) { subscription.pointee.wantsNext = true }
            if source.pointee.traits.contains(.hot), source.pointee.last.order == 0,
                let value = tables.topology.definitions.nodes[source.pointee.id]?.value
            {
                tables.formers[Int(place)].value = ValueKey(value)
            }
        }
        if applies(.repeatedSource) { repeatedSource.began(place, order, tables) }
        if applies(.repeatedSubscription) {
            let occasion = thread.pointee.occasion(order, outside: lastMark)
            repeatedSubscription.began(place, id, in: occasion, tables)
        }
    }

    /// Begins a subscription whose beginning was not recorded.
    mutating func begin(_ place: Int32, _ id: EventID) {
        tables.subscriptions[Int(place)].life = .alive
        noteUnbegun(place)
        unobserved.subscriptionBegan()
        resubscribedSource.runs(place, id, tables)
    }

    mutating func subscriptionEnded(
        _ step: FlowStep, _ sequence: UInt64, _ thread: UnsafeMutablePointer<FlowThread>
    ) {
        let place = step.place
        guard place >= 0 else { return }
        if step.reason == SubscriptionEndReason.failedUnhandled.rawValue, applies(.unhandledFailure) {
            unhandledFailure.count(place, EventID(thread.pointee.number, sequence), tables)
        }
        let subscription = tables.subscriptions + Int(place)
        if subscription.pointee.isRequest, !subscription.pointee.hasValue, applies(.cancelledRequest),
            step.reason == SubscriptionEndReason.disposed.rawValue,
            isInDelivery(to: subscription.pointee.target, thread)
        {
            cancelledRequest.count(place, EventID(thread.pointee.number, sequence), tables)
        }
        if subscription.pointee.startsRequests, subscription.pointee.life == .alive {
            tables.nodes[Int(subscription.pointee.target)].liveInputs &-= 1
        }
        if subscription.pointee.life == .unmentioned { noteUnbegun(place) }
        if step.reason == SubscriptionEndReason.completed.rawValue, subscription.pointee.refresh.order > 0 {
            subscription.pointee.completedAtOnce = step.ticks &- subscription.pointee.refresh.ticks <= burst.window
        }
        subscription.pointee.life = .ended
        unobserved.subscriptionEnded()
        resubscribedSource.ended(place, order, tables)
    }

    /// Distinguishes the subscriptions of a flatMap: one gives it values, the others are its requests.
    private mutating func noteRequest(_ place: Int32, _ thread: UnsafeMutablePointer<FlowThread>) {
        let target = tables.subscriptions[Int(place)].target
        guard target >= 0, tables.nodes[Int(target)].traits.contains(.requests) else { return }
        if isInDelivery(to: target, thread) {
            tables.subscriptions[Int(place)].isRequest = true
            cancelledRequest.began(target)
        } else {
            tables.subscriptions[Int(place)].startsRequests = true
            tables.nodes[Int(target)].liveInputs &+= 1
        }
    }

    /// Whether the innermost open emission is being delivered to a node; or the innermost hop, if that lies further in, serves it.
    private func isInDelivery(to node: Int32, _ thread: UnsafeMutablePointer<FlowThread>) -> Bool {
        let places = thread.pointee.stack.places
        if places.hop > places.emission { return thread.pointee.frames[Int(places.hop)].hopNode == node }
        guard let around = thread.pointee.causingEmission, around.pointee.subscription >= 0 else { return false }
        return tables.subscriptions[Int(around.pointee.subscription)].target == node
    }

    private func noteUnbegun(_ place: Int32) {
        let subscription = tables.subscriptions[Int(place)]
        tables.nodes[Int(subscription.source)].hasUnbegun = true
        if subscription.target >= 0 { tables.nodes[Int(subscription.target)].hasUnbegun = true }
    }
}
