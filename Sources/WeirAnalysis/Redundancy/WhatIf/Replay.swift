import WeirTrace

/// Plays a recorded turn again in a model of the core, with remedies applied.
///
/// What handlers and operators do with a value, and what combiners make of the values of their inputs, is taken from the
/// recording; who is given what, and when, follows the rules of the core. Where the recording does not tell what is
/// needed, it stops and says why.
final class Replay {
    struct Stop: Error {
        let reason: WhatIf.Reason
        let node: Int?
    }

    let turn: RecordedTurn
    let program: RecordedProgram
    let plan: RemedyPlan
    let foresight: Foresight
    var state: ReplayState
    var figures = Figures()

    /// How often each delivery was taken as the model of one.
    var used: [Int]
    var received: [Int: Int] = [:]
    var sequences: [Int: [RecordedValue]] = [:]
    var emitters: Set<Int> = []

    // The state of the core in this turn.
    var versions: [Int: UInt64] = [:]
    var listeners: [Int: [Int]] = [:]
    var lives: [Int: Bool] = [:]
    var depth = 0
    var isBatch = false
    var deferred: [(node: Int, former: RecordedValue)] = []
    var batchVersions: [Int: UInt64] = [:]
    var waiting: [(rank: Int, arrival: Int, node: Int)] = []
    var arrivals = 0
    private var steps: Int
    private var nesting = 0

    init(
        _ turn: RecordedTurn, _ program: RecordedProgram, _ plan: RemedyPlan, _ foresight: Foresight,
        from state: ReplayState
    ) {
        self.turn = turn
        self.program = program
        self.plan = plan
        self.foresight = foresight
        self.state = state
        used = .init(repeating: 0, count: turn.facts.count)
        steps = 10_000 + 20 * turn.facts.count
    }

    /// Plays everything; `asBatch`: as one batch.
    func play(asBatch: Bool = false) throws(Stop) {
        if turn.isTooLong { throw Stop(reason: .tooLong, node: nil) }
        if turn.isIncomplete { throw Stop(reason: .incomplete, node: nil) }
        if asBatch {
            try batch(turn.roots, turn, target: nil)
        } else {
            try perform(turn.roots, turn, target: nil)
        }
    }

    /// Every replay of a turn ends.
    func spend() throws(Stop) {
        steps -= 1
        if steps < 0 { throw Stop(reason: .tooLong, node: nil) }
    }

    // MARK: Acts

    /// - Parameters:
    ///   - source: the turn that holds the facts.
    ///   - target: the node that is being given a value.
    func perform(_ facts: [Int], _ source: RecordedTurn, target: Int?) throws(Stop) {
        nesting += 1
        if nesting > TurnCollector.deepest * 2 { throw Stop(reason: .tooLong, node: nil) }
        for fact in facts { try perform(fact, source, target: target) }
        nesting -= 1
    }

    private func perform(_ fact: Int, _ source: RecordedTurn, target: Int?) throws(Stop) {
        try spend()
        let children = source.facts[fact].children
        switch source.facts[fact].role {
        case .nothing, .result, .waiting, .delivery, .endDelivery, .settling, .structure: break
        case .write(let node, let value): try write(node, value)
        case .broadcast(let node, let value): try broadcast(node, value)
        case .cold(let node, let value, let subscription):
            if node == target { countEvaluation(of: node, isNoop: isRepeated(value, subscription, node)) }
            try emit(node, value, to: subscription)
        case .replay(let node, let value, let subscription):
            // The value that is there now, which need not be the recorded one.
            let current = program.holds(node) ? self.value(node) : value
            if isAlive(subscription) { try receive(subscription, current) }
        case .stopped(let node, let isEqual): if node == target { countEvaluation(of: node, isNoop: isEqual) }
        case .stimulus: try perform(children, source, target: target)
        case .batch: try batch(children, source, target: target)
        case .hop: try hop(fact, source)
        case .ending(let node): try end(node, children, source)
        case .began(let subscription): begin(subscription)
        case .ended(let subscription, let reason): end(subscription, reason)
        case .created(let node, let value): state.values[node] = value
        case .mark: if source.facts[fact].event.kind == .frame { state.screen &+= 1 }
        case .released: break
        }
    }

    private func hop(_ fact: Int, _ source: RecordedTurn) throws(Stop) {
        let event = source.facts[fact].event
        switch try fate(of: event) {
        case .kept:
            depth += 1
            try perform(source.facts[fact].children, source, target: nil)
            if depth == 1 { try settle(counts: false) }
            depth -= 1
        case .removed:
            if source.facts[fact].hasStructure { throw Stop(reason: .structure, node: nil) }
        case .unknown: throw Stop(reason: .unknownCause, node: program.topology.place(ofNode: event.subject))
        }
    }

    /// Whether the work of a hop is still scheduled.
    private func fate(of event: TraceEvent) throws(Stop) -> RemovedCauses.Fate {
        guard let cause = event.cause else { return .kept }
        let node = program.topology.place(ofNode: event.subject)
        guard let opener = turn.openers[cause] else { return state.removed.fate(of: cause, node: node) }
        guard turn.facts[opener].event.kind == .emitted else { return .kept }
        // In a batch it may not even be there yet.
        if isBatch { return .unknown }
        return deliveries(of: opener).fate(of: node)
    }

    /// What became of the recorded deliveries of an emission.
    func deliveries(of opener: Int) -> RemovedCauses.Deliveries {
        var result = RemovedCauses.Deliveries()
        for delivery in turn.facts[opener].children {
            guard case .delivery(let subscription, _) = turn.facts[delivery].role,
                !program.isCombinerInput(subscription)
            else { continue }
            let target = program.topology.targets[subscription]
            if used[delivery] == 0 { result.removed.insert(target) } else { result.kept.insert(target) }
        }
        return result
    }

    // MARK: Counts

    func countEvaluation(of node: Int, isNoop: Bool) {
        guard program.computes(node) else { return }
        if isNoop, plan.narrowed.contains(node) { return }
        if plan.later.contains(node), !program.isObserved(node) { return }
        figures.evaluations += 1
    }

    /// Whether a value is the one that was given before through the same subscription.
    private func isRepeated(_ value: RecordedValue, _ subscription: Int, _ node: Int) -> Bool {
        guard value != .known(.void), program.kinds[node] != .filter else { return false }
        return program.lastDelivered[subscription]?.isEqual(to: value) == true
    }
}
