import WeirTrace

/// Reads what a turn says of handlers and combiners, from its outermost facts inwards, in the order of the trace.
struct TurnReading {
    /// What is open around a fact.
    private struct Surroundings {
        /// The node that is being given a value.
        var target: Int?
        var isSettling = false
        /// The batch right around it.
        var batch: BatchReading?
        /// The batch that holds back what is written.
        var holding: BatchReading?
        /// What waited for the turn to settle evaluates in this frame.
        var settlesHere = false
    }

    /// What a batch holds back.
    private final class BatchReading {
        var pending: [Int: Int] = [:]
        var given: [Int: RecordedValue] = [:]
    }

    /// What lies inside of some facts.
    private struct Contents {
        /// How long the refreshes took that lie in no other of them.
        var duration: UInt64 = 0
        var hasStructure = false
    }

    private let turn: RecordedTurn
    private let program: RecordedProgram
    private var values: [Int: RecordedValue] = [:]
    private var waited: Set<Int> = []

    private init(_ turn: RecordedTurn, _ program: RecordedProgram) {
        self.turn = turn
        self.program = program
    }

    /// Reads a turn that begins where `program` stands.
    static func read(_ turn: RecordedTurn, in program: RecordedProgram) {
        guard !turn.isRead else { return }
        turn.isRead = true
        guard !turn.isTooLong else { return }
        var reading = TurnReading(turn, program)
        _ = reading.read(turn.roots, Surroundings())
        turn.endValues = reading.values
        for node in reading.waited where program.strategies[node] == .unknown { program.strategies[node] = .gated }
    }

    private func value(_ node: Int) -> RecordedValue { values[node] ?? program.values[node] }

    private mutating func read(_ facts: [Int], _ around: Surroundings) -> Contents {
        var contents = Contents()
        for fact in facts {
            let inner = read(fact, around)
            contents.duration &+= inner.duration
            contents.hasStructure = contents.hasStructure || inner.hasStructure
        }
        return contents
    }

    private mutating func read(_ fact: Int, _ around: Surroundings) -> Contents {
        let event = turn.facts[fact].event
        if event.opensFrame { turn.openers[event.id] = fact }
        switch event.kind {
        case .emitted: return readEmission(fact, event, around)
        case .suppressed: readSuppression(fact, event, around)
        case .completed, .failed: return readEnding(fact, event, around)
        case .batchBegan: return readBatch(fact, around)
        case .stimulusBegan:
            turn.facts[fact].role = .stimulus
            var inside = around
            inside.batch = nil
            return read(turn.facts[fact].children, inside)
        case .hopBegan:
            turn.facts[fact].role = .hop
            turn.hasHops = true
            let contents = read(
                turn.facts[fact].children, Surroundings(holding: around.holding, settlesHere: true))
            turn.facts[fact].hasStructure = contents.hasStructure
            return contents
        case .frame:
            turn.facts[fact].role = .mark
            turn.marks += 1
        case .checkpoint: turn.facts[fact].role = .mark
        case .objectReleased:
            turn.facts[fact].role = .released(object: event.subject)
            turn.releasedObjects.append(event.subject)
        case .eventsLost: turn.isIncomplete = true
        default: return readStructure(fact, event)
        }
        return Contents()
    }

    private mutating func readStructure(_ fact: Int, _ event: TraceEvent) -> Contents {
        let begins = event.kind == .subscriptionStarted
        turn.facts[fact].role = .structure
        if begins || event.kind == .subscriptionEnded {
            guard let place = program.topology.place(ofSubscription: event.subject) else { return Contents() }
            turn.facts[fact].role =
                begins ? .began(subscription: place) : .ended(subscription: place, reason: event.reason)
            turn.lives.append((place, begins))
            if begins, program.kinds[program.topology.sources[place]] == .source { turn.figures.sourceRuns += 1 }
        } else if event.kind == .nodeCreated, let node = program.topology.place(ofNode: event.subject) {
            turn.facts[fact].role = .created(node: node, program.definedValue(node))
            values[node] = program.definedValue(node)
        }
        return Contents(hasStructure: true)
    }

    // MARK: Values

    private mutating func readEmission(_ fact: Int, _ event: TraceEvent, _ around: Surroundings) -> Contents {
        guard let node = program.topology.place(ofNode: event.subject) else {
            turn.isIncomplete = true
            return Contents()
        }
        let first = turn.facts[fact].children.first.map { turn.facts[$0].event.subject }
        let subscription = first.flatMap(program.topology.place(ofSubscription:))
        var given = RecordedValue(event.value, origin: event.id)
        if event.isReplayed {
            if program.holds(node), given.isEqual(to: value(node)) != false { given = value(node) }
            turn.facts[fact].role = subscription.map { .replay(node: node, given, to: $0) } ?? .nothing
            return readDeliveries(fact, given, around)
        }
        countEvaluation(of: node, around, isNoop: isRepeated(given, subscription, node))
        if program.holds(node) {
            turn.facts[fact].role = role(of: node, &given, around)
            turn.successions.insert(RecordedTurn.Succession(node: node, former: value(node), next: given))
            if value(node) == given, case .known = given { program.repeating.insert(node) }
            values[node] = given
        } else if program.isHot(node) {
            turn.facts[fact].role = .broadcast(node: node, given)
            if program.hasOwnWays(node) { turn.sequences[-1 - node, default: []].append(given) }
        } else if let subscription {
            turn.facts[fact].role = .cold(node: node, given, to: subscription)
        }
        turn.emitters.insert(node)
        return readDeliveries(fact, given, around)
    }

    private func isRepeated(_ given: RecordedValue, _ subscription: Int?, _ node: Int) -> Bool {
        guard let subscription, given != .known(.void), program.kinds[node] != .filter else { return false }
        return (turn.lastDelivered[subscription] ?? program.lastDelivered[subscription])?.isEqual(to: given) == true
    }

    /// What the emission of a node that holds a value was: a write, what was computed, or the end of a batch.
    private mutating func role(of node: Int, _ given: inout RecordedValue, _ around: Surroundings) -> FactRole {
        if isEvaluation(of: node, around) {
            learnStrategy(node, around)
            noteResult(node, given)
            return .result(node: node)
        }
        if let last = around.batch?.given[node] {
            // It was written earlier, and is given out now.
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
        let inputs = program.inputs(node).map { value(program.topology.sources[$0]) }
        if let known = turn.results[node]?[inputs], known.isEqual(to: result) == false { turn.fickle.insert(node) }
        turn.results[node, default: [:]][inputs] = result
    }

    private mutating func readSuppression(_ fact: Int, _ event: TraceEvent, _ around: Surroundings) {
        guard let node = program.topology.place(ofNode: event.subject) else { return }
        switch event.suppressionReason {
        case .equal: readEqual(fact, node, around)
        case .filtered:
            turn.facts[fact].role = .stopped(node: node, isEqual: false)
            countEvaluation(of: node, around, isNoop: false)
        case .waiting:
            turn.facts[fact].role = .waiting(node: node)
            if program.kinds[node] == .combiner {
                waited.insert(node)
                if program.strategies[node] == .every { program.strategies[node] = .gated }
            }
        case .batched:
            let isLast = around.holding.map { $0.pending[node, default: 1] <= 1 } ?? true
            around.holding?.pending[node, default: 1] -= 1
            let written = isLast ? around.holding?.given[node] : nil
            let given = written ?? .hidden(origin: event.id)
            turn.facts[fact].role = .write(node: node, given)
            turn.successions.insert(RecordedTurn.Succession(node: node, former: value(node), next: given))
            values[node] = given
        default: break
        }
    }

    private func readEqual(_ fact: Int, _ node: Int, _ around: Surroundings) {
        countEvaluation(of: node, around, isNoop: true)
        guard program.holds(node) else {
            turn.facts[fact].role = .stopped(node: node, isEqual: true)
            return
        }
        program.comparing.insert(node)
        if isEvaluation(of: node, around) {
            learnStrategy(node, around)
            noteResult(node, value(node))
            turn.facts[fact].role = .result(node: node)
        } else if around.batch?.pending[node] == nil {
            turn.facts[fact].role = .write(node: node, value(node))
        }
    }

    private func countEvaluation(of node: Int, _ around: Surroundings, isNoop: Bool) {
        guard program.computes(node), around.target == node || around.isSettling else { return }
        turn.figures.evaluations += 1
        turn.evaluations.append(RecordedTurn.EvaluationFact(node: node, isNoop: isNoop))
    }

    // MARK: Frames

    private mutating func readDeliveries(_ fact: Int, _ given: RecordedValue, _ around: Surroundings) -> Contents {
        var contents = Contents()
        for delivery in turn.facts[fact].children {
            contents.duration &+= readDelivery(delivery, given, around).duration
        }
        return contents
    }

    private mutating func readDelivery(_ fact: Int, _ given: RecordedValue, _ around: Surroundings) -> Contents {
        let event = turn.facts[fact].event
        if event.isSettling {
            turn.facts[fact].role = .settling
            return read(turn.facts[fact].children, Surroundings(isSettling: true, holding: around.holding))
        }
        guard let place = program.topology.place(ofSubscription: event.subject) else {
            turn.isIncomplete = true
            return Contents()
        }
        turn.facts[fact].role = .delivery(subscription: place, given)
        turn.deliveries[RecordedTurn.DeliveryKey(subscription: place, value: given), default: []].append(fact)
        turn.received[place, default: 0] += 1
        turn.lastDelivered[place] = given
        if !program.isWithoutMemory(place) { turn.sequences[place, default: []].append(given) }
        let target = program.topology.targets[place]
        let inside = Surroundings(target: target < 0 ? nil : target, holding: around.holding)
        var contents = read(turn.facts[fact].children, inside)
        turn.facts[fact].hasStructure = contents.hasStructure
        if program.topology.subscriptions[place].isInternal { return Contents(duration: contents.duration) }
        turn.figures.refreshes += 1
        if let end = turn.facts[fact].endTicks, end >= event.ticks {
            let duration = end - event.ticks
            turn.facts[fact].ticks = duration - min(duration, contents.duration)
            turn.figures.handlerTicks &+= Int64(clamping: turn.facts[fact].ticks)
            contents.duration = duration
        }
        return Contents(duration: contents.duration)
    }

    private mutating func readEnding(_ fact: Int, _ event: TraceEvent, _ around: Surroundings) -> Contents {
        guard let node = program.topology.place(ofNode: event.subject) else { return Contents(hasStructure: true) }
        turn.facts[fact].role = .ending(node: node)
        var contents = Contents(hasStructure: true)
        for delivery in turn.facts[fact].children {
            let event = turn.facts[delivery].event
            let place = program.topology.place(ofSubscription: event.subject)
            turn.facts[delivery].role =
                event.isSettling ? .settling : place.map { .endDelivery(subscription: $0) } ?? .nothing
            let inside = Surroundings(isSettling: event.isSettling, holding: around.holding)
            contents.duration &+= read(turn.facts[delivery].children, inside).duration
        }
        return contents
    }

    private mutating func readBatch(_ fact: Int, _ around: Surroundings) -> Contents {
        turn.facts[fact].role = .batch
        let batch = BatchReading()
        countHeld(turn.facts[fact].children, batch)
        findGiven(turn.facts[fact].children, batch)
        let inside = Surroundings(
            target: around.target, isSettling: around.isSettling, batch: batch, holding: batch, settlesHere: true)
        return read(turn.facts[fact].children, inside)
    }

    /// What the batch gave out at its end, or that it ended as it began.
    private func findGiven(_ facts: [Int], _ batch: BatchReading) {
        let held = facts.map { turn.facts[$0].event }.compactMap { event in
            program.topology.place(ofNode: event.subject).map { (event, $0) }
        }.filter { batch.pending[$0.1] != nil }
        for (event, node) in held where event.kind == .emitted && !event.isReplayed && batch.given[node] == nil {
            batch.given[node] = RecordedValue(event.value, origin: event.id)
        }
        for (event, node) in held where event.suppressionReason == .equal && batch.given[node] == nil {
            batch.given[node] = value(node)
        }
    }

    /// How often each node was written inside of the batch.
    private func countHeld(_ facts: [Int], _ batch: BatchReading) {
        for fact in facts where turn.facts[fact].event.kind != .batchBegan {
            let event = turn.facts[fact].event
            if event.suppressionReason == .batched, let node = program.topology.place(ofNode: event.subject) {
                batch.pending[node, default: 0] += 1
            }
            countHeld(turn.facts[fact].children, batch)
        }
    }
}
