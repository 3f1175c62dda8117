import WeirAnalysis
import WeirReport
import WeirTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The tool's environment: its output, its error output, and its variables.
struct Console {
    let output: Output
    /// Takes text for standard error.
    let errors: (String) -> Void
    let environment: [String: String]
    let isOutputTerminal: Bool
    let isErrorTerminal: Bool

    /// The process's own; from here on a closed pipe is an error to handle, not a signal.
    static func standard() -> Console {
        signal(SIGPIPE, SIG_IGN)
        let errors = Output(descriptor: STDERR_FILENO)
        return Console(
            output: Output(descriptor: STDOUT_FILENO),
            errors: { text in
                // If standard error has failed as well, there is nowhere left to report.
                do { try errors.write(text); try errors.flush() } catch {}
            },
            environment: environmentOfProcess(), isOutputTerminal: isatty(STDOUT_FILENO) == 1,
            isErrorTerminal: isatty(STDERR_FILENO) == 1)
    }

    /// Writes a report for people: on a terminal, its lines break between words.
    func show(_ text: String) throws(OutputError) {
        try output.write(terminalColumns.map { LineWrap.wrapped(text, to: $0) } ?? text)
    }

    /// One sentence on standard error.
    func complain(_ sentence: String) { note("weir: \(PrintableText.escaped(sentence))\n") }

    /// Lines for people on standard error; on a terminal, they break between words.
    func note(_ text: String) { errors(errorColumns.map { LineWrap.wrapped(text, to: $0) } ?? text) }

    /// Runs a pass over the trace at `path`; a long pass shows a progress bar on standard error.
    ///
    /// The bar disappears when the result is there. Without a terminal there is no bar and no progress report.
    func showingProgress<Result, Problem: Error>(
        of path: String, _ pass: (PassProgress.Report?) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        guard isErrorTerminal, !isDumb else { return try pass(nil) }
        var bar = ProgressBar(path, now: System.nanoseconds())
        defer {
            let erasure = bar.erasure()
            if !erasure.isEmpty { errors(erasure) }
        }
        return try pass { progress in
            if let drawing = bar.drawing(of: progress.fraction, now: System.nanoseconds()) { errors(drawing) }
        }
    }

    /// The figures of the trace at `path`.
    func summary(of reader: TraceReader, _ path: String) throws(TraceError) -> TraceSummary {
        try showingProgress(of: path) { report throws(TraceError) in
            try TraceSummary(of: reader, reporting: report)
        }
    }

    /// The style that `--color` asks for.
    func style(_ arguments: ParsedArguments) throws(UsageError) -> Style {
        switch try arguments.choice("color", ColorMode.self) ?? .auto {
        case .always: Style(isColored: true)
        case .never: .plain
        case .auto: Style(isColored: isOutputTerminal && allowsColor)
        }
    }

    private var allowsColor: Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && !isDumb
    }

    /// Whether the terminal knows no escape sequences.
    private var isDumb: Bool { environment["TERM"] == "dumb" }

    private static func environmentOfProcess() -> [String: String] {
        var result: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = SystemText.text(entry)
            if let equals = text.firstIndex(of: "=") {
                result[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return result
    }
}
