import WeirAnalysis
import WeirReport
import WeirTrace

/// The causes of the event that made a condition true, as `weir why` shows them.
struct BreakChain {
    let text: String
    let json: JSONValue

    /// Searches the trace backward for the causes; nil event: the condition was true from the beginning.
    init(_ request: ReplayRequest, _ event: TraceEvent?) throws {
        let timeline = try Timeline(request.reader)
        guard let event, let explanation = timeline.explanation(of: event.id) else {
            text = ""
            json = .null
            return
        }
        let report = CauseReport(explanation, timeline.definitions, timeScale: timeline.timeScale)
        text = report.text(style: request.style)
        json = report.json
    }
}
