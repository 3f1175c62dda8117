import WeirAnalysis
import WeirReport
import WeirTrace

extension Console {
    /// Reports the losses found so far on standard error; returns the exit code, which shows them under --strict.
    func conclude(
        _ reader: TraceReader, _ path: String, _ arguments: ParsedArguments, otherwise code: ExitCode = .clean
    ) throws(OutputError) -> ExitCode {
        let losses = TraceLosses(reader)
        if losses.isEmpty { return code }
        try output.flush()
        complain(Wording.weakened(path, Losses.sentences(of: losses)))
        return arguments.has("strict") ? .incomplete : code
    }
}

extension CommandGrammar {
    static let strict = Option(name: "strict", help: "Exit with 4 when the trace is incomplete.")
}
