import WeirTrace

/// The refreshes, evaluations and handler time that a recording would have with remedies applied.
///
/// ```swift
/// let whatIf = WhatIf(reader, Topology(definitions), remedies: [Remedy(.settled, nodes: [12], site: nil)])
/// print(whatIf.recorded.refreshes, "→", whatIf.together.refreshes)
/// ```
/// The recorded turns are replayed in a model of the observable core, with the remedy applied. The recording supplies the
/// writes of handlers and the results of combiners. The rules of the core determine which subscriptions receive a value, and
/// when. This assumes that a handler or combiner reacts to a value as it did in the recording.
///
/// Two kinds of turn are not computed: a turn whose replay without a remedy differs from the recording, and a turn for which
/// the recording lacks something needed. Such turns count as recorded, and are listed with the reason.
///
/// Cost: one pass over the trace, or two if a remedy is a batch or a share; twice as much if some remedies can be computed for
/// every turn and others cannot. Replays take no more than 16 steps for each event, plus 10 million in all: turns beyond that
/// are not computed.
///
/// Memory: nodes, subscriptions, open turns of up to 100,000 events each and 400,000 in all, and the turns of shared sources,
/// up to 200,000 events.
package struct WhatIf {
    /// The figures of the recording, without a remedy.
    package let recorded: Outcome
    /// The most remedies that are tried alone; further remedies are tried only together with the others.
    package static let mostRemedies = 200

    /// The outcome of each of the first `mostRemedies` remedies, in their order.
    package let outcomes: [Outcome]
    /// The outcome of all computable remedies, applied together.
    package let together: Outcome
    /// The joint outcome of the remedies that can be computed for every turn; nil if these are all, or fewer than two.
    package let sure: Outcome?
    /// How many steps the replays took.
    let steps: Int

    /// Tries the remedies.
    ///
    /// - Parameters:
    ///   - remedies: The remedies to try; ids that the trace does not define change nothing.
    ///   - options: The length of a screen frame, which is the interval of a throttle.
    package init(
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
                plan([remedy]), remedy.isBatch ? batches.popFirst() ?? [] : [],
                isComputable: remedy.isComputable)
        }
        let together = lane(
            all, foresight.batchNames.reduce(into: []) { $0.formUnion($1) },
            isComputable: remedies.isEmpty || remedies.contains(where: \.isComputable))
        var counter = FigureCounter(topology)
        // A single remedy is the same as all together. If the steps do not suffice for all, the joint outcome comes first.
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
