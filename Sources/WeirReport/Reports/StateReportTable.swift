import WeirAnalysis
import WeirTrace

/// The table of nodes in a state: each node's value, its last change, and who listens.
public struct StateTable {
    private let state: TraceState
    private let timeScale: TimeScale
    private let phrases: EventPhrases
    private let width: Int
    private let isMarked: (NodeState) -> Bool

    init(_ report: StateReport, phrases: EventPhrases) {
        self.init(
            report.state, timeScale: report.timeScale, phrases: phrases, width: report.width,
            isMarked: report.isMarked)
    }

    /// A table of at most `width` columns, as far as names allow; phrases must be without colour.
    public init(
        _ state: TraceState, timeScale: TimeScale, phrases: EventPhrases, width: Int,
        isMarked: @escaping (NodeState) -> Bool
    ) {
        self.state = state
        self.timeScale = timeScale
        self.phrases = phrases
        self.width = width
        self.isMarked = isMarked
    }

    /// The lines: a heading, then one for each of the nodes at these places.
    public func lines(_ places: [Int], style: Style) -> [String] {
        let rows = places.map(cells)
        // What the other columns leave is for the values; two spaces lie between columns.
        let others = Self.columns.indices.filter { $0 != Self.valueColumn }.reduce(0) { sum, column in
            sum + 2
                + rows.reduce(TerminalText.width(Self.columns[column].title)) {
                    max($0, TerminalText.width($1[column]))
                }
        }
        let room = max(16, width - others)
        var table = TextTable(Self.columns)
        for row in rows {
            var row = row
            row[Self.valueColumn] = TerminalText.cut(row[Self.valueColumn], to: room)
            table.add(row)
        }
        let colored = table.lines(style: style)
        let plain = table.lines()
        return zip(colored, plain).enumerated().map { index, line in
            index > 0 && isMarked(state.nodes[places[index - 1]]) ? style(.strong, line.1) : line.0
        }
    }

    private static let valueColumn = 2

    private static let columns: [TextTable.Column] = [
        .left(" "), .left("Node", .name), .left("Value", .value), .right("Changed at µs", .faint),
        .left("by event", .faint), .right("Emissions"), .right("Handlers"), .right("Feeds"),
    ]

    private func cells(_ place: Int) -> [String] {
        let node = state.nodes[place]
        let name = phrases.node(state.topology.nodeIDs[place])
        let life =
            switch node.life {
            case .alive: ""
            case .unmentioned: " (not yet heard of)"
            case .released: " (released)"
            }
        let time = Figures.microseconds(nanoseconds: timeScale.nanosecondsSinceStart(node.changeTicks))
        return [
            isMarked(node) ? StateReport.mark : " ", TerminalText.cut(name, to: 48) + life, value(place),
            node.lastChange == nil ? "–" : time, node.lastChange?.description ?? (hasValue(node) ? "initial" : "–"),
            Figures.count(node.emissions), count(node.liveHandlers), count(node.liveEdges),
        ]
    }

    private func hasValue(_ node: NodeState) -> Bool { node.value != .notRecorded }

    /// The value; before the first one, that there is none.
    private func value(_ place: Int) -> String {
        let node = state.nodes[place]
        if !hasValue(node), node.lastChange == nil { return "–" }
        let type = state.topology.definitions.nodes[state.topology.nodeIDs[place]]?.valueType
        if node.value == .opaque, let type { return "‹" + TerminalText.escaped(type) + "›" }
        return phrases.value(node.value, columns: width)
    }

    private func count(_ number: Int) -> String { number == 0 ? "–" : Figures.count(number) }
}
