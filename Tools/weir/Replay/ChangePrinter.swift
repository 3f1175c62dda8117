import WeirAnalysis
import WeirReport
import WeirTrace

/// Prints changes in the order in which they happened, each with the refreshes that it caused.
///
/// A change is printed when its deliveries are over: what happened in between waits for that, up to `longestWait` lines.
final class ChangePrinter {
    private struct Waiting {
        var change: ChangeLines.Change
        var isOver: Bool
    }

    private static let longestWait = 256

    private let request: ReplayRequest
    private let console: Console
    private let lines: ChangeLines
    private var waiting: [Waiting] = []
    /// A stimulus whose heading was not printed, since nothing was to be told of it so far.
    private var heading: (event: TraceEvent, number: UInt64)?

    init(_ request: ReplayRequest, _ console: Console) {
        self.request = request
        self.console = console
        lines = ChangeLines(request.topology.definitions, timeScale: request.timeScale, style: request.style)
    }

    /// Takes up an event that has just happened, and prints what is over by now.
    func take(_ event: TraceEvent, before: TraceValue, chosen: Set<UInt32>?, stimuli: UInt64) throws {
        for place in waiting.indices where !waiting[place].isOver {
            let open = waiting[place].change.event
            if open.id.thread == event.id.thread, event.depth <= open.depth { waiting[place].isOver = true }
            if event.cause == open.id, isRefresh(event) { waiting[place].change.refreshes += 1 }
        }
        try flush(atMost: Self.longestWait)
        switch event.kind {
        case .stimulusBegan:
            try flush(atMost: 0)
            heading = (event, stimuli)
            if chosen == nil { try printHeading() }
        case .emitted where !event.isReplayed && chosen?.contains(event.subject) ?? true:
            waiting.append(Waiting(change: .init(event, before: before), isOver: !event.delivers))
            try flush(atMost: Self.longestWait)
        default: break
        }
    }

    /// Prints what still waits.
    func finish() throws { try flush(atMost: 0) }

    func print(watch text: String, from before: Judgement?, to now: Judgement, at event: TraceEvent?) throws {
        try flush(atMost: 0)
        try write(
            lines.text(watch: text, from: before, to: now, at: event),
            lines.json(watch: text, to: now, at: event))
    }

    func print(neverTrue text: String, _ judgement: Judgement) throws {
        try write(
            Wording.neverTrue(text, judgement, request.topology.definitions), lines.json(neverTrue: text, judgement))
    }

    /// Where a condition became true: the moment, what caused it, and the nodes that it mentions.
    func printBreak(_ named: NamedCondition, at event: TraceEvent?, _ state: TraceState) throws {
        var report = StateReport(
            state, lastEvent: event, timeScale: request.timeScale, path: request.path, style: request.style)
        report.nodes = named.condition.nodes
        report.width = console.outputColumns
        let chain = try BreakChain(request, event)
        let title = request.style(.strong, "break: \(TerminalText.escaped(named.text))") + " is true"
        let blocks = [title + "\n", chain.text, report.text].filter { !$0.isEmpty }
        try write(
            blocks.joined(separator: "\n").dropLast().description,
            lines.json(break: named.text, at: event, chain: chain.json, state: report.json))
    }

    private func isRefresh(_ event: TraceEvent) -> Bool {
        guard event.kind == .deliveryBegan || event.kind == .deliveryNext, !event.isSettling, !event.deliversEnd else {
            return false
        }
        return request.topology.definitions.subscriptions[event.subject].map { !$0.isInternal } ?? false
    }

    private func flush(atMost limit: Int) throws {
        var over = waiting.prefix { $0.isOver }.count
        if waiting.count - over > limit { over = waiting.count - limit }
        guard over > 0 else { return }
        try printHeading()
        for waiting in waiting.prefix(over) { try write(lines.text(waiting.change), lines.json(waiting.change)) }
        waiting.removeFirst(over)
    }

    private func printHeading() throws {
        guard let heading else { return }
        self.heading = nil
        try write(
            lines.text(stimulus: heading.event, number: heading.number),
            lines.json(stimulus: heading.event, number: heading.number))
    }

    private func write(_ text: String, _ json: @autoclosure () -> JSONValue) throws(OutputError) {
        try console.output.write((request.format == .text ? text : json().text) + "\n")
    }
}
