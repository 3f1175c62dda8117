import WeirTrace

/// The differences of a second run.
///
/// Findings of the two runs are matched as those of a build and its baseline are: one to one, by rule and names. Figures of
/// repeated runs differ if no value of one side lies among those of the other. Their times differ if, in addition, the gap is at
/// least as wide as the range of either side, and a tenth of the lower time.
package struct RunDiff<Story: Sendable>: Sendable {
    /// A figure with its values in the two runs.
    package struct Change<Subject: Sendable>: Sendable {
        /// The subject of the figure.
        package let subject: Subject
        /// Its values.
        package let before: RunFigures.Spread, after: RunFigures.Spread

        /// Whether it is different in the second run.
        package var isChanged: Bool { before.isApart(from: after) }

        /// How many times as much the second run has; nil if the first one has none.
        package var factor: Double? { before.middle == 0 ? nil : Double(after.middle) / Double(before.middle) }
    }

    /// The refreshes of a node.
    package struct NodeChange: Sendable {
        /// All refreshes; the subject is the node's name.
        package let refreshes: Change<String>
        /// The redundant ones.
        package let redundant: Change<String>
    }

    /// The nodes and edges of the first run that the second one has not, by name.
    package let nodesGone: [String], edgesGone: [TraceFigures.Edge]
    /// The nodes and edges of the second run that the first one has not, by name.
    package let nodesCame: [String], edgesCame: [TraceFigures.Edge]
    /// The nodes with another number of refreshes, or of redundant ones, by name.
    package let refreshes: [NodeChange]
    /// The refreshes of nodes by stimuli that both runs have.
    package let effects: [Change<TraceFigures.Effect>]
    /// The handler time of nodes in nanoseconds, by name; only of repeated runs.
    package let times: [Change<String>]
    /// The nodes that end with another value, by name, with both values.
    package let values: [(node: String, before: TraceValue, after: TraceValue)]
    /// All refreshes, and the redundant ones.
    package let allRefreshes: Change<Void>, redundantRefreshes: Change<Void>
    /// The findings that the second run has no more, the worst first.
    package let cured: [CheckTable<Story>.Entry]
    /// The findings that the first run has not, the worst first.
    package let new: [CheckTable<Story>.Entry]

    /// Compares two runs: the figures and the findings of each.
    package init(
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
    package var isEmpty: Bool {
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
