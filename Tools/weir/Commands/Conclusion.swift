import WeirAnalysis
import WeirReport
import WeirTrace

extension Console {
    /// Reports the losses found so far on standard error; returns the exit code, which shows them under --strict.
    func conclude(
        _ reader: TraceReader, _ path: String, _ arguments: ParsedArguments, otherwise code: ExitCode = .clean
    ) throws(OutputError) -> ExitCode {
        try conclude(TraceLosses(reader), path, arguments, otherwise: code)
    }

    /// The same of a trace whose losses are known.
    func conclude(
        _ losses: TraceLosses, _ path: String, _ arguments: ParsedArguments, otherwise code: ExitCode = .clean
    ) throws(OutputError) -> ExitCode {
        if losses.isEmpty { return code }
        try output.flush()
        complain(Wording.weakened(path, Losses.sentences(of: losses)))
        return arguments.has("strict") ? .incomplete : code
    }
}

extension CommandGrammar {
    static let strict = Option(name: "strict", help: "Exit with 4 when the trace is incomplete.")
}
