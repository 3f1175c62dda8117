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
        func plan(_ remedies: [Remedy], _ batches: ArraySlice<Foresight.Batch> = []) -> RemedyPlan {
            RemedyPlan(
                remedies, topology, frameTicks: frameTicks,
                writers: batches.reduce(into: []) { $0.formUnion($1.handlers) })
        }
        let foresight = Foresight(reader, topology, plan(remedies), reporting: report)
        let alone = remedies.prefix(Self.mostRemedies)
        func lane(
            _ remedies: [Remedy], _ batches: ArraySlice<Foresight.Batch>, isComputable: Bool
        ) -> RemedyLane {
            RemedyLane(
                plan(remedies, batches), topology, batchNames: batches.reduce(into: []) { $0.formUnion($1.stimuli) },
                foresight, isComputable: isComputable, mostRemoved: RemovedCauses.most / (alone.count + 1))
        }
        var rest = foresight.batches[...]
        let lanes = alone.map { remedy in
            let own = rest.prefix(remedy.isBatch ? 1 : 0)
            rest = rest.dropFirst(own.count)
            return lane([remedy], own, isComputable: remedy.isComputable)
        }
        let together = lane(
            remedies, foresight.batches[...],
            isComputable: remedies.isEmpty || remedies.contains(where: \.isComputable))
        var counter = FigureCounter(topology)
        // A single remedy is the same as all together. If the steps do not suffice for all, the joint outcome comes first.
        var spent = 0
        let run = RemedyLanes(remedies.count == 1 ? lanes : [together] + lanes, topology)
        RecordedPass.run(reader, topology, holdsStimuli: together.plan.isBatching, reporting: report) {
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

extension WhatIf {
    /// The figures of a recording with a remedy applied.
    ///
    /// Turns that could not be computed count as recorded, and are listed.
    package struct Outcome: Sendable, Equatable {
        /// Deliveries of values through terminal subscriptions.
        package internal(set) var refreshes: UInt64 = 0
        /// Their handler time, in ticks.
        package internal(set) var handlerTicks: UInt64 = 0
        /// Evaluations.
        package internal(set) var evaluations: UInt64 = 0
        /// Evaluations of combiners that the remedy adds to narrow inputs; `evaluations` does not contain them.
        package internal(set) var addedEvaluations: UInt64 = 0
        /// Subscriptions to cold sources that began.
        package internal(set) var sourceRuns: UInt64 = 0
        /// The turns that could not be computed, by reason, the most frequent first.
        package internal(set) var uncomputed: [Uncomputed] = []
        /// Whether remedies of this kind can be computed; if false, the figures are those of the recording.
        package internal(set) var isComputable = true

        /// Whether every turn of the recording was computed.
        package var isComplete: Bool { isComputable && uncomputed.isEmpty }

        init() {}
    }
}

extension WhatIf.Outcome {
    /// Notes a turn that cannot be computed.
    mutating func note(_ reason: WhatIf.Reason, node: UInt32, example: EventID) {
        if let known = uncomputed.firstIndex(where: { $0.reason == reason }) {
            uncomputed[known].turns &+= 1
        } else {
            uncomputed.append(WhatIf.Uncomputed(reason: reason, turns: 1, example: example, node: node))
        }
    }

    /// These figures with the changes of a remedy.
    func changed(by change: Figures, _ outcome: WhatIf.Outcome) -> WhatIf.Outcome {
        func sum(_ figure: UInt64, _ change: Int64) -> UInt64 { UInt64(max(0, Int64(clamping: figure) &+ change)) }
        var result = outcome
        result.refreshes = sum(refreshes, change.refreshes)
        result.handlerTicks = sum(handlerTicks, change.handlerTicks)
        result.evaluations = sum(evaluations, change.evaluations)
        result.sourceRuns = sum(sourceRuns, change.sourceRuns)
        result.uncomputed.sort { ($0.turns, $1.reason.rawValue) > ($1.turns, $0.reason.rawValue) }
        return result
    }
}

extension WhatIf {
    /// Turns whose outcome could not be computed.
    package struct Uncomputed: Sendable, Equatable {
        /// The reason.
        package let reason: Reason
        /// The number of turns.
        package internal(set) var turns: UInt64
        /// The first event of the first such turn.
        package let example: EventID
        /// The id of the node at which the computation stopped there; 0 if there is none.
        package let node: UInt32
    }

    /// Why a turn could not be computed.
    package enum Reason: String, Sendable, CaseIterable {
        /// It has more events than are kept, or is nested too deeply.
        case tooLong
        /// Events of it are lost, or it began before the recording.
        case incomplete
        /// A replay without a remedy differs from the recording: the turn depends on something that no trace contains.
        case notReproduced
        /// The equality of two values is unknown: they are private, not recorded, or have equal descriptions.
        case unknownEquality
        /// A node would compute from values that never occurred together in the recording.
        case unseenInputs
        /// An input of a combineLatest is a signal without a current value, so no combiner can replace it as it is.
        case signalInput
        /// A handler or operator would receive a value that it did not receive in that turn.
        case unseenValue
        /// A handler or operator reacted differently to the same value, and would receive it more or less often.
        case varyingHandler
        /// Deliveries that would be removed or moved begin or end subscriptions or nodes.
        case structure
        /// An operator with a memory would receive other values.
        case operatorState
        /// Work was scheduled by an event that loses some of its deliveries.
        case unknownCause
        /// The writes were made outside of any named stimulus.
        case noStimulus
        /// The shared run of a source would continue beyond its recorded end.
        case sharedRun
        /// A subscriber that comes later would miss a value of a shared source; whether it needs it is unknown.
        case missedValue
        /// A handler that writes or emits further would run later.
        case delayedHandler
        /// A value that arrives later would come after something that depends on it, or that it depends on.
        case overtaken
        /// When a combineLatest was made is not recorded, and a combiner in its place would compute from then on.
        case unknownMaking
        /// Combiners of equal height affect each other, and the remedy may change their order.
        case unknownOrder
    }
}
