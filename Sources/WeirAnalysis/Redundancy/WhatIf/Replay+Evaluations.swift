import WeirTrace

extension Replay {
    private static let mostRuns = 1000

    /// Handles the update of a combiner's input.
    func update(_ subscription: Int, _ value: RecordedValue) throws(Stop) {
        let combiner = program.topology.targets[subscription]
        let strategy = plan.settled.contains(combiner) ? .settled : program.strategies[combiner]
        switch strategy {
        case .unknown, .every: try evaluate(combiner, counts: true)
        case .settled: try wait(combiner)
        case .gated:
            guard let model = model(subscription, value) else {
                throw Stop(reason: .operatorState, node: combiner)
            }
            let answers = model.facts.children(of: model.fact).contains {
                model.facts[$0].role == .result(node: combiner)
            }
            if answers { try evaluate(combiner, counts: true) }
        }
    }

    func wait(_ combiner: Int) throws(Stop) {
        let height = plan.replaced.contains(combiner) ? plan.height(combiner, program) : program.height(combiner)
        if equalHeights.decides(combiner: combiner, height: height, isWaiting: waiting.contains(combiner)) {
            throw Stop(reason: .unknownOrder, node: combiner)
        }
        waiting.add(combiner, height: height)
    }

    /// Evaluates the waiting combiners at the end of a turn, the lowest first.
    ///
    /// - Parameter counts: Whether these are evaluations by definition, because they are inside an open emission.
    func settle(counts: Bool) throws(Stop) {
        if waiting.isEmpty { return }
        runs.removeAll(keepingCapacity: runs.count < 256)
        defer { equalHeights = EqualHeights() }
        while let (combiner, height) = waiting.popFirst() {
            if !plan.replaced.isEmpty { equalHeights.evaluates(combiner, height: height) }
            runs[combiner, default: 0] += 1
            // The core abandons a loop.
            if runs[combiner, default: 0] > Self.mostRuns { continue }
            if let value = computed.removeValue(forKey: combiner) {
                // A value that it is computed from would have come later.
                if runs[combiner, default: 0] > 1 { throw Stop(reason: .unknownOrder, node: combiner) }
                try store(combiner, value)
            } else if plan.replaced.contains(combiner) {
                try evaluateReplaced(combiner, counts: counts)
            } else {
                try evaluate(combiner, counts: counts)
            }
        }
    }

    /// Computes a combiner from the current values of its inputs, with the recorded result for the same values.
    private func evaluate(_ combiner: Int, counts: Bool) throws(Stop) {
        try spend()
        if !turn.fickle.isEmpty, turn.fickle.contains(combiner) { throw Stop(reason: .varyingHandler, node: combiner) }
        guard let inputs = program.inputValues(combiner, value), let result = result(inputs) else {
            throw Stop(reason: .unseenInputs, node: combiner)
        }
        if counts { countEvaluation(of: combiner, isNoop: result == value(combiner)) }
        try write(combiner, result)
    }

    func result(_ inputs: InputValues) -> RecordedValue? {
        if let known = turn.results[inputs] { return known }
        if program.fickle[inputs.combiner] { return nil }
        return program.results[inputs] ?? foresight.results[inputs]
    }
}
