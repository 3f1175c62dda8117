import WeirAnalysis
import WeirTrace

/// The figures of two recordings of the same use, node by node.
package struct Comparison {
    private let before: TraceSummary
    private let after: TraceSummary
    private let words: (before: String, after: String)

    /// A comparison; `words` name the two recordings.
    package init(_ before: TraceSummary, _ after: TraceSummary, words: (before: String, after: String)) {
        self.before = before
        self.after = after
        self.words = words
    }

    /// A table with a row for each node that was active in either recording, matched by name, and a row of sums.
    ///
    /// A line below it explains its refreshes.
    package func lines(style: Style = .plain) -> [String] {
        var table = TextTable([
            .left("\(words.before) → \(words.after)", .name), .right("Emissions"),
            .right("Refreshes", .strong),
            .right("Suppressed", .warning),
        ])
        let (one, other) = (Self.sums(before), Self.sums(after))
        var names = before.nodes.filter { $0.activity > 0 }.map(\.name)
        names += after.nodes.filter { $0.activity > 0 }.map(\.name)
        var seen: Set<String> = []
        for name in names where seen.insert(name).inserted {
            table.add(
                [TerminalText.cut(TerminalText.escaped(name), to: 48)] + Self.cells(one[name], other[name]))
        }
        let total = Self.cells(Sums(before.nodes), Sums(after.nodes))
        table.add(["all together"] + total)
        let explanation = Refreshes.explanation([before, after]).map { [style(.faint, "  " + $0)] } ?? []
        return table.lines(indent: "  ", style: style) + explanation
    }

    private struct Sums {
        var emissions: UInt64 = 0
        var refreshes: UInt64 = 0
        var suppressed: UInt64 = 0

        init(_ nodes: [NodeSummary]) {
            for node in nodes {
                emissions &+= node.emissions
                refreshes &+= node.refreshes
                suppressed &+= node.suppressed
            }
        }
    }

    private static func sums(_ summary: TraceSummary) -> [String: Sums] {
        Dictionary(grouping: summary.nodes, by: \.name).mapValues(Sums.init)
    }

    private static func cells(_ one: Sums?, _ other: Sums?) -> [String] {
        [\Sums.emissions, \Sums.refreshes, \Sums.suppressed].map { figure in
            let (before, after) = (one?[keyPath: figure] ?? 0, other?[keyPath: figure] ?? 0)
            return before == after
                ? Figures.count(before) : "\(Figures.count(before)) → \(Figures.count(after))"
        }
    }
}
