import WeirTrace

// A settled combiner in place of a combineLatest: it holds a value from the beginning, computes once a turn from the current
// values of its inputs, and passes on only what differs.
extension Replay {
    /// Takes a value for an input of such a combiner; false if the run behind it has just begun, and goes as recorded.
    func replace(_ subscription: Int, _ value: RecordedValue) throws(Stop) -> Bool {
        let (node, source) = (program.topology.targets[subscription], program.topology.sources[subscription])
        guard plan.isReplaceable(node), program.topology.runs.areKnown(node) else {
            throw Stop(reason: .signalInput, node: node)
        }
        let isBeginning = isReplaying && program.beginnings[subscription] > 0 && lastValue(behind: subscription) == nil
        if lives[subscription] == true || isBeginning {
            if waiting.contains(node) { throw Stop(reason: .structure, node: node) }
            // A combiner gives its current value, or its changes.
            if isReplaying, try !beginsWithCurrent(node) { throw Stop(reason: .signalInput, node: node) }
            lastValues[subscription] = value
            return false
        }
        try checkMaps(behind: source, of: node)
        if program.kinds[source] == .map, let last = lastValue(subscription), try isSame(last, value, source) {
            return true
        }
        lastValues[subscription] = value
        try wait(node)
        return true
    }

    /// Whether a value that a new subscriber was given reaches such a node through maps: combiners in their place have computed it.
    func beginsReplaced(_ subscription: Int) throws(Stop) -> Bool {
        if plan.replaced.isEmpty || !isReplaying { return false }
        var target = program.topology.targets[subscription]
        while target >= 0, program.kinds[target] == .map, let output = program.topology.outputs[target].first {
            try spend()
            target = program.topology.targets[output]
        }
        return plan.replaced.contains(target)
    }

    /// The value that an input of a run has brought so far; nil while its run begins.
    private func lastValue(behind subscription: Int) -> RecordedValue? {
        lastValues[subscription] ?? program.lastDelivered[subscription]
    }

    /// Whether all inputs of such a node begin with their current values.
    private func beginsWithCurrent(_ node: Int, depth: Int = 0) throws(Stop) -> Bool {
        if depth > TurnCollector.deepest { throw Stop(reason: .tooLong, node: node) }
        for input in program.topology.inputs[node] {
            var source = program.topology.sources[input]
            try spend()
            while program.kinds[source] == .map, let input = program.topology.inputs[source].first {
                try spend()
                source = program.topology.sources[input]
            }
            if program.kinds[source] == .current { continue }
            guard program.kinds[source] == .combineLatest, try beginsWithCurrent(source, depth: depth + 1) else {
                return false
            }
        }
        return true
    }

    /// Lets the combiners wait that nobody subscribes to: they compute nevertheless.
    func updateUnobserved(_ source: Int) throws(Stop) {
        for node in plan.replacedTargets[source] ?? [] where !isHeard(node) {
            guard try isMade(node) else { continue }
            for input in program.topology.inputs[node] {
                try spend()
                let source = program.topology.sources[input]
                // Whether that one has another value is not recorded for the node.
                if program.kinds[source] == .combineLatest { throw Stop(reason: .unseenInputs, node: node) }
                try checkMaps(behind: source, of: node)
            }
            try wait(node)
        }
    }

    /// Stops at a map that does not run exactly once: a combiner in its place would compute once for all, or for nobody.
    private func checkMaps(behind source: Int, of node: Int) throws(Stop) {
        var source = source
        while program.kinds[source] == .map || program.kinds[source] == .current {
            try spend(1 + program.topology.outputs[source].count)
            let runs = program.topology.outputs[source].count(where: isAlive)
            if program.kinds[source] == .map, runs != 1 { throw Stop(reason: .signalInput, node: node) }
            guard let input = program.topology.inputs[source].first else { return }
            source = program.topology.sources[input]
        }
    }

    /// Whether the program has made a combineLatest to which nobody is subscribed. A trace shows this if it had subscribers before;
    /// it shows the opposite if one of its sources had not been made.
    private func isMade(_ node: Int) throws(Stop) -> Bool {
        if program.releasedNodes.contains(node) { return false }
        if program.topology.outputs[node].contains(where: { program.lives[$0] != .unmentioned }) { return true }
        var (open, known): ([Int], Set<Int>) = ([node], [])
        while let next = open.popLast() {
            for input in program.topology.inputs[next] where known.insert(program.topology.sources[input]).inserted {
                try spend()
                let source = program.topology.sources[input]
                if foresight.madeNodes.contains(source), !program.madeNodes.contains(source),
                    !madeNodes.contains(source)
                {
                    return false
                }
                if !program.holds(source) { open.append(source) }
            }
        }
        throw Stop(reason: .unknownMaking, node: node)
    }

    private func isHeard(_ node: Int) -> Bool { program.topology.outputs[node].contains(where: isAlive) }

    /// Evaluates such a combiner.
    func evaluateReplaced(_ node: Int, counts: Bool) throws(Stop) {
        let outputs = program.topology.outputs[node]
        try spend(1 + outputs.count)
        if turn.releasedNodes.contains(node) { throw Stop(reason: .structure, node: node) }
        for subscription in lives.keys
        where program.topology.sources[subscription] == node || program.topology.targets[subscription] == node {
            throw Stop(reason: .structure, node: node)
        }
        guard let run = outputs.first(where: isAlive) else {
            if counts { countEvaluation(of: node, isNoop: false) }
            return
        }
        if turn.fickle.contains(node) || program.fickle[node] || foresight.fickle.contains(node) {
            throw Stop(reason: .varyingHandler, node: node)
        }
        let inputs = program.topology.runs.inputs(ofOutput: run)
        let former = heldInputs[node] ?? values(inputs, of: node, startValue)
        guard let current = values(inputs, of: node, { self.lastValue($0) }), let new = result(current) else {
            throw Stop(reason: .unseenInputs, node: node)
        }
        heldInputs[node] = current
        let old = former.flatMap { result($0) }
        if counts { countEvaluation(of: node, isNoop: old == new) }
        if try isSame(old, new, node) { return }
        let version = self[node].version + 1
        self[node].version = version
        depth += 1
        for subscription in outputs where isAlive(subscription) {
            try receive(subscription, new)
            if self[node].version != version { break }
        }
        depth -= 1
    }

    private func values(
        _ inputs: ArraySlice<Int>, of node: Int, _ value: (Int) -> RecordedValue?
    ) -> InputValues? {
        let values = inputs.compactMap(value)
        return values.count == inputs.count ? InputValues(node, values) : nil
    }

    /// The value that an input would bring now.
    private func lastValue(_ subscription: Int) -> RecordedValue? {
        let source = program.topology.sources[subscription]
        return program.holds(source) ? value(source) : lastValues[subscription] ?? program.lastDelivered[subscription]
    }

    /// The value that it brought before the turn.
    private func startValue(_ subscription: Int) -> RecordedValue? {
        let source = program.topology.sources[subscription]
        return program.holds(source)
            ? state.values[source] ?? program.values[source] : program.lastDelivered[subscription]
    }

    /// Whether a combiner in place of the node would take the two values as equal.
    private func isSame(_ old: RecordedValue?, _ new: RecordedValue, _ node: Int) throws(Stop) -> Bool {
        // Tuples and functions are never equal.
        let type = program.topology.definitions.nodes[program.topology.nodeIDs[node]]?.valueType
        if type?.hasPrefix("(") == true { return false }
        guard let old else { throw Stop(reason: .unknownEquality, node: node) }
        if old == new, new.isKnown { return true }
        guard old != new, let equal = old.isEqual(to: new) else { throw Stop(reason: .unknownEquality, node: node) }
        return equal
    }

    /// Checks that the inputs end the turn with their recorded values, from which the next turn starts.
    func checkLastValues() throws(Stop) {
        for flow in turn.flows.elements where isReplacedInput(flow.subscription) {
            let source = program.topology.sources[flow.subscription]
            guard !program.holds(source), lives[flow.subscription] == nil else { continue }
            if lastValues[flow.subscription].map({ $0 != flow.last })
                ?? (program.lastDelivered[flow.subscription] != flow.last)
            {
                throw Stop(reason: .operatorState, node: program.topology.targets[flow.subscription])
            }
        }
    }

    /// Whether a combiner that replaces a combineLatest takes the values of the subscription.
    func isReplacedInput(_ subscription: Int) -> Bool {
        plan.replaced.contains(program.topology.targets[subscription]) && lives[subscription] != true
    }
}
