import WeirAnalysis
import WeirTrace

/// The output of `weir replay` along a trace: stimuli, changes of nodes, and changes of watched expressions.
package struct ChangeLines {
    /// A new value of a node.
    package struct Change {
        /// The emission.
        package let event: TraceEvent
        /// The value that the node had before.
        package let before: TraceValue
        /// The number of its deliveries to handlers so far.
        package var refreshes: UInt64 = 0

        /// A change without refreshes.
        package init(_ event: TraceEvent, before: TraceValue) {
            self.event = event
            self.before = before
        }
    }

    private let definitions: TraceDefinitions
    private let phrases: EventPhrases
    private let timeScale: TimeScale
    private let style: Style

    /// Lines with the names from `definitions`.
    package init(_ definitions: TraceDefinitions, timeScale: TimeScale, style: Style = .plain) {
        self.definitions = definitions
        self.timeScale = timeScale
        self.style = style
        phrases = EventPhrases(definitions, style: style)
    }

    /// A heading; `goesOn` marks a repeated heading after an interruption of the stimulus.
    package func text(stimulus event: TraceEvent, number: UInt64, goesOn: Bool = false) -> String {
        prefix(event) + style(.strong, "stimulus \(Figures.count(number)) “\(TerminalText.escaped(event.text))”")
            + (goesOn ? style(.faint, " goes on") : "")
    }

    /// A heading for work that a scheduler ran.
    package func text(hop event: TraceEvent) -> String { prefix(event) + phrases.phrase(event) }

    /// "LoginViewModel.username  "" → "Maruko"  2 refreshes"; indented below a stimulus.
    package func text(_ change: Change, isIndented: Bool = true) -> String {
        let isFirst = change.before == .notRecorded
        let refreshes =
            change.refreshes == 0
            ? "" : style(.faint, "  " + Figures.count(change.refreshes, "refresh", "refreshes"))
        if !isFirst, let fields = phrases.changes(from: change.before, to: change.event.value) {
            return prefix(change.event) + (isIndented ? "  " : "") + "\(phrases.node(change.event.subject))  \(fields)"
                + refreshes
        }
        let before = isFirst ? "" : phrases.before(change) + " → "
        return prefix(change.event) + (isIndented ? "  " : "") + "\(phrases.node(change.event.subject))  \(before)"
            + phrases.value(of: change.event) + refreshes
    }

    /// "count(username) > 2  false → true"; a nil event is the beginning of the trace.
    package func text(watch expression: String, from before: Judgement?, to now: Judgement, at event: TraceEvent?)
        -> String
    {
        let old = before.map { "\(text($0)) → " } ?? ""
        let place = event.map(prefix) ?? String(repeating: " ", count: 23)
        return place + style(.strong, "  watch ") + TerminalText.escaped(expression) + "  \(old)\(text(now))"
    }

    /// The value of an expression, in words.
    package func text(_ judgement: Judgement) -> String {
        guard case .value(let value) = judgement else { return style(.warning, "unknown") }
        return phrases.value(value)
    }

    /// A stimulus for a program.
    package func json(stimulus event: TraceEvent, number: UInt64) -> JSONValue {
        object("stimulus", event, [("number", .unsigned(number)), ("text", .string(event.text))])
    }

    /// A hop for a program.
    package func json(hop event: TraceEvent) -> JSONValue {
        object(
            "hop", event,
            [
                ("node", event.subject == 0 ? .null : .unsigned(UInt64(event.subject))),
                ("name", event.subject == 0 ? .null : .string(definitions.name(ofNode: event.subject))),
                ("cause", event.cause.map { .string($0.description) } ?? .null),
            ])
    }

    /// A change for a program.
    package func json(_ change: Change) -> JSONValue {
        object(
            "change", change.event,
            [
                ("node", .unsigned(UInt64(change.event.subject))),
                ("name", .string(definitions.name(ofNode: change.event.subject))),
                ("before", change.before.json), ("beforeForm", .string(change.before.formName)),
                ("value", change.event.value.json), ("valueForm", .string(change.event.value.formName)),
                ("refreshes", .unsigned(change.refreshes)),
            ])
    }

    /// The new value of an expression, for a program.
    package func json(watch expression: String, to now: Judgement, at event: TraceEvent?) -> JSONValue {
        object("watch", event, [("expression", .string(expression))] + Self.members(now))
    }

    /// The event at which a condition became true, for a program.
    package func json(break expression: String, at event: TraceEvent?, chain: JSONValue, state: JSONValue) -> JSONValue
    {
        object("break", event, [("expression", .string(expression)), ("causes", chain), ("state", state)])
    }

    /// A condition that never became true, for a program.
    package func json(neverTrue expression: String, _ judgement: Judgement, wasTrueAtFirst: Bool) -> JSONValue {
        object(
            "neverTrue", nil,
            [("expression", .string(expression)), ("wasTrueAtFirst", .bool(wasTrueAtFirst))]
                + Self.members(judgement))
    }

    private static func members(_ judgement: Judgement) -> [(String, JSONValue)] {
        switch judgement {
        case .value(let value): [("value", value.json), ("valueForm", .string(value.formName))]
        case .unknown(let unknown):
            [
                ("value", .null), ("valueForm", "unknown"), ("unknownBecause", .string(unknown.reason.jsonName)),
                ("unknownNode", unknown.node.map { .unsigned(UInt64($0)) } ?? .null),
            ]
        }
    }

    private func object(_ kind: String, _ event: TraceEvent?, _ members: [(String, JSONValue)]) -> JSONValue {
        let head: [(String, JSONValue)] = [
            ("kind", .string(kind)), ("event", event.map { .string($0.id.description) } ?? .null),
            ("nanoseconds", event.map { .unsigned(timeScale.nanosecondsSinceStart($0.ticks)) } ?? .null),
        ]
        return .object((head + members).map { .init(name: $0.0, value: $0.1) })
    }

    private func prefix(_ event: TraceEvent) -> String {
        let time =
            (event.isStamped ? "" : "~")
            + Figures.microseconds(nanoseconds: timeScale.nanosecondsSinceStart(event.ticks))
        return style(.faint, padded(event.id.description, 8, left: false) + padded(time, 13, left: true)) + "  "
    }

    private func padded(_ text: String, _ width: Int, left: Bool) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.utf8.count))
        return left ? padding + text : text + padding
    }
}

extension EventPhrases {
    /// The value that a node had before a change.
    fileprivate func before(_ change: ChangeLines.Change) -> String {
        change.before == .opaque
            ? value(change.before, ofNode: change.event.subject) : value(change.before, columns: 40)
    }
}
