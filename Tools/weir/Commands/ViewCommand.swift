import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir view`: a page that shows traces in a browser.
enum ViewCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "view", summary: "Make a page that shows everything in a browser: one file, no network.",
        arguments: ["TRACE"], takesSeveral: true,
        options: [
            .init(
                name: "output", short: "o", placeholder: "FILE",
                help: "The page (default: report.html); it is replaced, unless it is a trace."),
            .init(name: "open", help: "Open the page in the default browser."),
            .init(
                name: "at", placeholder: "MOMENT",
                help: "Show this moment first: a time (12ms), an event (1:42), a stimulus (number or text), or end."),
            CommandGrammar.strict,
        ],
        details: """
            The page has a timeline, the graph, the causes and effects of the selected event, the state of every node at any
            moment, and all findings with their remedies. Its address keeps the selection, so a link leads to a moment.
            Two traces, such as the runs before and after a change, stand side by side with their differences, matched as by
            `weir diff`: a node that is selected in one is selected in the other. More traces stand side by side without these.

            The page holds up to \(Figures.count(PageTrace.mostEvents)) events in detail. Of a longer trace it shows the whole
            as an overview, and the events around --at, or around the worst finding.

            A page contains the values of its traces. Remove them with `weir redact` before you share it.

              weir view login.weir --open
              weir view before.weir after.weir -o report.html

            Exit codes: 0 the page was written, 5 it could not be written, 4 a trace is incomplete under --strict.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let paths = try TraceList(arguments.positional).paths
        let moment = try Moments.moment("at", arguments)
        let output = arguments.value("output") ?? "report.html"
        let file = try OutputFile(output)
        let readers = try paths.map { path throws(TraceError) in try TraceReader(path: path) }
        let traces = try zip(paths, readers).map { path, reader in
            do {
                return try console.showingProgress(of: path) { report in
                    try PageTrace(reader, path: path, around: moment, reporting: report)
                }
            } catch let error as MomentError {
                throw try Moments.usageError(for: error, of: arguments.value("at") ?? "", reader, path, console)
            }
        }
        let names = paths.map { path in path.split(separator: "/").last.map(String.init) ?? path }
        let page = ReportPage(traces, title: names.joined(separator: ", "), comparison: comparison(of: paths, console))
        do {
            try file.write { output in try page.write { try output.write($0) } }
        } catch let error as UsageError {
            // An unwritable page is the result that could not be written, not a mistake in the arguments.
            throw Failure(code: .outputFailed, sentence: Wording.sentence(for: error))
        }
        try console.output.write("\(TerminalText.escaped(output))\n")
        try console.output.flush()
        var code = ExitCode.clean
        for (path, reader) in zip(paths, readers) {
            if try console.conclude(reader, path, arguments) != .clean { code = .incomplete }
        }
        if arguments.has("open"), !Browser.open(System.absolute(output), environment: console.environment) {
            console.complain(Wording.noBrowser(output))
        }
        return code
    }

    /// The differences of two traces; nil for another number of traces.
    private static func comparison(of paths: [String], _ console: Console) -> DiffReport? {
        guard paths.count == 2 else { return nil }
        let runs = paths.map { CheckRun.comparison(of: [$0], areRepeated: false, console) }
        let diff = RunDiff(runs[0].figures, runs[0].table, runs[1].figures, runs[1].table)
        return DiffReport(diff, runs[0].figures, runs[1].figures, names: (paths[0], paths[1]))
    }
}
