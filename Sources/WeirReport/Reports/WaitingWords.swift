import WeirAnalysis
import WeirTrace

/// The words for what an operator waits for that received a value and emitted none.
struct WaitingWords {
    let definitions: TraceDefinitions
    let phrases: EventPhrases

    /// The words for a value that a node suppressed as 'waiting', by the node's kind alone.
    static func fact(of node: TraceNode?) -> String {
        switch node?.kind {
        case .buffer: "waits for more values"
        case .reduce, .collect, .last: "waits for the completion of its source"
        case .sample: "waits for the signal that asks for a value"
        case .skipUntil: "waits for the signal that opens it"
        case .flatMap: "waits for the completion of an earlier signal"
        case .combineLatest, .zip, .withLatest: "waits for other inputs"
        case .combiner where node?.strategy == .all: "waits for other inputs"
        case .combiner where node?.strategy == .first: firstOnly
        case .combiner where node?.technique == .weir && node?.strategy == nil: SuppressionReason.waiting.phrase
        default: "waits for the turn to settle"
        }
    }

    /// The words for a value that a node suppressed as 'waiting': the fact as the end of a sentence, and a remedy.
    func words(_ step: CauseStep) -> (fact: String, remedy: String)? {
        let node = step.event.subject
        let name = phrases.node(node)
        let source = names(step.inputs.filter { $0.role == .triggered }.map(\.source))
        let others = names(step.inputs.filter { $0.role != .triggered }.map(\.source))
        switch (definitions.nodes[node]?.kind, source, others) {
        case (.buffer, let source?, _):
            return (
                "waits for more values",
                "\(source) must emit more values until \(name) is full, or complete."
            )
        case (.reduce, let source?, _), (.collect, let source?, _), (.last, let source?, _):
            return (
                "waits for the completion of \(source)",
                "\(source) must complete: \(name) emits its result only then."
            )
        case (.sample, _, let others?):
            return ("waits for \(others)", "\(others) must emit a value after that.")
        case (.flatMap, _, _):
            return (
                "waits for the completion of an earlier signal",
                "The signal that \(name) runs now must complete."
            )
        // A body waits for the end of the turn.
        case (.combiner, _, _) where definitions.nodes[node]?.technique != .weir: return nil
        case (.combiner, _, _): return words(ofCombiner: node, step)
        // Their inputs always have values: they wait for the end of the turn.
        case (.observable, _, _), (.observer, _, _), (.foreign, _, _), (nil, _, _): return nil
        default: break
        }
        let missing = step.inputs.filter { [.tookPart, .missing, .unknown].contains($0.role) }.map(\.source)
        guard let names = names(missing) else { return nil }
        return ("waits for \(names)", "\(names) must emit a value\(beginning(missing)).")
    }

    private static let firstOnly = "evaluates only the first change of an input (strategy `.first`)"

    private func words(ofCombiner node: UInt32, _ step: CauseStep) -> (fact: String, remedy: String) {
        let unchanged = names(step.inputs.filter { $0.role == .tookPart && $0.emission == nil }.map(\.source))
        switch definitions.nodes[node]?.strategy {
        case .first: return (Self.firstOnly, "Use strategy `.every` if later changes must count.")
        case .settled: return ("waits for the turn to settle", "The turn must end.")
        case .all:
            return (
                "waits for \(unchanged ?? "other inputs")",
                "\(unchanged ?? "Each other input") must change too, once (strategy `.all`)."
            )
        case .every, nil:
            // A settled combiner waits for the end of its turn, and has a later event then.
            guard let unchanged else {
                return (
                    "it waits for the turn to settle, or its strategy is `.first`",
                    "With strategy `.first`, only the first change of an input counts; with `.settled`, the turn must end."
                )
            }
            return (
                "waits for \(unchanged)",
                "With strategy `.all`, \(unchanged) must change too, once. With `.first`, only the first change of an input counts."
            )
        }
    }

    /// The lines for what a node held back when a stimulus came: the fact, and a remedy.
    func words(_ held: WhyNot.Held) -> (fact: String, remedy: String)? {
        let name = phrases.node(held.node)
        switch held.what {
        case .suppressed(let step) where step.event.suppressionReason == .superseded:
            guard let words = words(.newer, at: step) else { return nil }
            return ("\(name) held a value, and had dropped an older one (\(step.event.id))", words.remedy)
        case .suppressed(let step):
            guard let words = words(step) else { return nil }
            return ("\(name) \(words.fact) (\(step.event.id))", words.remedy)
        case .received(let event, let id):
            let source = definitions.subscriptions[id].map { phrases.node($0.source) } ?? "its source"
            let remedy =
                switch definitions.nodes[held.node]?.kind {
                case .buffer: "\(source) must emit more values until \(name) is full, or complete."
                case .last, .reduce, .collect: "\(source) must complete: \(name) emits its result only then."
                default: scheduled(name).remedy
                }
            return ("\(name) held a value (\(event))", remedy)
        case .signals(let id):
            let running = definitions.subscriptions[id].map { phrases.node($0.source) } ?? "its first signal"
            return (
                "\(name) was still subscribed to \(running)",
                "\(running) must complete: \(name) subscribes to its next signal only then."
            )
        }
    }

    /// The operator with which an input that holds a value emits it at once.
    private func beginning(_ nodes: [UInt32]) -> String {
        guard let holder = nodes.lazy.compactMap(holder(before:)).first else { return "" }
        let name = nodes.contains(holder) ? "" : " of \(phrases.node(holder))"
        return "; `.current`\(name) begins with the value that it has"
    }

    /// The observable whose changes reach a node through operators, or the node itself; nil: there is none.
    private func holder(before node: UInt32) -> UInt32? {
        var place = node
        for _ in 0..<Self.longestChain {
            switch definitions.nodes[place]?.kind {
            case .observable, .combiner: return place
            case .current, .replay, nil: return nil
            default: break
            }
            let feeding = definitions.subscriptions.values.filter { $0.isInternal && $0.target == place }
            guard let source = feeding.first?.source, feeding.allSatisfy({ $0.source == source }) else { return nil }
            place = source
        }
        return nil
    }

    /// The most operators through which an observable is sought.
    private static let longestChain = 8

    /// The words for a node that received a value through a subscription, and neither emitted nor suppressed one.
    func words(of stop: WhyNot.Stop, fedBy id: UInt32) -> (fact: String, remedy: String)? {
        let node = stop.node
        guard let kind = definitions.nodes[node]?.kind, let feeding = definitions.subscriptions[id] else { return nil }
        if let words = words(kind, phrases.node(node), stop) { return words }
        let feeder = phrases.node(feeding.source)
        let others = definitions.subscriptions.values.filter {
            $0.isInternal && $0.target == node && $0.source != feeding.source
        }
        guard let source = names(Set(others.map(\.source)).sorted()) else {
            // sample(every:) has no signal that asks it.
            return kind == .sample ? scheduled(phrases.node(node)) : nil
        }
        switch kind {
        // A value of the signal that these sample or open would have been emitted, or suppressed as 'waiting'.
        case .sample:
            return (
                "was asked for a value by \(feeder), and had none",
                "\(source) must emit a value before \(feeder) does."
            )
        case .skipUntil:
            return (
                "was opened by \(feeder), and received no value after that",
                "\(source) must emit a value after \(feeder) does."
            )
        case .withLatest:
            return (
                "keeps the value of \(feeder) until it receives one of \(source)",
                "\(source) must emit a value."
            )
        default: return nil
        }
    }

    /// The words for an operator that waits for an inner signal or for a time.
    private func words(_ kind: NodeKind, _ name: String, _ stop: WhyNot.Stop) -> (fact: String, remedy: String)? {
        switch kind {
        case .flatMap, .execution:
            if let end = stop.requestEnd { return words(ofRequest: end, kind, name, stop) }
            guard let inner = stop.opened.flatMap({ definitions.subscriptions[$0]?.source }).map(phrases.node) else {
                if kind == .execution { return nil }
                return (
                    "received no value from an inner signal",
                    "The signal that \(name) makes of the value must emit a value."
                )
            }
            return (
                "subscribed to \(inner), and is still waiting for a value from it",
                "\(inner) must emit a value after that."
            )
        case .buffer:
            return (
                "collects values, and emitted no array so far",
                "The time of \(name) must be over before the recording, the source or the subscription ends. The array "
                    + "then counts as an effect of its first value, which may be older than the stimulus."
            )
        case .debounce, .throttle, .delay, .deliver: return scheduled(name)
        default: return nil
        }
    }

    /// The words for a request that ended without a value.
    private func words(
        ofRequest end: CauseStep, _ kind: NodeKind, _ name: String, _ stop: WhyNot.Stop
    ) -> (fact: String, remedy: String) {
        let request = definitions.subscriptions[end.event.subject].map { phrases.node($0.source) } ?? "its request"
        guard end.event.endReason == .disposed || end.event.endReason == .bag else {
            let ends = [stop.ending?.origin?.event, stop.ending?.cause?.event].compactMap(\.self)
            guard let failure = ends.first(where: { $0.kind == .failed }) else {
                return (
                    "subscribed to \(request), which completed without a value",
                    "\(request) must emit a value before it completes."
                )
            }
            let error = failure.value == .opaque ? "" : " with \(phrases.value(failure.value))"
            let failed = "\(phrases.node(failure.subject)) failed\(error) (\(failure.id))"
            return (
                "subscribed to \(request), which completed without a value: \(failed)",
                "\(phrases.node(failure.subject)) must succeed; `weir why` shows what made it fail: ask for \(failure.id)."
            )
        }
        if kind == .execution {
            return (
                "was cancelled (\(end.event.id)) before it emitted a value",
                "The execution must go on until it emits a value."
            )
        }
        guard case .delivery(let newer, let id) = end.way, definitions.subscriptions[id]?.target == stop.node else {
            return (
                "subscribed to \(request), and was disposed (\(end.event.id)) before that emitted a value",
                "The subscription to \(name) must stay alive until \(request) emits a value."
            )
        }
        let value = stop.ending?.cause.flatMap { $0.event.kind == .emitted ? $0.event : nil }
        let given = value.map { ", \(phrases.node($0.subject)) = \(phrases.value(of: $0)) (\(newer))," }
        return (
            "began a request, which a newer value\(given ?? " (\(newer))") cancelled before it emitted a value",
            "The request must be answered before the next value comes; .flatMap(.merge) lets each request go on."
        )
    }

    /// Which of the two values an operator dropped that keeps the newest one for its scheduler.
    enum Asked {
        /// The value asked about was dropped for a newer one.
        case older
        /// An older value was dropped for the one asked about.
        case newer
    }

    /// The words for an operator that dropped a value for a newer one.
    func words(_ asked: Asked, at step: CauseStep) -> (fact: String, remedy: String)? {
        let node = step.event.subject
        if definitions.nodes[node]?.technique == .asyncSequence {
            return (
                "its buffer dropped the element for a newer one",
                FilteringWords(definitions: definitions, phrases: phrases).bufferRemedy(node)
            )
        }
        guard let kind = definitions.nodes[node]?.kind, [.debounce, .throttle, .last].contains(kind) else { return nil }
        guard asked == .older else {
            let dropped = "dropped an older value for this one, which it keeps "
            return kind == .last
                ? (dropped + "until its source completes", "\(source(of: step)) must complete.")
                : (dropped + "for its scheduler", scheduled(phrases.node(node)).remedy)
        }
        let newer = step.inputs.first { $0.role == .triggered }
        let value = newer.map { ", \(phrases.node($0.source)) = \(phrases.value($0.value, ofNode: $0.source))" } ?? ""
        let id = newer?.emission.map { " (\($0))," } ?? (newer == nil ? "" : ",")
        if kind == .last {
            return (
                "a newer value\(value)\(id) took its place: only the last one before the completion goes on",
                "No newer value may come before \(source(of: step)) completes."
            )
        }
        return (
            "a newer value\(value)\(id) arrived before its interval ended",
            "No newer value may arrive before the interval of \(phrases.node(node)) has passed."
        )
    }

    private func source(of step: CauseStep) -> String {
        names(step.inputs.filter { $0.role == .triggered }.map(\.source)) ?? "its source"
    }

    private func scheduled(_ name: String) -> (fact: String, remedy: String) {
        (
            "holds the value until its scheduler runs, and has emitted nothing so far",
            "The scheduler of \(name) must run before the recording ends, and before the source or the subscription does."
        )
    }

    /// "a, b and 3 more"; nil: there are none.
    private func names(_ nodes: [UInt32]) -> String? {
        guard !nodes.isEmpty else { return nil }
        let names = nodes.prefix(4).map { phrases.node($0) }
        return names.joined(separator: ", ") + (nodes.count > 4 ? " and \(nodes.count - 4) more" : "")
    }
}
