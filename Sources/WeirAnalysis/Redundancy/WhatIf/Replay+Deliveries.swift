import WeirTrace

extension Replay {
    /// Up to this many deliveries through a subscription are compared one by one; beyond that, a table is used.
    private static let mostCompared = 16

    // MARK: Emissions

    /// Writes to a node that holds a value; an equal value goes no further.
    func write(_ node: Int, _ new: RecordedValue) throws(Stop) {
        if handlerDepth > 0, plan.computedOnce.contains(node) {
            computed[node] = new
            return waiting.add(node, height: program.height(node))
        }
        try store(node, new)
    }

    /// Gives a node that holds a value another one.
    func store(_ node: Int, _ new: RecordedValue) throws(Stop) {
        if equalHeights.decides(node: node) { throw Stop(reason: .unknownOrder, node: node) }
        // The second handler may read other properties, which the batch had not written yet in the recording.
        if handler > 0, lateWrites.updateValue(handler, forKey: node) ?? handler != handler, program.isTraced(node) {
            throw Stop(reason: .delayedHandler, node: node)
        }
        let old = value(node)
        let new = isBatch ? new : try ownValue(of: node, writing: new)
        if try areEqual(old, new, at: node) { return }
        var known = self[node]
        known.value = new
        if isBatch {
            if !known.isDeferred { deferred.append((node, old)) }
            known.isDeferred = true
            known.batchVersion = known.version
        }
        self[node] = known
        if isBatch { return }
        try deliver(node, new)
    }

    /// Delivers the value that a node has just been given.
    private func deliver(_ node: Int, _ new: RecordedValue) throws(Stop) {
        let version = self[node].version + 1
        self[node].version = version
        let isInReplay = isReplaying
        isReplaying = false
        defer { isReplaying = isInReplay }
        depth += 1
        try forEachListener(of: node) { subscription throws(Stop) in
            try receive(subscription, new)
            // A newer value has already reached all subscribers.
            return self[node].version == version
        }
        if !plan.replacedTargets.isEmpty { try updateUnobserved(node) }
        if depth == 1 { try settle(counts: true) }
        depth -= 1
    }

    /// Delivers a value to all subscribers of a node that holds none.
    func broadcast(_ node: Int, _ value: RecordedValue) throws(Stop) {
        if isBatch, isJoined, plan.joined.contains(node) { return bringTogether(node, value, to: nil) }
        if equalHeights.decides(node: node) { throw Stop(reason: .unknownOrder, node: node) }
        if program.hasOwnWays(node) { memories.append(value, to: -1 - node) }
        depth += 1
        try forEachListener(of: node) { subscription throws(Stop) in
            try receive(subscription, value)
            return true
        }
        if depth == 1 { try settle(counts: true) }
        depth -= 1
    }

    /// Keeps the last value of a node until the batch ends.
    ///
    /// A node that is cold gives its value to one subscription.
    private func bringTogether(_ node: Int, _ value: RecordedValue, to subscription: Int?) {
        if let place = joinedValues.firstIndex(where: { $0.node == node && $0.subscription == subscription }) {
            joinedValues[place].value = value
        } else {
            joinedValues.append((node, value, subscription))
        }
    }

    /// Delivers a value of a cold node to its subscriber; of a shared node, to all its subscribers.
    func emit(_ node: Int, _ value: RecordedValue, to subscription: Int) throws(Stop) {
        if equalHeights.decides(node: node) { throw Stop(reason: .unknownOrder, node: node) }
        try checkSharing(node)
        if isBatch, isJoined, plan.joined.contains(node) { return bringTogether(node, value, to: subscription) }
        // A signal of another library opens no turn.
        let levels = program.kinds[node] == .foreign ? 0 : 1
        if plan.shared.contains(node) {
            let receivers = try members(of: node, hearing: subscription)
            if !receivers.isEmpty {
                let hub = plan.hub(of: node)
                state.hubs.give(value, hub, keeps: plan.replayed.contains(hub))
            }
            depth += levels
            for receiver in receivers where isAlive(receiver) {
                try checkHops(behind: receiver, in: subscription)
                state.hubs.receive(receiver)
                try receive(receiver, value)
            }
        } else {
            depth += levels
            if isAlive(subscription) { try receive(subscription, value) }
        }
        if levels > 0, depth == 1 { try settle(counts: true) }
        depth -= levels
    }

    /// Performs a batch: at its end, observables emit the values they hold.
    func batch(_ facts: some Sequence<Int>, _ source: FactTree, target: Int?) throws(Stop) {
        if isBatch { return try perform(facts, source, target: target) }
        isBatch = true
        depth += 1
        try perform(facts, source, target: target)
        isBatch = false
        let all = deferred
        let joined = joinedValues
        (deferred, joinedValues) = ([], [])
        for (node, _) in all { self[node].isDeferred = false }
        for (node, former) in all {
            // A handler of an earlier emission has written: all subscribers already have the current value.
            if self[node].batchVersion != self[node].version { continue }
            if !plan.ownHandlers.isEmpty { self[node].value = try ownValue(of: node, writing: value(node)) }
            if try areEqual(former, value(node), at: node) { continue }
            try deliver(node, value(node))
        }
        for (node, value, subscription) in joined {
            if let subscription { try emit(node, value, to: subscription) } else { try broadcast(node, value) }
        }
        if depth == 1 { try settle(counts: false) }
        depth -= 1
    }

    /// Whether the node takes the two values as equal.
    private func areEqual(_ old: RecordedValue, _ new: RecordedValue, at node: Int) throws(Stop) -> Bool {
        if program.isBody(node) { return false }
        if old == new {
            if new.isKnown, !program.repeating[node] { return true }
            if program.comparing[node] { return true }
            throw Stop(reason: .unknownEquality, node: node)
        }
        if let equal = old.isEqual(to: new) { return equal }
        let succession = RecordedTurn.Succession(node: node, former: old, next: new)
        guard turn.successions.contains(succession) else { throw Stop(reason: .unknownEquality, node: node) }
        return false
    }

    // MARK: Deliveries

    func receive(_ subscription: Int, _ value: RecordedValue) throws(Stop) {
        try spend()
        if plan.disposed.contains(subscription), try isDisposed(subscription, value) { return }
        if plan.repeatedPlaces.contains(subscription), try isRepeated(subscription) { return }
        if isOfRemovedRun(subscription) { return }
        if plan.removeDuplicates.contains(subscription), try !passes(subscription, value) { return }
        if try handOver(subscription, value) { return }
        try take(subscription, value)
    }

    /// Calls a handler or an operator with a value.
    func take(_ subscription: Int, _ value: RecordedValue) throws(Stop) {
        let flow = program.flow(subscription)
        if let flow { flows[flow].received += 1 } else { hasStrayDelivery = true }
        if program.isCombinerInput[subscription] { return try update(subscription, value) }
        if plan.replaced.contains(program.topology.targets[subscription]), try replace(subscription, value) { return }
        if program.remembersLast[subscription] { return try succeed(subscription, value) }
        if !program.isWithoutMemory(subscription) { memories.append(value, to: subscription) }
        let model = model(subscription, value)
        if !program.handJoins.isEmpty { try checkHandJoin(subscription, value, model) }
        if !program.isInternal[subscription], !fallsAway(model) { try refresh(subscription, model) }
        let target = program.topology.targets[subscription]
        if plan.latest.contains(target) { try cancelFormer(requestsOf: target, for: subscription) }
        if let model {
            if !model.facts.isSame(as: facts), model.facts[model.fact].hasStructure {
                throw Stop(reason: .structure, node: program.topology.sources[subscription])
            }
            let children = model.facts.children(of: model.fact)
            let outer = enterHandler(of: subscription)
            if !program.isInternal[subscription] { handlerDepth += 1 }
            if plan.batchedHandlers.contains(subscription) {
                try batch(children, model.facts, target: target < 0 ? nil : target)
            } else {
                try perform(children, model.facts, target: target < 0 ? nil : target)
            }
            handler = outer
            if !program.isInternal[subscription] { handlerDepth -= 1 }
            return
        }
        try takeUnseen(subscription, value, target)
    }

    /// Calls a handler or an operator with a value that it did not receive in the turn.
    private func takeUnseen(_ subscription: Int, _ value: RecordedValue, _ target: Int) throws(Stop) {
        // It is unknown when a value arrives that was not handed over, and whether an operator lets a value pass that it did not judge.
        let kind = target >= 0 ? program.kinds[target] : nil
        if kind?.schedules == true || judges(kind) || foresight.areHandedOver.contains(subscription) {
            throw Stop(reason: .unseenValue, node: program.topology.sources[subscription])
        }
        let handler = knownHandler(subscription)
        if !handler.hasActed, handler.deliveries > 0 || hasNeverActed(subscription) { return }
        if handler.deliveries > 0, target >= 0 {
            if handler.isRelay { return try write(target, value) }
            if handler.emitsOnce, let output = output(behind: subscription),
                let result = try result(of: target, for: value)
            {
                countEvaluation(of: target, isNoop: false)
                return try emit(target, result, to: output)
            }
        }
        throw Stop(reason: .unseenValue, node: program.topology.sources[subscription])
    }

    /// Whether an operator lets a value pass or not according to the value.
    private func judges(_ kind: NodeKind?) -> Bool {
        switch kind {
        case .filter, .compactMap, .removeDuplicates, .skip, .take: true
        default: false
        }
    }

    /// The behaviour of a handler or operator so far, or in the whole recording if it has received nothing so far.
    private func knownHandler(_ subscription: Int) -> RecordedProgram.Handler {
        let handler = program.handlers[subscription]
        return handler.deliveries == 0 && !foresight.handlers.isEmpty ? foresight.handlers[subscription] : handler
    }

    /// The value that an operator without a memory emits for one that it did not receive; nil if that depends on the value.
    private func result(of node: Int, for value: RecordedValue) throws(Stop) -> RecordedValue? {
        switch program.kinds[node] {
        case .merge, .startWith, .catch, .retry, .flatMap: return value
        case .map:
            // Whether the evaluation would be without effect is unknown.
            if plan.narrowed.contains(node) { throw Stop(reason: .unknownEquality, node: node) }
            return unseenValue()
        default: return nil
        }
    }

    /// The live subscription to which an operator gives what it makes of a value; nil if it is unknown.
    private func output(behind subscription: Int) -> Int? {
        let (runs, target) = (program.topology.runs, program.topology.targets[subscription])
        if let output = runs.run(ofInput: subscription).flatMap(runs.output) { return output }
        let outputs = program.topology.outputs[target]
        return outputs.count == 1 ? outputs[0] : nil
    }

    /// Whether a handler does nothing but write what a combiner computes in its place.
    private func fallsAway(_ model: (facts: FactTree, fact: Int)?) -> Bool {
        guard !plan.computedOnce.isEmpty, let model else { return false }
        let acts = model.facts.acts(of: model.fact)
        return !acts.isEmpty
            && acts.allSatisfy { if case .write(let node, _) = $0 { plan.computedOnce.contains(node) } else { false } }
    }

    /// Whether the handler has received values in this turn, and done nothing.
    private func hasNeverActed(_ subscription: Int) -> Bool {
        guard let flow = program.flow(subscription) else { return false }
        return facts.deliveries(turn.flows[flow]).allSatisfy { facts.acts(of: $0).isEmpty }
    }

    /// Whether the remedy has ended the subscription with its owner.
    ///
    /// A release is recorded when it is noticed, which may be in a delivery that the remedy removes. So the order of the
    /// recording decides.
    func isDisposed(_ subscription: Int, _ value: RecordedValue) throws(Stop) -> Bool {
        if program.isOwnerReleased(subscription) { return true }
        guard let release = program.ownerRelease(subscription, in: turn) else { return false }
        guard let flow = program.flow(subscription), let delivery = recordedDelivery(of: value, flow, subscription)
        else { throw Stop(reason: .structure, node: program.topology.sources[subscription]) }
        return delivery > release
    }

    /// Whether a delivery falls away because the view subscribes once; its first value is shown in any case.
    private func isRepeated(_ subscription: Int) throws(Stop) -> Bool {
        guard let (subscription, first) = plan.repeated[subscription] else { return false }
        if !turn.facts.isEmpty, facts[0].event.isReplayed { return false }
        guard lives[subscription] == nil, isAlive(first) else {
            throw Stop(reason: .structure, node: program.topology.sources[subscription])
        }
        return true
    }

    /// The recorded delivery to imitate: one that was not used yet, if possible.
    func model(_ subscription: Int, _ value: RecordedValue) -> (facts: FactTree, fact: Int)? {
        if let flow = program.flow(subscription), let fact = recordedDelivery(of: value, flow, subscription) {
            used[fact] += 1
            return (facts, fact)
        }
        // Removed runs show how their subscribers would have reacted.
        if plan.shared.isEmpty { return nil }
        let key = RecordedTurn.DeliveryKey(subscription: subscription, value: value)
        return foresight.deliveries[key].map { ($0.turn.tree, $0.fact) }
    }

    /// The first delivery of the value that was not used yet, or else the last one.
    func recordedDelivery(of value: RecordedValue, _ flow: Int, _ subscription: Int) -> Int? {
        // Nearly always it is the next delivery in the recording; those before it have been used.
        var next = flows[flow].next
        while next >= 0, used[Int(next)] > 0 { next = facts[Int(next)].nextDelivery }
        flows[flow].next = next
        if next >= 0, case .delivery(_, value) = facts[Int(next)].role { return Int(next) }
        if turn.flows[flow].received <= Self.mostCompared { return recordedDelivery(of: value, turn.flows[flow]) }
        let key = RecordedTurn.DeliveryKey(subscription: subscription, value: value)
        guard let recorded = turn.deliveries(of: key) else { return nil }
        var place = taken[key] ?? 0
        while place < recorded.count - 1, used[recorded[place]] > 0 { place += 1 }
        taken[key] = place
        return recorded[place]
    }

    /// The same for few deliveries, found by comparison.
    private func recordedDelivery(of value: RecordedValue, _ flow: RecordedTurn.Flow) -> Int? {
        var last: Int?
        for fact in facts.deliveries(flow) {
            guard case .delivery(_, value) = facts[fact].role else { continue }
            if used[fact] == 0 { return fact }
            last = fact
        }
        return last
    }

    /// Whether a value differs from the last one through the subscription.
    private func passes(_ subscription: Int, _ value: RecordedValue) throws(Stop) -> Bool {
        let node = program.topology.sources[subscription]
        if let last = state.passed[subscription] {
            guard let equal = last.isEqual(to: value) else {
                let succession = RecordedTurn.Succession(node: node, former: last, next: value)
                guard turn.successions.contains(succession) else { throw Stop(reason: .unknownEquality, node: node) }
                state.passed[subscription] = value
                return true
            }
            if equal { return false }
        } else if program.beginnings[subscription] == 0, lives.isEmpty || lives[subscription] == nil,
            !program.holds(node), program.lastDelivered[subscription] == nil, !wasMade(node)
        {
            // The values delivered before the recording began are unknown.
            throw Stop(reason: .unknownEquality, node: node)
        }
        state.passed[subscription] = value
        return true
    }

    /// Whether a node was made since the recording began.
    private func wasMade(_ node: Int) -> Bool { program.madeNodes.contains(node) || madeNodes.contains(node) }

    /// Begins a delivery to a handler; returns the one around it.
    private func enterHandler(of subscription: Int) -> Int {
        guard isJoined, !program.isInternal[subscription] else { return handler }
        defer {
            lastHandler += 1
            handler = lastHandler
        }
        return handler
    }

    /// Stops at the second refresh by one handler after the batch, which belongs into that handler; and at the second refresh
    /// by something that no batch holds back, such as a callback, which is to be called once.
    private func checkJoined(_ subscription: Int) throws(Stop) {
        guard plan.batchedSubscriptions.contains(subscription), isBatch || handler > 0 else { return }
        let node = program.topology.sources[subscription]
        if isBatch, program.topology.canBatch(node) { return }
        let around = isBatch ? -1 : handler
        if lateRefreshes.updateValue(around, forKey: subscription) == around {
            throw Stop(reason: isBatch ? .unseenValue : .delayedHandler, node: node)
        }
    }

    private func refresh(_ subscription: Int, _ model: (facts: FactTree, fact: Int)?) throws(Stop) {
        if isJoined { try checkJoined(subscription) }
        let recorded = model.map { $0.facts[$0.fact].ticks }
        let ticks = recorded ?? meanTicks(subscription)
        guard plan.throttled.contains(subscription) else {
            figures.refreshes += 1
            figures.handlerTicks &+= Int64(clamping: ticks)
            return
        }
        if let model, model.facts[model.fact].hasChildren, !model.facts.acts(of: model.fact).isEmpty {
            throw Stop(reason: .delayedHandler, node: program.topology.sources[subscription])
        }
        let began = model.map { $0.facts[$0.fact].event.ticks } ?? (turn.facts.isEmpty ? 0 : facts[0].event.ticks)
        endPause(of: subscription, until: began)
        if let pause = state.pauses[subscription], began < pause.end {
            state.pauses[subscription] = ReplayState.Pause(end: pause.end, held: ticks)
            return
        }
        figures.refreshes += 1
        figures.handlerTicks &+= Int64(clamping: ticks)
        state.pauses[subscription] = pause(after: began)
    }

    /// The handler time of an unseen value: that of an earlier refresh on average, or else of one in this turn.
    private func meanTicks(_ subscription: Int) -> UInt64 {
        let handler = knownHandler(subscription)
        guard handler.timedRefreshes == 0, let flow = program.flow(subscription) else { return handler.meanTicks }
        let all = facts.deliveries(turn.flows[flow]).filter { facts[$0].endTicks != nil }.map { facts[$0].ticks }
        return all.isEmpty ? 0 : all.reduce(0, &+) / UInt64(all.count)
    }

    /// Lets the refresh that waits behind a throttle happen, if its pause ends by then.
    private func endPause(of subscription: Int, until ticks: UInt64) {
        guard let pause = state.pauses[subscription], let held = pause.held, pause.end <= ticks else { return }
        figures.refreshes += 1
        figures.handlerTicks &+= Int64(clamping: held)
        state.pauses[subscription] = self.pause(after: pause.end)
    }

    private func pause(after refresh: UInt64) -> ReplayState.Pause {
        let (end, isNever) = refresh.addingReportingOverflow(plan.frameTicks)
        return ReplayState.Pause(end: isNever ? .max : end)
    }

    /// Ends the pause of a throttle with its subscription; only a completion lets a waiting refresh happen.
    func endPause(of subscription: Int, at ticks: UInt64, _ reason: UInt8) {
        guard plan.throttled.contains(subscription) else { return }
        endPause(of: subscription, until: ticks)
        if reason == SubscriptionEndReason.completed.rawValue { endPause(of: subscription, until: .max) }
        state.pauses[subscription] = nil
    }
}
