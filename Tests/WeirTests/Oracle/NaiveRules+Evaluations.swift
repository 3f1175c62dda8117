import WeirTrace

@testable import WeirAnalysis

extension NaiveRules {
    /// `unobserved`, `noop-evaluation` and `feedback`.
    mutating func judgeEvaluations() {
        for position in events.indices {
            let node = events[position].subject
            let isEvaluation = isEvaluation(position)
            if isEvaluation {
                judgeReach(position, node)
                let noop = noop(position)
                if noop == .equal { count(.noopEvaluation, position, node: node) }
                if case .notKnown(let reason) = noop { limitation(.noopEvaluation, node, reason) }
                countEvaluation(isNoop: noop == .equal)
            }
            if isEvaluation || events[position].isNewValue, isFedBack(position) {
                count(.feedback, position, node: node)
                noteHandler(ofLoop: position, node)
            }
            if events[position].suppressionReason == .unsettled {
                count(.feedback, position, node: node)
                change(.feedback, node, 0) { $0.unsettled += 1 }
            }
        }
    }

    func isEvaluation(_ position: Int) -> Bool {
        let event = events[position]
        let reasons: [SuppressionReason?] = [.equal, .filtered]
        guard event.isNewValue || event.kind == .suppressed && reasons.contains(event.suppressionReason) else {
            return false
        }
        let computing: [NodeKind?] = [.combiner, .map, .compactMap, .filter, .scan, .combineLatest, .zip, .withLatest]
        // An event inside a hop is not delivered by a frame around the hop.
        guard computing.contains(kind(event.subject)), let subscription = naive.places[position].subscription,
            let cause = naive.position(of: naive.places[position].cause)
        else { return false }
        if subscription == 0 { return true }
        return events[cause].kind == .emitted
            && naive.definitions.subscriptions[subscription]?.target == event.subject
    }

    /// Whether an evaluation gave an unchanged value; nil if there is nothing to compare with.
    private func noop(_ position: Int) -> NaiveEquality? {
        let event = events[position]
        // A filter passes its input on, and every event is wanted.
        if kind(event.subject) == .filter || event.value == .void { return nil }
        if event.kind == .suppressed { return event.suppressionReason == .equal ? .equal : nil }
        guard let first = opened[position]?.deliveries.first, first.subscription != 0 else { return nil }
        let before = events[..<first.position].indices.last {
            events[$0].subject == first.subscription && naive.deliversValue($0)
        }
        guard let before, let emission = naive.position(of: naive.places[before].cause) else { return nil }
        return NaiveEquality(events[emission].value, event.value)
    }

    /// Whether an emission around a position is one that `feedback` counts.
    func isInLoop(_ position: Int) -> Bool {
        options.rules.contains(.feedback)
            && emissions(around: position).contains { events[$0.opening].isNewValue && isFedBack($0.opening) }
    }

    /// Whether it is inside its own consequences.
    private func isFedBack(_ position: Int) -> Bool { loop(at: position) != nil }

    /// The innermost emission of the same node around it.
    func loop(at position: Int) -> NaiveFrame? {
        emissions(around: position).filter { frame in
            guard events[frame.opening].subject == events[position].subject else { return false }
            return isHot(events[position].subject) || areOfOneRun(frame.opening, position)
        }.max { $0.opening < $1.opening }
    }

    /// Notes the innermost handler through which an emission leads back to its node.
    private mutating func noteHandler(ofLoop position: Int, _ node: UInt32) {
        guard let loop = loop(at: position) else { return }
        let inner = around[position].filter { $0.opening >= loop.opening }.sorted { $0.opening > $1.opening }
        let handlers = inner.compactMap { frame in
            frame.deliveries.last { $0.position < position }.map(\.subscription)
        }
        let isHandler = { [naive] (id: UInt32) in naive.definitions.subscriptions[id]?.isInternal == false }
        guard let handler = handlers.first(where: isHandler) else { return }
        change(.feedback, node, 0) { if !$0.handlers.contains(handler) { $0.handlers.append(handler) } }
    }

    // MARK: Reach

    private mutating func judgeReach(_ position: Int, _ node: UInt32) {
        var reached: [UInt32] = [node]
        var next = 0
        while next < reached.count {
            for subscription in naive.subscriptions(to: reached[next]) {
                guard naive.life(ofSubscription: subscription.id, at: position) == .alive else { continue }
                if !subscription.isInternal { return }
                guard let target = subscription.target else { continue }
                let ends: [NodeKind?] = [.observer, .binding, .command, .observable, .channel, .array]
                if ends.contains(kind(target)) { return }
                if !reached.contains(target) { reached.append(target) }
            }
            next += 1
        }
        if reached.contains(where: { wasMadeBefore($0, position) }) {
            limitation(.unobserved, node, .madeBefore)
        } else {
            count(.unobserved, position, node: node)
        }
    }

    /// Whether it is older than the recording, judging by the trace up to a position.
    private func wasMadeBefore(_ node: UInt32, _ position: Int) -> Bool {
        // The creation of operators and sources is not recorded.
        let recorded: [NodeKind?] = [.observable, .emitter, .combiner, .observer, .command, .channel, .array]
        if recorded.contains(kind(node)),
            !events[..<position].contains(where: { $0.kind == .nodeCreated && $0.subject == node })
        {
            return true
        }
        return (naive.subscriptions(to: node) + naive.subscriptions(feeding: node)).contains { subscription in
            let first = events.indices.first { naive.concerns($0, subscription.id) }
            return first.map { $0 <= position && events[$0].kind != .subscriptionStarted } ?? false
        }
    }

    // MARK: Sources and threads

    /// `resubscribed-source`.
    mutating func judgeSources() {
        for position in events.indices where events[position].kind == .subscriptionStarted {
            guard let started = naive.definitions.subscriptions[events[position].subject],
                [.source, .flatMap].contains(kind(started.source))
            else { continue }
            let others = naive.subscriptions(to: started.source).filter { $0.id != started.id }
            if others.contains(where: { isRunning($0.id, at: position) }) {
                count(.resubscribedSource, position, node: started.source)
            }
        }
    }

    /// Whether the subscription is alive, and has delivered no completion or failure.
    func isRunning(_ subscription: UInt32, at position: Int) -> Bool {
        guard naive.life(ofSubscription: subscription, at: position) == .alive else { return false }
        return !events[..<position].indices.contains { place in
            let deliveries: [EventKind] = [.deliveryBegan, .deliveryNext]
            return events[place].subject == subscription && deliveries.contains(events[place].kind)
                && !naive.deliversValue(place)
        }
    }

    /// `cross-thread`.
    mutating func judgeThreads() {
        for node in Set(events.filter(\.isNewValue).map(\.subject)) where isHot(node) {
            let own = events.indices.filter { position in
                events[position].isNewValue && events[position].subject == node
                    && !isScheduled(position)
            }
            let runners = own.map { runner(events[$0].id) }
            for (position, runner) in zip(own, runners) where runner != runners[0] {
                count(.crossThread, position, node: node)
            }
            var threads: [UInt32] = []
            for runner in runners where !threads.contains(runner) { threads.append(runner) }
            if threads.count > 1 {
                let handlers = handlersOnSeveralThreads(of: node)
                change(.crossThread, node, 0) { ($0.threads, $0.handlers) = (threads, handlers) }
            }
        }
    }

    /// Whether a scheduler delivers an event: it is in a hop that does not only carry the cause of a task.
    private func isScheduled(_ position: Int) -> Bool {
        around[position].contains { events[$0.opening].kind == .hopBegan && !events[$0.opening].carriesCause }
    }

    /// The handlers that a node, or what it feeds up to the next hot node, refreshes on several threads outside of hops.
    private func handlersOnSeveralThreads(of node: UInt32) -> [UInt32] {
        var sources: Set<UInt32> = [node]
        while true {
            let fed = naive.definitions.subscriptions.values.filter { $0.isInternal && sources.contains($0.source) }
                .compactMap(\.target).filter { !isHot($0) && !sources.contains($0) }
            if fed.isEmpty { break }
            sources.formUnion(fed)
        }
        let handlers = naive.definitions.subscriptions.values.filter { !$0.isInternal && sources.contains($0.source) }
        return handlers.map(\.id).filter { handler in
            let own = refreshes.filter { refresh in
                events[refresh.position].subject == handler && !isScheduled(refresh.position)
            }
            return Set(own.map { runner(events[$0.position].id) }).count > 1
        }.sorted()
    }

    /// The thread of an event, or the executor that ran on it at that time.
    func runner(_ id: EventID) -> UInt32 {
        let begun = naive.definitions.executorSpans[id.thread, default: []].filter { $0.sequence <= id.sequence }
        return begun.max { $0.sequence < $1.sequence }?.number ?? id.thread
    }
}

extension NaiveInterpreter {
    /// Whether the event at a position is the beginning or end of a subscription, or a delivery through it.
    func concerns(_ position: Int, _ subscription: UInt32) -> Bool {
        let kinds: [EventKind] = [.subscriptionStarted, .subscriptionEnded, .deliveryBegan, .deliveryNext]
        return events[position].subject == subscription && kinds.contains(events[position].kind)
    }
}
