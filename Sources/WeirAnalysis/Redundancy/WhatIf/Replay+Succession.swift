import WeirTrace

// Operators that remember only the value before: removeDuplicates, and the changes of an array.
extension Replay {
    /// Gives such an operator a value.
    func succeed(_ subscription: Int, _ value: RecordedValue) throws(Stop) {
        let former = lastReceived[subscription] ?? program.lastDelivered[subscription]
        lastReceived[subscription] = value
        let node = program.topology.targets[subscription]
        if let fact = try recordedDelivery(of: value, through: subscription, after: former) {
            used[fact] += 1
            return try perform(facts.children(of: fact), facts, target: node)
        }
        let runs = program.topology.runs
        let isFirst = former == nil && (program.beginnings[subscription] > 0 || lives[subscription] == true)
        guard let equal = isFirst ? false : former?.isEqual(to: value), !program.ownComparisons.contains(node),
            let output = runs.run(ofInput: subscription).flatMap(runs.output)
        else { throw Stop(reason: .operatorState, node: node) }
        if program.kinds[node] == .removeDuplicates {
            if equal { return }
            try emit(node, value, to: output)
        } else {
            if equal { throw Stop(reason: .operatorState, node: node) }
            // A change that did not occur in the recording.
            try emit(node, unseenValue(), to: output)
        }
    }

    /// A value that did not occur in the recording.
    func unseenValue() -> RecordedValue {
        unseen += 1
        return .hidden(origin: Self.firstUnseen + unseen)
    }

    /// Beyond the events of any trace, below the initial values of nodes.
    private static let firstUnseen: UInt64 = 1 << 63

    /// The recorded delivery of a value after another one that was not used yet, or else one that was.
    private func recordedDelivery(
        of value: RecordedValue, through subscription: Int, after former: RecordedValue?
    ) throws(Stop) -> Int? {
        guard let flow = program.flow(subscription) else { return nil }
        func isSame(_ fact: Int, after last: RecordedValue?) -> Bool {
            guard last == former, case .delivery(_, value) = facts[fact].role else { return false }
            return true
        }
        // Nearly always it is the next delivery in the recording; those before it have been used.
        var (next, last) = (flows[flow].next, flows[flow].last)
        while next >= 0, used[Int(next)] > 0 { (last, next) = (next, facts[Int(next)].nextDelivery) }
        (flows[flow].next, flows[flow].last) = (next, last)
        if next >= 0, isSame(Int(next), after: last < 0 ? program.lastDelivered[subscription] : self.value(of: last)) {
            return Int(next)
        }
        var found: Int?
        var before = program.lastDelivered[subscription]
        for fact in facts.deliveries(turn.flows[flow]) {
            try spend()
            if isSame(fact, after: before) {
                if used[fact] == 0 { return fact }
                found = fact
            }
            before = self.value(of: Int32(fact))
        }
        return found
    }

    private func value(of fact: Int32) -> RecordedValue? {
        if case .delivery(_, let value) = facts[Int(fact)].role { value } else { nil }
    }

    /// Whether the subscription is alive, and none that the view makes once more.
    private func goesOn(_ subscription: Int) -> Bool {
        isAlive(subscription) && !plan.repeatedPlaces.contains(subscription)
    }

    /// Stops if such an operator ends the turn with another value than in the recording, from which the next turn starts.
    func checkLastReceived() throws(Stop) {
        for flow in turn.flows.elements where program.remembersLast[flow.subscription] && goesOn(flow.subscription) {
            let last = lastReceived[flow.subscription] ?? program.lastDelivered[flow.subscription]
            if last?.isEqual(to: flow.last) != true {
                throw Stop(reason: .operatorState, node: program.topology.targets[flow.subscription])
            }
        }
        for (subscription, last) in lastReceived where program.flow(subscription) == nil {
            if program.lastDelivered[subscription]?.isEqual(to: last) != true {
                throw Stop(reason: .operatorState, node: program.topology.targets[subscription])
            }
        }
    }
}
