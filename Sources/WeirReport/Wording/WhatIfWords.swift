import WeirAnalysis

/// The sentence that estimates how much of the recorded work would remain with the remedies.
struct WhatIfWords {
    let recorded: WhatIf.Outcome
    let outcome: WhatIf.Outcome
    /// Whether the estimate is a best case: it assumes that a change works wherever it could.
    var isAtBest = false
    /// Whether a handler that the change empties still counts.
    var keepsHandler = false
    /// Whether what subscribes again receives a first value, which it does not if it subscribes only once.
    var keepsFirstValue = false
    /// Whether the change only parts refreshes: a throttle.
    var isThrottle = false
    /// Whether the change only moves work out of a handler.
    var movesWork = false
    /// Whether the change only handles failures.
    var handlesFailures = false
    /// Formats a number of ticks as a duration.
    let duration: (UInt64) -> String

    /// "24 of 36 refreshes and 0.8 ms of 1.4 ms handler time would remain".
    var sentence: String {
        let figures = [
            count(recorded.refreshes, outcome.refreshes) { Figures.count($0, "refresh", "refreshes") },
            time,
            count(recorded.evaluations, outcome.evaluations) { Figures.count($0, "evaluation") },
            count(recorded.sourceRuns, outcome.sourceRuns) { Figures.count($0, "run of sources", "runs of sources") },
        ]
        let less = list(figures.compactMap(\.less))
        let more = list(figures.compactMap(\.more))
        let bound = outcome.isComplete ? "" : " (partial estimate)"
        switch (less, more) {
        case (nil, nil):
            return outcome.isComplete
                ? unchanged : "the effect cannot be estimated from this trace"
        case (let less?, nil):
            let best = isAtBest ? " at best" : ""
            let isAboutRefreshes = figures[0].less != nil || figures[1].less != nil || recorded.refreshes == 0
            let fewer =
                keepsHandler
                ? ", fewer if the handler does nothing else"
                : keepsFirstValue ? ", fewer if it subscribes only once" : ""
            return
                "\(less) would remain\(best)\(fewer)\(isAboutRefreshes ? "" : "; refreshes stay as they are")\(added)\(bound)"
        case (nil, let more?): return "it would make this worse: \(more)\(bound)"
        case (let less?, let more?):
            return outcome.refreshes > recorded.refreshes
                ? "it would make this worse: \(more), though only \(less) would remain\(bound)"
                : "\(less) would remain, but there would be \(more)\(bound)"
        }
    }

    private var added: String {
        outcome.addedEvaluations == 0
            ? "" : "; narrowing adds \(Figures.count(outcome.addedEvaluations, "evaluation")), which should cost less"
    }

    private var unchanged: String {
        movesWork
            ? "refreshes and evaluations stay as they are; how much handler time is saved depends on what you move"
            : handlesFailures
                ? "with subscribeEvents, refreshes, handler time and evaluations stay as they are, except for what handles the failure"
                : isThrottle
                    ? "no refresh would be saved; they would only come a frame apart"
                    : "refreshes, handler time and evaluations stay as they are"
    }

    /// The introduction for all remedies, of which `computable` can be computed; nil: none can.
    static func together(_ remedies: Int, computable: Int) -> String? {
        switch computable {
        case 0: nil
        case remedies where remedies == 2: "Both remedies together: "
        case remedies: "All \(Figures.count(remedies)) remedies together: "
        case 1: "The only one of \(Figures.count(remedies)) remedies that can be computed: "
        default:
            "The \(Figures.count(computable)) of \(Figures.count(remedies)) remedies that can be computed, together: "
        }
    }

    /// The introduction for the remedies that can be computed in full.
    static func sure(_ remedies: Int, complete: Int) -> String {
        complete == 1
            ? "The only one of \(Figures.count(remedies)) remedies that can be computed for every turn: "
            : "The \(Figures.count(complete)) of \(Figures.count(remedies)) remedies that can be computed for every turn, together: "
    }

    /// The sentence that none of the remedies can be computed.
    static func none(_ remedies: Int) -> String { "None of the \(Figures.count(remedies)) remedies can be computed." }

    /// "3 turns could not be computed, and count as recorded: …"; `node` is where the first of them stopped.
    static func uncomputed(_ uncomputed: WhatIf.Uncomputed, node: String?) -> String {
        let verb = uncomputed.turns == 1 ? "counts" : "count"
        return "\(Figures.count(uncomputed.turns, "turn")) could not be computed, and \(verb) as recorded: "
            + "\(uncomputed.reason.phrase) (first: \(uncomputed.example)\(node.map { ", at \($0)" } ?? ""))"
    }

    /// The line below a remedy that was only tried together with the others.
    static let notTried =
        "What if: not tried alone, because only the worst \(WhatIf.mostRemedies) are; use --node or --rule to try fewer."

    /// The summary of the reasons that are not listed.
    static func more(_ rest: some Collection<WhatIf.Uncomputed>) -> String {
        let turns = rest.reduce(0 as UInt64) { $0 &+ $1.turns }
        return "and \(Figures.count(turns, "turn")) more, for \(Figures.count(rest.count, "other reason"))"
    }

    private func list(_ parts: [String]) -> String? {
        guard let last = parts.last else { return nil }
        return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension WhatIfWords {
    /// One figure, before and after.
    private struct Figure {
        /// "24 of 36 refreshes"; nil: no decrease.
        var less: String?
        /// "38 refreshes in place of 36"; nil: no increase.
        var more: String?
    }

    private func count(_ before: UInt64, _ after: UInt64, _ named: (UInt64) -> String) -> Figure {
        Figure(
            less: after < before ? "\(Figures.count(after)) of \(named(before))" : nil,
            more: after > before ? "\(named(after)) in place of \(Figures.count(before))" : nil)
    }

    private var time: Figure {
        let (before, after) = (recorded.handlerTicks, outcome.handlerTicks)
        // A small change of a long duration does not show after rounding.
        if duration(before) == duration(after) {
            return Figure(
                less: after < before ? "all but \(duration(before - after)) of \(duration(before)) handler time" : nil,
                more: after > before ? "\(duration(after - before)) more than \(duration(before)) handler time" : nil)
        }
        return Figure(
            less: after < before ? "\(duration(after)) of \(duration(before)) handler time" : nil,
            more: after > before ? "\(duration(after)) handler time in place of \(duration(before))" : nil)
    }
}

extension WhatIf.Reason {
    /// The reason why a turn could not be computed, with a remedy if there is one.
    var phrase: String {
        switch self {
        case .tooLong: "too long, or nested too deep, to be played again"
        case .incomplete: "events of it are lost, or it began before the recording"
        case .notReproduced:
            "a replay without any change differs from the recording: something that the trace does not hold decides what happens"
        case .unknownEquality:
            "whether two values are equal is not known: they are private, were not recorded, or only described"
        case .unseenInputs: "a node would compute from values that never met in the recording"
        case .signalInput:
            "an input of the combineLatest is neither an observable nor a combiner; replace that input first"
        case .unseenValue: "a handler or operator would be given a value that it was not given in that turn"
        case .varyingHandler:
            "a handler or operator did different things for one value, and would get that more or less often"
        case .structure: "subscriptions or nodes begin or end in what would fall away or move"
        case .operatorState: "an operator that remembers what it was given would be given something else"
        case .unknownCause: "work was scheduled by an event of which not every delivery would remain"
        case .noStimulus:
            "the writes are in several turns outside of any named stimulus; put Trace.stimulus around what makes them"
        case .sharedRun: "the shared run of a source would go on beyond what was recorded of it"
        case .missedValue:
            "a later subscriber would miss a value that it now gets; whether it needs that value, no trace shows"
        case .delayedHandler: "a handler that carries values on would do so later"
        case .overtaken: "a value would arrive after something else that is written or computed together with it"
        case .unknownMaking: "when the combineLatest was made is not recorded; a combiner would compute from then on"
        case .unknownOrder: "combiners of equal height affect each other, and the remedy may change their order"
        }
    }
}

extension Remedy {
    /// Why a trace cannot predict its effect, and what to do instead; nil: it can.
    var unpredictable: String? {
        if kind == .cutLoop || kind == .handleFailure, isComputable { return nil }
        return kind == .throttle && isOfBody
            ? "a trace cannot predict which writes belong together, or what a body that reads less would still show; change it, record again and compare"
            : kind.unpredictable
    }
}

extension Remedy.Kind {
    /// Why a trace cannot predict the effect of a remedy, and what to do instead; nil: it can.
    var unpredictable: String? {
        switch self {
        case .cutLoop, .cutLaterLoop:
            "a trace cannot predict what the program would do without the loop; cut it, record again and compare"
        case .handleFailure, .catchInRequest:
            "a trace cannot predict what would follow the failure; handle it, record again and compare"
        case .batchHandler:
            "a trace cannot predict what the handler would do in a batch; change it, record again and compare"
        case .dropStale:
            "a trace cannot predict which requests would be cancelled; change it, record again and compare"
        case .removeDuplicates, .settled, .batch, .throttle, .share, .replay, .makeOnce, .dispose, .subscribeOnce,
            .makeLater, .narrowInput, .removeDuplicateRequests, .computeOnce, .latestRequest, .deliver,
            .lightenHandler:
            nil
        }
    }
}
