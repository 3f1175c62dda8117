import WeirAnalysis
import WeirTrace

/// The screen of `weir watch`: a program's busiest nodes, rates and newest findings, or one node in detail.
package struct WatchPage {
    /// The view that the user has chosen.
    package struct View: Sendable, Equatable {
        /// The order of the nodes.
        package enum Order: String, CaseIterable, Sendable {
            /// By what they did in the last intervals.
            case rate
            /// By what they did in all.
            case total
            /// By name.
            case name
        }

        /// The order of the nodes.
        package var order = Order.rate
        /// Only nodes whose names contain this.
        package var filter = ""
        /// Whether the filter is being typed.
        package var isTyping = false
        /// The selected node; nil: the first one.
        package var selected: UInt32?
        /// The node that is shown in detail.
        package var opened: UInt32?
        /// Whether the screen stands still.
        package var isPaused = false

        /// The busiest nodes first.
        package init() {}
    }

    /// The facts besides the events.
    package struct Facts: Sendable {
        /// The trace's name.
        package var name = ""
        /// The state of the program: "process 12 is running".
        package var program = ""
        /// Whether the recording is over: then the screen shows all of it, not the last moments.
        package var isOver = false
        /// Losses, in short: "12 events lost".
        package var losses: [String] = []
        /// The newest findings, the worst first: sentences.
        package var findings: [String] = []
        /// How old the findings are: "2 s ago"; nil: there are none yet.
        package var findingsAge: String?

        /// Nothing is known yet.
        package init() {}
    }

    private let state: WatchState
    private let definitions: TraceDefinitions
    private let timeScale: TimeScale
    private let view: View
    private let facts: Facts
    private let style: Style
    /// The interval that is going on.
    private let now: UInt64

    /// The page at `ticks` since the start of the recording.
    package init(
        _ state: WatchState, _ definitions: TraceDefinitions, timeScale: TimeScale, at ticks: UInt64, _ view: View,
        _ facts: Facts, style: Style = .plain
    ) {
        (self.state, self.definitions, self.timeScale) = (state, definitions, timeScale)
        (self.view, self.facts, self.style) = (view, facts, style)
        now = state.interval(at: max(ticks, state.lastTicks))
    }

    /// The nodes that pass the filter, in the order of the view.
    package var order: [UInt32] { shown.map(\.id) }

    private var shown: [WatchState.Node] {
        let filter = view.filter.lowercased()
        let nodes = state.nodes.filter { node in
            filter.isEmpty || definitions.name(ofNode: node.id).lowercased().contains(filter)
        }
        func total(_ node: WatchState.Node) -> UInt64 { node.emissions &+ node.refreshes &+ node.suppressions }
        switch view.order {
        case .rate where !facts.isOver:
            let recent = nodes.map { node in node.rates.counts(10, upTo: now).reduce(UInt64(0)) { $0 + UInt64($1) } }
            return zip(nodes, recent).sorted {
                ($0.1, total($0.0), UInt64(UInt32.max - $0.0.id)) > ($1.1, total($1.0), UInt64(UInt32.max - $1.0.id))
            }.map(\.0)
        case .rate, .total: return nodes.sorted { (total($0), $1.id) > (total($1), $0.id) }
        case .name:
            return nodes.sorted { one, other in
                let names = (definitions.name(ofNode: one.id), definitions.name(ofNode: other.id))
                return names.0 == names.1 ? one.id < other.id : names.0 < names.1
            }
        }
    }

    /// The lines of a screen of this size, none longer than it is wide.
    package func lines(columns: Int, rows: Int) -> [String] {
        let columns = max(20, columns)
        var lines = heading(columns)
        let findings = rows >= 16 ? findingLines(columns, most: max(1, min(8, rows / 5))) : []
        let room = max(1, rows - lines.count - findings.count - 1)
        let body = view.opened.map { detail($0, columns) } ?? table(columns, rows: room)
        lines += body.prefix(room)
        lines += Array(repeating: "", count: max(0, room - body.count))
        lines += findings
        lines.append(keys(columns))
        return Array(lines.prefix(max(1, rows)))
    }

    // MARK: Parts

    private func heading(_ columns: Int) -> [String] {
        let seconds = timeScale.nanoseconds(ticks: max(state.lastTicks, now &* state.intervalTicks))
        var first = [TerminalText.escaped(facts.name), facts.program, Figures.duration(nanoseconds: seconds)]
        if view.isPaused { first.append("paused") }
        let last = now > 0 ? now - 1 : 0
        var second =
            facts.isOver
            ? [
                Figures.count(state.events, "event"),
                Figures.count(state.nodes.reduce(0) { $0 &+ $1.emissions }, "emission"),
                Figures.count(state.nodes.reduce(0) { $0 &+ $1.refreshes }, "refresh", "refreshes"),
            ]
            : [
                (state.eventRates, "events"), (state.emissionRates, "emissions"), (state.refreshRates, "refreshes"),
            ].map { "\(Figures.count(perSecond($0.0[last]))) \($0.1)/s" }
        second += [Figures.count(state.liveSubscriptions, "live subscription")]
        second += facts.losses
        return [
            style(.strong, cut(first.filter { !$0.isEmpty }.joined(separator: " · "), columns)),
            cut(second.joined(separator: " · "), columns), "",
        ]
    }

    private func perSecond(_ count: UInt32) -> UInt64 {
        let interval = max(1, timeScale.nanoseconds(ticks: state.intervalTicks))
        return UInt64((Double(count) * 1e9 / Double(interval)).rounded())
    }

    /// Columns that fit: the narrower the terminal, the fewer.
    private func table(_ columns: Int, rows: Int) -> [String] {
        let hasTotals = columns >= 72
        let hasValue = columns >= 120
        let totals = hasTotals ? 9 + 10 + 8 + 5 : 0
        let value = hasValue ? 24 : 0
        let spark = columns >= 140 ? 40 : columns >= 60 ? 12 : columns >= 36 ? 8 : 0
        let name = max(8, columns - 2 - 8 - 2 - spark - totals - value)
        func row(_ mark: String, _ cells: [String]) -> String { mark + cells.joined() }
        func right(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - TerminalText.width(text))) + text
        }
        func left(_ text: String, _ width: Int) -> String {
            guard width > 0 else { return "" }
            let text = cut(text, width)
            return text + String(repeating: " ", count: max(0, width - TerminalText.width(text)))
        }
        var heading = [left("node", name), right("per s", 8), "  ", left(sparkTitle(spark), spark)]
        if hasTotals {
            heading += [right("emitted", 9), right("refreshed", 10), right("stopped", 8), right("subs", 5)]
        }
        if hasValue { heading += [left("  value", value)] }
        var lines = [style(.faint, row("  ", heading))]
        let nodes = shown
        guard !nodes.isEmpty else {
            return lines + [
                cut(
                    view.filter.isEmpty
                        ? "  No node has done anything yet."
                        : "  No node's name contains “\(TerminalText.escaped(view.filter))”.",
                    columns)
            ]
        }
        let selected = nodes.firstIndex { $0.id == view.selected } ?? 0
        let room = max(1, rows - 1)
        let first = max(0, min(selected - room / 2, nodes.count - room))
        for (place, node) in nodes.enumerated().dropFirst(first).prefix(room) {
            let title = TerminalText.escaped(definitions.name(ofNode: node.id)) + (node.isAlive ? "" : " †")
            let rate = facts.isOver ? 0 : perSecond(node.rates[now > 0 ? now - 1 : 0])
            var cells = [
                style(place == selected ? .strong : .name, left(Self.end(of: title, name), name)),
                right(rate == 0 ? "·" : Self.short(rate, below: 1_000_000), 8), "  ", bars(of: node, spark),
            ]
            if hasTotals {
                for (count, width) in [(node.emissions, 9), (node.refreshes, 10), (node.suppressions, 8)] {
                    cells.append(
                        right(count == 0 ? "·" : Self.short(count, below: width > 8 ? 1_000_000 : 100_000), width))
                }
                cells.append(right(node.subscriptions == 0 ? "·" : "\(min(node.subscriptions, 9999))", 5))
            }
            if hasValue { cells.append("  " + style(.value, left(valueText(node), value - 2))) }
            lines.append(row(place == selected ? "▸ " : "  ", cells))
        }
        return lines
    }

    /// The end of a name that is too long: it says more than the owner at its beginning.
    private static func end(of name: String, _ columns: Int) -> String {
        guard TerminalText.width(name) > columns else { return name }
        var rest = name[...]
        while TerminalText.width(rest) > columns - 1 { rest = rest.dropFirst() }
        return "…" + rest
    }

    private func bars(of node: WatchState.Node, _ width: Int) -> String {
        guard facts.isOver, width > 0 else { return Self.sparkline(node.rates.counts(width, upTo: now)) }
        let all = node.rates.counts(WatchState.history, upTo: now)
        var merged = [UInt32](repeating: 0, count: min(width, all.count))
        for (place, count) in all.enumerated() { merged[place * merged.count / all.count] &+= count }
        return Self.sparkline(merged) + String(repeating: " ", count: width - merged.count)
    }

    private func sparkTitle(_ width: Int) -> String {
        if facts.isOver { return "all" }
        let nanoseconds = timeScale.nanoseconds(ticks: state.intervalTicks) &* UInt64(width)
        return "last " + Figures.duration(nanoseconds: nanoseconds)
    }

    private func valueText(_ node: WatchState.Node) -> String {
        node.value == .notRecorded ? "" : EventPhrases(TraceDefinitions()).value(node.value, columns: 22)
    }

    /// "123k" for a large number, so that columns stay narrow.
    private static func short(_ number: UInt64, below limit: UInt64) -> String {
        if number < limit { return Figures.count(number) }
        return number < 10_000_000 ? "\(Figures.count(number / 1000))k" : "\(Figures.count(number / 1_000_000))M"
    }

    /// A bar of an eighth's height for each count; the highest count has the highest bar.
    static func sparkline(_ counts: [UInt32]) -> String {
        let bars = Array("▁▂▃▄▅▆▇█")
        let most = counts.max() ?? 0
        return String(
            counts.map { count in
                guard count > 0 else { return " " }
                return bars[min(7, Int(UInt64(count) * 8 / (UInt64(most) + 1)))]
            })
    }

    private func detail(_ id: UInt32, _ columns: Int) -> [String] {
        guard let node = state.nodes.first(where: { $0.id == id }) else { return [] }
        let definition = definitions.nodes[id]
        var facts: [(String, String)] = [
            ("kind", definition?.kind?.name ?? ""), ("made at", definition?.site?.description ?? ""),
            ("type", definition?.valueType ?? ""),
            ("owner", definition?.owner.flatMap { definitions.objects[$0]?.name } ?? ""),
            ("value", node.value == .notRecorded ? "" : node.value.description),
            ("last event", node.lastEvent?.description ?? ""),
            (
                "so far",
                "\(Figures.count(node.emissions, "emission")), \(Figures.count(node.refreshes, "refresh", "refreshes")), "
                    + "\(Figures.count(node.suppressions)) stopped"
            ),
        ]
        if !node.isAlive { facts.append(("", "released")) }
        var lines = [
            style(.name, cut(TerminalText.escaped(definitions.name(ofNode: id)), columns)),
            "  " + Self.sparkline(node.rates.counts(min(WatchState.history, columns - 4), upTo: now)), "",
        ]
        for (name, text) in facts where !text.isEmpty {
            let label = name + String(repeating: " ", count: max(0, 12 - name.count))
            lines.append(cut("  \(label)\(TerminalText.escaped(text))", columns))
        }
        let subscriptions = definitions.subscriptions.values
        let inputs = subscriptions.filter { $0.target == id }.map { definitions.name(ofNode: $0.source) }
        let outputs = subscriptions.filter { $0.source == id }.map { subscription in
            subscription.target.map { definitions.name(ofNode: $0) }
                ?? "handler \(subscription.site?.shortDescription ?? "\(subscription.id)")"
        }
        for (title, names) in [("depends on", inputs), ("feeds", outputs)] where !names.isEmpty {
            lines += ["", "  " + title]
            var counts: [String: Int] = [:]
            for name in names { counts[name, default: 0] += 1 }
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                let times = count > 1 ? " ×\(Figures.count(count))" : ""
                lines.append(cut("    \(TerminalText.escaped(name))\(times)", columns))
            }
        }
        return lines
    }

    private func findingLines(_ columns: Int, most: Int) -> [String] {
        guard let age = facts.findingsAge else { return ["", style(.faint, cut("Findings: not judged yet", columns))] }
        if facts.findings.isEmpty { return ["", style(.faint, cut("Findings: none (\(age))", columns))] }
        let shown = facts.findings.prefix(most)
        let more = facts.findings.count - shown.count
        let heading = "Findings (\(age))" + (more > 0 ? ", \(Figures.count(more)) more" : "")
        return ["", style(.faint, cut(heading, columns))] + shown.map { style(.warning, cut("  " + $0, columns)) }
    }

    private func keys(_ columns: Int) -> String {
        if view.isTyping {
            return cut("filter: \(TerminalText.escaped(view.filter))▏  Enter keeps it, Escape clears it", columns)
        }
        let keys =
            view.opened != nil
            ? "Esc back · w why · p pause · q quit"
            : "↑↓ select · Enter open · w why · / filter · s sort (\(view.order.rawValue)) · p pause · q quit"
        let short = "↑↓ Enter w / s p q"
        return style(.faint, cut(TerminalText.width(keys) <= columns ? keys : short, columns))
    }

    private func cut(_ text: String, _ columns: Int) -> String { TerminalText.cut(text, to: columns) }
}
