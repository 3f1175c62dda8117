import WeirAnalysis
import WeirTrace

/// The output of `weir info`: the figures of a whole recording.
package struct InfoReport {
    /// The figures.
    package let summary: TraceSummary
    /// The path of the trace, as given by the user.
    package let path: String
    /// The file's size in bytes.
    package let fileSize: UInt64
    /// The most rows of nodes in the text; nil: no limit.
    package let top: Int?

    /// A report on the trace at `path`.
    package init(_ summary: TraceSummary, path: String, fileSize: UInt64, top: Int? = 20) {
        self.summary = summary
        self.path = path
        self.fileSize = fileSize
        self.top = top
    }

    /// The report for a person.
    package func text(style: Style = .plain) -> String {
        let blocks = [
            heading(style), threads(style), kinds(style), stimuli(style), nodes(style), fanOuts(style), chains(style),
            handlers(style), waiting(style), disclosures(style), objects(style), losses(style),
        ]
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
            + "\n"
    }

    private func heading(_ style: Style) -> [String] {
        let header = summary.header
        let program = header.program.isEmpty ? "a program" : TerminalText.escaped(header.program)
        var facts: [(String, String)] = []
        if header.startWallClock != 0 {
            facts.append(("recorded", Figures.moment(wallClockNanoseconds: header.startWallClock)))
        }
        facts.append(("lasted", Figures.duration(nanoseconds: summary.durationNanoseconds)))
        facts.append(("events", Figures.count(summary.eventCount) + perEvent))
        if !summary.nodes.isEmpty { facts.append(("nodes", nodeKinds)) }
        facts.append(("size", Figures.bytes(fileSize) + limit))
        facts.append(
            ("clock", "\(header.clock.phrase), \(Figures.count(header.ticksPerSecond)) ticks a second"))
        if let snapshots { facts.append(("snapshots", snapshots)) }
        if let overhead { facts.append(("overhead", overhead)) }
        facts.append(("values", header.valuePolicy.phrase))
        if !header.modules.isEmpty { facts.append(("modules", modules)) }
        if !header.labels.isEmpty {
            let labels = header.labels.sorted { $0.key < $1.key }
            facts.append(
                ("labels", labels.map { TerminalText.escaped("\($0.key)=\($0.value)") }.joined(separator: ", ")))
        }
        if let redaction = header.redaction { facts.append(("redacted", redaction.phrase)) }
        facts.append(
            (
                "state",
                summary.isComplete
                    ? "complete: closed, nothing lost, nothing damaged" : "INCOMPLETE, see below"
            ))
        let process = header.processID == 0 ? "" : " (process \(header.processID))"
        return [
            style(.strong, TerminalText.escaped(path)) + ": a trace of " + style(.strong, program) + process
        ]
            + facts.map { label, fact in
                let role: Style.Role? = label == "state" && !summary.isComplete ? .warning : nil
                let padded = label + String(repeating: " ", count: 10 - label.count)
                let lines = fact.split(separator: "\n").joined(separator: "\n" + String(repeating: " ", count: 12))
                return "  " + style(.faint, padded) + (role.map { style($0, lines) } ?? lines)
            }
    }

    /// "only App, Login; nodes of other modules were not recorded; no node of Login".
    private var modules: String {
        let names = summary.header.modules.map { TerminalText.escaped($0) }
        var present: Set<String> = []
        for node in summary.nodes {
            if let module = node.site?.file.split(separator: "/").first { present.insert(String(module)) }
        }
        let absent = summary.header.modules.filter { !present.contains($0) }.map { TerminalText.escaped($0) }
        return "only \(names.joined(separator: ", ")); nodes of other modules were not recorded"
            + (absent.isEmpty ? "" : "; no node of \(absent.joined(separator: ", "))")
    }

    private var perEvent: String {
        let stored =
            fileSize > UInt64(TraceFormat.headerLength) ? fileSize - UInt64(TraceFormat.headerLength) : 0
        // In a short trace, partly filled chunks would distort the cost of an event.
        guard summary.eventCount >= 10_000 else { return "" }
        let tenths = UInt64((Double(stored) / Double(summary.eventCount) * 10).rounded())
        return ", \(tenths / 10).\(tenths % 10) bytes each, names included"
    }

    /// "5: 2 observable, 1 debounce, 2 of unknown kind".
    private var nodeKinds: String {
        var parts = summary.nodesByKind.map { "\(Figures.count($0.count)) \($0.kind.name)" }
        let rest = summary.nodes.count - summary.nodesByKind.reduce(0) { $0 + $1.count }
        if rest > 0 { parts.append("\(Figures.count(rest)) of unknown kind") }
        return Figures.count(summary.nodes.count) + ": " + parts.joined(separator: ", ")
    }

    /// "3; the app paused 2.1 ms in all, at most 1.2 ms each", and below "the end waited 80.2 ms for the last walks".
    private var snapshots: String? {
        let snapshots = summary.snapshots
        guard snapshots.taken > 0 else { return nil }
        var parts = [Figures.count(snapshots.taken)]
        if snapshots.pauses > 0 {
            let (all, longest) = (snapshots.pauseNanoseconds, snapshots.longestPauseNanoseconds)
            parts[0] +=
                "; the app paused \(Figures.duration(nanoseconds: all)) in all"
                + ", at most \(Figures.duration(nanoseconds: longest)) each"
        }
        if snapshots.endNanoseconds > 0 {
            parts.append("the end waited \(Figures.duration(nanoseconds: snapshots.endNanoseconds)) for the last walks")
        }
        return parts.joined(separator: "\n")
    }

    private var limit: String {
        guard summary.header.byteLimit > 0 else { return "" }
        let limit = Figures.bytes(summary.header.byteLimit)
        return summary.header.isFlightRecorder
            ? ", a flight recorder of at most \(limit)" : ", at most \(limit)"
    }

    private func threads(_ style: Style) -> [String] {
        guard summary.threads.count > 1 else { return [] }
        let shown = summary.threads.prefix(8).map { "\(Figures.count($0.events)) on thread \($0.number)" }
        let rest = summary.threads.count - shown.count
        return [
            style(.strong, Figures.count(summary.threads.count, "thread")) + ": "
                + shown.joined(separator: ", ")
                + (rest > 0 ? ", and \(rest) more" : "")
        ]
    }

    private func kinds(_ style: Style) -> [String] {
        var table = TextTable([.right("Events"), .left("of kind"), .left("that is", .faint)])
        for kind in EventKind.allCases where kind != .context && summary.count(of: kind) > 0 {
            table.add([Figures.count(summary.count(of: kind)), kind.name, phrase(kind)])
        }
        return summary.eventCount == 0 ? ["No events."] : table.lines(indent: "  ", style: style)
    }

    private func phrase(_ kind: EventKind) -> String {
        let settlings = summary.settlings(of: kind)
        if settlings > 0 {
            return (summary.count(of: kind) > settlings ? "\(kind.plural), and " : "")
                + Figures.count(settlings, "settling")
        }
        guard kind == .emitted, summary.replays > 0 else { return kind.plural }
        return Figures.count(summary.emissions, "emission") + ", " + Figures.count(summary.replays, "replay")
            + " to new subscribers"
    }

    private func stimuli(_ style: Style) -> [String] {
        var parts = summary.stimuli.prefix(12).map { stimulus in
            "“\(TerminalText.cut(TerminalText.escaped(stimulus.text), to: 60))”"
                + (stimulus.count > 1 ? " × \(Figures.count(stimulus.count))" : "")
        }
        let rest = summary.stimuli.count - parts.count
        if rest > 0 || summary.otherStimuli > 0 { parts.append("and others") }
        let roots = [
            (summary.rootEmissions, "emission", "emissions"), (summary.rootEndings, "ending", "endings"),
            (summary.rootBatches, "batch", "batches"),
        ]
        .filter { $0.0 > 0 }.map { Figures.count($0.0, $0.1, $0.2) }
        if !roots.isEmpty { parts.append(roots.joined(separator: ", ") + " outside of any named stimulus") }
        if summary.rootHops > 0 { parts.append(Figures.count(summary.rootHops, "hop") + " of unknown cause") }
        return parts.isEmpty ? [] : [style(.strong, "Stimuli") + ": " + parts.joined(separator: ", ")]
    }

    private func nodes(_ style: Style) -> [String] {
        let groups = summary.busiestGroups
        guard !groups.isEmpty else { return shortfall(style) }
        let busy = groups.reduce(0) { $0 + $1.count }
        let shown = groups.prefix(top ?? .max)
        let hasEnds = shown.contains { $0.figures.completions > 0 || $0.figures.failures > 0 }
        let hasHops = shown.contains { $0.figures.hops > 0 }
        var table = TextTable(NodeRow.columns(hasEnds: hasEnds, hasHops: hasHops))
        let repeated = NodeRow.repeated(summary.nodes.lazy.map(\.name))
        for group in shown {
            let isShared = repeated.contains(group.figures.name)
            table.add(NodeRow(group, isNameShared: isShared, hasEnds: hasEnds, hasHops: hasHops).cells)
        }
        let isGrouped = groups.count < busy
        var lines = [
            style(.strong, Figures.count(busy, "active node"))
                + (isGrouped ? ", busiest first, those of one name and place together:" : ", busiest first:")
        ]
        lines += table.lines(indent: "  ", style: style)
        if shown.count < groups.count {
            let rest = Figures.count(groups.count - shown.count)
            lines.append(style(.faint, "  and \(rest) more (--top \(groups.count) shows all)"))
        }
        let receivers = summary.nodes.count { $0.activity == 0 && $0.received > 0 }
        if receivers > 0 { lines.append(style(.faint, "  \(Figures.count(receivers, "node")) only received values")) }
        let quiet = summary.nodes.count - busy - receivers
        if quiet > 0 { lines.append(style(.faint, "  \(Figures.count(quiet, "node")) did nothing")) }
        lines += shortfall(style)
        if let explanation = Refreshes.explanation([summary]) { lines.append(style(.faint, "  " + explanation)) }
        return lines
    }

    private func shortfall(_ style: Style) -> [String] {
        let deliveries = summary.unattributedDeliveries
        return deliveries > 0 ? [style(.warning, "  " + Refreshes.shortfall(deliveries))] : []
    }

    private func waiting(_ style: Style) -> [String] {
        guard !summary.waitingHandlers.isEmpty else { return [] }
        let lines = summary.waitingHandlers.map { waiting in
            let site = waiting.site.map { " of " + TerminalText.escaped("\($0)") } ?? ""
            let verb = waiting.handlers == 1 ? "waits" : "wait"
            let actor = waiting.isForMain ? "the main actor" : "its actor"
            return "\(Figures.count(waiting.handlers, "handler"))\(site) \(verb) for \(actor): "
                + "\(Figures.count(waiting.calls, "call")) not made when the recording ended"
        }
        return [style(.warning, "Handlers not called")] + lines.map { "  " + $0 }
    }

    private func disclosures(_ style: Style) -> [String] {
        guard !summary.disclosures.isEmpty else { return [] }
        let lines = summary.disclosures.map { disclosure in
            let name = TerminalText.cut(TerminalText.escaped(disclosure.name), to: 60)
            let kind = disclosure.kind.map { disclosure.name.hasPrefix($0.name) ? "" : " (\($0.name))" } ?? ""
            let site = disclosure.site.map { " at " + TerminalText.escaped("\($0)") } ?? ""
            let sources = disclosure.sources.map { TerminalText.cut(TerminalText.escaped($0), to: 60) }
            return "  \(name)\(kind)\(site), fed by " + sources.joined(separator: ", ")
        }
        return [style(.strong, Figures.count(lines.count, "public node")) + " fed by private nodes:"] + lines
    }

    private func objects(_ style: Style) -> [String] {
        let live = summary.liveObjects
        guard !live.isEmpty else { return [] }
        let names = live.prefix(12).map { TerminalText.cut(TerminalText.escaped($0.name), to: 60) }
        let rest = live.count - names.count
        return [
            style(.strong, "Still alive at the end") + ": " + names.joined(separator: ", ")
                + (rest > 0 ? ", and \(Figures.count(rest)) more" : "")
        ]
    }

    private func losses(_ style: Style) -> [String] {
        let sentences = Losses.sentences(of: summary)
        guard !sentences.isEmpty else { return [] }
        return [style(.warning, "Incomplete")] + sentences.map { "  " + $0 }
            + Losses.places(of: summary).map { "    " + style(.faint, $0) }
    }
}
