import WeirAnalysis

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
        if kind == .cutLoop, isComputable { return nil }
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
