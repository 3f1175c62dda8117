import WeirAnalysis
import WeirTrace

/// Writes where and why something stopped, and what would have had to be different.
struct StopLines {
    let definitions: TraceDefinitions
    let phrases: EventPhrases
    let timeScale: TimeScale
    let style: Style
    /// The ids of the nodes that emitted values.
    let reached: Set<UInt32>

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

    // MARK: What stopped

    func fact(_ stop: WhyNot.Stop) -> String {
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

    func phrase(_ step: CauseStep, _ stop: WhyNot.Stop) -> String {
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
    func difference(_ step: CauseStep) -> String? {
        guard let held = step.heldValue, let given = step.inputs.first, step.inputs.count == 1,
            given.role == .triggered,
            !given.isTiming, [.observable, .channel].contains(definitions.nodes[step.event.subject]?.kind)
        else { return nil }
        let changes = DescribedChanges(from: held, to: given.value)?.changes ?? []
        return changes.isEmpty ? nil : phrases.changes(from: held, to: given.value)
    }

    /// The side of a channel that is not this one: a channel makes both at one line, the model's first.
    func otherSide(of view: UInt32) -> UInt32? {
        guard let node = definitions.nodes[view], let other = definitions.nodes[view &- 1], other.kind == .channel,
            other.site == node.site
        else { return nil }
        return other.id
    }

    /// "the write of bell.hour at 1:28", which a batch held back from a command; nil: there is none.
    func heldBack(_ step: CauseStep) -> String? {
        let held = step.inputs.filter { $0.role == .heldBack }
        if held.isEmpty { return nil }
        let names = held.prefix(3).map { input in
            phrases.node(input.source) + (input.emission.map { " at \($0)" } ?? "")
        }
        let rest = held.count > 3 ? " and \(held.count - 3) more" : ""
        return "the write\(held.count > 1 ? "s" : "") of " + names.joined(separator: ", ") + rest
    }

    var waiting: WaitingWords { WaitingWords(definitions: definitions, phrases: phrases) }

    var filtering: FilteringWords { FilteringWords(definitions: definitions, phrases: phrases) }

    func ending(_ stop: WhyNot.Stop) -> EndingWords? {
        switch (stop.reason, stop.ending) {
        case (.subscriptionEnded(let end?, _), let ending?), (.ended(let end), let ending?),
            (.suppressed(let end), let ending?):
            return EndingWords(definitions: definitions, phrases: phrases, end: end, ending: ending)
        default: return nil
        }
    }

    /// Whether a node compares values by a rule that the program may have given it.
    func isComparing(_ node: UInt32) -> Bool { definitions.nodes[node]?.kind == .removeDuplicates }

    /// " by takeUntil Login.swift:12": the operator that disposed the subscription of another one.
    func disposer(_ step: CauseStep) -> String {
        guard case .delivery(_, let id) = step.way, let subscription = definitions.subscriptions[id],
            subscription.isInternal, let target = subscription.target, target != step.event.subject
        else { return "" }
        return " by \(phrases.node(target))"
    }

    /// Whether a node gives its values to a scheduler.
    func isScheduled(_ node: UInt32) -> Bool {
        switch definitions.nodes[node]?.kind {
        case .deliver, .delay, .debounce, .throttle: true
        default: false
        }
    }

    /// Whether a node runs anew for each subscription.
    func isCold(_ node: UInt32) -> Bool { definitions.nodes[node]?.kind?.isHot == false }

    /// Whether a node may wait for the end of the turn.
    func settles(_ node: UInt32) -> Bool {
        switch definitions.nodes[node]?.kind {
        case .observable, .combiner, .observer, .foreign, nil: true
        default: false
        }
    }

    func names(_ inputs: [CauseStep.Input]) -> String {
        let names = inputs.prefix(4).map { phrases.node($0.source) }
        return names.joined(separator: ", ") + (inputs.count > 4 ? " and \(inputs.count - 4) more" : "")
    }

    func source(of stop: WhyNot.Stop) -> String {
        if case .notDelivered(let id) = stop.reason { return source(id) }
        return phrases.node(stop.node)
    }

    func source(_ id: UInt32) -> String {
        definitions.subscriptions[id].map { phrases.node($0.source) } ?? "subscription \(id)"
    }

    /// The node, or the handler that writes to it.
    func subscriber(_ node: UInt32, _ id: UInt32) -> String {
        if isAwait(id) { return handler(id) }
        guard let subscription = definitions.subscriptions[id], subscription.target != node else {
            return phrases.node(node)
        }
        if subscription.source == node { return handler(id) }
        return "\(handler(id)), which writes to \(phrases.node(node)),"
    }

    /// Whether it is one of the two subscriptions of an awaited `first`: to the signal, and to the operator that takes one value.
    func isAwait(_ id: UInt32) -> Bool {
        guard let subscription = definitions.subscriptions[id] else { return false }
        guard let target = subscription.target else { return subscription.isOfAwait }
        return definitions.nodes[target]?.kind == .take
            && definitions.subscriptions.values.contains { $0.isOfAwait && $0.source == target }
    }

    /// Whether a subscription represents what a body or computed property reads when it runs.
    func isRead(_ id: UInt32) -> Bool {
        guard let subscription = definitions.subscriptions[id], let target = subscription.target else { return false }
        let technique = definitions.nodes[target]?.technique
        return subscription.isInternal && (technique == .render || technique == .observation)
    }

    /// Whether a subscription shows what a body renders.
    func isRender(_ id: UInt32) -> Bool {
        guard let subscription = definitions.subscriptions[id], !subscription.isInternal else { return false }
        return definitions.nodes[subscription.source]?.technique == .render
    }

    /// The execution that a subscription starts.
    func execution(_ id: UInt32) -> UInt32? {
        let target = definitions.subscriptions[id]?.target
        return target.flatMap { definitions.nodes[$0]?.kind == .execution ? $0 : nil }
    }

    func handler(_ id: UInt32) -> String {
        guard let subscription = definitions.subscriptions[id] else { return "The handler of subscription \(id)" }
        if isAwait(id) { return "The `await` of `first`" }
        if definitions.isLoop(id) { return "The loop over \(source(id))" }
        if let target = subscription.target { return "The handler of \(phrases.node(target))" }
        return "The handler" + (subscription.site.map { " at " + escaped($0.description) } ?? " of subscription \(id)")
    }

    func site(_ id: UInt32) -> String {
        definitions.subscriptions[id]?.site.map { " at " + escaped($0.description) } ?? ""
    }

    func site(ofNode id: UInt32, _ preposition: String = ",") -> String {
        guard let site = definitions.nodes[id]?.site else { return "" }
        return (preposition == "," ? ", " : " \(preposition) ") + escaped(site.description)
    }

    func time(_ event: TraceEvent) -> String {
        Figures.duration(nanoseconds: timeScale.nanosecondsSinceStart(event.ticks))
    }

    func escaped(_ text: String) -> String { TerminalText.escaped(text) }
}
