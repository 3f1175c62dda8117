import WeirAnalysis
import WeirTrace

/// The sentences about losses in a trace, and their meaning for all its figures.
package enum Losses {
    /// One or two sentences for each loss; empty for a complete trace.
    package static func sentences(of losses: TraceLosses) -> [String] {
        var result: [String] = []
        if !losses.isClosed {
            result.append(
                "The trace was not closed: its program still runs or was killed. All that it recorded until then is here."
            )
        }
        switch losses.lostEvents {
        case nil:
            result.append(
                "How many events were lost is unknown: the program died while it counted. Take every figure as a lower bound."
            )
        case .some(let lost) where lost > 0:
            result.append(
                "\(Figures.count(lost, "event was", "events were")) lost: the disk or the limit left no room, or a signal handler "
                    + "emitted inside the recorder. Every figure is a lower bound; a missing event may still have happened."
            )
        default: break
        }
        let missing = losses.missingEvents
        if missing > 0 {
            let events = Figures.count(missing, "event")
            if losses.isFlightRecorder && losses.damageCount == 0 {
                result.append(
                    "The flight recorder has overwritten \(events), the oldest: the figures cover only the remaining events."
                )
            } else {
                result.append("\(events) can no longer be read: every figure is a lower bound.")
            }
        }
        if losses.mayLackThreads {
            result.append(
                "The flight recorder has overwritten chunks and did not count their events: whole threads may be missing."
            )
        }
        if losses.hasUnlistedFrames {
            result.append(
                "More frames were open at the beginning of a chunk than it lists: evaluations and refreshes in the inner ones may be missing "
                    + "from the figures.")
        }
        if losses.damageCount > 0 {
            result.append(
                "The file is damaged in \(Figures.count(losses.damageCount, "place")): "
                    + "the rest was read, and figures may lack what stood there.")
        }
        if losses.lostSnapshots > 0 {
            result.append(
                "\(Figures.count(losses.lostSnapshots, "snapshot is", "snapshots are")) not in the trace: "
                    + "the program ended before the heap was walked, or what was written is lost.")
        }
        return result
    }

    /// The part of the recording to which a negative answer applies: " in the part of the trace that could be read"; empty for a
    /// complete trace.
    package static func scope(of losses: TraceLosses) -> String {
        if losses.damageCount > 0 { return " in the part of the trace that could be read" }
        if losses.missingEvents > 0 || losses.mayLackThreads || losses.lostSnapshots > 0 {
            return " in the part of the recording that the trace still contains"
        }
        if losses.lostEvents != 0 { return " in the part of the run that was recorded" }
        return losses.isClosed ? "" : " up to the end of the trace, which was not closed"
    }

    /// The same sentences for the summary of a trace.
    package static func sentences(of summary: TraceSummary) -> [String] { sentences(of: TraceLosses(summary)) }

    /// The damaged places, one line each: at most `limit`, and a line that counts the rest.
    package static func places(of summary: TraceSummary, limit: Int = 10) -> [String] {
        var lines = summary.damage.prefix(limit).map { TerminalText.escaped($0.description) }
        let rest = summary.damageCount - lines.count
        if rest > 0 { lines.append("and \(Figures.count(rest, "more place", "more places"))") }
        return lines
    }
}
