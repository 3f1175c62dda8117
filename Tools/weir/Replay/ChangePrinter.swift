import WeirAnalysis
import WeirReport
@_spi(Records) import WeirTrace

/// Prints changes in the order in which they happened, each with the refreshes that it caused.
///
/// It prints a change when its deliveries are over; until then it holds back up to `longestWait` later lines.
final class ChangePrinter {
    private struct Waiting {
        var change: ChangeLines.Change
        var isOver: Bool
        let section: Section?
    }

    /// A stimulus or a hop; changes within it are printed below its heading.
    private final class Section {
        let event: TraceEvent
        /// The number of the stimulus; 0 for a hop.
        let number: UInt64
        var hasHeading = false

        init(_ event: TraceEvent, _ number: UInt64) { (self.event, self.number) = (event, number) }
    }

    private static let longestWait = 256

    private let request: ReplayRequest
    private let console: Console
    private let lines: ChangeLines
    private var waiting: [Waiting] = []
    /// The stimuli and hops that are open, by thread, outermost first.
    private var open: [UInt32: FrameWalk<Section>] = [:]
    /// The section that the next line belongs to.
    private var current: Section?

    init(_ request: ReplayRequest, _ console: Console) {
        self.request = request
        self.console = console
        lines = ChangeLines(request.topology.definitions, timeScale: request.timeScale, style: request.style)
    }

    /// Processes an event that has just happened, and prints the changes that are over.
    func take(_ event: TraceEvent, before: TraceValue, chosen: Set<UInt32>?, stimuli: UInt64) throws {
        for place in waiting.indices where !waiting[place].isOver {
            let open = waiting[place].change.event
            if open.id.thread == event.id.thread, event.depth <= open.depth { waiting[place].isOver = true }
            if event.cause == open.id, isRefresh(event) { waiting[place].change.refreshes += 1 }
        }
        try flush(atMost: Self.longestWait)
        let thread = event.id.thread
        open[thread, default: FrameWalk()].settle(before: event)
        switch event.kind {
        case .stimulusBegan:
            let section = Section(event, stimuli)
            open[thread]?.open(event, section)
            guard chosen == nil else { break }
            try flush(atMost: 0)
            try enter(section)
        case .hopBegan: open[thread]?.open(event, Section(event, 0))
        case .emitted where !event.isReplayed && chosen?.contains(event.subject) ?? true:
            waiting.append(
                Waiting(
                    change: .init(event, before: before), isOver: !event.delivers,
                    section: open[thread]?.innermost?.payload))
            try flush(atMost: Self.longestWait)
        default: break
        }
    }

    /// Prints the held-back lines.
    func finish() throws { try flush(atMost: 0) }

    func print(watch text: String, from before: Judgement?, to now: Judgement, at event: TraceEvent?) throws {
        try flush(atMost: 0)
        try write(
            lines.text(watch: text, from: before, to: now, at: event),
            lines.json(watch: text, to: now, at: event))
    }

    func print(neverTrue text: String, _ course: Wording.Course, _ judgement: Judgement, nodes: String) throws {
        try write(
            Wording.neverTrue(
                text, course, judgement, nodes: nodes, scope: Losses.scope(of: TraceLosses(request.reader)),
                request.topology.definitions),
            lines.json(neverTrue: text, judgement, wasTrueAtFirst: course == .trueAtFirst))
    }

    /// Prints a break: the moment, its causes, and the nodes that the condition mentions.
    func printBreak(_ named: NamedCondition, at event: TraceEvent?, _ state: TraceState) throws {
        var report = StateReport(
            state, lastEvent: event, timeScale: request.timeScale, path: request.path, style: request.style)
        report.nodes = named.condition.nodes
        report.width = console.terminalColumns
        let chain = try BreakChain(request, event)
        let title = request.style(.strong, "break: \(TerminalText.escaped(named.text))") + " is true"
        let blocks = [title + "\n", chain.text, report.text].filter { !$0.isEmpty }
        try write(
            blocks.joined(separator: "\n").dropLast().description,
            lines.json(break: named.text, at: event, chain: chain.json, state: report.json))
    }

    private func isRefresh(_ event: TraceEvent) -> Bool {
        Meaning.isRefresh(
            event, isTerminal: request.topology.definitions.subscriptions[event.subject]?.isInternal == false)
    }

    private func flush(atMost limit: Int) throws {
        var over = waiting.prefix { $0.isOver }.count
        if waiting.count - over > limit { over = waiting.count - limit }
        guard over > 0 else { return }
        for waiting in waiting.prefix(over) {
            try enter(waiting.section)
            let isWithinStimulus = waiting.section.map { $0.number > 0 } ?? false
            try write(lines.text(waiting.change, isIndented: isWithinStimulus), lines.json(waiting.change))
        }
        waiting.removeFirst(over)
    }

    /// Prints the heading of a stimulus or hop, unless it is current; prints a stimulus's again after another thread interrupted it.
    private func enter(_ section: Section?) throws {
        guard section !== current else { return }
        current = section
        guard let section else { return }
        let isFirst = !section.hasHeading
        section.hasHeading = true
        if section.number > 0 {
            let text = lines.text(stimulus: section.event, number: section.number, goesOn: !isFirst)
            let json = lines.json(stimulus: section.event, number: section.number)
            if isFirst || request.format == .text { try write(text, json) }
        } else if isFirst {
            try write(lines.text(hop: section.event), lines.json(hop: section.event))
        }
    }

    private func write(_ text: String, _ json: @autoclosure () -> JSONValue) throws(OutputError) {
        switch request.format {
        case .text: try console.show(text + "\n")
        default: try console.output.write(json().text + "\n")
        }
    }
}
