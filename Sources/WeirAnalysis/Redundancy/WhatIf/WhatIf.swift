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
/// Cost: one pass over the trace, two where a remedy is a batch, a throttle or a share; and as much again where some
/// remedies can be computed for every turn and others cannot. Memory: nodes,
/// subscriptions, open turns of up to 100,000 events, and the turns of shared sources, up to 200,000 events.
public struct WhatIf {
    /// What the recording holds, without any remedy.
    public let recorded: Outcome
    /// What each remedy would leave, in their order.
    public let outcomes: [Outcome]
    /// What all remedies that can be computed would leave, applied together.
    public let together: Outcome
    /// What those would leave together that can be computed for every turn; nil: that are all, or fewer than two.
    public let sure: Outcome?

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
        func plan(_ remedies: [Remedy]) -> RemedyPlan {
            var plan = RemedyPlan(remedies, topology)
            plan.frameTicks = frameTicks
            return plan
        }
        let all = plan(remedies)
        let foresight =
            Foresight.isNeeded(for: all) ? Foresight(reader, topology, all, reporting: report) : Foresight()
        var batches = foresight.batchNames[...]
        let lanes = remedies.map { remedy in
            RemedyLane(
                plan([remedy]), batchNames: remedy.kind == .batch ? batches.popFirst() ?? [] : [], foresight,
                isComputable: remedy.kind.isComputable)
        }
        let together = RemedyLane(
            all, batchNames: foresight.batchNames.reduce([]) { $0.union($1) }, foresight,
            isComputable: remedies.isEmpty || remedies.contains(where: \.kind.isComputable))
        var counter = FigureCounter(topology)
        // One remedy alone is all of them.
        let run = remedies.count == 1 ? lanes : lanes + [together]
        RecordedPass.run(reader, topology, holdsStimuli: all.isBatching, reporting: report) {
            counter.take($0)
        } take: { turns, program in
            Self.take(turns, program, run)
        }
        let recorded = Outcome().changed(by: counter.figures, Outcome())
        self.recorded = recorded
        outcomes = lanes.map { $0.outcome(of: recorded) }
        self.together = remedies.count == 1 ? outcomes[0] : together.outcome(of: recorded)
        let complete = zip(remedies, outcomes).filter(\.1.isComplete).map(\.0)
        let isNarrower = complete.count > 1 && complete.count < outcomes.count(where: \.isComputable)
        sure =
            isNarrower
            ? WhatIf(reader, topology, remedies: complete, options: options, reporting: report).together : nil
    }

    init(recorded: Outcome, outcomes: [Outcome], together: Outcome, sure: Outcome? = nil) {
        self.recorded = recorded
        self.outcomes = outcomes
        self.together = together
        self.sure = sure
    }

    private static func take(_ turns: [RecordedTurn], _ program: RecordedProgram, _ lanes: [RemedyLane]) {
        let stimulus = turns.first?.stimulus
        let batching = lanes.filter { $0.batches(stimulus) }
        if !batching.isEmpty {
            let joined = RecordedTurn.joined(turns)
            TurnReading.read(joined, in: program)
            for lane in batching { lane.take(joined, program, asBatch: true) }
        }
        for turn in turns {
            TurnReading.read(turn, in: program)
            for lane in lanes where !lane.batches(stimulus) { lane.take(turn, program) }
            program.take(turn)
        }
    }
}
