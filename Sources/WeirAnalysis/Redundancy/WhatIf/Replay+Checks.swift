import WeirTrace

extension Replay {
    /// Checks that the turn can be replayed: without a remedy, the result must equal the recording.
    static func prove(_ turn: RecordedTurn, _ program: RecordedProgram) throws(Stop) {
        if let proof = turn.proof { return try proof.get() }
        let proof: Result<Void, Stop>
        do throws(Stop) {
            let replay = program.unchanged
            replay.begin(turn)
            try replay.play()
            if !replay.isAsRecorded { throw Stop(reason: .notReproduced, node: nil) }
            proof = .success(())
        } catch {
            proof = .failure(error)
        }
        turn.proof = proof
        try proof.get()
    }

    private var isAsRecorded: Bool {
        guard !hasStrayDelivery, figures == turn.figures, memories.difference(from: turn.memories) == nil else {
            return false
        }
        for (place, flow) in turn.flows.elements.enumerated() {
            guard flows[place].received == flow.received else { return false }
            if program.isCombinerInput[flow.subscription] { continue }
            for fact in facts.deliveries(flow) where used[fact] != 1 { return false }
        }
        guard handsOverAsRecorded else { return false }
        return turn.changes.elements.allSatisfy { change in
            change.value.map { value(change.node).isEqual(to: $0) != false } ?? true
        }
    }

    /// Checks that the recording still supports what the replay took from it.
    func check() throws(Stop) {
        for flow in turn.flows.elements
        where !program.isCombinerInput[flow.subscription] && !isReplacedInput(flow.subscription) {
            try check(flow)
        }
        try checkAbsence()
        try checkLastReceived()
        if !program.handJoins.isEmpty { try checkHandJoins() }
        if !plan.replaced.isEmpty { try checkLastValues() }
        if !plan.shared.isEmpty { try checkMissedValues() }
        let difference = memories.difference(from: turn.memories) { [self] key in
            key >= 0
                && (!plan.replaced.isEmpty && isReplacedInput(key) || plan.repeatedPlaces.contains(key)
                    || isAbsent(key) || isOfRemovedRun(key))
        } maySkip: { [self] key in
            // Values of a flatMap may fall away with the subscriptions that they begin, which are checked.
            key >= 0 && program.topology.runs.isFlatMap(program.topology.targets[key])
        } mayRepeat: { [self] key in
            // They remember the same values, and the emission falls away.
            guard key >= 0, [.combineLatest, .withLatest].contains(program.kinds[program.topology.targets[key]]) else {
                return (false, nil)
            }
            return (true, program.lastDelivered[key])
        }
        if let key = difference {
            let target = key < 0 ? -1 - key : program.topology.targets[key]
            throw Stop(reason: .operatorState, node: target < 0 ? nil : target)
        }
    }

    private func check(_ flow: RecordedTurn.Flow) throws(Stop) {
        let node = program.topology.sources[flow.subscription]
        var areAllOnce = true
        for fact in facts.deliveries(flow) where used[fact] != 1 {
            if facts[fact].hasStructure {
                if used[fact] > 1 { throw Stop(reason: .structure, node: node) }
                try remove(fact, facts)
            }
            areAllOnce = false
        }
        // A single delivery cannot vary, and what an operator makes of successive values is known.
        if areAllOnce || flow.first == flow.end || program.remembersLast[flow.subscription] { return }
        if facts.deliveries(flow).allSatisfy({ !facts[$0].hasChildren }) { return }
        var examples: [RecordedValue: Example] = [:]
        for fact in facts.deliveries(flow) {
            guard case .delivery(_, let value) = facts[fact].role else { continue }
            let acts = facts.acts(of: fact)
            var known = examples[value] ?? Example(acts: acts)
            known.isPartial = known.isPartial || used[fact] != 1
            known.isUsed = known.isUsed || used[fact] != 0
            known.varies = known.varies || known.acts != acts
            examples[value] = known
        }
        for example in examples.values where example.isPartial && example.isUsed && example.varies {
            throw Stop(reason: .varyingHandler, node: node)
        }
    }

    /// The reaction to a value.
    private struct Example {
        let acts: [FactRole]
        /// Whether some delivery of it was not taken exactly once.
        var isPartial = false
        var isUsed = false
        var varies = false
    }

    /// Commits the changes; the recorded program is still at the beginning of this turn.
    func commit() throws(Stop) {
        removals.removeAll(keepingCapacity: removals.count < 256)
        for fact in turn.facts.indices where facts[fact].event.kind == .emitted && facts[fact].hasChildren {
            guard facts.children(of: fact).contains(where: { used[$0] == 0 }) else { continue }
            let deliveries = try deliveries(of: fact)
            if !deliveries.removed.isEmpty { removals.append((facts[fact].event.id, deliveries)) }
        }
        for (event, deliveries) in removals { state.removed.note(event, deliveries) }
        commitHandovers()
        // This includes changes in the recording that the replay lacks.
        for place in turn.changes.indices {
            let change = turn.changes[place]
            if change.value != nil || nodes[place].value != nil { set(change.node, to: value(change.node)) }
        }
        for (node, state) in strayNodes { if let value = state.value { set(node, to: value) } }
        commitAbsence()
        state.commit()
    }

    private func set(_ node: Int, to value: RecordedValue) {
        let recorded = program.change(node).flatMap { turn.changes[$0].value } ?? program.values[node]
        if value != recorded { state.values[node] = value } else if !state.values.isEmpty { state.values[node] = nil }
    }
}
