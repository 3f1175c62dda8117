import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir watch`: a live view of a program that is running.
enum WatchCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "watch", summary: "Watch a program live: its busiest nodes, rates and newest findings.",
        arguments: ["TRACE | -- COMMAND ARG…"], takesCommandLine: true,
        options: [
            .init(
                name: "output", short: "o", placeholder: "FILE",
                help: "With a command: its trace file (default: the command's name with '.weir', here)."),
            .init(name: "once", help: "Print one screen of what the trace has now, and exit."),
            .init(
                name: "size", placeholder: "COLUMNSxROWS",
                help: "With --once: the size of the screen (default: that of the terminal)."),
            CommandGrammar.color,
        ],
        details: """
            Watching reads the trace while it is being written: it needs no port and no agent in the program, and costs the program
            nothing. With a command, weir starts it without input, and its output goes to FILE.log.

            Keys: arrows select a node, Enter opens it, w explains its last value, / filters by name, s changes the order,
            p pauses the screen, q quits. Quitting ends a command that weir started.

            Findings are judged again and again in the background, so rarely that it takes a fiftieth of a processor at most.

              weir watch shop.weir
              weir watch -- .build/debug/weir-lookup
              weir watch shop.weir --once
            """)

    static func run(_ given: ParsedArguments, _ console: Console) throws -> ExitCode {
        var arguments = given
        if given.commandLine.count > 1, isTrace([given.commandLine[0]]) {
            // Not a program: what follows are options of this command.
            arguments = try ArgumentParser(grammar).parse(Array(given.commandLine.dropFirst()) + [given.commandLine[0]])
            arguments.values.merge(given.values) { new, _ in new }
        }
        let style = try console.style(arguments)
        let size = try arguments.value("size", expecting: "columns and rows, such as 80x24", size)
        if arguments.has("size"), !arguments.has("once") { throw UsageError.needsOption("size", "--once") }
        guard isTrace(arguments.commandLine) else { return try watch(arguments, style, console) }
        let path = arguments.commandLine[0]
        if path.isEmpty { throw UsageError.emptyTracePath }
        if arguments.has("output") { throw UsageError.needsOption("output", "-- COMMAND") }
        let watched = try WatchedTrace(path)
        if arguments.has("once") || !console.canTakeOverTerminal {
            try watched.read(mayFinish: true)
            watched.judgeNow()
            let terminal = console.isOutputTerminal ? Terminal.size : nil
            let (columns, rows) = size ?? (console.terminalColumns ?? 80, terminal?.rows ?? 24)
            let lines = watched.page(WatchPage.View(), style).lines(columns: columns, rows: rows)
            try console.output.write(lines.map { $0 + "\n" }.joined())
            return .clean
        }
        return try WatchTerminal(watched, style, console).run()
    }

    /// Starts the command, and watches its trace.
    private static func watch(
        _ arguments: ParsedArguments, _ style: Style, _ console: Console
    ) throws -> ExitCode {
        if arguments.has("once") { throw UsageError.needsOption("once", "a TRACE") }
        guard console.canTakeOverTerminal else {
            throw Failure(code: .usage, sentence: Wording.watchNeedsTerminal)
        }
        let commandLine = arguments.commandLine
        let path = arguments.value("output") ?? RecordCommand.defaultPath(commandLine[0])
        try RecordCommand.refuseToReplace(path)
        var environment = console.environment
        environment["WEIR_TRACE"] = System.absolute(path)
        // The remains of an earlier recording must not be taken for this one's.
        let before = FileState(path)
        let child: Int32
        do {
            child = try ChildProcess.start(commandLine, environment: environment, output: path + ".log")
        } catch { throw RecordCommand.startFailure(commandLine[0], error.code) }
        while true {
            if FileState(path) != before, let watched = WatchedTrace(started: path) {
                return try WatchTerminal(watched, style, console, child: child).run()
            }
            if ChildProcess.ending(of: child) != nil {
                guard FileState(path) != before, let watched = WatchedTrace(started: path) else {
                    throw Failure(code: .unreadable, sentence: Wording.noTrace(commandLine[0], path))
                }
                return try WatchTerminal(watched, style, console).run()
            }
            System.sleep(milliseconds: 50)
        }
    }

    /// Whether the command line is a trace: a single word that names a file with the magic of one.
    private static func isTrace(_ words: [String]) -> Bool {
        guard words.count == 1 else { return false }
        do {
            _ = try TraceReader(path: words[0])
            return true
        } catch TraceError.notATrace, TraceError.isDirectory, TraceError.notAFile {
            return false
        } catch TraceError.missing {
            return words[0].hasSuffix(".weir")
        } catch {
            return true
        }
    }

    private static func size(_ text: String) -> (columns: Int, rows: Int)? {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let columns = parts[0], let rows = parts[1], (20...1000).contains(columns),
            (4...1000).contains(rows)
        else { return nil }
        return (columns, rows)
    }
}
