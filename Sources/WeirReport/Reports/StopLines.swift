import WeirAnalysis
import WeirTrace

/// Writes where and why something stopped, and what would have had to be different.
struct StopLines {
    private let definitions: TraceDefinitions
    private let phrases: EventPhrases
    private let timeScale: TimeScale
    private let style: Style
    /// The ids of the nodes that emitted values.
    private let reached: Set<UInt32>

    init(_ definitions: TraceDefinitions, timeScale: TimeScale, reached: Set<UInt32>, style: Style) {
        self.reached = reached
        self.definitions = definitions
        phrases = EventPhrases(definitions, style: style)
        self.timeScale = timeScale
        self.style = style
    }

    /// The lines of a stop: the fact, the remaining path to the node, and what would have had to be different.
    func lines(_ stop: WhyNot.Stop, of node: UInt32) -> [String] {
        var lines = ["✗ " + fact(stop)]
        if !stop.path.isEmpty {
            let way = ([stop.node] + stop.path).map { phrases.node($0) }
            let shown = way.count > 6 ? way.prefix(3) + ["…"] + way.suffix(2) : way[...]
            lines.append("    on its way: " + shown.joined(separator: " → "))
        }
        if case .suppressed(let step) = stop.reason {
            if let writeSite = step.writeSite {
                lines.append("    written " + WriteSiteWords.place(writeSite))
            } else if case .delivery(_, let id) = step.way, definitions.subscriptions[id]?.isInternal == false {
                lines.append("    written by " + phrases.subscriber(id))
            }
            let causes = CauseLines(definitions, timeScale: timeScale, style: style)
            let inputs = heldBack(step) == nil ? causes.inputs(step) : []
            if !inputs.isEmpty { lines += ["    its inputs then:"] + inputs.map { "      " + $0 } }
        }
        lines.append("    → " + remedy(stop))
        return lines
    }

    /// The stop for a program.
    func json(_ stop: WhyNot.Stop) -> JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(.init(name: name, value: value)) }
        add("node", .unsigned(UInt64(stop.node)))
        add("name", .string(definitions.name(ofNode: stop.node)))
        add("path", .array(stop.path.map { .string(definitions.name(ofNode: $0)) }))
        var subscription: UInt32?
        switch stop.reason {
        case .suppressed(let step):
            add("reason", .string(SuppressionReason.jsonName(step.event.reason)))
            add("event", .string(step.event.id.description))
            if let writeSite = step.writeSite { members += WriteSiteWords.json(writeSite) }
        case .ended(let step):
            add("reason", .string(step.event.kind.name))
            add("event", .string(step.event.id.description))
        case .madeNothing(let event, let id):
            add("reason", "madeNothing")
            add("event", .string(event.description))
            subscription = id
        case .handlerDidNotWrite(let event, let id):
            add("reason", "handlerDidNotWrite")
            add("event", .string(event.description))
            subscription = id
        case .subscriptionEnded(let step, let id):
            add("reason", "subscriptionEnded")
            add("event", step.map { .string($0.event.id.description) } ?? .null)
            add("endReason", step.map { .string(SubscriptionEndReason.jsonName($0.event.reason)) } ?? .null)
            add("endedBy", ending(stop)?.ender.map { .string($0) } ?? .null)
            subscription = id
        case .notYetSubscribed(let event, let id):
            add("reason", "notYetSubscribed")
            add("event", event.map { .string($0.description) } ?? .null)
            subscription = id
        case .waitsForActor(let event, let id):
            add("reason", "waitsForActor")
            add("event", .string(event.description))
            subscription = id
        case .notDelivered(let id):
            add("reason", "notDelivered")
            subscription = id
        }
        if let subscription {
            add("subscription", .unsigned(UInt64(subscription)))
            add("site", definitions.subscriptions[subscription]?.site.map { .string($0.description) } ?? .null)
        }
        add("remedy", .string(plain.remedy(stop)))
        return .object(members)
    }

    private var plain: StopLines {
        StopLines(definitions, timeScale: timeScale, reached: reached, style: .plain)
    }

    // MARK: What stopped

    private func fact(_ stop: WhyNot.Stop) -> String {
        let name = phrases.node(stop.node)
        switch stop.reason {
        case .suppressed(let step):
            return "\(name) "
                + style(.warning, "emitted nothing: " + phrase(step, stop))
                + style(.faint, " (\(step.event.id)\(site(ofNode: stop.node)))")
        case .ended(let step):
            let verb = step.event.kind == .failed ? "failed with \(phrases.value(step.event.value))" : "completed"
            let reason = ending(stop)?.reason.map { ": \($0)" }
            return "\(name) "
                + style(.warning, (reason == nil ? verb + " and " : "") + "emitted no value") + (reason ?? "")
                + style(.faint, " (\(step.event.id)\(site(ofNode: stop.node)))")
        case .madeNothing(let event, let id):
            let fact = waiting.words(of: stop, fedBy: id)?.fact ?? "received a value, and has emitted nothing so far"
            return "\(name) " + style(.warning, fact)
                + style(.faint, " (\(event)\(site(ofNode: stop.node)))")
        case .handlerDidNotWrite(let event, let id) where execution(id) != nil:
            return "\(execution(id).map(phrases.node) ?? "") ran, and " + style(.warning, "gave nothing to")
                + " \(name)"
                + style(.faint, " (\(event))")
        case .handlerDidNotWrite(let event, let id):
            let fact = stop.isUnfinished ? "had not written to" : "did not write to"
            return "\(handler(id)) \(definitions.isLoop(id) ? "received the value" : "was called"), and "
                + style(.warning, fact) + " \(name)"
                + (stop.isUnfinished ? " by the end of the trace" : "") + style(.faint, " (\(event))")
        case .subscriptionEnded(let step, let id) where isRead(id):
            let when = step.map { " (\($0.event.id), \(time($0.event)) after the start)" } ?? ""
            return "\(phrases.node(definitions.subscriptions[id]?.target ?? stop.node)) "
                + style(.warning, "did not read") + " \(source(id)) any more when it last ran" + style(.faint, when)
        case .notYetSubscribed(let event, let id) where isRead(id):
            let when = event.map { " (it did at \($0))" } ?? ""
            return "\(phrases.node(definitions.subscriptions[id]?.target ?? stop.node)) "
                + style(.warning, "had not read") + " \(source(id)) yet when it last ran" + style(.faint, when)
        case .subscriptionEnded(let step, let id) where isRender(id):
            let reason = step.map { SubscriptionEndReason.phrase($0.event.reason) } ?? "why is not recorded"
            let when = step.map { " (\($0.event.id), \(time($0.event)) after the start)" } ?? ""
            return "\(source(id)) " + style(.warning, "was rendered no more") + ": \(reason)" + style(.faint, when)
        case .subscriptionEnded(let step, let id):
            let leftLoop = definitions.isLoop(id) && step?.event.endReason == .disposed
            let reason =
                leftLoop
                ? "its task was cancelled, or the loop was left"
                : ending(stop)?.fact ?? step.map { SubscriptionEndReason.phrase($0.event.reason) }
                    ?? "why is not recorded"
            let when =
                step.map { "; the subscription ended at \($0.event.id), \(time($0.event)) after the start" } ?? ""
            return subscriber(stop.node, id) + " " + style(.warning, "was no longer subscribed")
                + " to \(source(id)): \(reason)"
                + style(.faint, " (subscribed\(site(id))\(when))")
        case .notYetSubscribed(let event, let id):
            let when = event.map { "it subscribed at \($0)," } ?? "subscribed"
            if stop.beganInStimulus {
                let late = reached.contains(definitions.subscriptions[id]?.source ?? 0)
                let fact = late ? "after its last value" : "which emitted no value because of the stimulus"
                return subscriber(stop.node, id) + " " + style(.warning, "subscribed") + " to \(source(id)), "
                    + style(.warning, fact) + style(.faint, " (\(when)\(site(id)))")
            }
            return subscriber(stop.node, id) + " " + style(.warning, "had not yet subscribed") + " to \(source(id))"
                + style(.faint, " (\(when)\(site(id)))")
        case .waitsForActor(let event, let id):
            return subscriber(stop.node, id) + " " + style(.warning, "waited for its actor")
                + " until the end of the trace" + style(.faint, " (\(event))")
        case .notDelivered(let id) where isRead(id):
            return "\(phrases.node(definitions.subscriptions[id]?.target ?? stop.node)) "
                + style(.warning, "did not read") + " \(source(id)) when it last ran"
        case .notDelivered(let id) where isCold(definitions.subscriptions[id]?.source ?? 0):
            return "\(name) " + style(.warning, "got no value from its own run") + " of \(source(id))"
                + style(.faint, " (subscribed\(site(id)))")
        case .notDelivered(let id):
            return "\(name) " + style(.warning, "was passed over") + " by \(source(id))"
                + style(.faint, " (subscribed\(site(id)))")
        }
    }

    private func phrase(_ step: CauseStep, _ stop: WhyNot.Stop) -> String {
        let fact: String? =
            switch step.event.suppressionReason {
            case .waiting: waiting.words(step)?.fact
            case .disabled where heldBack(step) != nil:
                "disabled, while its batch still held back \(heldBack(step) ?? "")"
            case .equal where stop.batchedWrites > 1:
                "the last of its \(Figures.count(stop.batchedWrites)) writes in a batch gave the value that it had before"
            case .equal where isComparing(step.event.subject): "it considered the value equal to the previous one"
            case .equal: difference(step).map { "`==` calls the new value equal to the current one, though \($0)" }
            case .filtered: filtering.fact(step)
            case .executing where definitions.nodes[step.event.subject]?.kind == .flatMap:
                "it still runs the signal of an earlier value"
            case .superseded: waiting.words(stop.isReplaced ? .older : .newer, at: step)?.fact
            case .afterCompletion: ending(stop).map { "it held the value, and dropped it when \($0.fact)" }
            case .disposed where isScheduled(step.event.subject):
                "its scheduler had not run when its subscription was disposed\(disposer(step)), \(time(step.event)) after the start"
            case .disposed where isCold(step.event.subject):
                "its subscription was disposed\(disposer(step)) while the value waited"
            default: nil
            }
        return fact ?? phrases.reason(step.event)
    }

    /// What differs between the value that a node held and the one that it was given and that is equal to it: "cents: 0 → 2"; nil: nothing
    /// that the trace shows.
    private func difference(_ step: CauseStep) -> String? {
        guard let held = step.heldValue, let given = step.inputs.first, step.inputs.count == 1,
            given.role == .triggered,
            !given.isTiming, [.observable, .channel].contains(definitions.nodes[step.event.subject]?.kind)
        else { return nil }
        let changes = DescribedChanges(from: held, to: given.value)?.changes ?? []
        return changes.isEmpty ? nil : phrases.changes(from: held, to: given.value)
    }

    /// The side of a channel that is not this one: a channel makes both at one line, the model's first.
    private func otherSide(of view: UInt32) -> UInt32? {
        guard let node = definitions.nodes[view], let other = definitions.nodes[view &- 1], other.kind == .channel,
            other.site == node.site
        else { return nil }
        return other.id
    }

    /// "the write of bell.hour at 1:28", which a batch held back from a command; nil: there is none.
    private func heldBack(_ step: CauseStep) -> String? {
        let held = step.inputs.filter { $0.role == .heldBack }
        if held.isEmpty { return nil }
        let names = held.prefix(3).map { input in
            phrases.node(input.source) + (input.emission.map { " at \($0)" } ?? "")
        }
        let rest = held.count > 3 ? " and \(held.count - 3) more" : ""
        return "the write\(held.count > 1 ? "s" : "") of " + names.joined(separator: ", ") + rest
    }

    private var waiting: WaitingWords { WaitingWords(definitions: definitions, phrases: phrases) }

    private var filtering: FilteringWords { FilteringWords(definitions: definitions, phrases: phrases) }

    private func ending(_ stop: WhyNot.Stop) -> EndingWords? {
        switch (stop.reason, stop.ending) {
        case (.subscriptionEnded(let end?, _), let ending?), (.ended(let end), let ending?),
            (.suppressed(let end), let ending?):
            return EndingWords(definitions: definitions, phrases: phrases, end: end, ending: ending)
        default: return nil
        }
    }

    // MARK: What would have had to be different

    private func remedy(_ stop: WhyNot.Stop) -> String {
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
    private func silentInputs(of stop: WhyNot.Stop) -> String {
        let names = stop.silentInputs.map(phrases.node).joined(separator: ", ")
        switch stop.silentInputs.count {
        case 0: return ""
        case 1: return " Its input \(names) has emitted nothing so far."
        default: return " Its inputs \(names) have emitted nothing so far."
        }
    }

    private func remedy(_ step: CauseStep, _ name: String, _ stop: WhyNot.Stop) -> String {
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
    private func refusal(_ stop: WhyNot.Stop) -> String {
        guard let command = definitions.nodes[stop.node]?.label,
            stop.path.contains(where: { definitions.nodes[$0]?.label == command + ".errors" })
        else { return "" }
        return " A refusal is no error: `errors` gets the failures of executions."
    }

    /// A hint where a whole value is compared, of which a trace holds only parts.
    private func comparison(_ step: CauseStep) -> String {
        guard step.inputs.isEmpty else { return "" }
        switch step.heldValue {
        case .described, .cutDescription, .hashedDescription:
            return " If the program wrote one, check what its `==` compares."
        default: return ""
        }
    }

    /// The sentence on the earlier values of a shared source, for a later subscriber.
    private func shared(_ subscription: UInt32) -> String {
        guard let source = definitions.subscriptions[subscription]?.source, !reached.contains(source) else { return "" }
        switch definitions.nodes[source]?.kind {
        case .share, .multicast:
            return " Its earlier values reach no later subscriber; `.replay(1)` gives it the latest one."
        case .replay: return " It had no value to replay: it drops its values when its last subscriber leaves."
        default: return ""
        }
    }

    /// The operator with which a late subscriber gets the last value, if the stimulus made the source emit.
    private func replaying(_ subscription: UInt32) -> String {
        guard let source = definitions.subscriptions[subscription]?.source, reached.contains(source) else { return "" }
        switch definitions.nodes[source]?.kind {
        case .observable, .combiner:
            return "; `.current` gives a later subscriber the value that \(phrases.node(source)) has"
        default: return "; `.replay(1)` gives a later subscriber the latest value"
        }
    }

    /// A pointer to how a node got a value through operators, whose values the stop does not show.
    private func origin(_ step: CauseStep) -> String {
        guard case .delivery(_, let id) = step.way, let feeding = definitions.subscriptions[id],
            feeding.target == step.event.subject, isCold(feeding.source)
        else { return "" }
        return " `weir why` shows where this one came from: ask for \(step.event.id)."
    }

    /// The only input that a computed property read when it kept its value; several inputs have lines of their own.
    private func read(_ step: CauseStep) -> String {
        guard definitions.nodes[step.event.subject]?.technique == .observation else { return "" }
        guard step.inputs.count == 1, let input = step.inputs.first, !input.isTiming else { return "" }
        return " It read \(phrases.node(input.source)) = \(phrases.value(input.value, ofNode: input.source))."
    }

    private func ended(_ step: CauseStep, _ stop: WhyNot.Stop) -> String {
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

    /// Whether a node compares values by a rule that the program may have given it.
    private func isComparing(_ node: UInt32) -> Bool { definitions.nodes[node]?.kind == .removeDuplicates }

    /// " by takeUntil Login.swift:12": the operator that disposed the subscription of another one.
    private func disposer(_ step: CauseStep) -> String {
        guard case .delivery(_, let id) = step.way, let subscription = definitions.subscriptions[id],
            subscription.isInternal, let target = subscription.target, target != step.event.subject
        else { return "" }
        return " by \(phrases.node(target))"
    }

    /// Whether a node gives its values to a scheduler.
    private func isScheduled(_ node: UInt32) -> Bool {
        switch definitions.nodes[node]?.kind {
        case .deliver, .delay, .debounce, .throttle: true
        default: false
        }
    }

    /// Whether a node runs anew for each subscription.
    private func isCold(_ node: UInt32) -> Bool { definitions.nodes[node]?.kind?.isHot == false }

    /// Whether a node may wait for the end of the turn.
    private func settles(_ node: UInt32) -> Bool {
        switch definitions.nodes[node]?.kind {
        case .observable, .combiner, .observer, .foreign, nil: true
        default: false
        }
    }

    private func names(_ inputs: [CauseStep.Input]) -> String {
        let names = inputs.prefix(4).map { phrases.node($0.source) }
        return names.joined(separator: ", ") + (inputs.count > 4 ? " and \(inputs.count - 4) more" : "")
    }

    private func source(of stop: WhyNot.Stop) -> String {
        if case .notDelivered(let id) = stop.reason { return source(id) }
        return phrases.node(stop.node)
    }

    private func source(_ id: UInt32) -> String {
        definitions.subscriptions[id].map { phrases.node($0.source) } ?? "subscription \(id)"
    }

    /// The node, or the handler that writes to it.
    private func subscriber(_ node: UInt32, _ id: UInt32) -> String {
        if isAwait(id) { return handler(id) }
        guard let subscription = definitions.subscriptions[id], subscription.target != node else {
            return phrases.node(node)
        }
        if subscription.source == node { return handler(id) }
        return "\(handler(id)), which writes to \(phrases.node(node)),"
    }

    /// Whether it is one of the two subscriptions of an awaited `first`: to the signal, and to the operator that takes one value.
    private func isAwait(_ id: UInt32) -> Bool {
        guard let subscription = definitions.subscriptions[id] else { return false }
        guard let target = subscription.target else { return subscription.isOfAwait }
        return definitions.nodes[target]?.kind == .take
            && definitions.subscriptions.values.contains { $0.isOfAwait && $0.source == target }
    }

    /// Whether a subscription represents what a body or computed property reads when it runs.
    private func isRead(_ id: UInt32) -> Bool {
        guard let subscription = definitions.subscriptions[id], let target = subscription.target else { return false }
        let technique = definitions.nodes[target]?.technique
        return subscription.isInternal && (technique == .render || technique == .observation)
    }

    /// Whether a subscription shows what a body renders.
    private func isRender(_ id: UInt32) -> Bool {
        guard let subscription = definitions.subscriptions[id], !subscription.isInternal else { return false }
        return definitions.nodes[subscription.source]?.technique == .render
    }

    /// The execution that a subscription starts.
    private func execution(_ id: UInt32) -> UInt32? {
        let target = definitions.subscriptions[id]?.target
        return target.flatMap { definitions.nodes[$0]?.kind == .execution ? $0 : nil }
    }

    private func handler(_ id: UInt32) -> String {
        guard let subscription = definitions.subscriptions[id] else { return "The handler of subscription \(id)" }
        if isAwait(id) { return "The `await` of `first`" }
        if definitions.isLoop(id) { return "The loop over \(source(id))" }
        if let target = subscription.target { return "The handler of \(phrases.node(target))" }
        return "The handler" + (subscription.site.map { " at " + escaped($0.description) } ?? " of subscription \(id)")
    }

    private func site(_ id: UInt32) -> String {
        definitions.subscriptions[id]?.site.map { " at " + escaped($0.description) } ?? ""
    }

    private func site(ofNode id: UInt32, _ preposition: String = ",") -> String {
        guard let site = definitions.nodes[id]?.site else { return "" }
        return (preposition == "," ? ", " : " \(preposition) ") + escaped(site.description)
    }

    private func time(_ event: TraceEvent) -> String {
        Figures.duration(nanoseconds: timeScale.nanosecondsSinceStart(event.ticks))
    }

    private func escaped(_ text: String) -> String { TerminalText.escaped(text) }
}
