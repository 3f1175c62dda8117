import WeirAnalysis
import WeirTrace

/// The output of `weir why-not`: what a stimulus reached, where it stopped, and what would have had to be different.
package struct WhyNotReport {
    let result: WhyNot
    let topology: Topology
    let timeScale: TimeScale
    /// The most stops that the text shows; the rest are counted.
    let limit: Int
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
    func list(_ found: [WhyNot.Stop], omitted: Int, _ stops: StopLines, _ style: Style) -> [String] {
        let rest = found.count + omitted - limit
        return found.prefix(limit).flatMap { stops.lines($0, of: result.node).map { "  " + $0 } }
            + (rest > 0 ? [style(.faint, "  and \(Figures.count(rest)) more")] : [])
    }

    var isChanged: Bool { if case .changed = result.outcome { true } else { false } }
    var isUnconnected: Bool { if case .unconnected = result.outcome { true } else { false } }
    var isStopped: Bool { if case .stopped = result.outcome { true } else { false } }

    /// The lines about the handlers that the question is about; empty if one of them was subscribed.
    func handlers(_ phrases: EventPhrases, _ stops: StopLines, _ style: Style) -> [String] {
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
    func others(_ phrases: EventPhrases) -> [String] {
        let others = Set(result.others)
        guard !others.isEmpty, result.handlers?.called.isEmpty ?? true else { return [] }
        let changed = result.reached.map(\.node).filter(others.contains)
        let count = Figures.count(others.count + 1)
        guard !changed.isEmpty, !isChanged else { return [] }
        let names = changed.prefix(3).map(phrases.node).joined(separator: ", ")
        let rest = changed.count > 3 ? " and \(Figures.count(changed.count - 3)) more" : ""
        return ["It is one of \(count) nodes with this name. \(names)\(rest) did change."]
    }

    static func joined(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    var stimulus: String {
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
    var asSubject: String { Self.capitalized(stimulus) + (result.stimulusNumber == nil ? "" : ",") }

    func answer(_ phrases: EventPhrases, _ style: Style) -> String {
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
    var isEchoed: Bool {
        guard case .stopped(let stops) = result.outcome else { return false }
        return stops.contains {
            guard $0.node == result.node, case .suppressed(let step) = $0.reason else { return false }
            return step.event.suppressionReason == .echoed
        }
    }

    /// The sentence about a later change, if the stimulus may have caused it, or if its cause is older than the stimulus.
    func later(_ change: WhyNot.LaterChange, _ phrases: EventPhrases) -> [String] {
        let event = change.step.event
        let became = "It became \(phrases.value(event.value, ofNode: result.node)) at \(event.id), "
        guard let origin = change.origin else {
            return [became + "and the trace does not show why. " + Self.tracedWork]
        }
        let cause = "\(phrases.phrase(origin)) (\(origin.id))"
        if change.isUntraced { return [became + "in a task whose cause the trace does not hold. " + Self.tracedTask] }
        if origin.ticks < result.stimulus.ticks { return [became + "because of an earlier cause: \(cause)."] }
        // Another stimulus explains itself.
        guard origin.kind == .emitted else { return [] }
        return [became + "because \(cause), and the trace does not show why. " + Self.tracedWork]
    }

    /// The sentence about a later change of a node on which the node depends.
    func laterRoot(_ phrases: EventPhrases) -> [String] {
        guard let event = result.laterRoot?.step.event else { return [] }
        let isTask = result.laterRoot?.isUntraced == true
        return [
            "\(phrases.node(event.subject)) emitted \(phrases.value(of: event)) at \(event.id), "
                + (isTask
                    ? "in a task whose cause the trace does not hold. \(Self.tracedTask)"
                    : "and the trace does not show why. \(Self.tracedWork)")
                + " What followed: ask with --after \(event.id)."
        ]
    }

    static let tracedTask =
        "If the stimulus started a task that did this, start that task with `Trace.task` or `Trace.detached`."
    static let tracedWork =
        "If the stimulus started the work that did this, start that with `Trace.task` or `Trace.detached`, or wrap the closure of "
        + "a queue or a completion handler in `Trace.carryingCause`."

    /// Whether a node holds a value.
    func holds(_ node: UInt32) -> Bool {
        switch topology.definitions.nodes[node]?.kind {
        case .observable, .combiner: true
        default: false
        }
    }

    /// Whether its only value is proven to be the one that the node had before.
    func isRepeated(_ reached: WhyNot.Reached) -> Bool {
        reached.emissions == 1 && result.lastChange != nil && isAsBefore(reached)
    }

    /// Whether its last value is proven to be the one that the node had before the stimulus, and no other cause changed it in between.
    func isAsBefore(_ reached: WhyNot.Reached) -> Bool {
        !reached.hasChangedBefore && result.value.isProvenEqual(to: reached.value)
    }

    /// The subscriptions of the handlers that the stimulus called, if the node's values reach them.
    func called(behind node: UInt32) -> [UInt32] {
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

    /// The sentence about the released object whose property the node is; empty if it was not released.
    func releasedOwner(_ style: Style) -> [String] {
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

    func reached(_ phrases: EventPhrases, _ style: Style) -> String {
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

}
