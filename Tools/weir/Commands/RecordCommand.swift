import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir record`: runs a program that links Weir, and records it.
enum RecordCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "record", summary: "Run a program that uses Weir, and record it.", arguments: ["COMMAND ARG…"],
        takesCommandLine: true,
        options: [
            .init(
                name: "output", short: "o", placeholder: "FILE",
                help: "The trace file (default: the command's name with '.weir', here)."),
            .init(
                name: "values", placeholder: "POLICY",
                help: "none, scalars (the default: numbers, Bool, short strings) or described (all)."),
            .init(
                name: "limit", placeholder: "BYTES",
                help:
                    "The most bytes of the trace, such as 64MiB, or none; a full trace drops its oldest events."
            ),
            .init(
                name: "write-sites",
                help: "Also record the line and function of each write; a write then costs about a microsecond more."),
        ],
        details: """
            The program runs with this terminal, input and output, and gets the signals sent to weir. weir exits
            with its status: 128 and the signal's number when a signal killed it, 127 when there is no such command. It exits
            with 5, and starts nothing, when the trace cannot be written in its folder.

            A further process that runs at the same time writes a trace of its own, with its process id in the
            name. One that starts later replaces the first trace; with %p in FILE, which stands for the process
            id, all are kept.
            """)

    enum Values: String, CaseIterable {
        case none, scalars, described
    }

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let commandLine = arguments.commandLine
        let output = try arguments.value("output", expecting: "the path of a file") { $0.isEmpty ? nil : $0 }
        let path = TracePath(text: output ?? defaultPath(commandLine[0]))
        var environment = console.environment
        environment["WEIR_TRACE"] = System.absolute(path.text)
        if let values = try arguments.choice("values", Values.self) {
            environment["WEIR_VALUES"] = values.rawValue
        }
        if arguments.has("write-sites") { environment["WEIR_WRITE_SITES"] = "on" }
        let size = "a size such as 64MiB, or none"
        if let limit = try arguments.value("limit", expecting: size, words: ["none"], limit) {
            if let bytes = UInt64(limit), bytes < leastLimit {
                throw UsageError.badValue(
                    option: "limit", value: arguments.value("limit") ?? "",
                    expected: "\(leastLimit) bytes (\(Figures.bytes(leastLimit))) or more, or none")
            }
            environment["WEIR_LIMIT"] = limit
        }
        try refuseToReplace(path.text)
        try checkFolder(of: path)
        let traces = RecordedTraces(at: path)
        var child: Int32 = 0
        let ending: ChildProcess.Ending
        do {
            ending = try ChildProcess.run(commandLine, environment: environment) { child = $0 }
        } catch {
            throw startFailure(commandLine[0], error.code)
        }
        let process = UInt32(bitPattern: child)
        summarise(traces.find(child: process), path.file(of: process), commandLine[0], console)
        return ExitCode(rawValue: ending.status)
    }

    static func defaultPath(_ command: String) -> String {
        let name = command.split(separator: "/").last.map(String.init) ?? command
        return name + ".weir"
    }

    private static func limit(_ text: String) -> String? {
        if text == "none" { return text }
        return Quantities.bytes(text).flatMap { $0 > 0 ? String($0) : nil }
    }

    // Eight chunks and the file header: the recorder's minimum.
    private static let leastLimit = UInt64(TraceFormat.headerLength + 8 * TraceFormat.chunkSize)

    /// Refuses to start a program that could not record itself.
    private static func checkFolder(of path: TracePath) throws(UsageError) {
        // %p in the folder's name has no meaning before the process has an id.
        guard !path.directory.contains("%p") else { return }
        let folder = path.directory.isEmpty ? "." : path.directory
        switch System.obstacle(inDirectory: folder) {
        case nil: return
        case System.noSuchFile: throw .noSuchFolder(path: folder)
        case .some(let code): throw .folderNotWritable(path: folder, code: code)
        }
    }

    /// Refuses to replace a file that is no trace.
    static func refuseToReplace(_ path: String) throws {
        guard let state = FileState(path), state.size > 0 || !state.isRegular else { return }
        do {
            _ = try TraceReader(path: path)
        } catch TraceError.notATrace where OldTrace.isOne(at: path) {
            // The remnant of a recording that was killed at its start: the recorder replaces it.
        } catch TraceError.notATrace, TraceError.isDirectory, TraceError.notAFile {
            throw UsageError.notATraceToOverwrite(path: path)
        } catch {
            // A damaged or newer trace is a trace; an unreadable file will stop the recorder as well.
        }
    }

    private static func summarise(
        _ traces: [String], _ asked: String, _ command: String, _ console: Console
    ) {
        guard let path = traces.first else { return console.complain(Wording.noTrace(command, asked)) }
        do {
            let summary = try console.summary(of: TraceReader(path: path), path)
            console.note(RecordSummary.text(summary, path: path, fileSize: System.size(path) ?? 0))
        } catch {
            console.complain(Wording.sentence(for: error))
        }
        if traces.count > 1 { console.complain(Wording.furtherTraces(Array(traces.dropFirst()))) }
    }

    /// Why a command could not be started, with the exit code that a shell would give.
    static func startFailure(_ command: String, _ code: Int32) -> Failure {
        code == System.noSuchFile
            ? Failure(code: .notFound, sentence: Wording.notFound(command))
            : Failure(code: .notExecutable, sentence: Wording.notExecutable(command, code))
    }
}
