import WeirTrace

/// What remedies have to know of the whole recording before they are tried on its first turn.
///
/// Takes a pass over the trace of its own, which only some remedies need.
final class Foresight {
    /// The trace marks what was shown.
    @exclusivity(unchecked) var hasFrameMarks = false
    /// The names of the stimuli that each remedy puts a batch around.
    @exclusivity(unchecked) var batchNames: [Set<String>] = []
    /// What was done with the values of shared sources, in whatever turn that was.
    @exclusivity(unchecked) var deliveries: [RecordedTurn.DeliveryKey: (turn: RecordedTurn, fact: Int)] = [:]
    @exclusivity(unchecked) var results: [InputValues: RecordedValue] = [:]
    /// Handlers that only pass values into one run of a shared source, and that run: they are a part of it.
    @exclusivity(unchecked) var feeders: [Int: Int] = [:]
    @exclusivity(unchecked) private var notFeeding: Set<Int> = []
    @exclusivity(unchecked) private var kept = 0

    static let mostFacts = 200_000

    init() {}

    init(_ reader: TraceReader, _ topology: Topology, _ plan: RemedyPlan, reporting report: PassProgress.Report?) {
        batchNames = .init(repeating: [], count: plan.batched.count)
        if !plan.throttled.isEmpty { hasFrameMarks = reader.hasFrameMarks }
        guard plan.isBatching || !plan.shared.isEmpty else { return }
        let batches = BatchIndex(plan, topology)
        RecordedPass.run(reader, topology, holdsStimuli: plan.isBatching, reporting: report) { turns, program in
            var counts: [Int: Int] = [:]
            for turn in turns {
                TurnReading.read(turn, in: program)
                // A turn outside of any stimulus is of none that a batch could be put around.
                if turn.stimulus != nil { for batch in batches.batches(around: turn) { counts[batch, default: 0] += 1 } }
                self.take(turn, program, plan)
                program.take(turn)
            }
            guard let name = turns.first?.stimulus?.name else { return }
            for (batch, count) in counts where count > 1 { batchNames[batch].insert(name) }
        }
    }

    private func take(_ turn: RecordedTurn, _ program: RecordedProgram, _ plan: RemedyPlan) {
        guard !plan.shared.isEmpty, !turn.isTooLong else { return }
        learnFeeders(turn, program, plan)
        let emits = turn.changes.elements.contains { $0.hasEmitted && plan.shared.contains($0.node) }
        guard emits, kept &+ turn.facts.count <= Self.mostFacts else { return }
        kept &+= turn.facts.count
        var known: Set<RecordedTurn.DeliveryKey> = []
        for flow in turn.flows.elements {
            for fact in turn.tree.deliveries(flow) {
                guard case .delivery(let subscription, let value) = turn.facts[fact].role else { continue }
                let key = RecordedTurn.DeliveryKey(subscription: subscription, value: value)
                // Of the first turn that has it, the last one.
                if deliveries[key] == nil { known.insert(key) }
                if known.contains(key) { deliveries[key] = (turn, fact) }
            }
        }
        results.merge(turn.results) { $1 }
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
                    } else {
                        notFeeding.insert(place)
                        feeders[place] = nil
                    }
                }
            }
        }
    }

    /// Whether the subscription began after the run did.
    private func isWithin(_ place: Int, _ run: Int, _ program: RecordedProgram) -> Bool {
        program.beginnings[run] > 0 && program.beginnings[place] > program.beginnings[run]
    }
}

/// Which remedies put a batch around what feeds a subscription, or around what writes to a node.
struct BatchIndex {
    private var ofSubscription: [Int: [Int]] = [:]
    private var ofNode: [Int: [Int]] = [:]

    init(_ plan: RemedyPlan, _ topology: Topology) {
        for (place, batch) in plan.batched.enumerated() {
            for subscription in batch.subscriptions { ofSubscription[subscription, default: []].append(place) }
            guard batch.subscriptions.isEmpty else { continue }
            for node in batch.nodes { ofNode[node, default: []].append(place) }
        }
    }

    /// Whether one is about something that happened in a turn.
    func concern(_ turn: RecordedTurn) -> Bool {
        turn.flows.elements.contains { ofSubscription[$0.subscription] != nil }
            || turn.changes.elements.contains { $0.hasEmitted && ofNode[$0.node] != nil }
    }

    /// Those that are about something that happened in a turn.
    func batches(around turn: RecordedTurn) -> Set<Int> {
        var found: Set<Int> = []
        if !ofSubscription.isEmpty {
            for flow in turn.flows.elements { found.formUnion(ofSubscription[flow.subscription] ?? []) }
        }
        if !ofNode.isEmpty {
            for change in turn.changes.elements where change.hasEmitted { found.formUnion(ofNode[change.node] ?? []) }
        }
        return found
    }
}

extension TraceReader {
    /// Whether a `frame` is in the trace.
    fileprivate var hasFrameMarks: Bool {
        var isFound = false
        forEachRecordRun { run in
            var cursor = run.cursor
            repeat {
                if cursor.rawKind == EventKind.frame.rawValue {
                    isFound = true
                    return false
                }
            } while run.advance(&cursor)
            return true
        }
        return isFound
    }
}
