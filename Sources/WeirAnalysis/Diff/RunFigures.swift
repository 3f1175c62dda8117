import WeirTrace

/// The figures of several traces: of the parts of one run, which count together, or of repeated runs of one program.
///
/// Memory grows with nodes, edges and names of stimuli, and for repeated runs with their number.
package struct RunFigures: Sendable {
    /// The values of a figure in the runs: the least, the greatest, and the one in the middle.
    package struct Spread: Sendable, Equatable {
        /// The least and the greatest value.
        package let least: UInt64, most: UInt64
        /// The value in the middle; of an even number of values, the lower one of both.
        package let middle: UInt64

        init(_ values: [UInt64]) {
            let sorted = values.sorted()
            least = sorted.first ?? 0
            most = sorted.last ?? 0
            middle = sorted.isEmpty ? 0 : sorted[(sorted.count - 1) / 2]
        }

        /// Whether each value is below, or each one is above, all values of another spread.
        func isApart(from other: Spread) -> Bool { most < other.least || other.most < least }

        /// Whether the values are apart by at least as much as those of either spread differ among themselves, and by a tenth.
        func isFar(from other: Spread) -> Bool {
            guard isApart(from: other) else { return false }
            let (low, high) = most < other.least ? (self, other) : (other, self)
            let gap = high.least - low.most
            return gap >= max(low.most - low.least, high.most - high.least, low.middle / 10)
        }
    }

    /// The fewest repeated runs whose times are compared.
    package static let fewestForTimes = 3

    /// How many traces there are.
    package private(set) var traces = 0
    /// Whether each trace is a run of its own.
    package let areRepeated: Bool
    private var runs: [TraceFigures] = []

    /// No traces; `areRepeated` says whether each one is a run of its own, or a part of one run.
    package init(areRepeated: Bool) { self.areRepeated = areRepeated }

    /// Adds a trace. The order of the traces changes nothing.
    package mutating func take(_ trace: TraceFigures) {
        traces += 1
        if areRepeated || runs.isEmpty { runs.append(trace) } else { runs[0].add(trace) }
    }

    /// All refreshes.
    package var refreshes: Spread { spread(\.refreshes) }
    /// The redundant refreshes.
    package var redundantRefreshes: Spread { spread(\.redundant) }

    var nodes: Set<String> { runs.reduce(into: []) { $0.formUnion($1.nodes.keys) } }
    var edges: Set<TraceFigures.Edge> { runs.reduce(into: []) { $0.formUnion($1.edges) } }
    var effects: Set<TraceFigures.Effect> { runs.reduce(into: []) { $0.formUnion($1.effects.keys) } }

    func spread(_ figure: (TraceFigures) -> UInt64) -> Spread { Spread(runs.map(figure)) }

    /// The value with which a node ends in every run; nil: it is not known, or differs.
    func value(of node: String) -> TraceValue? {
        guard let first = runs.first?.nodes[node]?.value else { return nil }
        return runs.allSatisfy { $0.nodes[node]?.value == first } ? first : nil
    }
}
