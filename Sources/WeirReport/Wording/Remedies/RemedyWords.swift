import WeirAnalysis
import WeirTrace

/// The sentence that states the remedy of a finding; names and sites are already escaped and coloured.
///
/// Each technique has its own table, in terms that its users can write. Entries that a table omits use Weir's own terms.
struct RemedyWords {
    /// The change.
    let kind: Remedy.Kind
    /// The node to change.
    let node: String
    /// The kind of the node.
    var nodeKind: NodeKind?
    /// The technique with which the program made the node.
    var technique = NodeTechnique.weir
    /// The line to change; nil: unknown.
    var site: String?
    /// For `cutLaterLoop`, and a `cutLoop` with one handler, the node that the handler writes.
    var written: String?
    /// For `settled`, the other nodes that must wait, too, with their lines; for `batch`, those that must wait.
    var joins: [String] = []
    /// For a batch, the combineLatest that settled combiners must replace, with their lines.
    var replaced: [String] = []
    /// For `settled`, whether the node is an operator whose sources begin with their current values.
    var beginsWithCurrent = false
    /// For `batch`, the parts of the program that make the writes: "of “tap”", "in the handler at Cart/CartView.swift:30".
    var scenes: [String] = []
    /// The stimulus that caused the writes.
    var stimulus: String?
    /// Another stimulus, which caused the later writes.
    var laterStimulus: String?
    /// The input that changed without effect, or for `cutLoop` the one that a computation writes itself.
    var input: String?
    /// Whether the turns are known to belong to different stimuli.
    var isOfSeveralStimuli = false
    /// Whether no batch joins the values.
    var cannotBatch = false
    /// Whether the owner of a subscription is still alive, although it should be gone.
    var isOverdue = false
    /// The interval of a throttle, in milliseconds.
    var interval: UInt64 = 17
    /// Whether the handler also emits, so that it is more than a view.
    var carriesOn = false
    /// The lines of such handlers, if the change concerns several handlers.
    var carriers: [String] = []
    /// Whether each later write comes from other work, such as a load.
    var isOfLaterWork = false
    /// For `computeOnce`, whether the writes are made one after the other, so that they need a batch besides.
    var isOfBurst = false
    /// Whether all the writes are of one stimulus.
    var isOfOneStimulus = false
    /// Whether all observers of the node are concerned.
    var isOfAll = false
    /// Whether repeated subscriptions serve one view.
    var isOfOneView = false
    /// Whether all counted values are computed from events or answers.
    var areAnswers = false
    /// Whether sharing takes earlier values away from some subscribers.
    var missesEarlierValues = false
    /// Whether the remedy stands before an `onEvent` rather than before the flatMap.
    var isBeforeEffects = false
    /// Whether the subscription is that of a binding, whose target is the view.
    var isBinding = false
    /// For `cutLoop`, whether the loop is that of one node and its own handler.
    var isOfOneNode = false
    /// For `cutLoop`, the observables that are written in the loop.
    var loopStates: [String] = []
    /// Whether the subscription is a binding to an observable or its like.
    var isOfState = false
    /// Whether a later subscriber now gets a value at once that sharing alone would take away.
    var needsReplay = false
    /// The lines of further subscriptions that the remedy changes, too.
    var otherSites: [String] = []

    /// ".removeDuplicates() before the subscription at Cart/CartView.swift:30".
    var sentence: String {
        // The handler may be of any technique.
        let own: String? =
            switch kind == .cutLaterLoop ? .weir : technique {
            case .weir: nil
            case .traced: ofTracedProperty
            case .observation: ofObservableProperty
            case .render: ofRender
            case .combine: ofPublisher
            case .published: ofPublishedProperty
            case .asyncSequence: ofAsyncSequence
            case .callback: ofCallback
            case .foreign: ofAnotherLibrary
            }
        let condition = kind == .removeDuplicates && areAnswers ? "if an equal value means nothing new, " : ""
        return condition + (own ?? ofWeir)
    }

    private var ofWeir: String {
        switch kind {
        case .removeDuplicates where isOfAll && !isWritten:
            return ".removeDuplicates() directly after \(node)\(made), before all that observes it" + caution
        case .removeDuplicates where isOfAll:
            return
                "write \(node)\(made) only when it differs, or .removeDuplicates() between it and all that observes it"
                + caution
        case .removeDuplicates: return ".removeDuplicates() before the subscription\(at)" + caution
        case .settled:
            guard let nodeKind, nodeKind != .combiner else {
                return "combine(…, strategy: .settled)\(at)" + alsoSettled
            }
            let current = beginsWithCurrent ? ".current" : ""
            return "combine(…, strategy: .settled)\(current) in place of \(nodeKind.name)\(at)" + alsoSettled
        case .computeOnce:
            let batch = isOfBurst ? ", and batch { … } around the writes\(ofScenes)" : ""
            return "compute \(node)\(at) with combine(…, strategy: .settled) instead of writing it in handlers" + batch
        case .batchHandler:
            return "batch { … } around the writes\(ofScenes) so that \(node)\(made) emits once"
        case .batch:
            let settled = joins.isEmpty ? "" : ", and strategy: .settled for \(joins.joined(separator: " and "))"
            let combiners =
                replaced.isEmpty
                ? ""
                : ", and combine(…, strategy: .settled)\(beginsWithCurrent ? ".current" : "") in place of "
                    + replaced.joined(separator: " and ")
            return "batch { … } around the writes\(ofScenes) that refresh the subscription\(at)" + settled + combiners
        case .throttle where isOfLaterWork && isOfOneStimulus && !cannotBatch:
            return
                "batch { … } around the writes\(ofStimulus), if there is no await between them; else, if not each value must be seen, \(throttle) before \(subscriptions)"
                + caution
        case .throttle where isOfLaterWork:
            return
                "if not each value must be seen, \(throttle) before \(subscriptions): the later writes come from other work, such as a load"
                + caution
        case .throttle where isOfSeveralStimuli:
            return "\(throttle) before \(subscriptions)\(differentStimuli)" + caution
        case .throttle where cannotBatch: return "\(throttle) before \(subscriptions)" + caution
        case .throttle:
            return
                "batch { … } around the writes\(ofStimulus), if they belong together; else \(throttle) before \(subscriptions)"
                + caution
        case .share where missesEarlierValues:
            return ".share() after \(source)\(at), or .replay(1) if a later subscriber needs the latest value"
        case .share: return ".share() after \(source)\(at)"
        case .replay:
            return
                ".replay(1) after \(source)\(at): with .share(), a later subscriber would miss the value that it now gets at once"
        case .dispose where isOverdue:
            return
                "release the owner of the subscription\(at), and dispose of the subscription with it; weir leaks shows what holds the owner"
        case .dispose: return "dispose of the subscription\(at) with its owner, such as by a DisposeBag that it holds"
        case .cutLoop where isOfOneNode:
            let handlers =
                otherSites.isEmpty ? "the handler\(at) that observes it" : "the handlers\(sites) that observe it"
            return
                "do not write \(node) in \(handlers): change the value before it is written, or write another node"
        case .cutLoop where written != nil:
            return
                "do not write \(written ?? node) in the handler\(at), which observes what depends on it: change the value before it is written, or write another node"
        case .cutLoop where loopStates.count == 2 && loopStates[0] != loopStates[1]:
            return
                "keep one of \(loopStates[0]) and \(loopStates[1]) as state, and compute the other from it in place of the write\(at); to change the other, convert its value and write the state"
        case .cutLoop: return "cut one edge of the loop\(at): let one side not depend on the other"
        case .cutLaterLoop:
            return
                "the handler\(at) writes \(written ?? "what feeds it"), which calls it again later: change the value before it is written, or write another node"
        case .makeLater: return "make \(node)\(at) when it is shown, and release it when it is hidden"
        case .narrowInput:
            guard nodeKind == .combiner, let input else {
                let narrowed = input.map { "input \($0)" } ?? "inputs"
                return ".map { … }.removeDuplicates(), with only the part it uses, on its \(narrowed)\(at)"
            }
            return
                "replace its input \(input) with combine(\(input)) { … } that returns only the part it uses\(at); add strategy: .settled if a batch writes several of its inputs"
        case .deliver where nodeKind == .combiner:
            return ".deliver(on:) before the inputs of \(node) are written, so that one thread does\(made)"
        case .deliver where isAssigned:
            return
                "write \(node) on one thread, such as in await MainActor.run { … }, or .deliver(on:) before a binding to it\(made)"
        case .deliver: return ".deliver(on:) before \(node) is written, so that one thread does\(made)"
        case .lightenHandler: return "move work out of the handler\(at): off this thread, or to when it is needed"
        case .handleFailure where nodeKind == .execution:
            return
                "subscribe to errors of the command\(at), or receive the failure of what execute returns: subscribeEvents, or .catch { … }"
        case .handleFailure:
            return
                "subscribeEvents, which receives the failure, in place of the subscription\(at), or .catch { … } before it"
        case .catchInRequest:
            return
                "catch the failure inside the closure of the flatMap\(at): .catch { … } on the signal that it returns, so that later values still start requests"
        case .subscribeOnce where isOfState:
            return "bind once\(at), such as in an initializer, or dispose of the former binding first"
        case .subscribeOnce where isBinding:
            return "bind once\(at), when the view is made, or dispose of the former binding first"
        case .subscribeOnce where isOfOneView:
            return "subscribe once\(at), when the view is made, or dispose of the former subscription first"
        case .subscribeOnce:
            return
                "if the handlers\(at) belong to one view, subscribe once or dispose of the former subscription first; else name each view: .subscribe(owner:)"
        case .dropStale:
            return
                "if only the newest request counts: cancel the former task before the next request, or drop its answer"
        case .latestRequest:
            return "if only the newest request counts: .flatMap(.latest)\(at), which cancels the former one"
        case .makeOnce where needsReplay:
            return
                "if the sources\(made) do the same work: make one, with .replay(1), and give it to all its users; with .share(), a later one would miss the value that it now gets at once"
        case .makeOnce:
            let latest = missesEarlierValues ? ", or .replay(1) if a later user needs the latest value" : ""
            return
                "if the sources\(made) do the same work: make one, with .share()\(latest), and give it to all its users"
        case .removeDuplicateRequests where isBeforeEffects:
            return ".removeDuplicates() before the onEvent\(at), so that it does nothing for an equal value either"
        case .removeDuplicateRequests: return ".removeDuplicates() before the flatMap\(at)"
        }
    }

    /// Whether the program writes the node, rather than computing it.
    private var isWritten: Bool {
        switch nodeKind {
        case nil, .observable, .emitter, .observer, .command, .channel, .array, .binding, .foreign: true
        default: false
        }
    }

    /// Whether the program may set the node's value by an assignment.
    private var isAssigned: Bool {
        switch nodeKind {
        case .observable, .observer, .channel, .array: true
        default: false
        }
    }

    /// "; also for Model.label at Cart.swift:14, which joins it with one of its sources".
    private var alsoSettled: String {
        guard let last = joins.last else { return "" }
        if joins.count == 1 { return "; also for \(last), which joins it with one of its sources" }
        return
            "; also for \(joins.dropLast().joined(separator: ", ")) and \(last), which join it with one of its sources"
    }

    private var source: String { nodeKind == .flatMap ? "the flatMap" : "the source" }
    /// A throttle takes the current value away with which a binding begins, unless `.current` gives it.
    var throttle: String {
        (isBinding && nodeKind != .current ? "begin with .current, and add " : "")
            + ".throttle(.milliseconds(\(interval)), …)"
    }
    /// A note for handlers that do more than show a value: they may need every value.
    var caution: String {
        guard let last = carriers.last else {
            return carriesOn ? "; but its handler also writes: see whether it must hear each value" : ""
        }
        if carriers.count == 1 {
            return "; but the handler at \(last) also writes: see whether it must hear each value"
        }
        return
            "; but the handlers at \(carriers.dropLast().joined(separator: ", ")) and \(last) also write: see whether they must hear each value"
    }
    /// "each of the subscriptions at Cart/CartView.swift:30 and Cart/CartView.swift:31".
    private var subscriptions: String {
        otherSites.isEmpty ? "the subscription\(at)" : "each of the subscriptions\(sites)"
    }

    /// " at Cart/CartView.swift:30 and Cart/CartView.swift:31".
    private var sites: String {
        at + otherSites.dropLast().map { ", \($0)" }.joined() + (otherSites.last.map { " and \($0)" } ?? "")
    }

    var at: String { site.map { " at \($0)" } ?? "" }
    var made: String { site.map { " (made at \($0))" } ?? "" }
    /// " of “tap”, and around those in the handler at Cart/CartView.swift:30,".
    private var ofScenes: String {
        guard let first = scenes.first else { return ofStimulus }
        return " \(first)" + scenes.dropFirst().map { ", and around those \($0)" }.joined()
            + (scenes.count > 1 ? "," : "")
    }
    /// " of “tap”".
    var ofStimulus: String { stimulus.map { " of \($0)" } ?? "" }
    /// " in “tap”".
    var inStimulus: String { stimulus.map { " in \($0)" } ?? "" }
    /// " (the values come from “type name” and “type password”)".
    var differentStimuli: String {
        guard let stimulus, let laterStimulus else { return " (the values come from different stimuli)" }
        let names = stimulus == laterStimulus ? "\(stimulus), twice" : "\(stimulus) and \(laterStimulus)"
        return " (the values come from \(names))"
    }
}

extension RemedyWords {
    /// Remedies for properties marked `@Traced`: the writer can compare values, and `$name` has Weir's operators.
    var ofTracedProperty: String? {
        switch kind {
        case .removeDuplicates:
            "write \(node) only when it is different, or .removeDuplicates() before the subscription\(at)\(caution)"
        case .settled, .computeOnce:
            "write \(node)\(made) in one place instead of several handlers of one turn, or compute it with combine(…, strategy: .settled)"
        case .deliver: "write \(node) on one actor, such as the main actor\(made)"
        default: nil
        }
    }
}

extension RemedyWords {
    /// Remedies for properties marked `@Published`: each write refreshes the views of its object.
    var ofPublishedProperty: String? {
        switch kind {
        case .removeDuplicates: "write \(node) only when it is different: if new != old\(caution)"
        case .settled, .computeOnce, .batch: "write \(node) once\(inStimulus), when all is known"
        case .throttle where isOfSeveralStimuli:
            "write \(node) when the changes are over\(differentStimuli)\(caution)"
        case .throttle:
            "write \(node) once\(inStimulus), if the changes belong together; else when they are over\(caution)"
        case .dispose: "cancel what Trace.observePublished(of:)\(at) gave with its owner"
        case .cutLoop: "do not write \(node) in what its own change causes, or only when it is different"
        case .deliver: "write \(node) on one actor, such as the main actor"
        default: nil
        }
    }
}

extension RemedyWords {
    /// Remedies for callbacks: the caller can compare values, or call only once.
    var ofCallback: String? {
        switch kind {
        case .removeDuplicates:
            "compare before the call\(at), and leave it out where the value is that of the last call\(caution)"
        case .settled, .computeOnce, .batch: "make the call\(at) once\(inStimulus), when all is written"
        case .throttle where isOfSeveralStimuli:
            "make the call\(at) only when no further change follows\(differentStimuli)\(caution)"
        case .throttle:
            "make the call\(at) once\(inStimulus), if the changes belong together; else when they are over\(caution)"
        case .dispose: "take the callback\(at) away with its owner, or let it hold that weakly"
        case .cutLoop: "the call\(at) causes itself again: leave it out where its value has not changed"
        case .deliver: "make the call\(at) on one actor, such as the main actor"
        case .lightenHandler: "move work out of the callback\(at): off this thread, or to when it is needed"
        default: nil
        }
    }
}
