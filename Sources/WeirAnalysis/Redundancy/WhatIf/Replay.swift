import WeirTrace

/// Replays a recorded turn in a model of the core, with remedies applied.
///
/// The recording supplies the reactions of handlers and operators to a value, and the results of combiners for the values of
/// their inputs. The rules of the core determine which subscriptions receive a value, and when. If the recording lacks
/// something needed, the replay stops with the reason.
///
/// One object replays all turns with the same remedies, one after the other, and reuses its memory.
final class Replay {
    struct Stop: Error {
        let reason: WhatIf.Reason
        let node: Int?
    }

    /// The replay's state of a node that it has reached.
    struct NodeState {
        /// The value; nil if it is the same as before the turn.
        var value: RecordedValue?
        var version: UInt64 = 0
        /// The version at its last write within a batch.
        var batchVersion: UInt64 = 0
        /// Whether it emits at the end of the open batch, because the batch has written to it.
        var isDeferred = false
    }

    /// The replay's state of a flow.
    struct FlowState {
        /// The number of values received.
        var received = 0
        /// The next delivery in the recording, and the one before it; -1 if there is none.
        var next: Int32
        var last: Int32 = -1
    }

    /// Working memory for the replay of a turn, which the next replay clears.
    final class Notes {
        /// How often each delivery was imitated.
        let used = ScratchArray<Int32>()
        /// For each flow of the turn.
        let flows = ScratchArray<FlowState>()
        let nodes = ScratchArray<NodeState>()
    }

    let program: RecordedProgram
    let plan: RemedyPlan
    let foresight: Foresight
    let state: ReplayState
    /// The current turn, and its facts.
    @exclusivity(unchecked) unowned(unsafe) private(set) var turn: RecordedTurn
    @exclusivity(unchecked) private(set) var facts: FactTree
    @exclusivity(unchecked) var figures = Figures()

    let used: ScratchArray<Int32>
    let flows: ScratchArray<FlowState>
    /// For deliveries that are taken in another order, the number taken of each value.
    @exclusivity(unchecked) var taken: [RecordedTurn.DeliveryKey: Int] = [:]
    /// Whether a subscription received a value although it received none in the recording.
    @exclusivity(unchecked) var hasStrayDelivery = false
    @exclusivity(unchecked) var memories = Memories()
    /// The last values of subscriptions whose nodes remember these.
    @exclusivity(unchecked) var lastReceived: [Int: RecordedValue] = [:]
    /// The last values of handlers that join nodes by hand.
    @exclusivity(unchecked) var joinReceived: [Int: RecordedValue] = [:]
    /// Subscriptions that began in the recording of this turn only.
    @exclusivity(unchecked) var absent: Set<Int> = []
    /// By subscription, the next value that waits for an actor in the recording.
    @exclusivity(unchecked) var nextHandovers: [Int: Int] = [:]
    /// The values that handlers of cut loops write instead of others; nil until they are needed.
    @exclusivity(unchecked) var corrections: Corrections?
    /// Values of shared sources that wait for an actor since this turn.
    @exclusivity(unchecked) var moved: Set<Handover> = []
    /// Subscriptions that end in what falls away.
    @exclusivity(unchecked) var removedEnds: [Int] = []
    /// How many values were made that the recording lacks.
    @exclusivity(unchecked) var unseen: UInt64 = 0
    /// The last values that nodes without a batch gave, which the program brings together, in the order of the first ones.
    @exclusivity(unchecked) var joinedValues: [(node: Int, value: RecordedValue, subscription: Int?)] = []

    // The state of the core in this turn.
    let nodes: ScratchArray<NodeState>
    /// Nodes without a recorded change in this turn.
    @exclusivity(unchecked) private(set) var strayNodes: [Int: NodeState] = [:]
    /// Whether each subscription that began or ended is alive, and its index in `added`.
    @exclusivity(unchecked) var lives: [Int: Bool] = [:]
    @exclusivity(unchecked) var moves: [Int: Int] = [:]
    /// By node, the subscriptions that were added to its listeners.
    @exclusivity(unchecked) var added: [Int: [Int]] = [:]
    /// Whether a value is passed on that a new subscriber was given, which changes nothing.
    @exclusivity(unchecked) var isReplaying = false
    @exclusivity(unchecked) var depth = 0
    @exclusivity(unchecked) var isBatch = false
    @exclusivity(unchecked) var deferred: [(node: Int, former: RecordedValue)] = []
    /// Whether the turn is replayed as one batch.
    @exclusivity(unchecked) private(set) var isJoined = false
    /// The number of the open delivery to a handler; 0: none is open.
    @exclusivity(unchecked) var handler = 0
    @exclusivity(unchecked) var lastHandler = 0
    /// For nodes that handlers wrote after the batch, the handler that did so last.
    @exclusivity(unchecked) var lateWrites: [Int: Int] = [:]
    /// For subscriptions whose refreshes the batch should join, the handler that refreshed each one last; -1: in the batch.
    @exclusivity(unchecked) var lateRefreshes: [Int: Int] = [:]
    @exclusivity(unchecked) var waiting = WaitingCombiners()
    /// How many handlers are open.
    @exclusivity(unchecked) var handlerDepth = 0
    /// The last values that handlers wrote to nodes which a combiner computes instead.
    @exclusivity(unchecked) var computed: [Int: RecordedValue] = [:]
    @exclusivity(unchecked) var equalHeights = EqualHeights()
    /// Whether values reach a subscriber of a shared source in a hop, by subscription.
    @exclusivity(unchecked) var hopsBehind: [Int: Bool] = [:]
    // For combiners in place of a combineLatest: the last values of inputs, and the inputs from which each one computed last.
    @exclusivity(unchecked) var lastValues: [Int: RecordedValue] = [:]
    @exclusivity(unchecked) var heldInputs: [Int: InputValues] = [:]
    /// The nodes that were made in this turn.
    @exclusivity(unchecked) var madeNodes: Set<Int> = []
    /// How often each combiner was evaluated while the turn settles.
    @exclusivity(unchecked) var runs: [Int: Int] = [:]
    /// Emissions of the turn that lose some of their deliveries.
    @exclusivity(unchecked) var removals: [(EventID, RemovedCauses.Deliveries)] = []
    @exclusivity(unchecked) private(set) var steps = 0
    @exclusivity(unchecked) private var allSteps = 0
    @exclusivity(unchecked) private var nesting = 0

    init(_ program: RecordedProgram, _ plan: RemedyPlan, _ foresight: Foresight, from state: ReplayState) {
        (self.program, self.plan, self.foresight, self.state) = (program, plan, foresight, state)
        turn = program.noTurn
        facts = turn.tree
        (used, flows, nodes) = (program.notes.used, program.notes.flows, program.notes.nodes)
    }

    /// Begins a turn, at whose beginning the program must be too; the caller must keep the turn alive.
    func begin(_ turn: RecordedTurn) {
        (self.turn, facts) = (turn, turn.tree)
        figures = Figures()
        used.fill(0, count: turn.facts.count)
        flows.removeAll()
        for flow in turn.flows.elements { flows.append(FlowState(next: flow.first)) }
        nodes.fill(NodeState(), count: turn.changes.count)
        if !taken.isEmpty { taken = [:] }
        memories.removeAll()
        if !lastReceived.isEmpty { lastReceived = [:] }
        if !joinReceived.isEmpty { joinReceived = [:] }
        if !absent.isEmpty { absent = [] }
        if !moved.isEmpty { moved = [] }
        if !nextHandovers.isEmpty { nextHandovers = [:] }
        if corrections != nil { corrections = nil }
        if !removedEnds.isEmpty { removedEnds = [] }
        if !joinedValues.isEmpty { joinedValues = [] }
        if !computed.isEmpty { computed = [:] }
        if !strayNodes.isEmpty { strayNodes = [:] }
        if !lives.isEmpty { lives = [:] }
        if !moves.isEmpty { moves = [:] }
        if !added.isEmpty { added = [:] }
        if !deferred.isEmpty { deferred = [] }
        if !waiting.isEmpty { waiting = WaitingCombiners() }
        if !plan.replaced.isEmpty { equalHeights = EqualHeights() }
        if !plan.replaced.isEmpty { (lastValues, heldInputs) = ([:], [:]) }
        if !madeNodes.isEmpty { madeNodes = [] }
        (hasStrayDelivery, depth, handlerDepth, isBatch, nesting, isReplaying) = (false, 0, 0, false, 0, false)
        if isJoined { (isJoined, handler, lastHandler, lateRefreshes, lateWrites) = (false, 0, 0, [:], [:]) }
        allSteps = min(10_000 + 20 * turn.facts.count, program.steps)
        steps = allSteps
    }

    /// Replays the whole turn; with `asBatch`, as one batch.
    func play(asBatch: Bool = false) throws(Stop) {
        // Preparing a turn has a cost too.
        defer { program.spend(min(allSteps, allSteps - steps) + turn.facts.count / 4) }
        if turn.isTooLong { throw Stop(reason: .tooLong, node: nil) }
        if turn.isIncomplete { throw Stop(reason: .incomplete, node: nil) }
        isJoined = asBatch
        if asBatch {
            try batch(turn.roots, facts, target: nil)
        } else {
            try perform(turn.roots, facts, target: nil)
        }
    }

    /// Counts steps, so that every replay of a turn ends.
    func spend(_ count: Int = 1) throws(Stop) {
        steps -= count
        if steps < 0 { throw Stop(reason: .tooLong, node: nil) }
    }

    // MARK: Nodes

    func value(_ node: Int) -> RecordedValue {
        if let value = self[node].value { return value }
        if !state.values.isEmpty, let value = state.values[node] { return value }
        return program.values[node]
    }

    subscript(node: Int) -> NodeState {
        @inline(__always)
        get {
            if let place = program.change(node) { return nodes[place] }
            return strayNodes.isEmpty ? NodeState() : strayNodes[node] ?? NodeState()
        }
        @inline(__always)
        set {
            if let place = program.change(node) { nodes[place] = newValue } else { strayNodes[node] = newValue }
        }
    }

    // MARK: Acts

    /// Performs facts in order.
    ///
    /// - Parameters:
    ///   - source: The turn that holds the facts.
    ///   - target: The node that is being given a value.
    func perform(_ facts: some Sequence<Int>, _ source: FactTree, target: Int?) throws(Stop) {
        nesting += 1
        if nesting > TurnCollector.deepest * 2 { throw Stop(reason: .tooLong, node: nil) }
        for fact in facts { try perform(fact, source, target: target) }
        nesting -= 1
    }

    private func perform(_ fact: Int, _ source: FactTree, target: Int?) throws(Stop) {
        try spend()
        let children = source.children(of: fact)
        switch source[fact].role {
        case .nothing, .result, .waiting, .delivery, .scheduled, .endDelivery, .settling, .structure, .mark, .released:
            break
        case .write(let node, let value): try write(node, value)
        case .broadcast(let node, let value): try broadcast(node, value)
        case .cold(let node, let value, let subscription):
            // The run of a replaced combineLatest has just begun; it starts with the value that the combiner holds.
            if node == target, !plan.replaced.contains(node), try !beginsReplaced(subscription) {
                countEvaluation(of: node, isNoop: isRepeated(value, subscription, node))
            }
            try emit(node, value, to: subscription)
        case .replay(let node, let value, let subscription):
            // The current value, which may differ from the recorded one.
            let current = program.holds(node) ? self.value(node) : value
            guard isAlive(subscription) else { break }
            let outer = isReplaying
            isReplaying = true
            try receive(subscription, current)
            isReplaying = outer
        case .handedOver(let value, let subscription):
            guard isAlive(subscription) else { break }
            if plan.disposed.contains(subscription), try isDisposed(subscription, value) { break }
            try take(subscription, value)
        case .stopped(let node, let isEqual): if node == target { countEvaluation(of: node, isNoop: isEqual) }
        case .stimulus: try perform(children, source, target: target)
        case .batch: try batch(children, source, target: target)
        case .hop: try hop(fact, source)
        case .ending(let node): try end(node, isFailure: source[fact].event.kind == .failed, children, source)
        case .began(let subscription): try begin(subscription)
        case .ended(let subscription, let reason):
            endPause(of: subscription, at: source[fact].event.ticks, reason)
            if !isAbsent(subscription) { end(subscription, SubscriptionEndReason(rawValue: reason)) }
        case .created(let node, let value):
            madeNodes.insert(node)
            self[node].value = value
        }
    }

    private func hop(_ fact: Int, _ source: FactTree) throws(Stop) {
        let event = source[fact].event
        let fate = if let known = try fateOfHandover(fact, source) { known } else { try fate(of: event) }
        switch fate {
        case .kept:
            try checkMoved(fact, source)
            // The writes of a task settle at once, the values of a command when all are published.
            let delays =
                !event.carriesCause
                || source.children(of: fact).contains {
                    source[$0].event.kind == .emitted && source[$0].event.subject != event.subject
                }
            if delays { depth += 1 }
            try perform(source.children(of: fact), source, target: nil)
            if delays, depth == 1 { try settle(counts: false) }
            if delays { depth -= 1 }
        case .removed: try remove(fact, source)
        case .unknown: throw Stop(reason: .unknownCause, node: program.topology.place(ofNode: event.subject))
        }
    }

    /// Whether the work of a hop is still scheduled.
    private func fate(of event: RecordedEvent) throws(Stop) -> RemovedCauses.Fate {
        guard let cause = event.cause else { return .kept }
        let topology = program.topology
        let work = RemovedCauses.Work(
            node: topology.place(ofNode: event.subject), subscription: topology.place(ofSubscription: event.scheduledBy)
        )
        guard let opener = turn.opener(cause) else { return state.removed.fate(of: cause, work, topology.targets) }
        guard facts[opener].event.kind == .emitted else { return .kept }
        let fate = try deliveries(of: opener).fate(of: work, topology.targets)
        // In a batch, an emission that lacks deliveries may follow at its end.
        return isBatch && fate != .kept ? .unknown : fate
    }

    /// The recorded deliveries of an emission that the replay keeps, and those that it removes.
    func deliveries(of opener: Int) throws(Stop) -> RemovedCauses.Deliveries {
        var result = RemovedCauses.Deliveries()
        for delivery in facts.children(of: opener) {
            guard case .delivery(let subscription, _) = facts[delivery].role,
                !program.isCombinerInput[subscription], !isReplacedInput(subscription)
            else { continue }
            try spend()
            let isRemoved = used[delivery] == 0 && !hasMoved(subscription, facts[opener].event.id)
            if isRemoved { result.removed.append(subscription) } else { result.kept.append(subscription) }
        }
        result.removed.sort()
        result.kept.sort()
        return result
    }

    // MARK: Counts

    func countEvaluation(of node: Int, isNoop: Bool) {
        guard program.computes(node) else { return }
        if isNoop, plan.narrowed.contains(node) { return }
        if plan.later.contains(node), !program.isObserved(node) { return }
        figures.evaluations += 1
    }

    /// Whether a value equals the previous one through the same subscription.
    func isRepeated(_ value: RecordedValue, _ subscription: Int, _ node: Int) -> Bool {
        guard !value.isVoid, program.kinds[node] != .filter else { return false }
        return program.lastDelivered[subscription]?.isEqual(to: value) == true
    }
}
