import WeirTrace

extension Replay {
    private static let mostRuns = 1000

    /// Handles the update of a combiner's input.
    func update(_ subscription: Int, _ value: RecordedValue) throws(Stop) {
        let combiner = program.topology.targets[subscription]
        let strategy = plan.settled.contains(combiner) ? .settled : program.strategies[combiner]
        switch strategy {
        case .unknown, .every: try evaluate(combiner, counts: true)
        case .settled: wait(combiner)
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

    private func wait(_ combiner: Int) { waiting.add(combiner, height: program.height(combiner)) }

    /// Lets a run of a combineLatest wait, as a settled combiner does in its place.
    func join(_ node: Int, _ value: RecordedValue, _ subscription: Int) {
        var runs = joined[node] ?? []
        if let place = runs.firstIndex(where: { $0.subscription == subscription }) {
            runs[place].value = value
        } else {
            runs.append((subscription, value))
        }
        joined[node] = runs
        wait(node)
    }

    /// Emits what the runs of a combineLatest have waited with.
    private func emitJoined(_ node: Int) throws(Stop) {
        for (subscription, value) in joined.removeValue(forKey: node) ?? [] {
            // A combiner may suppress an unchanged value, depending on the type.
            if isRepeated(value, subscription, node) { throw Stop(reason: .unknownEquality, node: node) }
            countEvaluation(of: node, isNoop: false)
            try emit(node, value, to: subscription)
        }
    }

    /// Evaluates the waiting combiners at the end of a turn, the lowest first.
    ///
    /// - Parameter counts: Whether these are evaluations by definition, because they are inside an open emission.
    func settle(counts: Bool) throws(Stop) {
        if waiting.isEmpty { return }
        runs.removeAll(keepingCapacity: runs.count < 256)
        while let combiner = waiting.popFirst() {
            runs[combiner, default: 0] += 1
            // The core abandons a loop.
            if runs[combiner, default: 0] > Self.mostRuns { continue }
            if joined[combiner] != nil {
                try emitJoined(combiner)
                continue
            }
            try evaluate(combiner, counts: counts)
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

    private func result(_ inputs: InputValues) -> RecordedValue? {
        if let known = turn.results[inputs] { return known }
        if program.fickle[inputs.combiner] { return nil }
        return program.results[inputs] ?? foresight.results[inputs]
    }
}
