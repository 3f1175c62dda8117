import Testing
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

struct FindingWordsTests {
    @Test(arguments: [
        (
            FindingWords(rule: .repeatedValue, node: "Cart.total", count: 12, refreshes: 12, wasted: "1.2 ms"),
            "Cart.total refreshed a handler 12 times with an unchanged value; 1.2 ms wasted"
        ),
        (
            FindingWords(rule: .repeatedValue, node: "Cart.total", target: "View.label", count: 2, refreshes: 1),
            "Cart.total refreshed View.label 2 times with an unchanged value; 1 refresh wasted"
        ),
        (
            FindingWords(rule: .glitch, node: "Cart.total", count: 12, refreshes: 24, wasted: "1.2 ms"),
            "Cart.total emitted 12 values that the same turn replaced; 24 refreshes, 1.2 ms wasted"
        ),
        (
            FindingWords(rule: .glitch, node: "Cart.total", count: 1),
            "Cart.total emitted 1 value that the same turn replaced"
        ),
        (
            FindingWords(rule: .burst, node: "Cart.total", count: 3, refreshes: 3),
            "Cart.total refreshed a handler 3 times, and again in the same frame"
        ),
        (
            FindingWords(rule: .unobserved, node: "Cart.total", count: 1),
            "Cart.total was evaluated once while no handler observed it"
        ),
        (
            FindingWords(rule: .noopEvaluation, node: "Cart.total", count: 1200),
            "Cart.total produced an unchanged value in 1,200 evaluations"
        ),
        (
            FindingWords(rule: .resubscribedSource, node: "source Server.swift:12", count: 1),
            "source Server.swift:12 was run once for another subscriber while it was already running"
        ),
        (
            FindingWords(rule: .feedback, node: "Cart.total", count: 6),
            "Cart.total triggered itself again 6 times"
        ),
        (
            FindingWords(rule: .feedback, node: "Cart.total", count: 6, unsettled: 1),
            "Cart.total triggered itself again 6 times; 1 turn was left unsettled"
        ),
        (
            FindingWords(
                rule: .zombieRefresh, node: "Cart.total", count: 2, refreshes: 2, wasted: "1 ms", owner: "View"),
            "Cart.total refreshed a handler 2 times after View had been released; 1 ms wasted"
        ),
        (
            FindingWords(
                rule: .crossThread, node: "Cart.total", count: 5,
                threads: ["thread 1", "the main queue", "the actor Store"]),
            "Cart.total emitted 5 times on a thread other than its first (thread 1, then the main queue, the actor Store), without a hop"
        ),
        (
            FindingWords(rule: .slowRefresh, node: "Cart.total", count: 2, wasted: "40 ms", frame: "16.7 ms"),
            "Cart.total refreshed a handler 2 times for longer than 16.7 ms; 40 ms beyond that"
        ),
        (
            FindingWords(rule: .repeatedSubscription, node: "Cart.total", count: 2, refreshes: 2, wasted: "40 ms"),
            "Cart.total refreshed a handler 2 times through another subscription of a line that already had one; 40 ms wasted"
        ),
        (
            FindingWords(rule: .cancelledRequest, node: "Cart.prices", count: 2, all: 3),
            "Cart.prices cancelled 2 of 3 requests before an answer came, because the next value arrived"
        ),
        (
            FindingWords(rule: .staleResponse, node: "Cart.prices", count: 1),
            "Cart.prices refreshed a handler once with the answer to an earlier request, after that to a later one"
        ),
        (
            FindingWords(rule: .repeatedSource, node: "Cart.price", count: 2),
            "Cart.price gave the same first value as another source of its line that ran at the same time, 2 times"
        ),
        (
            FindingWords(rule: .repeatedRequest, node: "Cart.prices", count: 2),
            "Cart.prices started a request again 2 times for an unchanged value"
        ),
    ])
    func `each rule's finding is a sentence`(_ words: FindingWords, _ sentence: String) {
        #expect(words.headline == sentence)
    }

    @Test(arguments: [
        (RedundancyRule.repeatedValue, ", after an equal one at 1:7"), (.glitch, ", replaced by 1:7 in the same turn"),
        (.burst, ", and again by 1:7 in the same frame"), (.unobserved, ", which reaches no handler"),
        (.noopEvaluation, ", equal to that of 1:7"), (.resubscribedSource, ", while that of 1:7 lived"),
        (.feedback, ", within its own 1:7"), (.zombieRefresh, ", after the release at 1:7"),
        (.crossThread, ", on thread 2"),
        (.slowRefresh, ""), (.unhandledFailure, ""), (.repeatedRequest, ""),
        (.cancelledRequest, ""), (.staleResponse, ", after the later answer at 1:7"),
        (.repeatedSource, ", equal to that of 1:7"),
        (.repeatedSubscription, ", while the subscription begun at 1:7 lived"),
    ])
    func `an example says what made it redundant`(_ rule: RedundancyRule, _ reason: String) {
        #expect(
            FindingWords(rule: rule, node: "x", count: 1, threads: ["thread 1", "thread 2"], counterpart: "1:7").reason
                == reason)
        #expect(!FindingWords(rule: rule, node: "x", count: 1).reason.contains("1:7"))
    }

    @Test(arguments: [
        (
            RemedyWords(kind: .removeDuplicates, node: "x", site: "A.swift:1"),
            ".removeDuplicates() before the subscription at A.swift:1"
        ),
        (
            RemedyWords(kind: .settled, node: "x", nodeKind: .combiner, site: "A.swift:1"),
            "combine(…, strategy: .settled) at A.swift:1"
        ),
        (
            RemedyWords(kind: .settled, node: "x", nodeKind: .combineLatest, site: "A.swift:1"),
            "combine(…, strategy: .settled) in place of combineLatest at A.swift:1"
        ),
        (
            RemedyWords(
                kind: .settled, node: "x", nodeKind: .combineLatest, site: "A.swift:1", beginsWithCurrent: true),
            "combine(…, strategy: .settled).current in place of combineLatest at A.swift:1"
        ),
        (
            RemedyWords(kind: .throttle, node: "x", site: "A.swift:1", cannotBatch: true, isBinding: true),
            "begin with .current, and add .throttle(.milliseconds(17), …) before the subscription at A.swift:1"
        ),
        (
            RemedyWords(kind: .subscribeOnce, node: "x", site: "A.swift:1", isBinding: true),
            "bind once at A.swift:1, when the view is made, or dispose of the former binding first"
        ),
        (
            RemedyWords(kind: .deliver, node: "x", nodeKind: .observable, site: "A.swift:1"),
            "write x on one thread, such as in await MainActor.run { … }, or .deliver(on:) before a binding to it (made at A.swift:1)"
        ),
        (
            RemedyWords(kind: .computeOnce, node: "x", nodeKind: .observable, site: "A.swift:1"),
            "compute x at A.swift:1 with combine(…, strategy: .settled) instead of writing it in handlers"
        ),
        (
            RemedyWords(kind: .batch, node: "x", site: "A.swift:1", stimulus: "“tap”"),
            "batch { … } around the writes of “tap” that refresh the subscription at A.swift:1"
        ),
        (
            RemedyWords(kind: .throttle, node: "x", site: "A.swift:1", isOfSeveralStimuli: true),
            ".throttle(.milliseconds(17), …) before the subscription at A.swift:1 (the values come from different stimuli)"
        ),
        (
            RemedyWords(
                kind: .throttle, node: "x", site: "A.swift:1", stimulus: "“load”", isOfLaterWork: true,
                isOfOneStimulus: true),
            "batch { … } around the writes of “load”, if there is no await between them; else, if not each value must be seen, "
                + ".throttle(.milliseconds(17), …) before the subscription at A.swift:1"
        ),
        (RemedyWords(kind: .share, node: "x", site: "A.swift:1"), ".share() after the source at A.swift:1"),
        (RemedyWords(kind: .share, node: "x", nodeKind: .flatMap), ".share() after the flatMap"),
        (
            RemedyWords(kind: .share, node: "x", site: "A.swift:1", missesEarlierValues: true),
            ".share() after the source at A.swift:1, or .replay(1) if a later subscriber needs the latest value"
        ),
        (
            RemedyWords(kind: .replay, node: "x", site: "A.swift:1"),
            ".replay(1) after the source at A.swift:1: with .share(), a later subscriber would miss the value that it now gets at once"
        ),
        (
            RemedyWords(kind: .makeOnce, node: "x", site: "A.swift:1"),
            "if the sources (made at A.swift:1) do the same work: make one, with .share(), and give it to all its users"
        ),
        (
            RemedyWords(kind: .makeOnce, node: "x", site: "A.swift:1", missesEarlierValues: true),
            "if the sources (made at A.swift:1) do the same work: make one, with .share(), or .replay(1) if a later user needs the latest value, and give it to all its users"
        ),
        (
            RemedyWords(kind: .makeOnce, node: "x", site: "A.swift:1", needsReplay: true),
            "if the sources (made at A.swift:1) do the same work: make one, with .replay(1), and give it to all its users; with .share(), a later one would miss the value that it now gets at once"
        ),
        (
            RemedyWords(kind: .removeDuplicates, node: "x", carriesOn: true),
            ".removeDuplicates() before the subscription; but its handler also writes: see whether it must hear each value"
        ),
        (
            RemedyWords(kind: .removeDuplicates, node: "x", site: "A.swift:1", areAnswers: true),
            "if an equal value means nothing new, .removeDuplicates() before the subscription at A.swift:1"
        ),
        (
            RemedyWords(kind: .throttle, node: "x", site: "A.swift:1"),
            "batch { … } around the writes, if they belong together; else .throttle(.milliseconds(17), …) before the subscription at A.swift:1"
        ),
        (
            RemedyWords(kind: .narrowInput, node: "x", nodeKind: .combiner, site: "A.swift:1", input: "items"),
            "replace its input items with combine(items) { … } that returns only the part it uses at A.swift:1; "
                + "add strategy: .settled if a batch writes several of its inputs"
        ),
        (
            RemedyWords(kind: .dispose, node: "x", site: "A.swift:1"),
            "dispose of the subscription at A.swift:1 with its owner, such as by a DisposeBag that it holds"
        ),
        (
            RemedyWords(kind: .cutLoop, node: "x", site: "A.swift:1"),
            "cut one edge of the loop at A.swift:1: let one side not depend on the other"
        ),
        (
            RemedyWords(kind: .makeLater, node: "x", site: "A.swift:1"),
            "make x at A.swift:1 when it is shown, and release it when it is hidden"
        ),
        (
            RemedyWords(kind: .narrowInput, node: "x", site: "A.swift:1", input: "items"),
            ".map { … }.removeDuplicates(), with only the part it uses, on its input items at A.swift:1"
        ),
        (
            RemedyWords(kind: .deliver, node: "x", site: "A.swift:1"),
            ".deliver(on:) before x is written, so that one thread does (made at A.swift:1)"
        ),
        (
            RemedyWords(
                kind: .removeDuplicates, node: "x", nodeKind: .map, site: "A.swift:1", carriesOn: true,
                carriers: ["A.swift:2", "A.swift:3"], isOfAll: true),
            ".removeDuplicates() directly after x (made at A.swift:1), before all that observes it"
                + "; but the handlers at A.swift:2 and A.swift:3 also write: see whether they must hear each value"
        ),
        (
            RemedyWords(
                kind: .throttle, node: "x", nodeKind: .current, site: "A.swift:1", cannotBatch: true, isBinding: true),
            ".throttle(.milliseconds(17), …) before the subscription at A.swift:1"
        ),
        (
            RemedyWords(kind: .throttle, node: "x", site: "A.swift:1", cannotBatch: true, isBinding: true),
            "begin with .current, and add .throttle(.milliseconds(17), …) before the subscription at A.swift:1"
        ),
        (
            RemedyWords(kind: .handleFailure, node: "x", site: "A.swift:1"),
            "subscribeEvents, which receives the failure, in place of the subscription at A.swift:1, or .catch { … } before it"
        ),
        (
            RemedyWords(kind: .lightenHandler, node: "x", site: "A.swift:1"),
            "move work out of the handler at A.swift:1: off this thread, or to when it is needed"
        ),
    ])
    func `each remedy is a sentence`(_ words: RemedyWords, _ sentence: String) {
        #expect(words.sentence == sentence)
    }

    @Test(arguments: [
        (
            RemedyWords(kind: .removeDuplicates, node: "x", technique: .render, site: "A.swift:1"),
            "let the body at A.swift:1 read less: a stored property that is written only when what is shown changes; or split the view"
        ),
        (
            RemedyWords(
                kind: .narrowInput, node: "x", nodeKind: .combiner, technique: .render, site: "A.swift:1",
                input: "password"),
            "let the body at A.swift:1 read, in place of password, a stored property that is written only when what is shown changes"
        ),
        (
            RemedyWords(kind: .cutLoop, node: "Form.name", technique: .observation, site: "A.swift:1"),
            "do not write Form.name in what its own change causes, such as its didSet, or only when it is different (made at A.swift:1)"
        ),
        (
            RemedyWords(kind: .removeDuplicates, node: "x", technique: .combine, site: "A.swift:1", carriesOn: true),
            ".removeDuplicates() before .traced(…) at A.swift:1; but its handler also writes: see whether it must hear each value"
        ),
        (
            RemedyWords(
                kind: .throttle, node: "x", technique: .combine, stimulus: "“a”", laterStimulus: "“b”",
                isOfSeveralStimuli: true),
            ".debounce(for:scheduler:) or .throttle(for:scheduler:latest:) before .traced(…) (the values come from “a” and “b”)"
        ),
        (
            RemedyWords(kind: .removeDuplicates, node: "Form.name", technique: .published, site: "A.swift:1"),
            "write Form.name only when it is different: if new != old"
        ),
        (
            RemedyWords(kind: .removeDuplicates, node: "ticks", technique: .asyncSequence, site: "A.swift:1"),
            "compare with the last element, before it is yielded or in the loop over ticks (made at A.swift:1)"
        ),
        (
            RemedyWords(kind: .throttle, node: "ticks", technique: .asyncSequence, site: "A.swift:1"),
            "yield to ticks once, if these elements belong together; else, if not each must be seen, loop over "
                + "Signal(sequence).throttle(.milliseconds(17), …).values, with the sequence that is not traced "
                + "(made at A.swift:1)"
        ),
        (
            RemedyWords(
                kind: .throttle, node: "x", technique: .callback, site: "A.swift:1", stimulus: "“a”",
                laterStimulus: "“a”", isOfSeveralStimuli: true),
            "make the call at A.swift:1 only when no further change follows (the values come from “a”, twice)"
        ),
        (
            RemedyWords(kind: .removeDuplicates, node: "Form.name", technique: .traced, site: "A.swift:1"),
            "write Form.name only when it is different, or .removeDuplicates() before the subscription at A.swift:1"
        ),
        (
            RemedyWords(kind: .dispose, node: "x", technique: .foreign, site: "A.swift:1"),
            "dispose of the subscription at A.swift:1 with its owner"
        ),
        (
            RemedyWords(kind: .removeDuplicates, node: "x", technique: .weir),
            ".removeDuplicates() before the subscription"
        ),
    ])
    func `a remedy is said in the words of what the program is written with`(_ words: RemedyWords, _ sentence: String) {
        #expect(words.sentence == sentence)
    }

    /// Remedies that only a user of Weir's own observables can write.
    @Test(arguments: NodeTechnique.allCases.filter { $0 != .weir && $0 != .traced })
    func `what is not written with Weir gets no remedy with its operators`(technique: NodeTechnique) {
        let isComputed = technique == .render || technique == .observation
        // Impossible for such nodes: only computed nodes are evaluated, only cold sources run twice, and flatMap is Weir's own.
        let kinds = Remedy.Kind.allCases.filter {
            ![.removeDuplicateRequests, .latestRequest, .batchHandler].contains($0)
                && (isComputed ? $0 != .share : ![.share, .narrowInput, .makeLater].contains($0))
        }
        for kind in kinds {
            for isOfSeveral in [false, true] {
                let words = RemedyWords(
                    kind: kind, node: "x", nodeKind: isComputed ? .combiner : .foreign, technique: technique,
                    site: "A.swift:1", stimulus: "“tap”", isOfSeveralStimuli: isOfSeveral)
                // Combine has an operator with the same name.
                let ours = technique == .combine ? [] : [".removeDuplicates()"]
                // A signal of the sequence has them.
                let sentence = words.sentence.replacing("Signal(sequence).throttle", with: "Signal(sequence)")
                for word in ours + [
                    "batch {", "strategy:", ".flatMap(", ".throttle(.milliseconds", "DisposeBag", ".deliver(on:)",
                    "combine(",
                ] {
                    #expect(!sentence.contains(word), "\(kind): \(words.sentence)")
                }
            }
        }
    }

    @Test func `the summary can be quoted`() {
        func sentence(_ redundant: UInt64, _ all: UInt64, _ rules: Set<RedundancyRule> = Set(RedundancyRule.allCases))
            -> String
        {
            RedundancySentences.refreshes(redundant, of: all, wasted: "38 ms", handlers: "55 ms", rules: rules)
        }
        #expect(sentence(61, 96) == "61 of 96 refreshes were redundant (64 %), 38 ms of 55 ms handler time.")
        #expect(sentence(1, 1) == "1 of 1 refresh was redundant (100 %), 38 ms of 55 ms handler time.")
        #expect(sentence(0, 1).hasPrefix("0 of 1 refresh was redundant (0 %)"))
        #expect(sentence(1, 1000).contains("1 of 1,000 refreshes was redundant (under 1 %)"))
        #expect(
            sentence(999, 1000).contains("(over 99 %)")
                && sentence(0, 9).contains("0 of 9 refreshes were redundant (0 %)"))
        #expect(sentence(2, 9, [.glitch]).hasSuffix("handler time, judged by glitch only."))
        #expect(sentence(2, 9, [.glitch, .burst]).hasSuffix(", judged by glitch and burst only."))
        #expect(sentence(0, 0) == "There were no refreshes: no handler, such as a view's, was given a value.")
        #expect(RedundancySentences.evaluations(12, of: 25) == "12 of 25 evaluations gave an equal value.")
        #expect(RedundancySentences.evaluations(0, of: 0) == nil)
    }

    @Test func `that nothing was found is one sentence`() {
        let all = Set(RedundancyRule.allCases)
        #expect(
            RedundancySentences.nothing(rules: all, ofSomeNodes: false, hasIntended: false)
                == "Nothing was found by any rule.")
        #expect(
            RedundancySentences.nothing(rules: [.burst], ofSomeNodes: true, hasIntended: true)
                == "Nothing was found at the nodes asked for by burst, beyond what is meant so.")
        #expect(
            RedundancySentences.nothing(rules: all, ofSomeNodes: false, hasIntended: false, scope: " in a part")
                == "Nothing was found by any rule in a part.")
        #expect(RedundancySentences.more(16, errors: 0, of: 26) == "and 16 more (--top 26 shows all)")
        #expect(
            RedundancySentences.more(16, errors: 1, of: 26) == "and 16 more, 1 error among them (--top 26 shows all)")
        #expect(RedundancySentences.more(2, errors: 2, of: 12) == "and 2 more, all errors (--top 12 shows all)")
        #expect(RedundancySentences.heading(1, ofSomeNodes: false) == "1 finding:")
        #expect(RedundancySentences.heading(3, ofSomeNodes: true) == "3 findings at the nodes asked for, worst first:")
    }

    @Test func `each reason for not judging comes with what would help`() {
        for reason in UnjudgedTally.Reason.allCases { #expect(!reason.phrase.isEmpty && !reason.help.isEmpty) }
        #expect(Set(UnjudgedTally.Reason.allCases.map(\.help)).count == UnjudgedTally.Reason.allCases.count)
        #expect(RedundancyRule.repeatedValue.counted.count(1) == "1 refresh")
        #expect(RedundancyRule.noopEvaluation.counted.count(1200) == "1,200 evaluations")
    }
}
