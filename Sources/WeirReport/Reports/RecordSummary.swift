import WeirAnalysis
import WeirTrace

/// What `weir record` says when the program has ended: two lines, and one for each thing that the trace lacks.
public enum RecordSummary {
    /// The lines, each ended.
    public static func text(_ summary: TraceSummary, path: String, fileSize: UInt64) -> String {
        let path = TerminalText.escaped(path)
        let emissions = Figures.count(summary.count(of: .emitted), "emission")
        let refreshes = Figures.count(summary.refreshes, "refresh", "refreshes")
        var text =
            "weir: \(path): \(Figures.count(summary.eventCount, "event")) in "
            + "\(Figures.duration(nanoseconds: summary.durationNanoseconds)) (\(emissions), \(refreshes)), "
            + "\(Figures.bytes(fileSize)).\n"
        for sentence in Losses.sentences(of: summary) { text += "weir: \(sentence)\n" }
        return text + "weir: `weir info \(path)` sums it up, `weir events \(path)` lists every event.\n"
    }
}
