import WeirTrace

/// Why the question cannot be answered.
public enum WhyNotError: Error, Equatable {
    /// There is no such stimulus.
    case noSuchStimulus
    /// No stimulus began then or later; the last one, if there is any, began at `last` nanoseconds.
    case noStimulusAfter(last: UInt64?)
    /// The trace holds no event that could have changed a node.
    case nothingHappened
    /// The trace does not define the node.
    case undefinedNode
}

extension Timeline {
    /// The stimulus after which a node did not change.
    public enum Occasion: Sendable, Equatable {
        /// The last one, or the last emission without a cause if the trace has no stimulus.
        case last
        /// The first one that began this many nanoseconds after the start, or later.
        case after(UInt64)
        /// The last stimulus that matches.
        case stimulus(EventFilter.Stimulus)
    }

    /// Why one of the nodes did not change after a stimulus; of several nodes, the one that was in use then.
    ///
    /// Reads the trace twice. Moves the timeline to another position.
    public func whyNot(_ nodes: [UInt32], after occasion: Occasion = .last) throws(WhyNotError) -> WhyNot {
        var writers = HandlerWrites(topology)
        let (stimulus, number) = try find(occasion) { writers.take($0) }
        move(to: stimulus.id)
        move(to: position - 1)
        let before = state
        guard let place = inUse(nodes) else { throw .undefinedNode }
        var reach = Reach(of: stimulus.id, topology)
        forward { event in
            reach.take(event)
            return true
        }
        let search = StopSearch(before, reach, writers)
        let (outcome, omitted) = outcome(of: place, before.nodes[place].life, reach, search)
        return WhyNot(
            node: topology.nodeIDs[place], stimulus: stimulus, stimulusNumber: number, outcome: outcome,
            omittedStops: omitted,
            reached: reach.reached, value: before.nodes[place].value, lastChange: before.nodes[place].lastChange)
    }

    private func outcome(
        of place: Int, _ life: NodeState.Life, _ reach: Reach, _ search: StopSearch
    ) -> (WhyNot.Outcome, omitted: Int) {
        if let reached = reach.nodes[place] { return (.changed(reached), 0) }
        if life == .released { return (.released, 0) }
        let (stops, omitted) = search.stops(before: place)
        // A node that was not mentioned before may also have been made before the recording began.
        if stops.isEmpty, life == .unmentioned, isMade(place) { return (.notYetMade, 0) }
        if stops.isEmpty { return (.unconnected(search.roots(of: place).map { topology.nodeIDs[$0] }), 0) }
        return (.stopped(told(stops)), omitted)
    }

    /// The stops with complete reasons; goes to the end of the trace, then to all their events in one walk.
    private func told(_ stops: [StopSearch.Found]) -> [WhyNot.Stop] {
        move(to: .max)
        let end = state
        let events = stops.compactMap { stop in
            switch stop.reason {
            case .suppressed(let event), .ended(let event): event
            case .subscriptionEnded(let place): end.subscriptions[place].end
            case .madeNothing, .handlerDidNotWrite, .notYetSubscribed, .notDelivered: nil
            }
        }
        let steps = causeSteps(of: events)
        return stops.map { told($0, end) { steps[$0]?.step } }
    }

    private func told(_ stop: StopSearch.Found, _ end: TraceState, _ step: (EventID) -> CauseStep?) -> WhyNot.Stop {
        func id(_ subscription: Int) -> UInt32 { topology.subscriptions[subscription].id }
        let reason: WhyNot.Stop.Reason? =
            switch stop.reason {
            case .suppressed(let event): step(event).map { .suppressed($0) }
            case .ended(let event): step(event).map { .ended($0) }
            case .madeNothing(let event, let place): .madeNothing(of: event, subscription: id(place))
            case .handlerDidNotWrite(let event, let place): .handlerDidNotWrite(event, subscription: id(place))
            case .subscriptionEnded(let place):
                .subscriptionEnded(end.subscriptions[place].end.flatMap(step), subscription: id(place))
            case .notYetSubscribed(let place):
                .notYetSubscribed(end.subscriptions[place].start, subscription: id(place))
            case .notDelivered(let place): .notDelivered(subscription: id(place))
            }
        return WhyNot.Stop(
            node: topology.nodeIDs[stop.node], reason: reason ?? .notDelivered(subscription: 0),
            path: stop.path.map { topology.nodeIDs[$0] })
    }

    /// Whether the trace records that the node was made.
    private func isMade(_ place: Int) -> Bool {
        move(to: 0)
        return forward { !($0.kind == .nodeCreated && $0.subject == topology.nodeIDs[place]) } != nil
    }

    /// The node with the most subscriptions at the current moment, or else the last one.
    private func inUse(_ ids: [UInt32]) -> Int? {
        ids.compactMap { topology.place(ofNode: $0) }.max { left, right in
            func use(_ place: Int) -> (Int, Int, Int) {
                let node = state.nodes[place]
                return (node.life == .alive ? 1 : 0, node.liveHandlers + node.liveEdges, place)
            }
            return use(left) < use(right)
        }
    }

    /// Reads the whole trace to find the stimulus; `body` gets each event.
    private func find(
        _ occasion: Occasion, _ body: (TraceEvent) -> Void
    ) throws(WhyNotError) -> (TraceEvent, number: UInt64?) {
        var found: (TraceEvent, UInt64)?
        var lastRoot: TraceEvent?
        var lastStimulus: TraceEvent?
        var count: UInt64 = 0
        var search: StimulusSearch?
        if case .stimulus(let wanted) = occasion { search = StimulusSearch(wanted) }
        move(to: 0)
        forward { event in
            body(event)
            search?.take(event)
            if event.isOutermost, event.kind == .emitted, !event.isReplayed { lastRoot = event }
            guard event.kind == .stimulusBegan else { return true }
            count += 1
            lastStimulus = event
            switch occasion {
            case .last: found = (event, count)
            case .after(let time):
                if found == nil, timeScale.nanosecondsSinceStart(event.ticks) >= time { found = (event, count) }
            case .stimulus: break
            }
            return true
        }
        if let search { found = search.found }
        if let found { return found }
        switch occasion {
        case .last:
            guard let lastRoot else { throw .nothingHappened }
            return (lastRoot, nil)
        case .after:
            throw .noStimulusAfter(last: lastStimulus.map { timeScale.nanosecondsSinceStart($0.ticks) })
        case .stimulus: throw .noSuchStimulus
        }
    }
}
