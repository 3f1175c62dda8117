import WeirAnalysis
import WeirReport
import WeirTrace

/// `weir replay --at`: one pass up to a moment, and the state there.
struct StateAtMoment {
    private let request: ReplayRequest
    private let console: Console

    init(_ request: ReplayRequest, _ console: Console) {
        self.request = request
        self.console = console
    }

    func run() throws -> ExitCode {
        let pass: MomentPass
        do { pass = try reach(request.at ?? .end) } catch let error as MomentError {
            throw try Moments.usageError(
                for: error, of: request.arguments.value("at") ?? "", request.reader, request.path, console)
        }
        let text = render(pass)
        if request.format == .text { try console.show(text) } else { try console.output.write(text) }
        return try console.conclude(request.reader, request.path, request.arguments)
    }

    private func reach(_ moment: Moment) throws -> MomentPass {
        try console.showingProgress(of: request.path) { report in
            let counted = try MomentPass(counting: request.reader, request.topology, to: moment, reporting: report)
            if let counted { return counted }
            var pass = try MomentPass(request.reader, request.topology, to: moment, reporting: report)
            try pass.run(reporting: report)
            return pass
        }
    }

    private func render(_ pass: MomentPass) -> String {
        var report = StateReport(
            pass.state, lastEvent: pass.lastEvent, timeScale: request.timeScale, path: request.path,
            style: request.style)
        report.nodes = request.nodes
        report.showsAll = request.arguments.has("all")
        report.width = console.terminalColumns
        if let stimulus = pass.stimulus {
            report.remark = Wording.chosen(stimulus)
            report.stimulus = (stimulus.number, stimulus.event.text)
            report.marksSince = pass.stimulusOrder
        }
        if report.shownPlaces.isEmpty { report.lastRelease = lastRelease(upTo: pass.state.ticks) }
        switch request.format {
        case .text: return report.text
        case .json: return report.json.indentedText + "\n"
        }
    }

    private func lastRelease(upTo ticks: UInt64) -> TraceEvent? {
        var releases = RecordFilter()
        releases.kinds = 1 << UInt32(EventKind.nodeReleased.rawValue)
        releases.ticks = 0...ticks
        var last: TraceEvent?
        request.reader.forEachEvent(passing: releases) { event in
            if event.kind == .nodeReleased { last = event }
            return true
        }
        return last
    }
}
