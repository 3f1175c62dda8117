import WeirTrace

extension WhyNot {
    /// A question: why one of these nodes did not change, or why one of these handlers was not called.
    package struct Question: Sendable, ExpressibleByArrayLiteral {
        let nodes: [UInt32]
        let handlers: [UInt32]

        /// A question about the nodes with these ids.
        package init(arrayLiteral nodes: UInt32...) { self.init(nodes) }

        /// - Parameters:
        ///   - nodes: the ids of nodes; of several, the one that was in use is explained.
        ///   - handlers: the ids of subscriptions to them, if the question is about these.
        package init(_ nodes: [UInt32], handlers: [UInt32] = []) { (self.nodes, self.handlers) = (nodes, handlers) }
    }
}

/// Puts an answer together from what a stimulus reached, and from where its effects stopped.
struct WhyNotAnswer {
    /// The state at the beginning of the stimulus.
    let before: PriorState
    let reach: Reach
    let search: StopSearch
    /// Reads events with their causes.
    let steps: ([EventID]) -> [EventID: CauseStep]
    /// Finds the last beginnings and ends of subscriptions, by index.
    let lives: ([Int]) -> [(start: EventID?, end: EventID?)]
    /// Whether the trace records that a node was made.
    let isMade: (Int) -> Bool
    /// The release of a node.
    let release: (Int) -> EventID?
    /// Whether anything in the trace gave the node a value, accepted or not.
    let isWritten: (Int) -> Bool
    /// The value of a node at the beginning of the stimulus, and its last change.
    let held: (Int) -> (value: TraceValue, change: EventID?)
    let reader: TraceReader
    /// The time from which the trace was searched for handlers that write to nodes; nil: the beginning.
    var writersSince: UInt64?

    var topology: Topology { before.topology }

    func result(
        _ question: WhyNot.Question, _ stimulus: TraceEvent, _ number: UInt64?
    ) throws(WhyNotError) -> WhyNot {
        let asked = question.handlers.compactMap { topology.place(ofSubscription: $0) }
        guard let place = inUse(nodes(of: asked) ?? question.nodes) else { throw .undefinedNode }
        let (outcome, omitted) = outcome(of: place)
        let isProbe = topology.definitions.nodes[topology.nodeIDs[place]]?.kind == .foreign
        let outputs = topology.outputs[place]
        let isHeardByHandlersOnly = isProbe && outputs.allSatisfy { !topology.subscriptions[$0].isInternal }
        let handlers = asked.isEmpty && isHeardByHandlersOnly ? outputs : asked
        var isUnconnected = false
        if case .unconnected = outcome { isUnconnected = true }
        let held = held(place)
        let unheard = isUnconnected && !isWritten(place) ? unheardHandlers(near: place, before: stimulus) : []
        return WhyNot(
            node: topology.nodeIDs[place], stimulus: stimulus, stimulusNumber: number, outcome: outcome,
            omittedStops: omitted,
            stopsElsewhere: isUnconnected ? stopsElsewhere(for: place) : [],
            completingRoots: isUnconnected ? completingRoots(of: place) : [],
            heldBack: isUnconnected || isEnded(outcome) ? heldBack(before: place, stimulus) : [],
            twins: twins(of: place, outcome),
            handlers: handlers.isEmpty ? nil : self.handlers(handlers),
            others: question.nodes.filter { $0 != topology.nodeIDs[place] },
            formerSubscription: formerSubscription(of: place), reached: reach.reached, value: held.value,
            lastChange: held.change, isWritten: isWritten(place),
            isSetElsewhere: search.isSetElsewhere(place),
            calledHandlers: reach.calledHandlers.map { topology.subscriptions[$0].id },
            calledWrites: isUnconnected ? writes(of: reach.calledHandlers) : [:],
            unheardHandlers: unheard,
            releasedObjects: releasedObjects(of: blamed(outcome, asked), before: stimulus),
            silentFeeds: isUnconnected ? before.ifKnown { silentFeeds(of: place) } ?? [] : [],
            unconnectedMulticasts: isUnconnected
                ? before.ifKnown { unconnectedMulticasts(before: place, unheard) } ?? [] : [],
            release: release(of: place, outcome, before: stimulus),
            waitingHandlers: reach.waitingHandlers.map { topology.subscriptions[$0].id },
            laterChange: laterChange(of: place), laterRoot: isUnconnected ? laterRoot(of: place) : nil,
            laterStop: laterStop(before: place), writersSince: writersSince)
    }

    /// The called handlers that did not do what they were expected to do.
    private func blamed(_ outcome: WhyNot.Outcome, _ asked: [Int]) -> [Int] {
        switch outcome {
        case .unconnected(let roots): return roots.isEmpty ? reach.calledHandlers : []
        case .stopped(let stops):
            return stops.compactMap { stop in
                guard case .handlerDidNotWrite(_, let id) = stop.reason else { return nil }
                return topology.place(ofSubscription: id)
            }
        case .changed: return asked.filter { reach.deliveries[$0] != nil }
        case .released, .notYetMade: return []
        }
    }

    /// The nodes whose values the handlers received that the stimulus called, or else those of the handlers that were subscribed.
    private func nodes(of handlers: [Int]) -> [UInt32]? {
        let called = handlers.filter { reach.deliveries[$0] != nil }
        let relevant = called.isEmpty ? handlers.filter(search.isUsable) : called
        return relevant.isEmpty ? nil : Set(relevant.map { topology.subscriptions[$0].source }).sorted()
    }

    /// The release of the node; or, if a called handler did not write to it, that of the object whose property it is.
    private func release(of place: Int, _ outcome: WhyNot.Outcome, before stimulus: TraceEvent) -> EventID? {
        switch outcome {
        case .released: return release(place)
        case .unconnected where !reach.calledHandlers.isEmpty: break
        case .stopped(let stops):
            let isCalled = stops.contains { if case .handlerDidNotWrite = $0.reason { true } else { false } }
            if !isCalled { return nil }
        default: return nil
        }
        guard let object = owner(place) else { return nil }
        var (found, filter) = (nil as EventID?, RecordFilter())
        filter.kinds = 1 << UInt32(EventKind.objectReleased.rawValue)
        filter.ticks = 0...stimulus.ticks
        reader.forEachEvent(passing: filter) { event in
            if event.kind == .objectReleased, event.subject == object, Self.isEarlier(event, than: stimulus) {
                found = event.id
            }
            return found == nil
        }
        return found
    }

    /// Whether only ends stopped before the node.
    private func isEnded(_ outcome: WhyNot.Outcome) -> Bool {
        guard case .stopped(let stops) = outcome else { return false }
        return stops.allSatisfy { if case .ended = $0.reason { true } else { false } }
    }

    private func completingRoots(of place: Int) -> [UInt32] {
        (before.ifKnown { search.completingRoots(of: place) } ?? []).map { topology.nodeIDs[$0] }
    }

    /// The values and signals that operators on the way to a node held back when the stimulus came.
    private func heldBack(before place: Int, _ stimulus: TraceEvent) -> [WhyNot.Held] {
        before.ifKnown {
            var operators = HeldBack(search.nodesOnTheWay(to: place), before)
            return operators.found(in: reader, from: writersSince ?? 0, before: stimulus, steps)
        } ?? []
    }

    /// Nodes that the stimulus reached in place of others of the same line, from which the node was fed.
    private func twins(of place: Int, _ outcome: WhyNot.Outcome) -> [WhyNot.Twin] {
        guard case .stopped(let stops) = outcome,
            stops.allSatisfy({
                if case .subscriptionEnded = $0.reason { $0.node == topology.nodeIDs[place] } else { false }
            })
        else { return [] }
        return (before.ifKnown { search.twins(of: place) } ?? []).map {
            WhyNot.Twin(reached: topology.nodeIDs[$0.reached], other: topology.nodeIDs[$0.other])
        }
    }

    private func stopsElsewhere(for place: Int) -> [WhyNot.Stop] {
        completed(search.stopsBeforeUnknownHandlers(for: place)).filter { stop in
            // A released node is named only if a completion or failure ended its subscription.
            topology.place(ofNode: stop.node).map { before.life(ofNode: $0) } != .released || stop.ending?.origin != nil
        }
    }

    private func handlers(_ subscriptions: [Int]) -> WhyNot.Handlers {
        let calls = subscriptions.compactMap { place in reach.deliveries[place].map { (place, $0) } }
        var stops: [StopSearch.Found] = []
        if calls.isEmpty {
            let others = subscriptions.map { StopSearch.Found($0, search.reasonNotCalled($0), topology) }
            let waiting = others.first { if case .waitsForActor = $0.reason { true } else { false } }
            let isSubscribed = others.contains { if case .notDelivered = $0.reason { true } else { false } }
            let ended = others.last { if case .subscriptionEnded = $0.reason { true } else { false } }
            let later = others.first { if case .notYetSubscribed = $0.reason { true } else { false } }
            stops = waiting.map { [$0] } ?? (isSubscribed ? [] : [ended, later].compactMap(\.self))
        }
        return WhyNot.Handlers(
            called: calls.map { topology.subscriptions[$0.0].id }, firstCall: calls.first?.1, stops: completed(stops))
    }

    private func outcome(of place: Int) -> (WhyNot.Outcome, omitted: Int) {
        if let reached = reach.nodes[place] { return (.changed(reached), 0) }
        let life = before.life(ofNode: place)
        if life == .released {
            // An input that had completed or failed is why nothing holds the node.
            let ends = completed(search.lostInputs(of: place)).filter { $0.ending?.origin != nil }
            return ends.isEmpty ? (.released, 0) : (.stopped(ends), 0)
        }
        let (stops, omitted) = search.stops(before: place)
        // A node that was not mentioned before may also have been made before the recording began.
        if stops.isEmpty, life == .unmentioned, !reach.wasMade(place), isMade(place) { return (.notYetMade, 0) }
        if stops.isEmpty { return (.unconnected(search.roots(of: place).map { topology.nodeIDs[$0] }), 0) }
        return (.stopped(completed(stops)), omitted)
    }

    /// The stops with complete reasons.
    private func completed(_ stops: [StopSearch.Found]) -> [WhyNot.Stop] {
        let places = stops.compactMap { stop -> Int? in
            switch stop.reason {
            case .subscriptionEnded(let place), .notYetSubscribed(let place): place
            case .suppressed, .ended, .madeNothing, .handlerDidNotWrite, .waitsForActor, .notDelivered: nil
            }
        }
        let known = places.isEmpty ? [] : lives(places)
        let lives = Dictionary(zip(places, known)) { first, _ in first }
        let events = stops.compactMap { stop in
            switch stop.reason {
            case .suppressed(let event), .ended(let event): event
            case .subscriptionEnded(let place): lives[place]?.end
            case .madeNothing: requestEnd(stop)
            case .handlerDidNotWrite, .notYetSubscribed, .waitsForActor, .notDelivered: nil
            }
        }
        let steps = events.isEmpty ? [:] : steps(events)
        return stops.map { completed($0, lives, steps) }
    }

    private func completed(
        _ stop: StopSearch.Found, _ lives: [Int: (start: EventID?, end: EventID?)], _ steps: [EventID: CauseStep]
    ) -> WhyNot.Stop {
        func id(_ subscription: Int) -> UInt32 { topology.subscriptions[subscription].id }
        var ending: WhyNot.Ending?
        let reason: WhyNot.Stop.Reason? =
            switch stop.reason {
            case .suppressed(let event): steps[event].map { .suppressed(changed($0)) }
            case .ended(let event): steps[event].map { .ended($0) }
            case .madeNothing(let event, let place): .madeNothing(of: event, subscription: id(place))
            case .handlerDidNotWrite(let event, let place): .handlerDidNotWrite(event, subscription: id(place))
            case .subscriptionEnded(let place):
                .subscriptionEnded(lives[place]?.end.flatMap { steps[$0] }, subscription: id(place))
            case .notYetSubscribed(let place): .notYetSubscribed(lives[place]?.start, subscription: id(place))
            case .waitsForActor(let event, let place): .waitsForActor(event, subscription: id(place))
            case .notDelivered(let place): .notDelivered(subscription: id(place))
            }
        let requestEnd = requestEnd(stop).flatMap { steps[$0] }
        switch reason {
        case .subscriptionEnded(let end?, _), .ended(let end): ending = self.ending(end)
        // A completion may take the value that a node held.
        case .suppressed(let step) where step.event.suppressionReason == .afterCompletion:
            if case let found = self.ending(step), found.origin != nil { ending = found }
        default: break
        }
        if let requestEnd { ending = self.ending(requestEnd) }
        return WhyNot.Stop(
            node: topology.nodeIDs[stop.node], reason: reason ?? .notDelivered(subscription: 0), ending: ending,
            opened: opened(stop).map(id), requestEnd: requestEnd, isUnfinished: isUnfinished(stop),
            beganInStimulus: beganInStimulus(stop),
            silentInputs: silentInputs(stop),
            earlierSuppressions: earlierSuppressions(stop), batchedWrites: reach.batchedWrites[stop.node] ?? 0,
            isReplaced: isReplaced(stop), path: stop.path.map { topology.nodeIDs[$0] })
    }

    /// A step in which the inputs that the stimulus changed count as changed, although the node may have had no subscription to them then.
    private func changed(_ step: CauseStep) -> CauseStep {
        var step = step
        for (place, input) in step.inputs.enumerated() where input.role == .tookPart {
            guard let emission = input.emission, let node = topology.place(ofNode: input.source),
                let first = reach.nodes[node]?.first, first.thread == emission.thread,
                first.sequence <= emission.sequence
            else { continue }
            step.inputs[place].role = .changed
        }
        return step
    }

    private func opened(_ stop: StopSearch.Found) -> Int? {
        guard case .madeNothing(_, let feeding) = stop.reason else { return nil }
        return topology.inputs[stop.node].last { $0 != feeding && reach.starts.contains($0) && !reach.isOver($0) }
    }

    private func requestEnd(_ stop: StopSearch.Found) -> EventID? {
        guard case .madeNothing = stop.reason, opened(stop) == nil else { return nil }
        return reach.requestEnds[stop.node]
    }

    /// No trace shows where the body of a loop ends before the loop takes its next element.
    private func isUnfinished(_ stop: StopSearch.Found) -> Bool {
        guard case .handlerDidNotWrite(_, let subscription) = stop.reason else { return false }
        return topology.definitions.isLoop(topology.subscriptions[subscription].id)
            && reach.receivesNoMore(subscription)
    }

    private func formerSubscription(of place: Int) -> WhyNot.Stop? {
        guard reach.nodes[place]?.hadNoSubscriber == true else { return nil }
        let former = topology.outputs[place].filter { before.life(ofSubscription: $0) == .ended }
        let last = former.last { !topology.subscriptions[$0].isInternal } ?? former.last
        return last.flatMap { completed([StopSearch.Found($0, .subscriptionEnded(subscription: $0), topology)]).first }
    }

    private func laterStop(before place: Int) -> CauseStep? {
        guard let reached = reach.nodes[place], let stop = search.laterStop(before: place, after: reached.last),
            let step = steps([stop])[stop]
        else { return nil }
        switch step.event.suppressionReason {
        case .filtered, .superseded: return step
        case .waiting:
            switch topology.definitions.nodes[step.event.subject]?.kind {
            // They wait for the end of the turn.
            case .observable, .combiner, .observer, .foreign, nil: return nil
            default: return step
            }
        case .equal: return topology.definitions.nodes[step.event.subject]?.kind == .removeDuplicates ? step : nil
        default: return nil
        }
    }

    private func laterChange(of place: Int) -> WhyNot.LaterChange? {
        guard reach.nodes[place] == nil, let change = reach.otherChanges[place], let step = steps([change])[change]
        else { return nil }
        var (cause, origin): (EventID?, TraceEvent?) = (step.way.cause, nil)
        for _ in 0..<Self.longestEnding {
            guard let id = cause, let around = steps([id])[id] else { break }
            (cause, origin) = (around.way.cause, around.event)
        }
        // The origin of a longer chain is not known.
        return cause == nil ? WhyNot.LaterChange(step: step, origin: origin) : nil
    }

    /// The first later change of a node on which an unconnected one depends, if the trace does not show why it changed.
    private func laterRoot(of place: Int) -> WhyNot.LaterChange? {
        if laterChange(of: place)?.isUnexplained == true { return nil }
        return (before.ifKnown { search.roots(of: place) } ?? []).lazy.compactMap(laterChange).first(
            where: \.isUnexplained)
    }

    private func beganInStimulus(_ stop: StopSearch.Found) -> Bool {
        guard case .notYetSubscribed(let subscription) = stop.reason else { return false }
        return reach.starts.contains(subscription)
    }

    private func silentInputs(_ stop: StopSearch.Found) -> [UInt32] {
        guard case .madeNothing(_, let feeding) = stop.reason,
            topology.definitions.nodes[topology.nodeIDs[stop.node]]?.kind == .foreign
        else { return [] }
        var sources = Set(topology.inputs[stop.node].map { topology.sources[$0] })
        sources.remove(topology.sources[feeding])
        return sources.sorted().prefix(8).filter { reach.nodes[$0] == nil && held($0).change == nil }
            .map { topology.nodeIDs[$0] }
    }

    private func isReplaced(_ stop: StopSearch.Found) -> Bool {
        guard case .suppressed(let event) = stop.reason else { return false }
        return reach.replaced.contains(stop.node) && reach.discards[stop.node] == event
    }

    private func earlierSuppressions(_ stop: StopSearch.Found) -> UInt64 {
        guard case .suppressed = stop.reason, topology.definitions.nodes[topology.nodeIDs[stop.node]]?.kind == .skip
        else {
            return 0
        }
        // The last one is the stop itself; a node that dropped a value for a newer one counts none.
        let own = reach.suppressionCounts[stop.node].map { $0 &- 1 } ?? 0
        return before.suppressions(ofNode: stop.node) &+ own
    }

    /// How a subscription or node ended: follows completions and failures upstream.
    private func ending(_ end: CauseStep) -> WhyNot.Ending {
        var (last, origin): (CauseStep, CauseStep?) = (end, nil)
        var cause: CauseStep?
        for _ in 0..<Self.longestEnding {
            cause = last.way.cause.flatMap { steps([$0])[$0] }
            if let scheduled = scheduledEnd(of: last, cause) {
                (last, origin, cause) = (scheduled, scheduled, nil)
                continue
            }
            guard let ending = cause, ending.event.kind == .completed || ending.event.kind == .failed,
                case .delivery(_, let id) = last.way, passesOn(id, to: last.event)
            else { break }
            (last, origin, cause) = (ending, ending, nil)
        }
        var isAfterValue = false
        let ender =
            origin?.event.subject
            ?? (end.event.isOfNode ? end.event.subject : topology.definitions.subscriptions[end.event.subject]?.target)
        if let place = ender.flatMap(topology.place(ofNode:)), let reason = (origin ?? end).event.cause {
            let value = reach.nodes[place]?.last ?? held(place).change
            isAfterValue = value.flatMap { steps([$0])[$0] }?.event.cause == reason
        }
        return WhyNot.Ending(origin: origin, cause: cause, isAfterValue: isAfterValue)
    }

    /// The completion or failure that an operator passed on in a hop, such as `deliver(on:)`; nil: it is none.
    private func scheduledEnd(of end: CauseStep, _ hop: CauseStep?) -> CauseStep? {
        guard let hop, end.event.isOfNode, hop.event.kind == .hopBegan, hop.event.subject == end.event.subject,
            let id = hop.way.cause,
            let scheduled = steps([id])[id], [.completed, .failed].contains(scheduled.event.kind)
        else { return nil }
        return scheduled
    }

    /// The most nodes through which a completion or failure is followed.
    private static let longestEnding = 32

    /// Whether a completion that a subscription delivers is the reason for an event: the subscription's own end, or the end of the
    /// node that it feeds.
    private func passesOn(_ subscription: UInt32, to event: TraceEvent) -> Bool {
        if event.kind == .subscriptionEnded, event.subject == subscription { return true }
        guard let known = topology.definitions.subscriptions[subscription], known.isInternal, let fed = known.target
        else { return false }
        return fed == (event.isOfNode ? event.subject : topology.definitions.subscriptions[event.subject]?.target)
    }

    /// Of the nodes that existed, one that did not change although the stimulus reached its owner, or else the one with the most
    /// subscriptions at the beginning of the stimulus, or the last one.
    private func inUse(_ ids: [UInt32]) -> Int? {
        let places = ids.compactMap { topology.place(ofNode: $0) }
        if places.count < 2 { return places.first }
        let reached = Set(reach.nodes.keys.compactMap(owner))
        func use(_ place: Int) -> (Int, Int, Int, Int, Int) {
            let existed = before.life(ofNode: place) == .alive || reach.wasMade(place)
            let isReached = owner(place).map(reached.contains) ?? false
            return (
                existed ? 1 : 0, reach.nodes[place] == nil ? 1 : 0, isReached ? 1 : 0,
                before.subscriptionCount(ofNode: place), place
            )
        }
        return places.max { use($0) < use($1) }
    }

    private func owner(_ place: Int) -> UInt32? { topology.definitions.nodes[topology.nodeIDs[place]]?.owner }
}
