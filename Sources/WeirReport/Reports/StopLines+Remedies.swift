import WeirAnalysis
import WeirTrace

/// The sentences that say what would have had to be different.
extension StopLines {
    func remedy(_ stop: WhyNot.Stop) -> String {
        let name = phrases.node(stop.node)
        switch stop.reason {
        case .suppressed(let step): return remedy(step, name, stop)
        case .ended(let step):
            if let words = ending(stop), words.reason != nil, let remedy = words.remedy { return remedy }
            return step.event.kind == .failed
                ? "It must succeed; `weir why` shows what made it fail: ask for \(step.event.id)."
                : "It must emit a value before it completes."
        case .madeNothing(_, let id):
            return waiting.words(of: stop, fedBy: id)?.remedy
                ?? "\(name) must emit a value for what it was fed." + silentInputs(of: stop)
        case .handlerDidNotWrite(_, let id) where execution(id) != nil:
            return "The execution must give it a value; `errors` gets one only if it fails."
        case .handlerDidNotWrite(_, let id):
            return stop.isUnfinished
                ? "The body of the loop over \(source(id)) must write to \(name) before the recording ends: it may still have been waiting."
                : "\(handler(id)) must take the branch that writes to \(name)."
        case .subscriptionEnded(_, let id) where isRead(id), .notYetSubscribed(_, let id) where isRead(id),
            .notDelivered(let id) where isRead(id):
            return
                "\(phrases.node(definitions.subscriptions[id]?.target ?? stop.node)) must read it in that run."
        case .subscriptionEnded(_, let id) where isRender(id): return "The render\(site(id)) must stay alive."
        case .subscriptionEnded(let step, let id):
            if let remedy = ending(stop)?.remedy { return remedy }
            let during = step.map { ended($0, stop) } ?? ""
            // Without a subscription, a cold node emits nothing.
            let unreached = definitions.subscriptions[id].map(\.source).flatMap { source -> UInt32? in
                definitions.nodes[source]?.kind?.isHot != false && !reached.contains(source) ? source : nil
            }
            let value = unreached.map { ", and \(phrases.node($0)) to emit a value" } ?? ""
            if step?.event.endReason == .targetReleased {
                return "The target of the binding made\(site(id)) must stay alive: keep a strong reference to it."
            }
            let subscription =
                definitions.isLoop(id) || isAwait(id)
                ? "\(handler(id)) must go on" : "The subscription made\(site(id)) must stay alive"
            return "\(subscription)\(during)\(value)."
        case .notYetSubscribed(let event, let id) where stop.beganInStimulus:
            let since = event.map { " after \($0)" } ?? " after that"
            let earlier = reached.contains(definitions.subscriptions[id]?.source ?? 0)
            return "\(source(id)) must emit a value\(since)"
                + (earlier ? "; .replay(1) gives a later subscriber the latest value." : " because of the stimulus.")
                + shared(id)
        case .notYetSubscribed(_, let id):
            let wanted = isAwait(id) ? "\(handler(id)) must begin" : "The subscription\(site(id)) must be made"
            return wanted + " before the stimulus" + replaying(id) + "."
        case .waitsForActor: return "The handler's actor must run its work: on the main actor, its run loop."
        case .notDelivered(let id) where isCold(definitions.subscriptions[id]?.source ?? 0):
            return
                "\(source(id)) runs once for each subscription, and the run for this one must emit a value; with `.share()` one run serves all."
        case .notDelivered:
            return "\(source(of: stop)) must deliver the value to it; a newer one may have taken its place."
        }
    }

    /// " Its input userValid has emitted nothing so far."
    func silentInputs(of stop: WhyNot.Stop) -> String {
        let names = stop.silentInputs.map(phrases.node).joined(separator: ", ")
        switch stop.silentInputs.count {
        case 0: return ""
        case 1: return " Its input \(names) has emitted nothing so far."
        default: return " Its inputs \(names) have emitted nothing so far."
        }
    }

    func remedy(_ step: CauseStep, _ name: String, _ stop: WhyNot.Stop) -> String {
        switch step.event.suppressionReason {
        case .equal where stop.batchedWrites > 1:
            return
                "A batch delivers only the last value: remove the write that restores the earlier one."
        case .equal where isComparing(step.event.subject):
            return
                "The comparison of \(name) must distinguish the two values: check what it compares."
        case .equal where difference(step) != nil: return "`==` of the value must compare what differs."
        case .equal:
            let value =
                step.heldValue.map { "a value other than \(phrases.value($0, ofNode: step.event.subject))" }
                ?? "a new value"
            let inputs = step.inputs.filter { $0.role == .tookPart && !$0.isTiming }
            let others =
                inputs.isEmpty
                ? "" : "; of its inputs, " + names(inputs) + (inputs.count > 1 ? " have" : " has") + " not changed"
            let observer =
                definitions.nodes[step.event.subject]?.technique == .traced
                ? " Its `didSet`, if it has one, ran; subscribers of `$` were not notified." : ""
            return "\(name) must get \(value)\(others).\(observer)\(comparison(step))" + read(step) + origin(step)
        case .filtered: return filtering.remedy(step, after: stop.earlierSuppressions)
        case .waiting:
            return waiting.words(step)?.remedy
                ?? (settles(step.event.subject)
                    ? "The turn must settle with a new value."
                    : "\(name) must receive what it waits for.")
        case .disabled where heldBack(step) != nil:
            return "\(name) must be asked to run after the batch: \(heldBack(step) ?? "") goes out when the batch ends."
        case .disabled:
            return
                "\(name) must be enabled when it is asked to run"
                + (definitions.nodes[step.event.subject]?.label == nil
                    ? "." : "; `weir why-not` of \(name).isEnabled shows why it is not.") + refusal(stop)
        case .executing:
            return definitions.nodes[step.event.subject]?.kind == .flatMap
                ? "The signal that \(name) began before must complete first, or \(name) must take newer values: `.latest`, `.merge` and `.concat` do."
                : "The execution that runs must finish first, or \(name) must allow concurrent executions."
        case .echoed:
            let model =
                otherSide(of: stop.node).map { "Send to \(phrases.node($0))" } ?? "Send to the channel's model side"
            return "\(model) what the view must show. Another view of the same observable needs its own channel."
        case .noSubscriber: return "Somebody must subscribe to \(name)."
        case .batched: return "The batch must end with a value that differs from the one before it."
        case .superseded:
            if let words = waiting.words(stop.isReplaced ? .older : .newer, at: step) { return words.remedy }
            let newer = step.way.cause.map { "; the newer one came with \($0)" } ?? ""
            return "\(name) must get no newer value while it holds one back\(newer)."
        case .afterCompletion where stop.ending?.origin != nil:
            let origin = stop.ending?.origin.map { phrases.node($0.event.subject) } ?? ""
            return "\(name) must emit the value before \(origin) ends."
        case .afterCompletion: return "\(name) had completed or failed before: make a new one, or do not end it."
        case .disposed where isScheduled(step.event.subject):
            return "The scheduler of \(name) must run, and the subscription must stay alive until it does."
        case .disposed where isCold(step.event.subject):
            return "The subscription to \(name) must stay alive until the value comes."
        case .disposed: return "\(name) must be alive: keep what holds it."
        case .unsettled:
            return "The feedback loop through \(name) must get rest: let it write only what differs."
        case nil: return "The node must give the value out (the reason is unknown to this version)."
        }
    }

    /// The sentence for a command's `errors`, which get no refusal.
    func refusal(_ stop: WhyNot.Stop) -> String {
        guard let command = definitions.nodes[stop.node]?.label,
            stop.path.contains(where: { definitions.nodes[$0]?.label == command + ".errors" })
        else { return "" }
        return " A refusal is no error: `errors` gets the failures of executions."
    }

    /// A hint where a whole value is compared, of which a trace holds only parts.
    func comparison(_ step: CauseStep) -> String {
        guard step.inputs.isEmpty else { return "" }
        switch step.heldValue {
        case .described, .cutDescription, .hashedDescription:
            return " If the program wrote one, check what its `==` compares."
        default: return ""
        }
    }

    /// The sentence on the earlier values of a shared source, for a later subscriber.
    func shared(_ subscription: UInt32) -> String {
        guard let source = definitions.subscriptions[subscription]?.source, !reached.contains(source) else { return "" }
        switch definitions.nodes[source]?.kind {
        case .share, .multicast:
            return " Its earlier values reach no later subscriber; `.replay(1)` gives it the latest one."
        case .replay: return " It had no value to replay: it drops its values when its last subscriber leaves."
        default: return ""
        }
    }

    /// The operator with which a late subscriber gets the last value, if the stimulus made the source emit.
    func replaying(_ subscription: UInt32) -> String {
        guard let source = definitions.subscriptions[subscription]?.source, reached.contains(source) else { return "" }
        switch definitions.nodes[source]?.kind {
        case .observable, .combiner:
            return "; `.current` gives a later subscriber the value that \(phrases.node(source)) has"
        default: return "; `.replay(1)` gives a later subscriber the latest value"
        }
    }

    /// A pointer to how a node got a value through operators, whose values the stop does not show.
    func origin(_ step: CauseStep) -> String {
        guard case .delivery(_, let id) = step.way, let feeding = definitions.subscriptions[id],
            feeding.target == step.event.subject, isCold(feeding.source)
        else { return "" }
        return " `weir why` shows where this one came from: ask for \(step.event.id)."
    }

    /// The only input that a computed property read when it kept its value; several inputs have lines of their own.
    func read(_ step: CauseStep) -> String {
        guard definitions.nodes[step.event.subject]?.technique == .observation else { return "" }
        guard step.inputs.count == 1, let input = step.inputs.first, !input.isTiming else { return "" }
        return " It read \(phrases.node(input.source)) = \(phrases.value(input.value, ofNode: input.source))."
    }

    func ended(_ step: CauseStep, _ stop: WhyNot.Stop) -> String {
        if step.event.endReason == .targetReleased { return "" }
        switch step.way {
        case .delivery(_, let id):
            guard let known = definitions.subscriptions[id] else { return "" }
            if known.isInternal { return known.target.map { " (\(phrases.node($0)) ended it)" } ?? "" }
            return known.site.map { " (it ended in the handler at \(escaped($0.description)))" } ?? ""
        case .within(let id):
            let frame = stop.ending?.cause.flatMap { $0.event.id == id ? phrases.phrase($0.event) : nil }
            return " (it ended in \(frame.map { "\($0), \(id)" } ?? "\(id)"))"
        default: return ""
        }
    }
}
