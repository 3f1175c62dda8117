import WeirReport
import WeirTrace

/// `weir import`: a trace from the rows of another program.
enum ImportCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "import", summary: "Make a trace of NDJSON rows, from `weir export` or from another language.",
        arguments: ["FILE"],
        options: [
            .init(name: "output", short: "o", placeholder: "TRACE", help: "Write the trace here; must not exist yet."),
            .init(
                name: "trace", placeholder: "N",
                help: "Import this one of a file with several traces (default: 1)."),
        ],
        details: """
            FILE has a JSON object a line; '-' is standard input. 'Tables for other programs' in the documentation of WeirReport
            describes the rows, with a program in Python that writes them.

            Events of one thread must come in their order. Causes follow from how events nest; a hop names its cause. Rows of the
            tables turns and findings are skipped, because they follow from the events.

              weir export login.weir | weir import - -o copy.weir
            """)

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        guard let output = arguments.value("output") else {
            throw UsageError.missingArgument("-o TRACE", command: grammar.name)
        }
        let trace = try arguments.value("trace", expecting: "a number above 0") {
            UInt64($0).flatMap { $0 > 0 ? $0 : nil }
        }
        let path = arguments.positional[0]
        let lines = try LineReader(path)
        try NewFile.check(output)
        let file = try NewFile(output)
        var rows = TraceImport(descriptor: file.descriptor, trace: trace ?? 1)
        do {
            while let line = try lines.next() { try rows.take(line) }
            try rows.finish()
            try file.close()
        } catch let error as ImportError {
            file.remove()
            throw Failure(code: .unreadable, sentence: Wording.notImported(path, error))
        } catch let error as TraceCopyError {
            file.remove()
            throw Failure(code: .outputFailed, sentence: Wording.copyFailed(output, error.code))
        } catch {
            file.remove()
            throw error
        }
        if rows.events == 0 { console.complain(Wording.noEvents(path)) }
        if rows.hasOtherTraces { console.complain(Wording.otherTraces(path, trace ?? 1)) }
        return .clean
    }
}
