import WeirAnalysis
import WeirTrace

/// The table of nodes in a state: each node's value, its last change, and its subscribers.
package struct StateTable {
    private let state: TraceState
    private let timeScale: TimeScale
    private let phrases: EventPhrases
    private let width: Int?
    private let isMarked: (NodeState) -> Bool

    init(_ report: StateReport, phrases: EventPhrases) {
        self.init(
            report.state, timeScale: report.timeScale, phrases: phrases, width: report.width,
            isMarked: report.isMarked)
    }

    /// A table of at most `width` columns, unless names need more; nil: enough for values of at most 60 columns.
    ///
    /// Without enough room, the table omits the counts of subscribers and emissions. Phrases must be without colour.
    package init(
        _ state: TraceState, timeScale: TimeScale, phrases: EventPhrases, width: Int?,
        isMarked: @escaping (NodeState) -> Bool
    ) {
        self.state = state
        self.timeScale = timeScale
        self.phrases = phrases
        self.width = width
        self.isMarked = isMarked
    }

    /// The lines: a heading, then one for each of the nodes at these indices.
    package func lines(_ places: [Int], style: Style) -> [String] {
        let rows = places.map(cells)
        let (count, room) = fit(rows)
        var table = TextTable(Array(Self.columns.prefix(count)))
        for row in rows {
            var row = Array(row.prefix(count))
            row[Self.valueColumn] = TerminalText.cut(row[Self.valueColumn], to: room)
            table.add(row)
        }
        let colored = table.lines(style: style)
        let plain = table.lines()
        return zip(colored, plain).enumerated().map { index, line in
            index > 0 && isMarked(state.nodes[places[index - 1]]) ? style(.strong, line.1) : line.0
        }
    }

    /// The number of table columns that fit, and the terminal columns that remain for the values.
    private func fit(_ rows: [[String]]) -> (columns: Int, room: Int) {
        guard let width else { return (Self.columns.count, 60) }
        let widths = Self.columns.indices.map { column in
            rows.reduce(TerminalText.width(Self.columns[column].title)) { max($0, TerminalText.width($1[column])) }
        }
        var count = Self.columns.count
        // Two spaces separate columns.
        var room = width - widths.reduce(0) { $0 + $1 + 2 } + widths[Self.valueColumn] + 2
        while room < min(widths[Self.valueColumn], Self.leastRoom), count > Self.leastColumns {
            count -= 1
            room += widths[count] + 2
        }
        return (count, max(16, room))
    }

    private static let valueColumn = 2
    private static let leastRoom = 24
    private static let leastColumns = 5

    private static let columns: [TextTable.Column] = [
        .left(" "), .left("Node", .name), .left("Value", .value), .right("Changed at µs", .faint),
        .left("by event", .faint), .right("Emissions"), .right("Handlers"), .right("Feeds"),
    ]

    private func cells(_ place: Int) -> [String] {
        let node = state.nodes[place]
        let name = phrases.node(state.topology.nodeIDs[place])
        // A side of a channel has its value since then.
        let echo = state.topology.echo(of: place, node)
        let ticks = echo == nil ? node.changeTicks : node.silentTicks
        let time = Figures.microseconds(nanoseconds: timeScale.nanosecondsSinceStart(ticks))
        let event = echo ?? node.lastChange
        return [
            isMarked(node) ? StateReport.mark : " ", TerminalText.cut(name, to: 48), lifeAndValue(place),
            event == nil ? "–" : time, event?.description ?? (hasValue(node) ? "initial" : "–"),
            Figures.count(node.emissions), count(node.liveHandlers), count(node.liveEdges),
        ]
    }

    private func hasValue(_ node: NodeState) -> Bool { node.value != .notRecorded }

    /// The value, after a word for a node that is not alive; a dash before the first value.
    private func lifeAndValue(_ place: Int) -> String {
        let node = state.nodes[place]
        switch node.life {
        case .alive: return value(place) ?? "–"
        case .unmentioned: return "not yet heard of"
        case .released: return value(place).map { "released, was \($0)" } ?? "released"
        }
    }

    private func value(_ place: Int) -> String? {
        let node = state.nodes[place]
        if !hasValue(node), node.lastChange == nil { return nil }
        if node.value == .opaque { return phrases.value(node.value, ofNode: state.topology.nodeIDs[place]) }
        return phrases.value(node.value, columns: width ?? 60)
    }

    private func count(_ number: Int) -> String { number == 0 ? "–" : Figures.count(number) }
}
