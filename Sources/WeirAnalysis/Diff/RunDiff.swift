import WeirTrace

/// The differences of a second run.
///
/// Findings of the two runs are matched as those of a build and its baseline are: one to one, by rule and names. Figures of
/// repeated runs differ if no value of one side lies among those of the other. Their times differ if, in addition, the gap is at
/// least as wide as the range of either side, and a tenth of the lower time.
public struct RunDiff<Story: Sendable>: Sendable {
    /// A figure with its values in the two runs.
    public struct Change<Subject: Sendable>: Sendable {
        /// The subject of the figure.
        public let subject: Subject
        /// Its values.
        public let before: RunFigures.Spread, after: RunFigures.Spread

        /// Whether it is different in the second run.
        public var isChanged: Bool { before.isApart(from: after) }

        /// How many times as much the second run has; nil if the first one has none.
        public var factor: Double? { before.middle == 0 ? nil : Double(after.middle) / Double(before.middle) }
    }

    /// The refreshes of a node.
    public struct NodeChange: Sendable {
        /// All refreshes; the subject is the node's name.
        public let refreshes: Change<String>
        /// The redundant ones.
        public let redundant: Change<String>
    }

    /// The nodes and edges of the first run that the second one has not, by name.
    public let nodesGone: [String], edgesGone: [TraceFigures.Edge]
    /// The nodes and edges of the second run that the first one has not, by name.
    public let nodesCame: [String], edgesCame: [TraceFigures.Edge]
    /// The nodes with another number of refreshes, or of redundant ones, by name.
    public let refreshes: [NodeChange]
    /// The refreshes of nodes by stimuli that both runs have.
    public let effects: [Change<TraceFigures.Effect>]
    /// The handler time of nodes in nanoseconds, by name; only of repeated runs.
    public let times: [Change<String>]
    /// The nodes that end with another value, by name, with both values.
    public let values: [(node: String, before: TraceValue, after: TraceValue)]
    /// All refreshes, and the redundant ones.
    public let allRefreshes: Change<Void>, redundantRefreshes: Change<Void>
    /// The findings that the second run has no more, the worst first.
    public let cured: [CheckTable<Story>.Entry]
    /// The findings that the first run has not, the worst first.
    public let new: [CheckTable<Story>.Entry]

    /// Compares two runs: the figures and the findings of each.
    public init(
        _ before: RunFigures, _ beforeFindings: CheckTable<Story>, _ after: RunFigures,
        _ afterFindings: CheckTable<Story>
    ) {
        func change<Subject>(_ subject: Subject, _ figure: (TraceFigures) -> UInt64) -> Change<Subject> {
            Change(subject: subject, before: before.spread(figure), after: after.spread(figure))
        }
        let (nodes, edges) = ((before.nodes, after.nodes), (before.edges, after.edges))
        nodesGone = nodes.0.subtracting(nodes.1).sorted()
        nodesCame = nodes.1.subtracting(nodes.0).sorted()
        edgesGone = edges.0.subtracting(edges.1).sorted()
        edgesCame = edges.1.subtracting(edges.0).sorted()
        let common = nodes.0.intersection(nodes.1).sorted()
        refreshes = common.compactMap { name in
            let node = NodeChange(
                refreshes: change(name) { $0.nodes[name]?.refreshes ?? 0 },
                redundant: change(name) { $0.nodes[name]?.redundant ?? 0 })
            return node.refreshes.isChanged || node.redundant.isChanged ? node : nil
        }
        let stimuli = (Set(before.effects.map(\.stimulus)), Set(after.effects.map(\.stimulus)))
        let names = Set(common)
        effects = before.effects.union(after.effects).sorted().compactMap { effect in
            guard stimuli.0.contains(effect.stimulus), stimuli.1.contains(effect.stimulus), names.contains(effect.node)
            else {
                return nil
            }
            let found = change(effect) { $0.effects[effect] ?? 0 }
            return found.isChanged ? found : nil
        }
        let areTimed = before.areRepeated && after.areRepeated
        times = (areTimed ? common : []).compactMap { name in
            let found = change(name) { $0.nodes[name]?.handlerTime ?? 0 }
            return found.before.isFar(from: found.after) ? found : nil
        }
        values = common.compactMap { name in
            guard let one = before.value(of: name), let other = after.value(of: name), one != other else { return nil }
            return (name, one, other)
        }
        allRefreshes = change((), \.refreshes)
        redundantRefreshes = change((), \.redundant)
        cured = Self.only(in: beforeFindings, not: afterFindings)
        new = Self.only(in: afterFindings, not: beforeFindings)
    }

    /// Whether the second run is as the first one in everything that is compared.
    public var isEmpty: Bool {
        nodesGone.isEmpty && nodesCame.isEmpty && edgesGone.isEmpty && edgesCame.isEmpty && refreshes.isEmpty
            && effects.isEmpty && times.isEmpty && values.isEmpty && cured.isEmpty && new.isEmpty
            && !redundantRefreshes.isChanged
    }

    private static func only(in one: CheckTable<Story>, not other: CheckTable<Story>) -> [CheckTable<Story>.Entry] {
        func open(_ table: CheckTable<Story>) -> [CheckTable<Story>.Entry] {
            table.entries.filter { $0.finding.intention == nil }
        }
        let entries = open(one)
        let known = Baseline(of: open(other).map(\.finding)).match(
            entries.map(\.finding), mentionedFiles: one.mentionedFiles
        ).known
        return entries.indices.filter { !known.contains($0) }.map { entries[$0] }
    }
}
