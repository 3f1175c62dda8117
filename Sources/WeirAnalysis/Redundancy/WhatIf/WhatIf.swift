import WeirTrace

/// What remedies would leave of the refreshes, evaluations and handler time of a recording.
///
/// ```swift
/// let whatIf = WhatIf(reader, Topology(definitions), remedies: [Remedy(.settled, nodes: [12], site: nil)])
/// print(whatIf.recorded.refreshes, "→", whatIf.together.refreshes)
/// ```
/// The recorded turns are played again in a model of the observable core, with the remedy applied: what handlers write and
/// what combiners compute is taken from the recording, who is given what, and when, follows the rules of the core. This
/// takes for granted that a handler or a combiner does with a value what it did with it in the recording. A turn that
/// does not come out as recorded when it is played without any remedy is not computed; nor is one in which the recording
/// does not tell something that would be needed. Such turns count as they were recorded, and are listed with the reason.
///
/// Cost: one pass over the trace, two where a remedy is a batch or a share; and as much again where some remedies can be
/// computed for every turn and others cannot. Replays take no more than 16 steps for each event, and 10 million more in all:
/// turns beyond that are not computed. Memory: nodes, subscriptions, open turns of up to 100,000 events each and 400,000 in
/// all, and the turns of shared sources, up to 200,000 events.
public struct WhatIf {
    /// What the recording holds, without any remedy.
    public let recorded: Outcome
    /// So many remedies are tried alone; those behind them only together with the others.
    public static let mostRemedies = 200

    /// What each remedy would leave, in their order; of the first `mostRemedies`.
    public let outcomes: [Outcome]
    /// What all remedies that can be computed would leave, applied together.
    public let together: Outcome
    /// What those would leave together that can be computed for every turn; nil: that are all, or fewer than two.
    public let sure: Outcome?
    /// How many steps the replays took.
    let steps: Int

    /// Tries the remedies.
    ///
    /// - Parameters:
    ///   - remedies: what to try; ids that the trace does not define change nothing.
    ///   - options: how long a frame of the screen is where none is marked.
    public init(
        _ reader: TraceReader, _ topology: Topology, remedies: [Remedy],
        options: RedundancyOptions = RedundancyOptions(), reporting report: PassProgress.Report? = nil
    ) {
        let frame = options.frame.multipliedFullWidth(by: reader.header.ticksPerSecond)
        let frameTicks =
            frame.high >= 1_000_000_000 ? UInt64.max : UInt64(1_000_000_000).dividingFullWidth(frame).quotient
        func plan(_ remedies: [Remedy]) -> RemedyPlan { RemedyPlan(remedies, topology, frameTicks: frameTicks) }
        let all = plan(remedies)
        let foresight = Foresight(reader, topology, all, reporting: report)
        let alone = remedies.prefix(Self.mostRemedies)
        var batches = foresight.batchNames[...]
        func lane(_ plan: RemedyPlan, _ batchNames: Set<String>, isComputable: Bool) -> RemedyLane {
            RemedyLane(
                plan, topology, batchNames: batchNames, foresight, isComputable: isComputable,
                mostRemoved: RemovedCauses.most / (alone.count + 1))
        }
        let lanes = alone.map { remedy in
            lane(
                plan([remedy]), remedy.kind == .batch ? batches.popFirst() ?? [] : [],
                isComputable: remedy.kind.isComputable)
        }
        let together = lane(
            all, foresight.batchNames.reduce(into: []) { $0.formUnion($1) },
            isComputable: remedies.isEmpty || remedies.contains(where: \.kind.isComputable))
        var counter = FigureCounter(topology)
        // One remedy alone is all of them. Where the steps do not suffice for all, all together come first.
        var spent = 0
        let run = RemedyLanes(remedies.count == 1 ? lanes : [together] + lanes, topology)
        RecordedPass.run(reader, topology, holdsStimuli: all.isBatching, reporting: report) {
            counter.take($0)
        } take: { turns, program in
            run.take(turns, program)
            spent = program.spentSteps
        }
        let recorded = Outcome().changed(by: counter.figures, Outcome())
        self.recorded = recorded
        outcomes = lanes.map { $0.outcome(of: recorded) }
        self.together = remedies.count == 1 ? outcomes[0] : together.outcome(of: recorded)
        let complete = zip(remedies, outcomes).filter(\.1.isComplete).map(\.0)
        let isNarrower = complete.count > 1 && complete.count < outcomes.count(where: \.isComputable)
        let narrower =
            isNarrower ? WhatIf(reader, topology, remedies: complete, options: options, reporting: report) : nil
        sure = narrower?.together
        steps = spent + (narrower?.steps ?? 0)
    }

    init(recorded: Outcome, outcomes: [Outcome], together: Outcome, sure: Outcome? = nil) {
        self.recorded = recorded
        self.outcomes = outcomes
        self.together = together
        self.sure = sure
        steps = 0
    }
}
