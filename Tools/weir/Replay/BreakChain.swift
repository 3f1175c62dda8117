import WeirAnalysis
import WeirReport
import WeirTrace

/// What made a condition true: the causes of the event with which it became so, as `weir why` tells them.
struct BreakChain {
    let text: String
    let json: JSONValue

    /// Goes back over the trace to find the causes; nil: it was true from the beginning.
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
