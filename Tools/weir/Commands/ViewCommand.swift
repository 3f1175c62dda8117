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
            .init(name: "open", help: "Open the page in the default browser, or in the program that BROWSER names."),
            .init(name: "follow", help: "Renew the page while the program runs, until the recording ends, or Ctrl-C."),
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

            With --follow, an open page loads itself again every few seconds, and keeps what is selected and shown.

              weir view login.weir --open
              weir view shop.weir --follow --open
              weir view before.weir after.weir -o report.html

            Exit codes: 0 the page was written, 5 it could not be written, 4 a trace is incomplete under --strict.
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let paths = try TraceList(arguments.positional).paths
        let moment = try Moments.moment("at", arguments)
        let output = arguments.value("output") ?? "report.html"
        let file = try OutputFile(output)
        let isFollowed = arguments.has("follow")
        if isFollowed, paths.count != 1 { throw UsageError.severalTraces(option: "follow") }
        if isFollowed, moment != nil { throw UsageError.contradiction("follow", "at") }
        let readers = try paths.map { path throws(TraceError) in try TraceReader(path: path) }
        if isFollowed {
            let follower = PageFollower(readers[0], paths[0], file)
            try follower.write(ending: nil, console)
            try report(output, arguments, console)
            try follower.run(console)
        } else {
            let traces = try zip(paths, readers).map { path, reader in
                do {
                    return try console.showingProgress(of: path) { report in
                        try PageTrace(reader, path: path, around: moment, reporting: report)
                    }
                } catch let error as MomentError {
                    throw try Moments.usageError(for: error, of: arguments.value("at") ?? "", reader, path, console)
                }
            }
            try write(ReportPage(traces, title: title(of: paths), comparison: comparison(of: paths, console)), to: file)
            try report(output, arguments, console)
        }
        var code = ExitCode.clean
        for (path, reader) in zip(paths, readers) {
            if try console.conclude(reader, path, arguments) != .clean { code = .incomplete }
        }
        return code
    }

    /// The page's title: the names of its traces.
    static func title(of paths: [String]) -> String {
        paths.map { path in path.split(separator: "/").last.map(String.init) ?? path }.joined(separator: ", ")
    }

    /// Writes a page, piece by piece.
    static func write(_ page: ReportPage, to file: OutputFile) throws {
        try file.write { output in try page.write { try output.write($0) } }
    }

    /// Prints the path of the page that was written, and opens it if asked to.
    private static func report(_ output: String, _ arguments: ParsedArguments, _ console: Console) throws {
        try console.output.write("\(TerminalText.escaped(output))\n")
        try console.output.flush()
        if arguments.has("open") { open(output, console) }
    }

    /// Makes a page of some traces, and opens it.
    static func open(_ paths: [String], _ output: String, _ console: Console) throws {
        try console.output.flush()
        let traces = try paths.map { try PageTrace(TraceReader(path: $0), path: $0) }
        try write(
            ReportPage(traces, title: title(of: paths), comparison: comparison(of: paths, console)),
            to: try OutputFile(output))
        open(output, console)
    }

    private static func open(_ output: String, _ console: Console) {
        do throws(Browser.Problem) {
            try Browser.open(System.absolute(output), environment: console.environment)
        } catch {
            console.complain(Wording.cannotOpen(output, error))
        }
    }

    /// The differences of two traces; nil for another number of traces.
    static func comparison(of paths: [String], _ console: Console) -> DiffReport? {
        guard paths.count == 2 else { return nil }
        let runs = paths.map { CheckRun.comparison(of: [$0], areRepeated: false, console) }
        let diff = RunDiff(runs[0].figures, runs[0].table, runs[1].figures, runs[1].table)
        // All panes of the page name a line in the same way: by its module and file.
        return DiffReport(
            diff, runs[0].figures, runs[1].figures, names: (paths[0], paths[1]), sources: .empty)
    }
}
