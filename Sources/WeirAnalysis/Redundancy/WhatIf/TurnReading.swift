import WeirTrace

/// Reads from a turn how handlers and combiners behave, from its root facts inwards, in the order of the trace.
struct TurnReading {
    /// The context of a fact.
    struct Surroundings {
        /// The node that is being given a value.
        var target: Int?
        /// The subscription whose handler is called.
        var handler: Int?
        var isSettling = false
        /// The batch directly around it.
        var batch: BatchReading?
        /// The batch that holds back writes.
        var holding: BatchReading?
        /// Whether waiting combiners are evaluated in this frame.
        var settlesHere = false
        /// The cause of the hop directly around it.
        var hopCause: EventID?
    }

    /// The writes that a batch holds back.
    final class BatchReading {
        var pending: [Int: Int] = [:]
        var given: [Int: RecordedValue] = [:]
    }

    /// The totals of some facts.
    struct Contents {
        /// The time of the outermost refreshes among them.
        var duration: UInt64 = 0
        var hasStructure = false
    }

    let turn: RecordedTurn
    let facts: FactTree
    let program: RecordedProgram
    var waited: Set<Int> = []

    private init(_ turn: RecordedTurn, _ program: RecordedProgram) {
        self.turn = turn
        facts = turn.tree
        self.program = program
    }

    /// Reads a turn; `program` must be in the state at the beginning of the turn.
    static func read(_ turn: RecordedTurn, in program: RecordedProgram) {
        guard !turn.isRead else { return }
        turn.isRead = true
        program.enterTurn()
        program.steps += RecordedProgram.stepsOfFact * turn.facts.count
        guard !turn.isTooLong else { return }
        var reading = TurnReading(turn, program)
        _ = reading.read(turn.roots, Surroundings())
        for node in reading.waited where program.strategies[node] == .unknown { program.strategies[node] = .gated }
    }

    func value(_ node: Int) -> RecordedValue {
        program.change(node).flatMap { turn.changes[$0].value } ?? program.values[node]
    }

    /// Notes a change of a node.
    func change(_ node: Int, _ body: (inout RecordedTurn.Change) -> Void) {
        let place = program.change(node) ?? turn.changes.count
        if place == turn.changes.count {
            program.setChange(place, of: node)
            turn.changes.append(RecordedTurn.Change(node: node))
        }
        body(&turn.changes[place])
    }

    mutating func read(_ facts: some Sequence<Int>, _ around: Surroundings) -> Contents {
        var contents = Contents()
        for fact in facts {
            let inner = read(fact, around)
            contents.duration &+= inner.duration
            contents.hasStructure = contents.hasStructure || inner.hasStructure
        }
        return contents
    }

    private mutating func read(_ fact: Int, _ around: Surroundings) -> Contents {
        let event = facts[fact].event
        switch event.kind {
        case .emitted: return readEmission(fact, event, around)
        case .suppressed: readSuppression(fact, event, around)
        case .completed, .failed: return readEnding(fact, event, around)
        case .batchBegan: return readBatch(fact, around)
        case .stimulusBegan:
            facts[fact].role = .stimulus
            var inside = around
            inside.batch = nil
            return read(facts.children(of: fact), inside)
        case .hopBegan:
            facts[fact].role = .hop
            turn.hasHops = true
            let contents = read(
                facts.children(of: fact),
                Surroundings(holding: around.holding, settlesHere: true, hopCause: event.cause))
            facts[fact].hasStructure = contents.hasStructure
            return contents
        case .frame: facts[fact].role = .mark
        case .checkpoint:
            facts[fact].role = .mark
            turn.endsExpectations = true
        case .objectExpected:
            facts[fact].role = .mark
            turn.expectedObjects.append(event.subject)
        case .objectReleased:
            facts[fact].role = .released(object: event.subject)
            turn.releases.append((event.subject, fact))
        case .eventsLost: turn.isIncomplete = true
        case .hopScheduled where readHandover(fact, event): break
        default: return readStructure(fact, event)
        }
        return Contents()
    }

    private mutating func readStructure(_ fact: Int, _ event: RecordedEvent) -> Contents {
        let begins = event.kind == .subscriptionStarted
        facts[fact].role = .structure
        if begins || event.kind == .subscriptionEnded {
            guard let place = program.topology.place(ofSubscription: event.subject) else { return Contents() }
            facts[fact].role =
                begins ? .began(subscription: place) : .ended(subscription: place, reason: event.reason)
            turn.lives.append((place, begins))
            if begins, program.kinds[program.topology.sources[place]] == .source { turn.figures.sourceRuns += 1 }
        } else if event.kind == .nodeCreated, let node = program.topology.place(ofNode: event.subject) {
            facts[fact].role = .created(node: node, program.definedValue(node))
            change(node) { $0.value = program.definedValue(node) }
            turn.madeNodes.append(node)
        } else if event.kind == .nodeReleased, let node = program.topology.place(ofNode: event.subject),
            program.kinds[node] == .combineLatest
        {
            turn.releasedNodes.append(node)
        }
        return Contents(hasStructure: true)
    }
}
