import WeirTrace

/// A value that arrives later than its emission, in a hop of its own: an actor calls the handler, or an operator such as `deliver(on:)`
/// passes it on.
struct Handover: Hashable {
    let subscription: Int
    let emission: EventID
}

extension TurnReading {
    /// Reads that a value of the latest emission waits for an actor; returns false if an end waits, or if it is not known what.
    mutating func readHandover(_ fact: Int, _ event: RecordedEvent) -> Bool {
        guard let subscription = program.topology.place(ofSubscription: event.subject) else { return false }
        let node = program.topology.sources[subscription]
        guard let emission = turn.emission(of: program.topology.nodeIDs[node], before: fact),
            facts[emission].event.kind == .emitted
        else { return false }
        let value: RecordedValue
        switch facts[emission].role {
        case .broadcast(_, let given), .cold(_, let given, _), .replay(_, let given, _): value = given
        case .write(_, let given): value = given
        case .result: value = self.value(node)
        case .nothing:
            value = facts[emission].event.value
            facts[emission].role =
                facts[emission].event.isReplayed
                ? .replay(node: node, value, to: subscription) : .cold(node: node, value, to: subscription)
        default: return false
        }
        facts[fact].role = .scheduled(value)
        let handover = Handover(subscription: subscription, emission: facts[emission].event.id)
        turn.handovers[subscription, default: []].append((fact, handover))
        return true
    }
}

// A handler of an actor receives a value in two steps: when it is emitted, and when the actor calls the handler.
extension Replay {
    /// Lets a value wait for the actor of its handler; returns false if the handler receives it at once.
    func handOver(_ subscription: Int, _ value: RecordedValue) throws(Stop) -> Bool {
        guard let recorded = turn.handovers[subscription] else { return try handOverElsewhere(subscription, value) }
        // Nearly always it is the next one in the recording; those before it have been used.
        var place = nextHandovers[subscription] ?? 0
        while place < recorded.count, used[recorded[place].fact] > 0 { place += 1 }
        nextHandovers[subscription] = place
        while place < recorded.count, !isUnused(recorded[place].fact, value) {
            try spend()
            place += 1
        }
        let next = place < recorded.count ? recorded[place] : nil
        if let flow = program.flow(subscription), try hasDelivery(turn.flows[flow], before: next?.fact ?? .max) {
            return false
        }
        guard let next else { throw Stop(reason: .unseenValue, node: program.topology.sources[subscription]) }
        used[next.fact] += 1
        return true
    }

    private func isUnused(_ fact: Int, _ value: RecordedValue) -> Bool {
        used[fact] == 0 && facts[fact].role == .scheduled(value)
    }

    /// Whether a subscription still receives a value at once before a fact.
    private func hasDelivery(_ flow: RecordedTurn.Flow, before fact: Int) throws(Stop) -> Bool {
        for delivery in facts.deliveries(flow) {
            try spend()
            if delivery > fact { return false }
            if used[delivery] == 0 { return true }
        }
        return false
    }

    /// The same for a value of a shared source, which the recording handed over in a run that falls away, to an actor or an operator.
    private func handOverElsewhere(_ subscription: Int, _ value: RecordedValue) throws(Stop) -> Bool {
        if foresight.handovers.isEmpty || program.flow(subscription) != nil { return false }
        let key = RecordedTurn.DeliveryKey(subscription: subscription, value: value)
        guard let recorded = foresight.handovers[key] else { return false }
        for handover in recorded {
            try spend()
            if hasMoved(handover.subscription, handover.emission) { continue }
            // It arrived before the shared run has given it.
            if state.removed.fate(of: handover) != .kept { break }
            moved.insert(handover)
            return true
        }
        throw Stop(reason: .unknownCause, node: program.topology.sources[subscription])
    }

    /// Whether the actor still calls a handler in a hop; nil if the hop has another purpose.
    func fateOfHandover(_ hop: Int, _ source: FactTree) throws(Stop) -> RemovedCauses.Fate? {
        let first = Int(source[hop].firstChild)
        guard let cause = source[hop].event.cause, first >= 0,
            case .handedOver(_, let subscription) = source[first].role
        else { return nil }
        let handover = Handover(subscription: subscription, emission: cause)
        for inTurn in turn.handovers[subscription] ?? [] {
            try spend()
            if inTurn.handover == handover { return used[inTurn.fact] > 0 ? .kept : .removed }
        }
        return state.removed.fate(of: handover)
    }

    /// Whether a value arrives later because a shared run gives it in another turn.
    func hasMoved(_ subscription: Int, _ emission: EventID) -> Bool {
        if moved.isEmpty, state.moved.isEmpty { return false }
        let handover = Handover(subscription: subscription, emission: emission)
        return moved.contains(handover) || state.moved.contains(handover)
    }

    /// Stops if a value arrives at another time than in the recording, and changes something: in what order is unknown.
    func checkMoved(_ hop: Int, _ source: FactTree) throws(Stop) {
        guard !moved.isEmpty || !state.moved.isEmpty, let cause = source[hop].event.cause else { return }
        var subscription = program.topology.place(ofSubscription: source[hop].event.scheduledBy)
        let first = Int(source[hop].firstChild)
        if first >= 0, case .handedOver(_, let called) = source[first].role { subscription = called }
        if try isMoved(subscription, cause), try changesState(hop, source) {
            throw Stop(reason: .unknownCause, node: program.topology.place(ofNode: source[hop].event.subject))
        }
    }

    private func isMoved(_ subscription: Int?, _ emission: EventID) throws(Stop) -> Bool {
        if let subscription { return hasMoved(subscription, emission) }
        // Older traces do not have the subscription of a hop.
        try spend(moved.count + state.moved.count)
        return moved.contains { $0.emission == emission } || state.moved.contains { $0.emission == emission }
    }

    private func changesState(_ fact: Int, _ source: FactTree) throws(Stop) -> Bool {
        for child in source.children(of: fact) {
            try spend()
            switch source[child].role {
            case .write, .broadcast, .result, .batch, .began, .ended, .created, .structure: return true
            default: if try changesState(child, source) { return true }
            }
        }
        return false
    }

    /// Whether each value that waited in the recording waits in the replay.
    var handsOverAsRecorded: Bool {
        turn.handovers.isEmpty || turn.handovers.values.allSatisfy { $0.allSatisfy { used[$0.fact] == 1 } }
    }

    /// Notes the values that no longer wait.
    func commitHandovers() {
        if !moved.isEmpty { state.moved.formUnion(moved) }
        for recorded in turn.handovers.values {
            for (fact, handover) in recorded
            where used[fact] == 0 && !hasMoved(handover.subscription, handover.emission) {
                state.removed.note(handover)
            }
        }
    }
}
