import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir diff`: what a second run has more, less, or otherwise.
enum DiffCommand: Subcommand {
    private enum Format: String, CaseIterable {
        case text, json, markdown
    }

    private enum Threshold: String, CaseIterable {
        case note, warning, error
    }

    static let grammar = CommandGrammar(
        name: "diff", summary: "Compare two runs: nodes, edges, refreshes, end states and findings.",
        arguments: ["BEFORE", "AFTER"],
        options: [
            .init(
                name: "fail-on", placeholder: "LEVEL",
                help: "Exit with 1 if there is a new finding of this level or a higher one: note, warning or error."),
            .init(name: "format", placeholder: "FORMAT", help: "text (the default), json or markdown."),
            .init(name: "top", placeholder: "N", help: "How many lines a section of the text has (default 50)."),
            CommandGrammar.color,
        ],
        details: """
            BEFORE and AFTER are traces, or folders with traces, which count together. Nodes are matched by their labels without
            indexes, or else by kind, file and type. Findings are matched one to one, as by `weir check`. Refreshes by stimulus are
            compared for stimuli that both runs have.

            Exit codes: 0 otherwise, 1 for new findings under --fail-on, 2 for wrong usage, 3 when a trace cannot be read, 4 when a
            trace is incomplete under --fail-on, 5 when the result cannot be written.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.choice("format", Format.self) ?? .text
        let threshold = try arguments.choice("fail-on", Threshold.self)
        let style = try console.style(arguments)
        let top = try arguments.value("top", expecting: "a number above 0") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        let before = try Run(arguments.positional[0], console)
        let after = try Run(arguments.positional[1], console)
        let diff = RunDiff(before.figures, before.table, after.figures, after.table)
        let report = DiffReport(
            diff, before.figures, after.figures, names: (arguments.positional[0], arguments.positional[1]))
        switch format {
        case .text: try console.output.write(report.text(limit: top ?? 50, style: style))
        case .json: try console.output.write(report.json.indentedText + "\n")
        case .markdown: try console.output.write(report.markdown)
        }
        let losses = before.losses + after.losses
        if !losses.isEmpty { try console.output.flush() }
        for loss in losses { console.complain(Wording.weakened(loss.path, loss.sentences)) }
        guard let threshold = threshold.flatMap({ Policy.Level(rawValue: $0.rawValue) }) else { return .clean }
        if diff.new.contains(where: { Policy.Level($0.finding.severity) >= threshold }) { return .found }
        return losses.isEmpty ? .clean : .incomplete
    }

    /// The traces of one run.
    private struct Run {
        var figures = RunFigures()
        let table: CheckTable<FindingStory>
        private(set) var losses: [(path: String, sentences: [String])] = []

        init(_ argument: String, _ console: Console) throws {
            let paths = try TraceList([argument]).paths
            table = CheckRun.table(of: paths, isMeasured: false, console).table
            for (place, path) in paths.enumerated() {
                // Says why a trace cannot be read.
                let reader = try TraceReader(path: path)
                figures.take(reader, try reader.definitions())
                if let sentences = table.faults[place]?[.incomplete] { losses.append((path, sentences)) }
            }
        }
    }
}
