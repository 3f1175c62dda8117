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

            A node is named as `weir info` names it, or by the end of its name. A handler is named by its line, such as
            Cart/CartView.swift:30: the command then explains the last value of the node that it is subscribed to.
            If no stimulus has the text of --at, it may be the name of a callback: its last call has just ended then. Of a
            stimulus that awaits, the moment is the end of its part before the first await. Name a later time to include
            the rest.

            Times are microseconds since the start; '~': the event has no time stamp of its own; it happened at this
            time or later.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", OutputFormat.self) ?? .text
        let style = try console.style(arguments)
        let path = try arguments.tracePath()
        let subject = arguments.positional[1]
        let moment = try Moments.moment("at", arguments)
        let text = arguments.value("at") ?? ""
        let reader = try TraceReader(path: path)
        let topology = Topology(try reader.definitions())
        let definitions = topology.definitions
        let scale = TimeScale(reader.header)
        let (asked, nodes) = try Self.subject(subject, definitions, path)
        let phrases = EventPhrases(definitions)
        let node =
            nodes?.ids.count == 1 ? nodes?.ids.first.map(phrases.node) : nodes?.ids.first.map(definitions.name(ofNode:))
        var why: Why
        do {
            let emission = { reader.lastRootEmission(of: $0, topology).map { Moment.event($0.end) } }
            do { why = try Timeline.why(reader, topology, asked, at: moment) } catch MomentError.noSuchStimulus {
                guard case .stimulus(.text(let name)) = moment, let end = emission(name) else {
                    throw MomentError.noSuchStimulus
                }
                why = try Timeline.why(reader, topology, asked, at: end)
            }
        } catch let error as MomentError {
            throw try Moments.usageError(for: error, of: node == nil ? subject : text, reader, path, console)
        }
        guard let explanation = why.explanation else {
            let moment = moment == nil ? nil : text
            try console.output.write(unchanged(node, why.next, reader, scale, moment, path, format))
            return try console.conclude(reader, path, arguments)
        }
        var report = CauseReport(explanation, definitions, timeScale: scale)
        if arguments.has("all") { report.chainLimit = nil }
        switch format {
        case .text:
            if let sentence = nodes?.sentence { try console.show(sentence + "\n\n") }
            try console.show(report.text(style: style))
            if let next = why.next {
                let line =
                    "It emitted a value again after that: \(place(of: next, scale)), as `weir why` without --at shows."
                try console.show("\n" + style(.faint, line) + "\n")
            }
        case .json: try console.output.write(report.json.indentedText + "\n")
        }
        return try console.conclude(reader, path, arguments)
    }

    /// The subject of the question, and the nodes behind it; nil if an event was named.
    private static func subject(
        _ text: String, _ definitions: TraceDefinitions, _ path: String
    ) throws -> (Why.Subject, AskedNodes?) {
        if let id = EventID(text) { return (.event(id), nil) }
        let asked = try AskedNodes(text, definitions, path, orEvent: true)
        return (.nodes(asked.ids), asked)
    }

    private static func unchanged(
        _ node: String?, _ next: TraceEvent?, _ reader: TraceReader, _ scale: TimeScale, _ moment: String?,
        _ path: String, _ format: OutputFormat
    ) -> String {
        if format == .json { return JSONValue.object([.init(name: "event", value: .null)]).indentedText + "\n" }
        let name = TerminalText.escaped(node ?? "it")
        guard let moment, let next else {
            return
                "\(name) has not changed\(Losses.scope(of: TraceLosses(reader))). `weir why-not \(TerminalText.argument(path)) "
                + "\(TerminalText.argument(node ?? ""))` shows where the values stopped.\n"
        }
        return "\(name) had not changed yet by '\(TerminalText.escaped(moment))'. "
            + "It first changed \(place(of: next, scale)).\n"
    }

    /// "at 2:22, 35.8 ms after the start".
    private static func place(of event: TraceEvent, _ scale: TimeScale) -> String {
        let time = scale.nanosecondsSinceStart(event.ticks)
        return
            "at \(event.id), \(event.isStamped ? "" : "about ")\(Figures.duration(nanoseconds: time)) after the start"
    }
}
