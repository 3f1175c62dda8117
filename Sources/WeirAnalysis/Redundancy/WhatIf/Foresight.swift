import WeirTrace

/// What remedies have to know of the whole recording before they are tried on its first turn.
///
/// Takes a pass over the trace of its own, which only some remedies need.
struct Foresight {
    /// The trace marks what was shown.
    var hasFrameMarks = false
    /// The names of the stimuli that each remedy puts a batch around.
    var batchNames: [Set<String>] = []
    /// What was done with the values of shared sources, in whatever turn that was.
    var deliveries: [RecordedTurn.DeliveryKey: (turn: RecordedTurn, fact: Int)] = [:]
    var results: [Int: [[RecordedValue]: RecordedValue]] = [:]
    /// Handlers that only pass values into one run of a shared source, and that run: they are a part of it.
    var feeders: [Int: Int] = [:]
    private var notFeeding: Set<Int> = []
    private var kept = 0

    static let mostFacts = 200_000

    static func isNeeded(for plan: RemedyPlan) -> Bool {
        plan.isBatching || !plan.throttled.isEmpty || !plan.shared.isEmpty
    }

    init() {}

    init(_ reader: TraceReader, _ topology: Topology, _ plan: RemedyPlan, reporting report: PassProgress.Report?) {
        batchNames = .init(repeating: [], count: plan.batched.count)
        var result = self
        RecordedPass.run(reader, topology, holdsStimuli: plan.isBatching, reporting: report) { turns, program in
            for turn in turns {
                TurnReading.read(turn, in: program)
                result.take(turn, program, plan)
                program.take(turn)
            }
            result.takeStimulus(turns, plan)
        }
        result.results = result.results.filter { !$0.value.isEmpty }
        self = result
    }

    private mutating func takeStimulus(_ turns: [RecordedTurn], _ plan: RemedyPlan) {
        guard let name = turns.first?.stimulus?.name else { return }
        for (index, batch) in plan.batched.enumerated() {
            let several = turns.filter { turn in
                batch.subscriptions.isEmpty
                    ? batch.nodes.contains(where: turn.emitters.contains)
                    : batch.subscriptions.contains { turn.received[$0] != nil }
            }
            if several.count > 1 { batchNames[index].insert(name) }
        }
    }

    private mutating func take(_ turn: RecordedTurn, _ program: RecordedProgram, _ plan: RemedyPlan) {
        if turn.marks > 0 { hasFrameMarks = true }
        guard !plan.shared.isEmpty, !turn.isTooLong else { return }
        learnFeeders(turn, program, plan)
        guard !turn.emitters.isDisjoint(with: plan.shared), kept &+ turn.facts.count <= Self.mostFacts else { return }
        kept &+= turn.facts.count
        for (key, facts) in turn.deliveries where deliveries[key] == nil {
            if let fact = facts.last { deliveries[key] = (turn, fact) }
        }
        for (node, table) in turn.results { results[node, default: [:]].merge(table) { $1 } }
    }

    private mutating func learnFeeders(_ turn: RecordedTurn, _ program: RecordedProgram, _ plan: RemedyPlan) {
        for (key, facts) in turn.deliveries where !program.topology.subscriptions[key.subscription].isInternal {
            let place = key.subscription
            for act in facts.flatMap(turn.acts(of:)) {
                if case .cold(let node, _, let run) = act, plan.shared.contains(node),
                    feeders[place, default: run] == run, !notFeeding.contains(place), isWithin(place, run, program)
                {
                    feeders[place] = run
                } else if feeders[place] != nil {
                    notFeeding.insert(place)
                    feeders[place] = nil
                } else {
                    notFeeding.insert(place)
                }
            }
        }
    }

    /// Whether the subscription began after the run did.
    private func isWithin(_ place: Int, _ run: Int, _ program: RecordedProgram) -> Bool {
        guard let inner = program.beginnings[place], let outer = program.beginnings[run] else { return false }
        return inner > outer
    }
}
