import WeirTrace

// Reads writes, computed values and suppressions.
extension TurnReading {
    mutating func readEmission(_ fact: Int, _ event: RecordedEvent, _ around: Surroundings) -> Contents {
        guard let node = program.topology.place(ofNode: event.subject) else {
            turn.isIncomplete = true
            return Contents()
        }
        let first = facts[fact].firstChild
        let subscription =
            first < 0 ? nil : program.topology.place(ofSubscription: facts[Int(first)].event.subject)
        var given = event.value
        if event.isReplayed {
            if let subscription, let cause = around.hopCause {
                let handover = Handover(subscription: subscription, emission: cause)
                if program.handovers.contains(handover) {
                    turn.handedOver.append(handover)
                    facts[fact].role = .handedOver(given, to: subscription)
                    return readDeliveries(fact, given, around)
                }
            }
            if program.holds(node), given.isEqual(to: value(node)) != false { given = value(node) }
            facts[fact].role = subscription.map { .replay(node: node, given, to: $0) } ?? .nothing
            return readDeliveries(fact, given, around)
        }
        countEvaluation(of: node, around, isNoop: isRepeated(given, subscription, node))
        if program.holds(node) {
            // The node already holds the value that a batch emits at its end.
            let isHeld = around.batch?.given[node] != nil
            facts[fact].role = role(of: node, &given, around)
            noteSuccession(node, given)
            if !isHeld, value(node) == given, given.isKnown { program.repeating[node] = true }
            change(node) { $0.value = given }
        } else if program.isHot(node) {
            facts[fact].role = .broadcast(node: node, given)
            if program.hasOwnWays(node) { turn.memories.append(given, to: -1 - node) }
        } else if let subscription {
            facts[fact].role = .cold(node: node, given, to: subscription)
            if program.kinds[node] == .combineLatest, around.target == node { noteRow(node, subscription, given) }
            if program.kinds[node] == .source, let handler = around.handler {
                program.handJoins.note(handler, emittingTo: subscription)
            }
        }
        change(node) { $0.hasEmitted = true }
        return readDeliveries(fact, given, around)
    }

    /// Records a succession of values if their contents do not show that they differ.
    private func noteSuccession(_ node: Int, _ next: RecordedValue) {
        let former = value(node)
        if former.isEqual(to: next) == nil {
            turn.successions.insert(RecordedTurn.Succession(node: node, former: former, next: next))
        }
    }

    private func isRepeated(_ given: RecordedValue, _ subscription: Int?, _ node: Int) -> Bool {
        guard let subscription, !given.isVoid, program.kinds[node] != .filter else { return false }
        let last = program.flow(subscription).map { turn.flows[$0].last } ?? program.lastDelivered[subscription]
        return last?.isEqual(to: given) == true
    }

    /// The role of an emission of a node that holds a value: a write, a computed result, or the end of a batch.
    private mutating func role(of node: Int, _ given: inout RecordedValue, _ around: Surroundings) -> FactRole {
        if isEvaluation(of: node, around) {
            learnStrategy(node, around)
            noteResult(node, given)
            return .result(node: node)
        }
        if let last = around.batch?.given[node] {
            // The value was written earlier, and is emitted now.
            given = last
            around.batch?.given[node] = nil
            return .result(node: node)
        }
        return .write(node: node, given)
    }

    private func isEvaluation(of node: Int, _ around: Surroundings) -> Bool {
        guard program.kinds[node] == .combiner else { return false }
        return around.target == node || around.isSettling || around.settlesHere && waited.contains(node)
    }

    private func learnStrategy(_ node: Int, _ around: Surroundings) {
        if around.target != node, waited.contains(node) {
            program.strategies[node] = .settled
        } else if program.strategies[node] == .unknown, !waited.contains(node) {
            program.strategies[node] = .every
        }
    }

    private func noteResult(_ node: Int, _ result: RecordedValue) {
        guard let inputs = program.inputValues(node, value) else { return }
        let former = turn.results.updateValue(result, forKey: inputs)
        if former?.isEqual(to: result) == false { turn.fickle.insert(node) }
    }

    /// Notes the result of a combineLatest for the last values of its inputs.
    private func noteRow(_ node: Int, _ subscription: Int, _ result: RecordedValue) {
        let inputs = program.topology.runs.inputs(ofOutput: subscription)
        let values = inputs.compactMap { input -> RecordedValue? in
            if let flow = program.flow(input) { return turn.flows[flow].last }
            let source = program.topology.sources[input]
            return program.lastDelivered[input] ?? (program.holds(source) ? value(source) : nil)
        }
        guard !inputs.isEmpty, values.count == inputs.count else { return }
        let former = turn.results.updateValue(result, forKey: InputValues(node, values))
        if former?.isEqual(to: result) == false { turn.fickle.insert(node) }
    }

    mutating func readSuppression(_ fact: Int, _ event: RecordedEvent, _ around: Surroundings) {
        guard let node = program.topology.place(ofNode: event.subject) else { return }
        switch event.suppressionReason {
        case .equal, .echoed: readEqual(fact, node, around)
        case .filtered:
            facts[fact].role = .stopped(node: node, isEqual: false)
            countEvaluation(of: node, around, isNoop: false)
        case .waiting:
            facts[fact].role = .waiting(node: node)
            if program.kinds[node] == .combiner {
                waited.insert(node)
                if program.strategies[node] == .every { program.strategies[node] = .gated }
            }
        case .batched:
            let isLast = around.holding.map { $0.pending[node, default: 1] <= 1 } ?? true
            around.holding?.pending[node, default: 1] -= 1
            let written = isLast ? around.holding?.given[node] : nil
            let given = written ?? .hidden(origin: event.order)
            facts[fact].role = .write(node: node, given)
            noteSuccession(node, given)
            change(node) { $0.value = given }
        default: break
        }
    }

    private func readEqual(_ fact: Int, _ node: Int, _ around: Surroundings) {
        countEvaluation(of: node, around, isNoop: true)
        guard program.holds(node) else {
            facts[fact].role = .stopped(node: node, isEqual: true)
            return
        }
        program.comparing[node] = true
        if isEvaluation(of: node, around) {
            learnStrategy(node, around)
            noteResult(node, value(node))
            facts[fact].role = .result(node: node)
        } else if around.batch?.pending[node] == nil {
            facts[fact].role = .write(node: node, value(node))
        }
    }

    private func countEvaluation(of node: Int, _ around: Surroundings, isNoop: Bool) {
        guard program.computes(node), around.target == node || around.isSettling else { return }
        turn.figures.evaluations += 1
        turn.evaluations.append(RecordedTurn.EvaluationFact(node: node, isNoop: isNoop))
    }
}
