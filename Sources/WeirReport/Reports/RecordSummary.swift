import WeirAnalysis
import WeirTrace

/// The output of `weir record` at the end of the program: two lines, and one for each loss in the trace.
package enum RecordSummary {
    /// The lines, each terminated by a line break.
    package static func text(_ summary: TraceSummary, path: String, fileSize: UInt64) -> String {
        let argument = TerminalText.argument(path)
        let path = TerminalText.escaped(path)
        let emissions = Figures.count(summary.emissions, "emission")
        let replays = summary.replays > 0 ? ", " + Figures.count(summary.replays, "replay") : ""
        let refreshes = Figures.count(summary.refreshes, "refresh", "refreshes")
        var text =
            "weir: \(path): \(Figures.count(summary.eventCount, "event")) in "
            + "\(Figures.duration(nanoseconds: summary.durationNanoseconds)) (\(emissions)\(replays), \(refreshes)), "
            + "\(Figures.bytes(fileSize)).\n"
        for sentence in Losses.sentences(of: summary) { text += "weir: \(sentence)\n" }
        return text + "weir: `weir info \(argument)` sums it up, `weir events \(argument)` lists every event.\n"
    }
}
