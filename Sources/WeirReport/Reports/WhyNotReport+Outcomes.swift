import WeirAnalysis
import WeirTrace

/// The sentences about a node that changed, and about one that nothing leads to.
extension WhyNotReport {
    func changed(_ reached: WhyNot.Reached, _ phrases: EventPhrases) -> [String] {
        let value = phrases.value(reached.value, ofNode: reached.node)
        var lines: [String] = []
        if isRepeated(reached) {
            lines.append("It emitted \(value) again at \(reached.last).")
        } else if reached.emissions == 1 {
            let stayed = holds(reached.node) ? ", and stayed so until \(end(of: reached))" : ""
            lines.append("It became \(value) at \(reached.last)\(stayed).")
        } else {
            let kept = holds(reached.node) ? ", which it kept until \(end(of: reached))," : ""
            lines.append(
                "It emitted \(Figures.count(reached.emissions, "value")), from \(reached.first) to \(reached.last); "
                    + "the last one\(kept) is \(value)\(isAsBefore(reached) ? ", as before" : "").")
        }
        if let readers = readers(of: reached.node, phrases) {
            lines.append(readers)
        } else if reached.hadNoSubscriber {
            lines.append("But nobody was subscribed to it then, so no view could show that.")
        } else if let handlers = result.handlers, let call = handlers.firstCall, !handlers.called.isEmpty {
            let handler = handlers.called.count == 1 ? "The handler was" : "These handlers were"
            lines.append(
                "\(handler) called with it (\(call)). If the view does not show it, check the handler's conditions.")
        } else if reached.refreshes > 0 {
            lines.append(Figures.count(reached.refreshes, "handler was", "handlers were") + " called with it.")
        } else {
            let called = called(behind: reached.node).map(phrases.subscriber)
            let rest = called.count - 3
            lines.append(
                called.isEmpty
                    ? "It fed other nodes, and no handler, such as a view, was called because of that."
                    : "Through other nodes, \(Figures.count(called.count, "handler was", "handlers were")) called because of that: "
                        + called.prefix(3).joined(separator: ", ")
                        + (rest > 0 ? " and \(Figures.count(rest)) more" : "") + ".")
        }
        let replaced = holds(reached.node) ? reached.next.map { "; for what replaced it, ask for \($0)" } ?? "" : ""
        lines.append("`weir why` shows the cause: ask for \(reached.last)\(replaced).")
        if let stop = result.laterStop, topology.definitions.nodes[stop.event.subject]?.technique == .asyncSequence {
            let filtering = FilteringWords(definitions: topology.definitions, phrases: phrases)
            lines.append(
                "Another value of the stimulus did not arrive: a buffer dropped it at \(stop.event.id). "
                    + filtering.bufferRemedy(stop.event.subject))
        } else if let stop = result.laterStop {
            let question = stop.way.cause.map { "; ask with --after \($0)" } ?? ""
            lines.append(
                "A later value of the stimulus did not arrive: \(phrases.node(stop.event.subject)) emitted nothing at \(stop.event.id)\(question)."
            )
        }
        return lines
    }

    /// Until when a node kept its value.
    func end(of reached: WhyNot.Reached) -> String {
        reached.next.map(\.description) ?? "the end of the trace"
    }

    /// The sentence about the bodies that show a computed property, which subscribe to what it reads; nil for other nodes.
    func readers(of node: UInt32, _ phrases: EventPhrases) -> String? {
        guard topology.definitions.nodes[node]?.technique == .observation, let place = topology.place(ofNode: node),
            !topology.inputs[place].isEmpty,
            topology.outputs[place].allSatisfy({ isWatching(topology.subscriptions[$0]) })
        else { return nil }
        let reads = Set(topology.inputs[place].map { topology.sources[$0] })
        let bodies = Set(reads.flatMap { topology.outputs[$0] }.map { topology.targets[$0] }).filter { body in
            body >= 0 && topology.definitions.nodes[topology.nodeIDs[body]]?.technique == .render
        }.map { topology.nodeIDs[$0] }
        let shown = result.reached.map(\.node).filter(bodies.contains)
        let names = reads.sorted().prefix(3).map { phrases.node(topology.nodeIDs[$0]) }.joined(separator: ", ")
        let rest = reads.count > 3 ? " and \(Figures.count(reads.count - 3)) more" : ""
        let which =
            shown.isEmpty
            ? "none of them showed another value"
            : "\(shown.prefix(3).map(phrases.node).joined(separator: ", ")) showed another value"
        return "It is computed: bodies that read it depend on what it reads, \(names)\(rest); \(which)."
    }

    /// Whether a subscription only watches for changes of a property.
    func isWatching(_ subscription: TraceSubscription) -> Bool {
        subscription.isInternal && subscription.target == nil
    }

    func unconnected(_ roots: [UInt32], _ phrases: EventPhrases, _ style: Style) -> [String] {
        guard !roots.isEmpty else {
            let known =
                result.isWritten
                ? "In this trace no subscription leads to it, and no handler wrote to it. Code outside of handlers set it, such as that of another "
                    + "stimulus or a task." + lastWrite
                : "Nothing wrote to it in this trace: no subscription leads to it, and neither a handler nor other code set it."
            // The called handlers are not to blame if something stopped.
            let handlers = (result.stopsElsewhere.isEmpty ? handlers(phrases) : []) + endedHandlers(phrases)
            let tasks =
                result.isWritten || !handlers.isEmpty || !result.stopsElsewhere.isEmpty
                ? []
                : [
                    "A task or loop that never started, was cancelled before it wrote, or still waited at the end leaves nothing in a trace."
                ]
            return [known] + tasks + silentWrites() + handlers + neverCalled(phrases)
        }
        let commands = roots.filter { topology.definitions.nodes[$0]?.kind == .command }
        let completing = Set(result.completingRoots)
        let subjects = subjects(of: result.unconnectedMulticasts)
        let others = roots.filter {
            topology.definitions.nodes[$0]?.kind != .command && !completing.contains($0) && !subjects.contains($0)
        }
        var wanted: [String] = []
        if !result.completingRoots.isEmpty {
            wanted.append(
                "\(completing.count > 1 ? "one of these" : "this") must complete: "
                    + list(result.completingRoots, phrases, style))
        }
        if !others.isEmpty {
            wanted.append(
                "\(others.count > 1 ? "one of these" : "this") must emit: " + list(others, phrases, style))
        }
        if !commands.isEmpty {
            wanted.append(
                "\(commands.count > 1 ? "one of these" : "this") must be executed: "
                    + list(commands, phrases, style))
        }
        if !result.unconnectedMulticasts.isEmpty {
            wanted.append("`connect()` must be called on \(list(result.unconnectedMulticasts, phrases, style))")
        }
        if result.isSetElsewhere { wanted.append("other code must write to it") }
        return [
            "The stimulus changed nothing that \(phrases.node(result.node)) depends on. For it to change, "
                + wanted.joined(separator: "; or ")
                + "."
        ] + silentFeeds(phrases)
    }

    /// The subjects through which multicasts emit.
    private func subjects(of multicasts: [UInt32]) -> Set<UInt32> {
        let sources = multicasts.compactMap(topology.place(ofNode:)).flatMap { topology.inputs[$0] }
            .map { topology.nodeIDs[topology.sources[$0]] }
        return Set(sources).filter { source in !multicasts.contains(source) }
    }

    /// The writes that a property of an `@Observable` class may have received without a trace.
    func silentWrites() -> [String] {
        guard topology.definitions.nodes[result.node]?.technique == .observation else { return [] }
        return [
            "If the stimulus wrote the value that it had, the trace does not show this: Observation does not report equal writes."
        ]
    }

    /// The values and signals that operators on the way held back when the stimulus came.
    func heldBack(_ phrases: EventPhrases, _ style: Style) -> [String] {
        let waiting = WaitingWords(definitions: topology.definitions, phrases: phrases)
        let words = result.heldBack.compactMap { waiting.words($0) }
        if words.isEmpty { return [] }
        let rest = words.count - limit
        return ["", style(.strong, "Held back on the way, from before the stimulus:")]
            + words.prefix(limit).flatMap { ["  " + $0.fact, "      → " + $0.remedy] }
            + (rest > 0 ? [style(.faint, "  and \(Figures.count(rest)) more")] : [])
    }

    /// The sentence that leads to the last change of the node; empty if there is none.
    var lastWrite: String {
        result.lastChange.map { " `weir why` shows what set it before: ask for \($0)." } ?? ""
    }

    /// The names of nodes, with a count of those that share one, such as requests that are made repeatedly.
    func list(_ nodes: [UInt32], _ phrases: EventPhrases, _ style: Style) -> String {
        let names = nodes.map { topology.definitions.name(ofNode: $0) }
        let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
        var seen: Set<String> = []
        let parts = zip(nodes, names).filter { seen.insert($1).inserted }.map { node, name in
            let count = counts[name] ?? 1
            return count == 1 ? phrases.node(node) : style(.name, TerminalText.escaped(name)) + " ×\(count)"
        }
        let rest = parts.count - 8
        return parts.prefix(8).joined(separator: ", ") + (rest > 0 ? " and \(Figures.count(rest)) more" : "")
    }
}
