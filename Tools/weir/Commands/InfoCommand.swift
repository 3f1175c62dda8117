import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir info`: the figures of a whole recording.
enum InfoCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "info", summary: "Sum up a trace: what flowed, how often, what was lost.", arguments: ["TRACE"],
        options: [
            CommandGrammar.format,
            .init(name: "top", placeholder: "N", help: "How many rows of nodes the text has (default 20)."),
            .init(name: "strict", help: "Exit with 4 when the trace is incomplete."),
            CommandGrammar.color,
        ],
        details: """
            A refresh is a delivery to a terminal subscriber, such as a view. 'Internal' deliveries feed other
            nodes of the graph. 'Handlers' is the time spent in terminal handlers, with all that they caused.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", OutputFormat.self) ?? .text
        let top = try arguments.value("top", expecting: "a number above 0") {
            Int($0).flatMap { $0 > 0 ? $0 : nil }
        }
        let style = try console.style(arguments)
        let path = try arguments.tracePath()
        let summary = try console.summary(of: TraceReader(path: path), path)
        let report = InfoReport(summary, path: path, fileSize: System.size(path) ?? 0, top: top ?? 20)
        switch format {
        case .text: try console.show(report.text(style: style))
        case .json: try console.output.write(report.json.indentedText + "\n")
        }
        guard arguments.has("strict"), !summary.isComplete else { return .clean }
        try console.output.flush()
        console.complain(Wording.incomplete(path, Losses.sentences(of: summary)))
        return .incomplete
    }
}
