import WeirAnalysis
import WeirTrace

/// The words for how a subscription or node ended: which node ended it, and why.
struct EndingWords {
    let definitions: TraceDefinitions
    let phrases: EventPhrases
    /// The end of the subscription or node.
    let end: CauseStep
    let ending: WhyNot.Ending

    /// The reason as the end of a sentence.
    var fact: String {
        let unhandled = end.event.endReason == .failedUnhandled ? ", and no handler received the failure" : ""
        if let words = operatorWords { return "\(phrases.node(words.node)) \(words.fact)" + unhandled }
        guard let origin = ending.origin else { return SubscriptionEndReason.phrase(end.event.reason) + disposer }
        if origin.event.kind == .failed {
            let tries = retry.map { ", \(phrases.node($0)) gave up" } ?? ""
            return failure(origin.event) + handler(of: origin) + tries + unhandled
        }
        let name = phrases.node(origin.event.subject)
        if let replaced { return failure(replaced) + ", and \(name), which took its place, completed" }
        if let timeout = timeout(replacedBy: origin.event.subject) {
            return
                "\(phrases.node(timeout)) gave up: no value came in time, and \(name), which took its place, completed"
        }
        return "\(name) completed" + handler(of: origin)
    }

    private func failure(_ event: TraceEvent) -> String {
        "\(phrases.node(event.subject)) failed" + (event.value == .opaque ? "" : " with \(phrases.value(event.value))")
    }

    /// The failure that began the signal that completed, such as the fallback of a `catch`.
    private var replaced: TraceEvent? {
        guard ending.origin?.event.kind == .completed, let cause = ending.cause?.event, cause.kind == .failed else {
            return nil
        }
        return cause
    }

    /// Why a node ended: ": it completed when leave emitted a value"; nil: its own code ended it.
    var reason: String? {
        if ending.origin != nil { return fact }
        return operatorWords.map { "it \($0.fact)" }
    }

    /// The sentence that says what would have had to be different; nil: the subscription must stay alive.
    var remedy: String? {
        if let words = operatorWords { return words.remedy }
        guard let origin = ending.origin else { return nil }
        if let replaced {
            return
                "\(phrases.node(replaced.subject)) must succeed, or a `catch` nearer to the failure must handle it; `weir why` shows "
                + "what made it fail: ask for \(replaced.id)."
        }
        if let timeout = timeout(replacedBy: origin.event.subject) {
            return "A value must come before \(phrases.node(timeout)) gives up."
        }
        let name = phrases.node(origin.event.subject)
        guard origin.event.kind == .failed else {
            return "\(name) must complete later: it emits nothing after its completion."
        }
        let handling =
            if let request = failurePath.first(where: { definitions.nodes[$0]?.kind == .flatMap }) {
                "a `catch` inside the closure of \(phrases.node(request)) must handle its failure"
            } else if retry != nil {
                "a `catch` must handle its failure"
            } else {
                "`catch` or `retry` to handle its failure"
            }
        let tries = retry.map { "\(phrases.node($0)) must try more often, or " } ?? ""
        return "\(name) must succeed, or \(tries)\(handling); `weir why` shows what made it fail: ask for "
            + "\(origin.event.id)."
    }

    /// The operators through which the failure reached the end of the subscription, the last one first.
    private var failurePath: [UInt32] {
        guard let origin = ending.origin?.event.subject, let ended, ended.source != origin else { return [] }
        let feeds = Dictionary(
            grouping: definitions.subscriptions.values.filter { $0.isInternal && $0.target != nil },
            by: { $0.target ?? 0 })
        func path(to node: UInt32, _ seen: inout Set<UInt32>) -> [UInt32]? {
            if node == origin { return [] }
            guard seen.insert(node).inserted, seen.count <= Self.mostOperators else { return nil }
            for source in Set((feeds[node] ?? []).map(\.source)).sorted() {
                if let rest = path(to: source, &seen) { return [node] + rest }
            }
            return nil
        }
        var seen: Set<UInt32> = []
        return path(to: ended.source, &seen) ?? []
    }

    /// The `retry` that passed the failure on.
    private var retry: UInt32? { failurePath.last { definitions.nodes[$0]?.kind == .retry } }

    /// The most operators among which the path of a failure is sought.
    private static let mostOperators = 64

    /// The name of the node that ended the subscription; nil if no node did.
    var ender: String? {
        (ending.origin?.event.subject ?? operatorWords.map(\.node) ?? disposingNode)
            .map { definitions.name(ofNode: $0) }
    }

    // MARK: Operators that end their subscriptions

    private var ended: TraceSubscription? {
        end.event.isOfNode ? nil : definitions.subscriptions[end.event.subject]
    }

    /// The subscription that was being delivered to.
    private var delivering: TraceSubscription? {
        if case .delivery(_, let id) = (ending.origin ?? end).way { definitions.subscriptions[id] } else { nil }
    }

    private var operatorWords: (node: UInt32, fact: String, remedy: String)? {
        if let choice { return choice }
        let own = end.event.isOfNode ? end.event.subject : ended?.target
        guard let node = ending.origin?.event.subject ?? own else { return nil }
        let name = phrases.node(node)
        let isFailed = (ending.origin ?? end).event.kind == .failed
        let feeder = delivering.flatMap { $0.isInternal && $0.target == node ? $0 : nil }
        switch definitions.nodes[node]?.kind {
        case .take where !isFailed && feeder != nil:
            if ending.isAfterValue {
                return (node, "completed after its last value", "\(name) must take more values.")
            }
            let value = ending.cause.map { phrases.value(of: $0.event) } ?? "that value"
            return (
                node, "completed, because its condition no longer held",
                "The condition of \(name) must hold for \(value)."
            )
        case .takeUntil where !isFailed && feeder != nil && ending.cause?.event.kind == .emitted:
            let other = feeder.map { phrases.node($0.source) } ?? ""
            return (
                node, "completed when \(other) emitted a value",
                "\(other) must emit its value later."
            )
        case .timeout where ending.cause?.event.kind == .hopBegan && ending.cause?.event.subject == node:
            if !isFailed, let substitute = substitute(of: node) {
                return (
                    node, "gave up: no value came in time, and \(phrases.node(substitute)) took its place",
                    "A value must come in time: after that, \(name) passes on only those of \(phrases.node(substitute))."
                )
            }
            return (
                node, (isFailed ? "failed" : "gave up") + ": no value came in time",
                "A value must come in time, or `retry` after \(name) to subscribe again."
            )
        default: return nil
        }
    }

    /// The timeout to which a node is the substitute: it subscribes to it only when no value has come in time.
    private func timeout(replacedBy substitute: UInt32) -> UInt32? {
        let targets = definitions.subscriptions.values.filter { $0.source == substitute }.compactMap(\.target)
        return targets.first { target in
            let inputs = definitions.subscriptions.values.filter { $0.target == target }
            return definitions.nodes[target]?.kind == .timeout && inputs.min { $0.id < $1.id }?.source != substitute
        }
    }

    /// The only other source of a node than the one whose subscription ended.
    private func substitute(of node: UInt32) -> UInt32? {
        let sources = Set(definitions.subscriptions.values.filter { $0.target == node }.map(\.source))
        let others = sources.filter { $0 != ended?.source }
        return others.count == 1 ? others.first : nil
    }

    /// The words for an operator that ended one of its subscriptions because of what came through another one.
    private var choice: (node: UInt32, fact: String, remedy: String)? {
        guard end.event.endReason == .disposed, ending.origin == nil, let ended, let node = ended.target,
            case .delivery(_, let id) = end.way, id != ended.id, let other = definitions.subscriptions[id],
            other.isInternal, other.target == node
        else { return nil }
        let name = phrases.node(node)
        switch definitions.nodes[node]?.kind {
        case .race:
            return (
                node, "chose \(phrases.node(other.source)), which was first",
                "\(phrases.node(ended.source)) must be the first to emit a value."
            )
        case .flatMap where ending.cause?.event.kind == .emitted:
            let value = ending.cause.map { cause in
                " when \(phrases.node(cause.event.subject)) emitted \(phrases.value(of: cause.event))"
            }
            return (
                node, "switched to a newer signal" + (value ?? ""),
                "\(phrases.node(other.source)) must emit no newer value, or \(name) to keep earlier signals: "
                    + "`.merge` and `.concat` do."
            )
        default: return nil
        }
    }

    private var disposingNode: UInt32? { delivering.flatMap { $0.isInternal ? $0.target : nil } }

    /// The node that disposed the subscription.
    private var disposer: String { disposingNode.map { " by \(phrases.node($0))" } ?? "" }

    private func handler(of step: CauseStep) -> String {
        guard case .delivery(_, let id) = step.way, let handler = definitions.subscriptions[id], !handler.isInternal,
            let site = handler.site
        else { return "" }
        return ", in the handler at \(TerminalText.escaped(site.description))"
    }
}

/// The words for an operator that did not let a value pass.
struct FilteringWords {
    let definitions: TraceDefinitions
    let phrases: EventPhrases

    /// The fact as the end of a sentence; nil: the usual phrase.
    func fact(_ step: CauseStep) -> String? {
        if isSequence(step.event.subject) { return "its buffer was full, and dropped the element" }
        return switch definitions.nodes[step.event.subject]?.kind {
        case .skip: "skipped the value"
        case .take: "the condition of take(while:) did not hold"
        case .compactMap: "its transform returned nil"
        case .throttle: "the value came too soon after the one before"
        default: nil
        }
    }

    /// The sentence that says what would have had to be different.
    ///
    /// - Parameter earlier: how many earlier values the node did not let pass.
    func remedy(_ step: CauseStep, after earlier: UInt64) -> String {
        let node = step.event.subject
        let name = phrases.node(node) + site(node)
        if isSequence(node) { return bufferRemedy(node) }
        let value = step.inputs.first.map { phrases.value($0.value, ofNode: $0.source) } ?? "the value"
        switch definitions.nodes[node]?.kind {
        case .filter: return "The condition of \(name) must hold for \(value)."
        case .take: return "The condition of take(while:)\(site(node)) must hold for \(value)."
        case .compactMap: return "The transform of \(name) must return a value other than nil for \(value)."
        // skip(_:) and skip(while:) are of one kind.
        case .skip:
            let history =
                earlier == 0
                ? "this was the first one" : "it had skipped \(Figures.count(earlier, "value")) before that one"
            return "\(name) must skip fewer values, or only those before \(value): \(history)."
        case .throttle:
            return
                "\(value) must come after the interval of \(name); without `latest: false` it would follow then."
        default: return "\(name) must let \(value) pass."
        }
    }

    /// The sentence for an element that a stream's buffer dropped.
    func bufferRemedy(_ node: UInt32) -> String {
        "The buffer of \(phrases.node(node))\(site(node)) must have room: give it a larger `bufferingPolicy`, or let its loop "
            + "take elements sooner."
    }

    private func isSequence(_ node: UInt32) -> Bool { definitions.nodes[node]?.technique == .asyncSequence }

    private func site(_ node: UInt32) -> String {
        // The name of a node without a label has the line.
        guard let known = definitions.nodes[node], known.label != nil else { return "" }
        return known.site.map { " at " + TerminalText.escaped($0.description) } ?? ""
    }
}
