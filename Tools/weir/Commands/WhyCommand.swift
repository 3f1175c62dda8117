import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir why`: the causes of a value's change.
enum WhyCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "why", summary: "Say what made a value change: every cause, from the stimulus on.",
        arguments: ["TRACE", "NODE|EVENT"],
        options: [
            .init(
                name: "at", placeholder: "MOMENT",
                help: "Explain the node's last change up to then: a time, event or stimulus, as for replay --at."),
            .init(
                name: "all", help: "Show every chain of causes; otherwise the first four, and the number of the others."
            ),
            CommandGrammar.format,
            CommandGrammar.strict,
            CommandGrammar.color,
        ],
        details: """
            For a node, the command explains its last change; for an event, such as 1:42, that event. The first chain
            follows the direct causes. Below a node with several inputs, '←' marks the inputs that had changed since its
            value before: they are all causes, and each has a chain. The other inputs had not changed.

            If the trace was recorded with --write-sites, 'written in' gives the function and line of each write.

            A node is named as `weir info` names it, or by the end of its name. Times are microseconds since the start;
            '~': the event has no time stamp of its own; it happened at this time or later.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", OutputFormat.self) ?? .text
        let style = try console.style(arguments)
        let path = try arguments.tracePath()
        let subject = arguments.positional[1]
        let moment = try Moments.moment("at", arguments)
        let text = arguments.value("at") ?? ""
        let reader = try TraceReader(path: path)
        func answer(_ timeline: Timeline) throws -> (Timeline, Asked, Explanation?) {
            let asked = try Self.asked(subject, moment, text, timeline, path, console)
            return (timeline, asked, asked.event.flatMap { timeline.explanation(of: $0) })
        }
        let end = EventID(subject).map { .event($0) } ?? moment ?? .end
        let (timeline, asked, found) = try Timeline.recent(reader, before: end, answer)
        guard let explanation = found else {
            try console.output.write(unchanged(asked, timeline, moment == nil ? nil : text, path, format))
            return try console.conclude(reader, path, arguments)
        }
        var report = CauseReport(explanation, timeline.definitions, timeScale: timeline.timeScale)
        if arguments.has("all") { report.chainLimit = nil }
        switch format {
        case .text:
            try console.show(report.text(style: style))
            if let next = asked.next {
                let line =
                    "It changed again after that: \(place(of: next, timeline)), as `weir why` without --at shows."
                try console.show("\n" + style(.faint, line) + "\n")
            }
        case .json: try console.output.write(report.json.indentedText + "\n")
        }
        return try console.conclude(reader, path, arguments)
    }

    /// The subject of the question.
    private struct Asked {
        /// The event to explain: the named one, or the last change of the named node.
        var event: EventID?
        /// The name of the node; nil if an event was named.
        var node: String?
        /// The first change of the node after the given moment.
        var next: TraceEvent?
    }

    private static func asked(
        _ subject: String, _ moment: Moment?, _ text: String, _ timeline: Timeline, _ path: String, _ console: Console
    ) throws -> Asked {
        if let id = EventID(subject) {
            if timeline.move(to: id) { return Asked(event: id) }
            throw try Moments.usageError(for: .noSuchEvent(id), of: subject, timeline.reader, path, console)
        }
        let ids = try NodeDirectory(timeline.definitions).ids(named: subject, in: path, orEvent: true)
        do { try timeline.move(to: moment ?? .end) } catch {
            throw try Moments.usageError(for: error, of: text, timeline.reader, path, console)
        }
        var asked = Asked(event: timeline.lastChange(of: ids))
        asked.node = ids.first.map(timeline.definitions.name(ofNode:))
        if moment != nil, !timeline.lacksHistory {
            asked.next = timeline.forward { !($0.kind == .emitted && !$0.isReplayed && ids.contains($0.subject)) }
        }
        return asked
    }

    private static func unchanged(
        _ asked: Asked, _ timeline: Timeline, _ moment: String?, _ path: String, _ format: OutputFormat
    ) -> String {
        if format == .json { return JSONValue.object([.init(name: "event", value: .null)]).indentedText + "\n" }
        let node = TerminalText.escaped(asked.node ?? "it")
        guard let moment, let next = asked.next else {
            return
                "\(node) has not changed\(Losses.scope(of: TraceLosses(timeline.reader))). `weir why-not \(TerminalText.argument(path)) "
                + "\(TerminalText.argument(asked.node ?? ""))` shows where the values stopped.\n"
        }
        return "\(node) had not changed yet by '\(TerminalText.escaped(moment))'. "
            + "It first changed \(place(of: next, timeline)).\n"
    }

    /// "at 2:22, 35.8 ms after the start".
    private static func place(of event: TraceEvent, _ timeline: Timeline) -> String {
        let time = timeline.timeScale.nanosecondsSinceStart(event.ticks)
        return
            "at \(event.id), \(event.isStamped ? "" : "about ")\(Figures.duration(nanoseconds: time)) after the start"
    }
}
