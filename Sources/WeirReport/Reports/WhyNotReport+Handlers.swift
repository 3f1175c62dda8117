import WeirAnalysis
import WeirTrace

/// The sentences about handlers, bindings and inputs that gave the node nothing.
extension WhyNotReport {
    /// The sentences about objects that called handlers may have captured.
    func releasedObjects(_ style: Style) -> [String] {
        let owner = topology.definitions.nodes[result.node]?.owner
        let found = result.releasedObjects.filter { result.release == nil || $0.object != owner }
        return (isStopped && !found.isEmpty ? [""] : [])
            + found.map { released in
                let name = topology.definitions.objects[released.object]?.name ?? "object \(released.object)"
                return
                    "\(style(.name, TerminalText.escaped(name))), which was tracked when the handler was subscribed, had been released "
                    + "before\(style(.faint, " (\(released.event))")): a handler that captures it weakly does nothing any more."
            }
    }

    /// The sentences about inputs that have emitted nothing so far.
    func silentFeeds(_ phrases: EventPhrases) -> [String] {
        result.silentFeeds.map { feed in
            "\(phrases.node(feed.node)), which feeds it, has emitted nothing yet: \(phrases.node(feed.source)) has been "
                + "\(phrases.value(feed.value, ofNode: feed.source)) since it was made. `.current` begins with that value."
        }
    }

    /// The sentences about handlers in the node's file that ended before they received a value.
    func endedHandlers(_ phrases: EventPhrases) -> [String] {
        let named = result.stopsElsewhere.compactMap(\.subscription)
        let sentences = result.unheardHandlers.compactMap { handler -> String? in
            guard case .ended(let end, let reason) = handler.fate, !named.contains(handler.subscription) else {
                return nil
            }
            let source = source(of: handler, phrases).map { " of \($0)" } ?? ""
            return "\(Self.capitalized(phrases.subscriber(handler.subscription)))\(source) received no value: "
                + "\(SubscriptionEndReason.phrase(reason)) (\(end))."
        }
        return Array(sentences.suffix(Self.mostHandlers))
    }

    /// The handlers in the node's file that waited for a value, such as a task that awaits the `first` value of a signal.
    func neverCalled(_ phrases: EventPhrases) -> [String] {
        let sentences = result.unheardHandlers.compactMap { handler -> String? in
            guard case .waited(let start) = handler.fate else { return nil }
            let since = start.map { " since \($0)" } ?? ""
            let name = phrases.subscriber(handler.subscription)
            return
                "\(Self.capitalized(name)) waited for \(source(of: handler, phrases) ?? "")\(since), and was not called by the end of the trace."
        }
        let rest = sentences.count - Self.mostHandlers
        return sentences.prefix(Self.mostHandlers)
            + (rest > 0 ? ["So did \(Figures.count(rest, "other handler")) in this file."] : [])
            + result.unconnectedMulticasts.prefix(Self.mostHandlers).map {
                "Nothing connected \(phrases.node($0)): it emits only after `connect()`."
            }
    }

    private func source(of handler: WhyNot.UnheardHandler, _ phrases: EventPhrases) -> String? {
        topology.definitions.subscriptions[handler.subscription].map { phrases.node($0.source) }
    }

    private static let mostHandlers = 3

    /// The sentence about called handlers or bindings that write to other nodes: where each writes.
    private func writers(_ subscriptions: [UInt32], _ subject: String, _ phrases: EventPhrases) -> [String] {
        if subscriptions.isEmpty { return [] }
        let parts = subscriptions.prefix(4).map { id in
            let nodes = result.calledWrites[id] ?? []
            let names = nodes.prefix(3).map(phrases.node).joined(separator: ", ")
            let rest = nodes.count > 3 ? " and \(nodes.count - 3) more" : ""
            let site = topology.definitions.subscriptions[id]?.site.map { TerminalText.escaped($0.description) }
            return "\(site ?? "subscription \(id)") writes to "
                + (nodes.isEmpty ? "a property that the trace does not show" : names + rest)
        }
        let rest = subscriptions.count - parts.count
        return ["\(subject): " + parts.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "") + "."]
    }

    /// Sentences about the handlers that the stimulus called, none of which writes to the node, and about those that wait.
    func handlers(_ phrases: EventPhrases) -> [String] {
        var lines: [String] = []
        let definitions = topology.definitions
        func technique(_ id: UInt32) -> NodeTechnique? {
            (definitions.subscriptions[id]?.source).flatMap { definitions.nodes[$0]?.technique }
        }
        func isBinding(_ id: UInt32) -> Bool {
            (definitions.subscriptions[id]?.target).map { definitions.nodes[$0]?.kind == .binding } ?? false
        }
        let isReleased = result.release != nil
        func writesElsewhere(_ id: UInt32) -> Bool { result.calledWrites[id] != nil }
        // A body writes to nothing; the body of `withTracing` is code of the caller.
        let all = result.calledHandlers.filter { technique($0) != .render && technique($0) != .callback }
        let bindings = all.filter(isBinding)
        let called = all.filter { !isBinding($0) && !writesElsewhere($0) }
        if !called.isEmpty {
            let places = places(called)
            lines.append(
                called.count == 1
                    ? "The stimulus called the handler\(places), which did not write to it\(isReleased ? "." : ": check its conditions.")"
                    : "The stimulus called the handlers\(places), none of which wrote to it\(isReleased ? "." : ": check their conditions.")"
            )
        }
        let others = all.filter { !isBinding($0) && writesElsewhere($0) }
        let written = writers(others, "The stimulus called handlers that write to other nodes", phrases)
        if let sentence = written.first {
            lines.append(
                sentence + (isReleased ? "" : " Check the conditions of a handler that must write to it, too."))
        }
        lines += writers(bindings, "The stimulus fed bindings of other properties", phrases)
        let callbacks = result.calledHandlers.filter { technique($0) == .callback }
        if called.isEmpty, others.isEmpty, bindings.isEmpty, !callbacks.isEmpty {
            lines.append("The stimulus ran the body of `withTracing`\(places(callbacks)), which did not write to it.")
        }
        if !result.waitingHandlers.isEmpty {
            let places = places(result.waitingHandlers)
            lines.append(
                result.waitingHandlers.count == 1
                    ? "The handler\(places) waited for its actor until the end of the trace."
                    : "The handlers\(places) waited for their actors until the end of the trace.")
        }
        return lines
    }

    /// " at Login/LoginView.swift:12, Login/LoginView.swift:14"
    private func places(_ subscriptions: [UInt32]) -> String {
        var seen: Set<TraceSite> = []
        let sites = subscriptions.compactMap { topology.definitions.subscriptions[$0]?.site }
            .filter { seen.insert($0).inserted }
        guard !sites.isEmpty else { return "" }
        let shown = sites.prefix(4).map { TerminalText.escaped($0.description) }
        let rest = sites.count - shown.count
        return " at " + shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
