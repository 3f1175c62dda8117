import WeirAnalysis
import WeirTrace

/// The output of `weir why`: the chains of causes that lead to an event, each from its stimulus on.
package struct CauseReport {
    private let explanation: Explanation
    private let definitions: TraceDefinitions
    private let timeScale: TimeScale
    /// The most chains that the text shows; the rest are counted; nil: no limit.
    package var chainLimit: Int? = 4

    /// A report on an explanation, with the names from `definitions`.
    package init(_ explanation: Explanation, _ definitions: TraceDefinitions, timeScale: TimeScale) {
        self.explanation = explanation
        self.definitions = definitions
        self.timeScale = timeScale
    }

    /// A sentence that says what happened, the chain of direct causes, and a chain for each other input that changed.
    package func text(style: Style = .plain) -> String {
        guard let target = explanation.target else { return "" }
        let steps = CauseLines(definitions, timeScale: timeScale, style: style)
        var lines = [headline(target, style), ""]
        let shown = explanation.chains.prefix(chainLimit ?? .max)
        for (number, chain) in shown.enumerated() {
            if number > 0, let last = chain.steps.last {
                lines += [
                    "", style(.strong, "Also a cause") + ": " + steps.fact(last) + style(.faint, " (\(last.event.id))"),
                ]
            }
            if let joins = chain.joins { lines.append(style(.faint, "  … as above, up to \(joins)")) }
            if let missing = chain.missingCause {
                lines.append(style(.warning, "  … caused by \(missing), which the trace no longer holds"))
            }
            lines += steps.lines(chain).map { "  " + $0 }
            if number == 0, let root = unexplainedRoot(of: chain) { lines += ["", style(.faint, root)] }
        }
        let rest = explanation.chains.count - shown.count
        if rest > 0 {
            lines += [
                "", style(.faint, "and \(Figures.count(rest, "further chain")) of causes (weir why --all shows all)"),
            ]
        }
        if rest == 0, explanation.omitted > 0 {
            lines += ["", style(.faint, "  and \(Figures.count(explanation.omitted, "further cause")), not followed")]
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The explanation for a program; 'What the command prints as JSON' lists the fields.
    package var json: JSONValue {
        let events = EventLines(definitions, timeScale: timeScale)
        return [
            "event": explanation.target.map { .string($0.event.id.description) } ?? .null,
            "chains": .array(
                explanation.chains.map { chain in
                    [
                        "joins": chain.joins.map { .string($0.description) } ?? .null,
                        "missingCause": chain.missingCause.map { .string($0.description) } ?? .null,
                        "steps": .array(chain.steps.map { json($0, events) }),
                    ]
                }), "omitted": .signed(Int64(explanation.omitted)),
        ]
    }

    /// The sentence about a first step that is no stimulus and has no cause.
    private func unexplainedRoot(of chain: Explanation.Chain) -> String? {
        guard let root = chain.steps.first, root.way == .root, chain.joins == nil, chain.missingCause == nil,
            root.event.kind == .emitted
        else { return nil }
        return
            "The trace shows no cause of \(root.event.id): it happened outside of all stimuli and handlers. `Trace.stimulus` records an "
            + "action; `Trace.task` and `Trace.carryingCause` carry a cause into a task, a queue or a completion handler."
    }

    /// "LoginViewModel.loginEnabled became true at 1:92, 2.8 ms after the start, on thread 1; it was false before."
    private func headline(_ step: CauseStep, _ style: Style) -> String {
        let phrases = EventPhrases(definitions, style: style)
        let event = step.event
        let time = timeScale.nanosecondsSinceStart(event.ticks)
        let about = event.isStamped ? "" : "about "
        let moment =
            "at \(event.id), \(about)\(Figures.duration(nanoseconds: time)) after the start, on thread \(event.id.thread)"
        guard event.kind == .emitted, !event.isReplayed else {
            let lines = CauseLines(definitions, timeScale: timeScale, style: style)
            return "\(event.kind == .suppressed ? lines.fact(step) : phrases.phrase(event)), \(moment)."
        }
        if let previous = step.previous, previous.isProvenEqual(to: event.value) {
            let value = phrases.value(of: event)
            return "\(phrases.node(event.subject)) emitted \(value) again \(moment); it had this value before."
        }
        if let fields = step.previous.flatMap({ phrases.changes(from: $0, to: event.value) }) {
            return "\(phrases.node(event.subject)) changed \(moment): \(fields)."
        }
        let before = step.previous.map { "; before, it was " + phrases.value($0, unlike: event.value) } ?? ""
        let value = phrases.value(of: event, unlike: step.previous)
        return "\(phrases.node(event.subject)) became \(value) \(moment)\(before)."
    }

    private func json(_ step: CauseStep, _ events: EventLines) -> JSONValue {
        guard case .object(var members) = events.json(step.event) else { return .null }
        func add(_ name: String, _ value: JSONValue) { members.append(.init(name: name, value: value)) }
        if let site = definitions.nodes[step.event.subject]?.site, step.event.isOfNode {
            add("site", .string(site.description))
        }
        if let writeSite = step.writeSite { members += WriteSiteWords.json(writeSite) }
        if let previous = step.previous {
            add("previous", previous.json)
            add("previousForm", .string(previous.formName))
        }
        add("way", step.way.json(definitions))
        add("inputs", .array(step.inputs.map(json)))
        return .object(members)
    }

    private func json(_ input: CauseStep.Input) -> JSONValue {
        [
            "node": .unsigned(UInt64(input.source)), "name": .string(definitions.name(ofNode: input.source)),
            "subscription": .unsigned(UInt64(input.subscription)), "role": .string(input.role.jsonName),
            "timing": .bool(input.isTiming), "value": input.value.json, "valueForm": .string(input.value.formName),
            "emission": input.emission.map { .string($0.description) } ?? .null, "completed": .bool(input.isOver),
        ]
    }
}

extension CauseStep.Way {
    /// The kind of step for a program; 'What the command prints as JSON' lists the fields.
    func json(_ definitions: TraceDefinitions) -> JSONValue {
        switch self {
        case .root: ["is": "root"]
        case .within(let id): ["is": "within", "cause": .string(id.description)]
        case .settling(let id): ["is": "settling", "cause": .string(id.description)]
        case .scheduled(let id): ["is": "scheduled", "cause": .string(id.description)]
        case .delivery(let id, let subscription):
            [
                "is": "delivery", "cause": .string(id.description), "subscription": .unsigned(UInt64(subscription)),
                "site": definitions.subscriptions[subscription]?.site.map { .string($0.description) } ?? .null,
            ]
        }
    }
}
