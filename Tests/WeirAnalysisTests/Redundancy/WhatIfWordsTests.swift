import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

extension WhatIf.Outcome {
    /// An outcome like one from what-if.
    static func made(
        _ refreshes: UInt64, _ ticks: UInt64 = 1_400_000, evaluations: UInt64 = 25, sources: UInt64 = 2,
        uncomputed: [WhatIf.Uncomputed] = [], isComputable: Bool = true
    ) -> WhatIf.Outcome {
        var outcome = WhatIf.Outcome()
        outcome.refreshes = refreshes
        outcome.handlerTicks = ticks
        outcome.evaluations = evaluations
        outcome.sourceRuns = sources
        outcome.uncomputed = uncomputed
        outcome.isComputable = isComputable
        return outcome
    }
}

extension WhatIf.Uncomputed {
    /// Uncomputed turns; `at` is the node.
    static func made(_ reason: WhatIf.Reason, _ turns: UInt64, at node: UInt32 = 0) -> WhatIf.Uncomputed {
        WhatIf.Uncomputed(reason: reason, turns: turns, example: EventID(thread: 1, sequence: 33), node: node)
    }
}

struct WhatIfWordsTests {
    @Test(arguments: [
        (
            WhatIf.Outcome.made(24, 800_000),
            "24 of 36 refreshes and 800 µs of 1.4 ms handler time would remain"
        ),
        (
            .made(24, 800_000, evaluations: 20),
            "24 of 36 refreshes, 800 µs of 1.4 ms handler time and 20 of 25 evaluations would remain"
        ),
        (
            .made(0, 0, evaluations: 0, sources: 1),  // A single one of several, and none.
            "0 of 36 refreshes, 0 of 1.4 ms handler time, 0 of 25 evaluations and 1 of 2 runs of sources would remain"
        ),
        (
            .made(35, 1_399_000), "35 of 36 refreshes and all but 1 µs of 1.4 ms handler time would remain"
        ),
        (.made(36, 1_401_000), "it would make this worse: 1 µs more than 1.4 ms handler time"),
        (.made(36), "refreshes, handler time and evaluations stay as they are"),
        (.made(36, uncomputed: [.made(.structure, 2)]), "the effect cannot be estimated from this trace"),
        (.made(36, evaluations: 20), "20 of 25 evaluations would remain; refreshes stay as they are"),
        (
            .made(36, sources: 1, uncomputed: [.made(.tooLong, 1)]),
            "1 of 2 runs of sources would remain; refreshes stay as they are (partial estimate)"
        ),
        (
            .made(38, 1_500_000),
            "it would make this worse: 38 refreshes in place of 36 and 1.5 ms handler time in place of 1.4 ms"
        ),
        (
            .made(37, evaluations: 20),
            "it would make this worse: 37 refreshes in place of 36, though only 20 of 25 evaluations would remain"
        ),
        (
            .made(24, evaluations: 27),
            "24 of 36 refreshes would remain, but there would be 27 evaluations in place of 25"
        ),
        (.made(36, evaluations: 27), "it would make this worse: 27 evaluations in place of 25"),
    ])
    func `what would remain is a sentence`(_ outcome: WhatIf.Outcome, _ sentence: String) {
        let words = WhatIfWords(recorded: .made(36), outcome: outcome) { Figures.duration(nanoseconds: $0) }
        #expect(words.sentence == sentence)
    }

    @Test func `a throttle parts refreshes that it does not save`() {
        let words = WhatIfWords(recorded: .made(36), outcome: .made(36), isThrottle: true) { "\($0)" }
        #expect(words.sentence == "no refresh would be saved; they would only come a frame apart")
    }

    @Test func `a handler that receives failures besides is called as often`() {
        let words = WhatIfWords(recorded: .made(36), outcome: .made(36), handlesFailures: true) { "\($0)" }
        #expect(
            words.sentence
                == "with subscribeEvents, refreshes, handler time and evaluations stay as they are, except for what handles the failure"
        )
        var remedy = Remedy(.handleFailure, nodes: [], site: nil)
        #expect(!remedy.isComputable && remedy.unpredictable != nil)
        remedy.isOfHandlers = true
        #expect(remedy.isComputable && remedy.unpredictable == nil)
    }

    @Test func `what supposes that a change works wherever it could says so`() {
        let words = WhatIfWords(recorded: .made(36), outcome: .made(36, evaluations: 20), isAtBest: true) { "\($0)" }
        #expect(words.sentence == "20 of 25 evaluations would remain at best; refreshes stay as they are")
    }

    @Test(arguments: [
        (WhatIf.Reason.tooLong, "too long, or nested too deep, to be played again"),
        (.incomplete, "events of it are lost, or it began before the recording"),
        (
            .notReproduced,
            "a replay without any change differs from the recording: something that the trace does not hold decides what happens"
        ),
        (
            .unknownEquality,
            "whether two values are equal is not known: they are private, were not recorded, or only described"
        ),
        (.unseenInputs, "a node would compute from values that never met in the recording"),
        (
            .signalInput,
            "an input of the combineLatest is neither an observable nor a combiner; replace that input first"
        ),
        (.unseenValue, "a handler or operator would be given a value that it was not given in that turn"),
        (
            .varyingHandler,
            "a handler or operator did different things for one value, and would get that more or less often"
        ),
        (.structure, "subscriptions or nodes begin or end in what would fall away or move"),
        (.operatorState, "an operator that remembers what it was given would be given something else"),
        (.unknownCause, "work was scheduled by an event of which not every delivery would remain"),
        (
            .noStimulus,
            "the writes are in several turns outside of any named stimulus; put Trace.stimulus around what makes them"
        ),
        (.sharedRun, "the shared run of a source would go on beyond what was recorded of it"),
        (
            .missedValue,
            "a later subscriber would miss a value that it now gets; whether it needs that value, no trace shows"
        ),
        (.delayedHandler, "a handler that carries values on would do so later"),
        (.unknownMaking, "when the combineLatest was made is not recorded; a combiner would compute from then on"),
        (.unknownOrder, "combiners of equal height affect each other, and the remedy may change their order"),
    ])
    func `each reason for not computing a turn is a phrase`(_ reason: WhatIf.Reason, _ phrase: String) {
        #expect(reason.phrase == phrase)
        #expect(
            WhatIfWords.uncomputed(.made(reason, 1), node: nil)
                == "1 turn could not be computed, and counts as recorded: \(phrase) (first: 1:33)")
        #expect(
            WhatIfWords.uncomputed(.made(reason, 1200), node: "Cart.total")
                == "1,200 turns could not be computed, and count as recorded: \(phrase) (first: 1:33, at Cart.total)")
    }

    @Test func `no pause imitates what helps a body`() {
        var remedy = Remedy(.throttle, nodes: [], site: nil)
        #expect(remedy.isComputable && remedy.unpredictable == nil)
        remedy.isOfBody = true
        #expect(!remedy.isComputable)
        #expect(remedy.unpredictable?.hasPrefix("a trace cannot predict which writes belong together") == true)
    }

    @Test(arguments: Remedy.Kind.allCases)
    func `a remedy that a trace cannot predict says what to do instead`(_ kind: Remedy.Kind) {
        #expect((kind.unpredictable == nil) == Remedy(kind, nodes: [], site: nil).isComputable)
        // Only the handlers of a delivery are known.
        let isOfHandler = kind == .batchHandler
        #expect(
            Remedy(kind, nodes: [], subscriptions: [1], site: nil).isComputable
                == (kind.unpredictable == nil || isOfHandler))
        if let reason = kind.unpredictable {
            #expect(reason.hasPrefix("a trace cannot predict ") && reason.hasSuffix(", record again and compare"))
        }
    }

    @Test func `all remedies together are reported by their number`() {
        #expect(WhatIfWords.together(4, computable: 4) == "All 4 remedies together: ")
        #expect(WhatIfWords.together(2, computable: 2) == "Both remedies together: ")
        #expect(
            WhatIfWords.sure(4, complete: 2)
                == "The 2 of 4 remedies that can be computed for every turn, together: ")
        #expect(
            WhatIfWords.sure(4, complete: 1)
                == "The only one of 4 remedies that can be computed for every turn: ")
        #expect(
            WhatIfWords.together(1200, computable: 3)
                == "The 3 of 1,200 remedies that can be computed, together: ")
        #expect(WhatIfWords.together(4, computable: 1) == "The only one of 4 remedies that can be computed: ")
        #expect(WhatIfWords.together(4, computable: 0) == nil)
        #expect(WhatIfWords.none(4) == "None of the 4 remedies can be computed.")
        #expect(
            WhatIfWords.more([WhatIf.Uncomputed.made(.tooLong, 2), .made(.structure, 3)])
                == "and 5 turns more, for 2 other reasons")
    }
}
