import WeirAnalysis
import WeirTrace

/// The output of `weir why-not`: what a stimulus reached, where it stopped, and what would have had to be different.
package struct WhyNotReport {
    let result: WhyNot
    let topology: Topology
    private let timeScale: TimeScale
    /// The most stops that the text shows; the rest are counted.
    private let limit: Int
    /// The losses of the trace, which limit what the text says; nil: the trace is complete.
    package var losses: TraceLosses?

    /// A report on a result, with the names of the trace's definitions.
    package init(_ result: WhyNot, _ topology: Topology, timeScale: TimeScale, limit: Int = 5) {
        self.result = result
        self.topology = topology
        self.timeScale = timeScale
        self.limit = limit
    }

    /// A sentence with the answer, the stops from the nearest to the node onwards, and what the stimulus reached.
    package func text(style: Style = .plain) -> String {
        let phrases = EventPhrases(topology.definitions, style: style)
        let stops = StopLines(
            topology.definitions, timeScale: timeScale, reached: Set(result.reached.map(\.node)), style: style)
        let handlers = self.handlers(phrases, stops, style)
        var lines = handlers + [answer(phrases, style)]
        // Without its handlers, a node may be gone, and a probe records nothing.
        if !handlers.isEmpty, !isChanged, !isStopped { return Self.joined(handlers + [reached(phrases, style)]) }
        lines += others(phrases)
        if let batched = result.batchedWrite, case .replaced(let newer) = batched.fate {
            lines.append("It did not go out: a later write in its batch took its place (\(newer)).")
        }
        if let change = result.laterChange { lines += later(change, phrases) }
        switch result.outcome {
        case .changed(let reached):
            lines += changed(reached, phrases)
            if let former = result.formerSubscription {
                lines += ["", style(.strong, "Who was subscribed before:")] + list([former], omitted: 0, stops, style)
            }
        case .stopped(let found):
            lines += ["", style(.strong, "Where it stopped") + (found.count > 1 ? ", nearest to it first:" : ":")]
            lines += list(found, omitted: result.omittedStops, stops, style)
            lines += heldBack(phrases, style)
            lines += result.twins.prefix(2).map {
                "  The stimulus reached \(phrases.node($0.reached)), not \(phrases.node($0.other)), on which it depended."
            }
        case .released:
            let release = result.release.map { style(.faint, " (\($0))") } ?? ""
            lines.append("It had been released before\(release): nothing can change it any more.")
        case .notYetMade: lines.append("It was made only afterwards.")
        case .unconnected(let roots):
            lines += unconnected(roots, phrases, style) + laterRoot(phrases) + heldBack(phrases, style)
            if !result.stopsElsewhere.isEmpty {
                let heading =
                    "Where values stopped before they reached a handler that may set it:"
                lines += ["", style(.strong, heading)]
                lines += list(result.stopsElsewhere, omitted: 0, stops, style)
            }
        }
        lines += releasedObjects(style)
        if case .changed = result.outcome { return Self.joined(lines) }
        lines += releasedOwner(style)
        if let start = result.writersSince, isStopped || isUnconnected {
            let time = Figures.duration(nanoseconds: timeScale.nanosecondsSinceStart(start))
            lines += [
                "",
                "The trace is long: what handlers wrote in the first \(time) was not read.",
            ]
        }
        return Self.joined(lines + ["", reached(phrases, style)])
    }

    /// The first stops, and the number of the others.
    private func list(_ found: [WhyNot.Stop], omitted: Int, _ stops: StopLines, _ style: Style) -> [String] {
        let rest = found.count + omitted - limit
        return found.prefix(limit).flatMap { stops.lines($0, of: result.node).map { "  " + $0 } }
            + (rest > 0 ? [style(.faint, "  and \(Figures.count(rest)) more")] : [])
    }

    private var isChanged: Bool { if case .changed = result.outcome { true } else { false } }
    private var isUnconnected: Bool { if case .unconnected = result.outcome { true } else { false } }
    var isStopped: Bool { if case .stopped = result.outcome { true } else { false } }

    /// The lines about the handlers that the question is about; empty if one of them was subscribed.
    private func handlers(_ phrases: EventPhrases, _ stops: StopLines, _ style: Style) -> [String] {
        guard let handlers = result.handlers, !handlers.stops.isEmpty else { return [] }
        let isProbe = topology.definitions.nodes[result.node]?.kind == .foreign
        let subject =
            handlers.stops[0].subscription.map(phrases.subscriber) ?? phrases.node(result.node)
        var lines = ["\(asSubject) did not call \(subject)\(losses.map(Losses.scope) ?? "")."]
        if isProbe {
            lines.append("\(phrases.node(result.node)) is a probe: a trace shows only what it delivers to subscribers.")
        }
        lines.append("")
        return lines + list(handlers.stops, omitted: 0, stops, style) + [""]
    }

    static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// The sentence that other nodes have the same name, or that the handler was called for one of them.
    private func others(_ phrases: EventPhrases) -> [String] {
        let others = Set(result.others)
        guard !others.isEmpty, result.handlers?.called.isEmpty ?? true else { return [] }
        let changed = result.reached.map(\.node).filter(others.contains)
        let count = Figures.count(others.count + 1)
        guard !changed.isEmpty, !isChanged else { return [] }
        let names = changed.prefix(3).map(phrases.node).joined(separator: ", ")
        let rest = changed.count > 3 ? " and \(Figures.count(changed.count - 3)) more" : ""
        return ["It is one of \(count) nodes with this name. \(names)\(rest) did change."]
    }

    /// The result for a program; 'What the command prints as JSON' lists the fields.
    package var json: JSONValue {
        let stops = StopLines(
            topology.definitions, timeScale: timeScale, reached: Set(result.reached.map(\.node)), style: .plain)
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue) { members.append(.init(name: name, value: value)) }
        add("node", .unsigned(UInt64(result.node)))
        add("name", .string(topology.definitions.name(ofNode: result.node)))
        add("value", result.value.json)
        add("valueForm", .string(result.value.formName))
        add("lastChange", result.lastChange.map { .string($0.description) } ?? .null)
        add("stimulus", .string(result.stimulus.id.description))
        add("stimulusNumber", result.stimulusNumber.map(JSONValue.unsigned) ?? .null)
        add("stimulusText", result.stimulus.kind == .stimulusBegan ? .string(result.stimulus.text) : .null)
        switch result.outcome {
        case .changed(let reached):
            add("outcome", .string(isRepeated(reached) ? "repeated" : "changed"))
            add("calledHandlers", sites(called(behind: reached.node)))
        case .stopped(let found):
            add("outcome", "stopped")
            if !result.heldBack.isEmpty { add("heldBack", .array(result.heldBack.map(json))) }
            add("stops", .array(found.map { stops.json($0) }))
            add("omittedStops", .signed(Int64(result.omittedStops)))
        case .released: add("outcome", "released")
        case .notYetMade: add("outcome", "notYetMade")
        case .unconnected(let roots):
            add("outcome", "unconnected")
            add("roots", .array(roots.map { .string(topology.definitions.name(ofNode: $0)) }))
            add(
                "mustComplete", .array(result.completingRoots.map { .string(topology.definitions.name(ofNode: $0)) }))
            add("heldBack", .array(result.heldBack.map(json)))
            add("isWritten", .bool(result.isWritten))
            add("isSetElsewhere", .bool(result.isSetElsewhere))
            add("calledHandlers", sites(result.calledHandlers))
            add("waitingHandlers", sites(result.waitingHandlers))
        }
        if let release = result.release { add("release", .string(release.description)) }
        if let batched = result.batchedWrite {
            add("batchedWrite", .string(batched.write.description))
            if case .replaced(let newer) = batched.fate { add("replacedBy", .string(newer.description)) }
        }
        if let change = result.laterChange {
            add("laterChange", .string(change.step.event.id.description))
            add("laterChangeIsUntraced", .bool(change.isUntraced))
            add("laterOrigin", change.origin.map { .string($0.id.description) } ?? .null)
        }
        if let root = result.laterRoot { add("laterRoot", .string(root.step.event.id.description)) }
        if let former = result.formerSubscription { add("formerSubscription", stops.json(former)) }
        if let stop = result.laterStop { add("laterStop", .string(stop.event.id.description)) }
        add("writersSince", result.writersSince.map { .unsigned(timeScale.nanosecondsSinceStart($0)) } ?? .null)
        if let handlers = result.handlers {
            add("handlersCalled", .array(handlers.called.map { .unsigned(UInt64($0)) }))
            add("handlerStops", .array(handlers.stops.map { stops.json($0) }))
        }
        if !result.neverCalled.isEmpty { add("neverCalled", sites(result.neverCalled.map(\.subscription))) }
        if !result.stopsElsewhere.isEmpty {
            add("stopsElsewhere", .array(result.stopsElsewhere.map { stops.json($0) }))
        }
        add("reached", .array(result.reached.map(json)))
        return .object(members)
    }

    private func sites(_ subscriptions: [UInt32]) -> JSONValue {
        .array(
            subscriptions.map { id in
                topology.definitions.subscriptions[id]?.site.map { .string($0.description) } ?? .null
            })
    }

    private static func joined(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    private var stimulus: String {
        let time = Figures.duration(nanoseconds: timeScale.nanosecondsSinceStart(result.stimulus.ticks))
        guard let number = result.stimulusNumber else {
            if result.stimulus.kind == .stimulusBegan {
                let text = TerminalText.cut(TerminalText.escaped(result.stimulus.text), to: 60)
                return "stimulus “\(text)” (\(result.stimulus.id), \(time) after the start)"
            }
            let name = TerminalText.escaped(topology.definitions.name(ofNode: result.stimulus.subject))
            if let batched = result.batchedWrite, case .emitted = batched.fate {
                return "the write of \(name) (\(batched.write)), which went out at the end of its batch "
                    + "(\(result.stimulus.id), \(time) after the start),"
            }
            let occasion =
                switch result.stimulus.kind {
                case .suppressed: "suppressed value"
                case .completed: "completion"
                case .failed: "failure"
                default: "emission"
                }
            return "the \(occasion) of \(name) (\(result.stimulus.id), \(time) after the start)"
        }
        let text = TerminalText.cut(TerminalText.escaped(result.stimulus.text), to: 60)
        return "stimulus \(number), “\(text)” (\(result.stimulus.id), \(time) after the start)"
    }

    /// The stimulus as the subject of a sentence.
    private var asSubject: String { Self.capitalized(stimulus) + (result.stimulusNumber == nil ? "" : ",") }

    private func answer(_ phrases: EventPhrases, _ style: Style) -> String {
        let name = phrases.node(result.node)
        if case .changed(let reached) = result.outcome {
            if result.stimulus.kind == .emitted, result.stimulus.id == reached.first, reached.emissions == 1 {
                return
                    "\(Self.capitalized(stimulus)) is the change of \(name). Nothing that it caused changed \(name) again."
            }
            return asSubject
                + (isRepeated(reached) ? " made \(name) emit the value that it had." : " changed \(name).")
        }
        let since = result.lastChange.map { "since \($0)" } ?? "since it was made"
        let verb = result.laterChange == nil && !isEchoed ? "has been" : "had been"
        let value =
            result.value == .notRecorded
            ? "" : ", which \(verb) \(phrases.value(result.value, ofNode: result.node)) \(since)"
        return "\(asSubject) did not change \(name)\(losses.map(Losses.scope) ?? "")\(value)."
    }

    /// Whether the node got the value, which it had sent itself.
    private var isEchoed: Bool {
        guard case .stopped(let stops) = result.outcome else { return false }
        return stops.contains {
            guard $0.node == result.node, case .suppressed(let step) = $0.reason else { return false }
            return step.event.suppressionReason == .echoed
        }
    }

    /// The sentence about a later change, if the stimulus may have caused it, or if its cause is older than the stimulus.
    private func later(_ change: WhyNot.LaterChange, _ phrases: EventPhrases) -> [String] {
        let event = change.step.event
        let became = "It became \(phrases.value(event.value, ofNode: result.node)) at \(event.id), "
        guard let origin = change.origin else {
            return [became + "and the trace does not show why. " + Self.tracedTask]
        }
        let cause = "\(phrases.phrase(origin)) (\(origin.id))"
        if change.isUntraced { return [became + "in a task whose cause the trace does not hold. " + Self.tracedTask] }
        if origin.ticks < result.stimulus.ticks { return [became + "because of an earlier cause: \(cause)."] }
        // Another stimulus explains itself.
        guard origin.kind == .emitted else { return [] }
        return [became + "because \(cause), and the trace does not show why. " + Self.tracedTask]
    }

    /// The sentence about a later change of a node on which the node depends.
    private func laterRoot(_ phrases: EventPhrases) -> [String] {
        guard let event = result.laterRoot?.step.event else { return [] }
        let isTask = result.laterRoot?.isUntraced == true
        return [
            "\(phrases.node(event.subject)) emitted \(phrases.value(of: event)) at \(event.id), "
                + (isTask ? "in a task whose cause the trace does not hold. " : "and the trace does not show why. ")
                + Self.tracedTask + " What followed: ask with --after \(event.id)."
        ]
    }

    private static let tracedTask =
        "If the stimulus started a task that did this, start that task with `Trace.task` or `Trace.detached`."

    private func changed(_ reached: WhyNot.Reached, _ phrases: EventPhrases) -> [String] {
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
    private func end(of reached: WhyNot.Reached) -> String {
        reached.next.map(\.description) ?? "the end of the trace"
    }

    /// Whether a node holds a value.
    private func holds(_ node: UInt32) -> Bool {
        switch topology.definitions.nodes[node]?.kind {
        case .observable, .combiner: true
        default: false
        }
    }

    /// The sentence about the bodies that show a computed property, which subscribe to what it reads; nil for other nodes.
    private func readers(of node: UInt32, _ phrases: EventPhrases) -> String? {
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
    private func isWatching(_ subscription: TraceSubscription) -> Bool {
        subscription.isInternal && subscription.target == nil
    }

    /// Whether its only value is proven to be the one that the node had before.
    private func isRepeated(_ reached: WhyNot.Reached) -> Bool {
        reached.emissions == 1 && result.lastChange != nil && isAsBefore(reached)
    }

    /// Whether its last value is proven to be the one that the node had before the stimulus, and no other cause changed it in between.
    private func isAsBefore(_ reached: WhyNot.Reached) -> Bool {
        !reached.hasChangedBefore && result.value.isProvenEqual(to: reached.value)
    }

    /// The subscriptions of the handlers that the stimulus called, if the node's values reach them.
    private func called(behind node: UInt32) -> [UInt32] {
        guard let place = topology.place(ofNode: node) else { return [] }
        var (next, seen, subscriptions) = ([place], Set([place]), Set<UInt32>())
        while let place = next.popLast() {
            for output in topology.outputs[place] {
                subscriptions.insert(topology.subscriptions[output].id)
                let target = topology.targets[output]
                if target >= 0, seen.insert(target).inserted { next.append(target) }
            }
        }
        return result.calledHandlers.filter(subscriptions.contains)
    }

    /// The writes that a property of an `@Observable` class may have received without a trace.
    private func silentWrites() -> [String] {
        guard topology.definitions.nodes[result.node]?.technique == .observation else { return [] }
        return [
            "If the stimulus wrote the value that it had, the trace does not show this: Observation does not report equal writes."
        ]
    }

    private func unconnected(_ roots: [UInt32], _ phrases: EventPhrases, _ style: Style) -> [String] {
        guard !roots.isEmpty else {
            let known =
                result.isWritten
                ? "In this trace no subscription leads to it, and no handler wrote to it. Code outside of handlers set it, such as that of another "
                    + "stimulus or a task." + lastWrite
                : "Nothing wrote to it in this trace: no subscription leads to it, and neither a handler nor other code set it."
            // The called handlers are not to blame if something stopped.
            let handlers = (result.stopsElsewhere.isEmpty ? handlers(phrases) : []) + unheardHandlers(phrases)
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
        let others = roots.filter { topology.definitions.nodes[$0]?.kind != .command && !completing.contains($0) }
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
        if result.isSetElsewhere { wanted.append("other code must write to it") }
        return [
            "The stimulus changed nothing that \(phrases.node(result.node)) depends on. For it to change, "
                + wanted.joined(separator: "; or ")
                + "."
        ] + silentFeeds(phrases)
    }

    /// The handlers in the node's file that were never called, such as a task that awaits the `first` value of a signal.
    private func neverCalled(_ phrases: EventPhrases) -> [String] {
        let lines = result.neverCalled.prefix(3).map { handler in
            let source = topology.definitions.subscriptions[handler.subscription].map { phrases.node($0.source) } ?? ""
            let since = handler.start.map { " since \($0)" } ?? ""
            let name = phrases.subscriber(handler.subscription)
            return "\(Self.capitalized(name)) waited for \(source)\(since), and was not called by the end of the trace."
        }
        let rest = result.neverCalled.count - lines.count
        return lines + (rest > 0 ? ["So did \(Figures.count(rest, "other handler")) in this file."] : [])
    }

    /// The values and signals that operators on the way held back when the stimulus came.
    private func heldBack(_ phrases: EventPhrases, _ style: Style) -> [String] {
        let waiting = WaitingWords(definitions: topology.definitions, phrases: phrases)
        let words = result.heldBack.compactMap { waiting.words($0) }
        if words.isEmpty { return [] }
        let rest = words.count - limit
        return ["", style(.strong, "Held back on the way, from before the stimulus:")]
            + words.prefix(limit).flatMap { ["  " + $0.fact, "      → " + $0.remedy] }
            + (rest > 0 ? [style(.faint, "  and \(Figures.count(rest)) more")] : [])
    }

    /// The sentence that leads to the last change of the node; empty if there is none.
    private var lastWrite: String {
        result.lastChange.map { " `weir why` shows what set it before: ask for \($0)." } ?? ""
    }

    /// The names of nodes, with a count of those that share one, such as requests that are made repeatedly.
    private func list(_ nodes: [UInt32], _ phrases: EventPhrases, _ style: Style) -> String {
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

    /// The sentence about the released object whose property the node is; empty if it was not released.
    private func releasedOwner(_ style: Style) -> [String] {
        guard isStopped || isUnconnected, let release = result.release,
            let owner = topology.definitions.nodes[result.node]?.owner,
            let name = topology.definitions.objects[owner]?.name
        else { return [] }
        return [
            "",
            style(.name, TerminalText.escaped(name)) + " had been released before" + style(.faint, " (\(release))")
                + ": a handler that captures it weakly does nothing any more.",
        ]
    }

    private func reached(_ phrases: EventPhrases, _ style: Style) -> String {
        guard !result.reached.isEmpty else {
            return "No node emitted a value because of the stimulus."
        }
        let names = result.reached.prefix(12).map { phrases.node($0.node) }
        let rest = result.reached.count - names.count
        let refreshes = result.reached.reduce(0) { $0 &+ $1.refreshes }
        return "The stimulus reached \(Figures.count(result.reached.count, "node")) and "
            + "\(Figures.count(refreshes, "refresh", "refreshes")): " + names.joined(separator: ", ")
            + (rest > 0 ? " and \(Figures.count(rest)) more" : "") + "."
    }

    private func json(_ held: WhyNot.Held) -> JSONValue {
        let (event, subscription): (EventID?, UInt32?) =
            switch held.what {
            case .suppressed(let step): (step.event.id, nil)
            case .received(let event, let id): (event, id)
            case .signals(let id): (nil, id)
            }
        let waiting = WaitingWords(
            definitions: topology.definitions, phrases: EventPhrases(topology.definitions, style: .plain))
        return [
            "node": .unsigned(UInt64(held.node)), "name": .string(topology.definitions.name(ofNode: held.node)),
            "event": event.map { .string($0.description) } ?? .null,
            "subscription": subscription.map { .unsigned(UInt64($0)) } ?? .null,
            "remedy": waiting.words(held).map { .string($0.remedy) } ?? .null,
        ]
    }

    private func json(_ reached: WhyNot.Reached) -> JSONValue {
        [
            "node": .unsigned(UInt64(reached.node)),
            "name": .string(topology.definitions.name(ofNode: reached.node)),
            "emissions": .unsigned(reached.emissions), "refreshes": .unsigned(reached.refreshes),
            "first": .string(reached.first.description), "last": .string(reached.last.description),
            "next": reached.next.map { .string($0.description) } ?? .null,
            "value": reached.value.json, "valueForm": .string(reached.value.formName),
        ]
    }
}
