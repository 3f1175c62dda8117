import WeirTrace

@testable import WeirAnalysis

extension NaiveRules {
    /// `repeated-subscription`.
    mutating func judgeAlikeSubscriptions() {
        judgeAlikeBindings()
        for refresh in refreshes
        where !emissions(around: refresh.position).contains(where: { isFirstValue($0.opening) }) {
            guard let own = naive.definitions.subscriptions[refresh.subscription], !isFirstRun(refresh, own.source),
                isRepeated(own, refresh.position)
            else { continue }
            count(.repeatedSubscription, refresh.position, node: own.source, subscription: own.id)
            if own.owner != nil || targetView(own) != nil {
                waste(.repeatedSubscription, refresh, node: own.source, subscription: own.id)
            }
        }
    }

    /// The same for bindings to observables and their like.
    private mutating func judgeAlikeBindings() {
        for frame in naive.frames.values.joined() where events[frame.opening].kind == .emitted {
            for delivery in frame.deliveries {
                guard let own = naive.definitions.subscriptions[delivery.subscription], isOfState(own),
                    !emissions(around: delivery.position).contains(where: { isFirstValue($0.opening) }),
                    isRepeated(own, delivery.position)
                else { continue }
                count(.repeatedSubscription, delivery.position, node: own.source, subscription: own.id)
            }
        }
    }

    /// Whether another subscription that is alike began earlier, both at its own beginning and at a position.
    private func isRepeated(_ own: TraceSubscription, _ position: Int) -> Bool {
        guard let began = beginning(of: own.id), began < position else { return false }
        return [began, position].allSatisfy { position in
            eldest(like: own, at: position).map { occasion($0) < occasion(began) } ?? false
        }
    }

    private func isOfState(_ subscription: TraceSubscription) -> Bool {
        guard subscription.isInternal, let target = subscription.target.flatMap(kind) else { return false }
        return [.observable, .channel, .array, .observer].contains(target)
    }

    /// The beginning of the first of the alike subscriptions, this one included, that live at a position.
    private func eldest(like own: TraceSubscription, at position: Int) -> Int? {
        naive.definitions.subscriptions.values.filter { $0.id == own.id || areAlike(own, $0) }.compactMap { other in
            beginning(of: other.id).flatMap { $0 < position && end(of: other.id) > position ? $0 : nil }
        }.min()
    }

    func beginning(of subscription: UInt32) -> Int? {
        let first = events.firstIndex {
            switch $0.kind {
            case .subscriptionStarted, .deliveryBegan, .deliveryNext, .subscriptionEnded: $0.subject == subscription
            default: false
            }
        }
        return first.flatMap { events[$0].kind == .subscriptionStarted ? $0 : nil }
    }

    private func end(of subscription: UInt32) -> Int {
        events.firstIndex { $0.kind == .subscriptionEnded && $0.subject == subscription } ?? .max
    }

    /// The beginning of the stimulus or turn in which an event happens; outside of these, the last mark.
    private func occasion(_ position: Int) -> Int {
        if around[position].isEmpty {
            return events[..<position].lastIndex { [.stimulusBegan, .frame].contains($0.kind) } ?? -1
        }
        if let first = around[position].first?.opening, events[first].kind == .stimulusBegan { return first }
        return turn(position)
    }

    /// Each call of `bind` makes a node of its own, which says nothing about the view.
    func targetView(_ subscription: TraceSubscription) -> UInt32? {
        subscription.target.flatMap { kind($0) == .binding ? nil : $0 }
    }

    private func areAlike(_ one: TraceSubscription, _ other: TraceSubscription) -> Bool {
        guard one.id != other.id, one.site != nil,
            [one, other].allSatisfy({ !$0.isInternal || isOfState($0) })
        else { return false }
        let origins = origins(one.source)
        return one.site == other.site && one.owner == other.owner && targetView(one) == targetView(other)
            && !origins.isEmpty && origins == self.origins(other.source)
    }

    private func origins(_ node: UInt32) -> Set<UInt32> {
        var (found, visited, next): (Set<UInt32>, Set<UInt32>, [UInt32]) = ([], [], [node])
        if naive.definitions.nodes[node]?.technique == .render {
            next = naive.definitions.subscriptions.values.filter { $0.target == node }.map(\.source)
        }
        while let node = next.popLast() {
            guard visited.insert(node).inserted else { continue }
            if isHot(node) {
                found.insert(node)
            } else {
                next += naive.definitions.subscriptions.values.filter { $0.target == node }.map(\.source)
            }
        }
        return found
    }

    /// `repeated-request` and `cancelled-request`.
    mutating func judgeRequests() {
        for subscription in naive.definitions.subscriptions.values where subscription.isInternal {
            guard let target = subscription.target, kind(target) == .flatMap, let began = beginning(of: subscription.id)
            else { continue }
            if isDelivered(to: target, at: began) {
                judgeCancellation(of: subscription, target)
            } else if !givingEvents.contains(subscription.source) {
                judgeRepetition(through: subscription, target)
            }
        }
    }

    /// `repeated-source`.
    mutating func judgeSourcesMadeAgain() {
        var given: [(node: UInt32, began: Int, position: Int)] = []
        for node in naive.definitions.nodes.values where node.kind == .source && node.site != nil {
            let own = naive.subscriptions(to: node.id)
            let beginnings = own.compactMap { own in beginning(of: own.id).map { (own, $0) } }
            guard let first = beginnings.min(by: { $0.1 < $1.1 }),
                let position = events.firstIndex(where: { $0.isNewValue && $0.subject == node.id })
            else { continue }
            if isRequested(node.id, before: events.count) { continue }
            switch events[position].value {
            case .void, .nil, .bool: continue
            default: if first.1 < position { given.append((node.id, first.1, position)) }
            }
        }
        for later in given {
            let others = given.filter { other in
                other.position < later.position
                    && naive.definitions.nodes[other.node]?.site == naive.definitions.nodes[later.node]?.site
                    && NaiveEquality(events[other.position].value, events[later.position].value) == .equal
            }
            guard let former = others.max(by: { $0.position < $1.position }) else { continue }
            let ranMeanwhile = naive.subscriptions(to: former.node).contains { subscription in
                isRunning(subscription.id, at: later.began)
                    || beginning(of: subscription.id).map { later.began < $0 && $0 < later.position } == true
            }
            if ranMeanwhile {
                count(.repeatedSource, later.position, node: later.node)
                repeatedSources[later.node] = former.node
            }
        }
    }

    /// Whether the first subscription to a node is a request of a flatMap, or one through operators.
    private func isRequested(_ node: UInt32, before limit: Int) -> Bool {
        let beginnings = naive.subscriptions(to: node).compactMap { own in beginning(of: own.id).map { (own, $0) } }
        guard let (first, position) = beginnings.min(by: { $0.1 < $1.1 }), position < limit,
            let target = first.target, let kind = kind(target)
        else { return false }
        if kind == .flatMap, first.isInternal, isDelivered(to: target, at: position) { return true }
        return !kind.isHot && isRequested(target, before: position)
    }

    private mutating func judgeCancellation(of request: TraceSubscription, _ target: UInt32) {
        let end = end(of: request.id)
        guard end < events.count, events[end].reason == SubscriptionEndReason.disposed.rawValue,
            isDelivered(to: target, at: end), !values(through: request.id).contains(where: { $0.position < end })
        else { return }
        count(.cancelledRequest, end, node: target)
    }

    private mutating func judgeRepetition(through input: TraceSubscription, _ target: UInt32) {
        let values = values(through: input.id)
        for (former, latter) in zip(values, values.dropFirst()) where !followsEvent(latter.position) {
            switch NaiveEquality(former.value, latter.value) {
            case .equal: count(.repeatedRequest, latter.position, node: target)
            case .different: break
            case .notKnown(let reason): limitation(.repeatedRequest, target, reason)
            }
        }
    }

    /// Whether the value that is delivered at a position follows from an event.
    func followsEvent(_ position: Int) -> Bool {
        var isState = false
        for frame in around[position].reversed() {
            let opening = events[frame.opening]
            switch opening.kind {
            case .emitted where opening.value == .void: return true
            case .emitted where kind(opening.subject) == .emitter || isInput(frame, at: position): return !isState
            case .emitted where passingEventsOn(opening.subject): continue
            case .emitted where [.combineLatest, .startWith].contains(kind(opening.subject)): isState = true
            case .emitted, .hopBegan, .failed, .completed: return false
            default: continue
            }
        }
        return false
    }

    /// Whether a frame around a position is of an element of an asynchronous sequence, or of a callback that no other frame contains.
    private func isInput(_ frame: NaiveFrame, at position: Int) -> Bool {
        switch naive.definitions.nodes[events[frame.opening].subject]?.technique {
        case .asyncSequence: true
        case .callback: around[position].first?.opening == frame.opening
        default: false
        }
    }

    /// The values delivered through a subscription, in the order of the trace.
    private func values(through subscription: UInt32) -> [(position: Int, value: TraceValue)] {
        naive.frames.values.joined().filter { events[$0.opening].kind == .emitted }.flatMap { frame in
            frame.deliveries.filter { $0.subscription == subscription }.map {
                ($0.position, events[frame.opening].value)
            }
        }.sorted { $0.0 < $1.0 }
    }

    /// Whether a subscription of a flatMap with a recorded beginning is a request, rather than an input.
    func isRequest(_ subscription: TraceSubscription) -> Bool {
        guard let target = subscription.target, let position = beginning(of: subscription.id) else { return false }
        return isDelivered(to: target, at: position)
    }

    /// Whether a subscription with a recorded beginning has begun and not ended before a position.
    func lives(_ subscription: UInt32, at position: Int) -> Bool {
        beginning(of: subscription).map { $0 < position } == true && end(of: subscription) > position
    }

    /// Whether the innermost open emission is being delivered to a node; or the innermost hop, if that lies further in, serves it.
    private func isDelivered(to node: UInt32, at position: Int) -> Bool {
        let kinds: [EventKind] = [.emitted, .completed, .failed, .hopBegan]
        guard let frame = around[position].last(where: { kinds.contains(events[$0.opening].kind) }) else {
            return false
        }
        if events[frame.opening].kind == .hopBegan { return events[frame.opening].subject == node }
        guard let delivery = frame.deliveries.last(where: { $0.position < position }) else { return false }
        return naive.definitions.subscriptions[delivery.subscription]?.target == node
    }
}
