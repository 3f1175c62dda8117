import WeirTrace

/// Facts about the whole recording that remedies need before they are tried on its first turn.
///
/// It takes a separate pass over the trace, which only some remedies need.
final class Foresight {
    /// The writes around which a remedy puts a batch.
    struct Batch {
        /// The names of stimuli.
        var stimuli: Set<String> = []
        /// The subscriptions of handlers that refresh something several times, by several writes.
        var handlers: Set<Int> = []
    }

    /// The writes around which each batch is put.
    @exclusivity(unchecked) var batches: [Batch] = []
    /// The recorded reactions to the values of shared sources, in any turn.
    @exclusivity(unchecked) var deliveries: [RecordedTurn.DeliveryKey: (turn: RecordedTurn, fact: Int)] = [:]
    /// The values of shared sources that arrived in hops, in order.
    @exclusivity(unchecked) var handovers: [RecordedTurn.DeliveryKey: [Handover]] = [:]
    @exclusivity(unchecked) var results: [InputValues: RecordedValue] = [:]
    /// Nodes that are made in the recording.
    @exclusivity(unchecked) var madeNodes: Set<Int> = []
    /// Each combineLatest to be replaced that gave two results for the same values.
    @exclusivity(unchecked) var fickle: Set<Int> = []
    /// Handlers that only pass values into one run of a shared source, with that run, and what feeds only them: they are a part of it.
    @exclusivity(unchecked) var feeders: [Int: Int] = [:]
    @exclusivity(unchecked) private var notFeeding: Set<Int> = []
    /// Shared sources of which other subscriptions feed a run.
    @exclusivity(unchecked) private(set) var fedSources: Set<Int> = []
    /// Shared operators of which some run has inputs that are unknown.
    @exclusivity(unchecked) var unclear: Set<Int> = []
    @exclusivity(unchecked) private var kept = 0
    /// For shared sources, the behaviour of all handlers and operators in the whole recording; otherwise empty.
    @exclusivity(unchecked) private(set) var handlers: [RecordedProgram.Handler] = []
    /// For shared sources, the subscriptions that hand values over to an actor or an operator.
    @exclusivity(unchecked) private(set) var areHandedOver: Set<Int> = []

    static let mostFacts = 200_000

    init() {}

    init(_ reader: TraceReader, _ topology: Topology, _ plan: RemedyPlan, reporting report: PassProgress.Report?) {
        batches = .init(repeating: Batch(), count: plan.batched.count)
        guard plan.isBatching || !plan.shared.isEmpty || !plan.replaced.isEmpty else { return }
        let counter = BatchCounter(plan, topology)
        var recorded: RecordedProgram?
        RecordedPass.run(reader, topology, holdsStimuli: plan.isBatching, reporting: report) { turns, program in
            let stimulus = turns.first?.stimulus
            recorded = program
            for turn in turns {
                TurnReading.read(turn, in: program)
                if stimulus != nil { counter.take(turn) }
                counter.findWriters(in: turn, program)
                self.take(turn, program, plan)
                program.take(turn)
            }
            guard let stimulus else { return }
            for batch in counter.finish() { batches[batch].stimuli.insert(stimulus.name) }
        }
        for (batch, handlers) in counter.writers.enumerated() { batches[batch].handlers = handlers }
        if !plan.shared.isEmpty, let recorded { handlers = recorded.handlers }
        addRuns(of: plan, topology)
        addFeeders(behind: Array(feeders.keys), topology)
        fedSources = Set(feeders.values.map { topology.sources[$0] })
    }

    /// Adds the inputs of the runs of shared operators.
    private func addRuns(of plan: RemedyPlan, _ topology: Topology) {
        for node in plan.shared.places where topology.definitions.nodes[topology.nodeIDs[node]]?.kind != .source {
            for run in topology.outputs[node] {
                let inputs = topology.runs.inputs(ofOutput: run)
                if inputs.isEmpty { unclear.insert(node) }
                for input in inputs { feeders[input] = run }
            }
        }
    }

    /// The most operators through which a source in another one is followed.
    fileprivate static let mostNested = 16

    /// Adds the subscriptions of cold operators that only feed these.
    private func addFeeders(behind known: [Int], _ topology: Topology) {
        var next = known
        for _ in 0..<Self.mostNested {
            var found: [Int] = []
            for feeder in next {
                for input in topology.runs.inputs(ofOutput: feeder) where feeders[input] == nil {
                    feeders[input] = feeders[feeder]
                    found.append(input)
                }
            }
            if found.isEmpty { return }
            next = found
        }
    }

    private func take(_ turn: RecordedTurn, _ program: RecordedProgram, _ plan: RemedyPlan) {
        if !plan.replaced.isEmpty { takeRows(turn, plan) }
        guard !plan.shared.isEmpty, !turn.isTooLong else { return }
        areHandedOver.formUnion(turn.handovers.keys)
        learnFeeders(turn, program, plan)
        let emits = turn.changes.elements.contains { $0.hasEmitted && plan.shared.contains($0.node) }
        guard emits, kept &+ turn.facts.count <= Self.mostFacts else { return }
        kept &+= turn.facts.count
        var known: Set<RecordedTurn.DeliveryKey> = []
        for flow in turn.flows.elements {
            for fact in turn.tree.deliveries(flow) {
                guard case .delivery(let subscription, let value) = turn.facts[fact].role else { continue }
                let key = RecordedTurn.DeliveryKey(subscription: subscription, value: value)
                // The last delivery in the first turn that has the value.
                if deliveries[key] == nil { known.insert(key) }
                if known.contains(key) { deliveries[key] = (turn, fact) }
                if program.passesOnLater(subscription),
                    let emission = turn.emission(
                        of: program.topology.nodeIDs[program.topology.sources[subscription]], before: fact)
                {
                    handovers[key, default: []]
                        .append(Handover(subscription: subscription, emission: turn.facts[emission].event.id))
                }
            }
        }
        for (subscription, recorded) in turn.handovers {
            for (fact, handover) in recorded {
                guard case .scheduled(let value) = turn.facts[fact].role else { continue }
                handovers[RecordedTurn.DeliveryKey(subscription: subscription, value: value), default: []]
                    .append(handover)
            }
        }
        results.merge(turn.results) { $1 }
    }

    private func takeRows(_ turn: RecordedTurn, _ plan: RemedyPlan) {
        madeNodes.formUnion(turn.madeNodes)
        fickle.formUnion(turn.fickle)
        for (inputs, result) in turn.results where plan.replaced.contains(inputs.combiner) {
            if let former = results[inputs] {
                if former.isEqual(to: result) == false { fickle.insert(inputs.combiner) }
            } else if results.count < RecordedProgram.mostResults {
                results[inputs] = result
            }
        }
    }

    private func learnFeeders(_ turn: RecordedTurn, _ program: RecordedProgram, _ plan: RemedyPlan) {
        for flow in turn.flows.elements where !program.isInternal[flow.subscription] {
            let place = flow.subscription
            for fact in turn.tree.deliveries(flow) where turn.facts[fact].hasChildren {
                for act in turn.tree.acts(of: fact) {
                    if case .cold(let node, _, let run) = act, plan.shared.contains(node),
                        feeders[place, default: run] == run, !notFeeding.contains(place), isWithin(place, run, program)
                    {
                        feeders[place] = run
                    } else if isEnd(act, of: place, plan, program.topology) {
                        // The end of a run ends what feeds it.
                        continue
                    } else {
                        notFeeding.insert(place)
                        feeders[place] = nil
                    }
                }
            }
        }
    }

    /// Whether it is the end of a shared run, of what feeds it, or of a subscription behind that.
    private func isEnd(_ act: FactRole, of feeder: Int, _ plan: RemedyPlan, _ topology: Topology) -> Bool {
        if case .ending(let node) = act { return plan.shared.contains(node) }
        guard case .ended(let ended, _) = act else { return false }
        return topology.chain(behind: feeder).contains(ended)
    }

    /// Whether the subscription began after the run did.
    private func isWithin(_ place: Int, _ run: Int, _ program: RecordedProgram) -> Bool {
        program.beginnings[run] > 0 && program.beginnings[place] > program.beginnings[run]
    }
}

extension Topology {
    /// A subscription and those behind it, through cold operators with a single input.
    func chain(behind subscription: Int) -> [Int] {
        var chain = [subscription]
        while chain.count <= Foresight.mostNested {
            let node = sources[chain[chain.count - 1]]
            let isHot = definitions.nodes[nodeIDs[node]]?.kind?.isHot ?? true
            guard !isHot, inputs[node].count == 1 else { break }
            chain.append(inputs[node][0])
        }
        return chain
    }
}

/// Counts what each batch might join: in a stimulus, the deliveries through its subscriptions; in a handler, those that it makes.
private final class BatchCounter {
    private let ofSubscription: PlaceIndex
    private let ofNode: PlaceIndex
    /// For each batch, the last turn that it concerns, the most deliveries through one subscription in that turn, and the sum of
    /// these over the turns of the stimulus.
    private var lastTurns: [Int]
    private var inTurn: [Int]
    private var counts: [Int]
    private var counted: [Int] = []
    private var turns = 0
    /// For each batch, the subscriptions of handlers that make several deliveries which it joins.
    private(set) var writers: [Set<Int>]
    /// For each subscription with several deliveries in a turn, the last one so far.
    private var former: [Int: Int] = [:]
    /// The open deliveries to handlers, with what each handler does now, and batches (-1).
    private var open: [(fact: Int, handler: Int, act: Int)] = []

    init(_ plan: RemedyPlan, _ topology: Topology) {
        ofSubscription = PlaceIndex(plan.batched.map(\.subscriptions), places: topology.subscriptions.count)
        ofNode = PlaceIndex(plan.batched.map(\.writes), places: topology.nodeIDs.count)
        lastTurns = .init(repeating: 0, count: plan.batched.count)
        writers = .init(repeating: [], count: plan.batched.count)
        inTurn = lastTurns
        counts = lastTurns
    }

    func take(_ turn: RecordedTurn) {
        turns += 1
        for flow in turn.flows.elements {
            var deliveries = 0
            for _ in turn.tree.deliveries(flow) {
                deliveries += 1
                if deliveries == 2 { break }
            }
            for entry in ofSubscription.entries(of: flow.subscription) {
                count(Int(ofSubscription.members[entry]), deliveries)
            }
        }
        for change in turn.changes.elements where change.hasEmitted {
            for entry in ofNode.entries(of: change.node) { count(Int(ofNode.members[entry]), 1) }
        }
    }

    private func count(_ batch: Int, _ deliveries: Int) {
        if lastTurns[batch] != turns { (lastTurns[batch], inTurn[batch]) = (turns, 0) }
        guard deliveries > inTurn[batch] else { return }
        if counts[batch] == 0 { counted.append(batch) }
        counts[batch] += deliveries - inTurn[batch]
        inTurn[batch] = deliveries
    }

    /// Finds the handlers in which a batch joins deliveries: the innermost ones around two successive deliveries through a subscription,
    /// unless a batch is around both.
    func findWriters(in turn: RecordedTurn, _ program: RecordedProgram) {
        former.removeAll(keepingCapacity: true)
        for flow in turn.flows.elements
        where flow.received > 1 && !ofSubscription.entries(of: flow.subscription).isEmpty {
            former[flow.subscription] = -1
        }
        guard !former.isEmpty else { return }
        findWriters(turn.roots, turn.tree, program, areActs: false)
    }

    private func findWriters(_ facts: FactSequence, _ tree: FactTree, _ program: RecordedProgram, areActs: Bool) {
        for fact in facts {
            if areActs { open[open.count - 1].act = fact }
            var opened: Int?
            switch tree[fact].role {
            case .delivery(let subscription, _):
                note(fact, subscription)
                if !program.isInternal[subscription] { opened = subscription }
            case .batch: opened = -1
            default: break
            }
            if let opened { open.append((fact, opened, fact)) }
            findWriters(tree.children(of: fact), tree, program, areActs: opened != nil)
            if opened != nil { open.removeLast() }
        }
    }

    /// Notes a delivery; it and the one before lie in the handlers that were open before both, the innermost of which makes two writes
    /// if it does something else since.
    private func note(_ fact: Int, _ subscription: Int) {
        guard let before = former.updateValue(fact, forKey: subscription) else {
            former[subscription] = nil
            return
        }
        var (low, high) = (0, open.count)
        while low < high {
            let middle = (low + high) / 2
            if open[middle].fact < before { low = middle + 1 } else { high = middle }
        }
        guard before >= 0, low > 0, case let around = open[low - 1], around.handler >= 0, around.act > before
        else { return }
        for entry in ofSubscription.entries(of: subscription) {
            writers[Int(ofSubscription.members[entry])].insert(around.handler)
        }
    }

    /// Ends the stimulus, and returns the batches that concern more than one delivery of it.
    func finish() -> [Int] {
        let several = counted.filter { counts[$0] > 1 }
        for batch in counted { counts[batch] = 0 }
        counted.removeAll(keepingCapacity: true)
        return several
    }
}
