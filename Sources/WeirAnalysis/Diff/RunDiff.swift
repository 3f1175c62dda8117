import WeirTrace

/// What is different in a second run.
///
/// Findings of the two runs are matched as those of a build and its baseline are: one to one, by rule and names.
public struct RunDiff<Story: Sendable>: Sendable {
    /// A figure that changed.
    public struct Change<Subject: Sendable>: Sendable {
        /// What it is a figure of.
        public let subject: Subject
        /// Its values in the two runs.
        public let before: UInt64, after: UInt64
    }

    /// The nodes and edges of the first run that the second one has not, by name.
    public let nodesGone: [String], edgesGone: [RunFigures.Edge]
    /// The nodes and edges of the second run that the first one has not, by name.
    public let nodesCame: [String], edgesCame: [RunFigures.Edge]
    /// The refreshes of nodes, by name.
    public let refreshes: [Change<String>]
    /// The refreshes of nodes by stimuli that both runs have.
    public let effects: [Change<RunFigures.Effect>]
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
        nodesGone = before.nodes.keys.filter { after.nodes[$0] == nil }.sorted()
        nodesCame = after.nodes.keys.filter { before.nodes[$0] == nil }.sorted()
        edgesGone = before.edges.subtracting(after.edges).sorted()
        edgesCame = after.edges.subtracting(before.edges).sorted()
        let common = before.nodes.keys.filter { after.nodes[$0] != nil }.sorted()
        refreshes = common.compactMap { name in
            let (one, other) = (before.nodes[name]?.refreshes ?? 0, after.nodes[name]?.refreshes ?? 0)
            return one == other ? nil : Change(subject: name, before: one, after: other)
        }
        let stimuli = [before, after].map { Set($0.effects.keys.map(\.stimulus)) }
        let names = Set(common)
        effects = Set(before.effects.keys).union(after.effects.keys).sorted().compactMap { effect in
            let (one, other) = (before.effects[effect] ?? 0, after.effects[effect] ?? 0)
            let isCommon = stimuli.allSatisfy { $0.contains(effect.stimulus) } && names.contains(effect.node)
            return one == other || !isCommon ? nil : Change(subject: effect, before: one, after: other)
        }
        values = common.compactMap { name in
            guard let one = before.nodes[name]?.value, let other = after.nodes[name]?.value, one != other else {
                return nil
            }
            return (name, one, other)
        }
        let (one, other) = (beforeFindings.measures, afterFindings.measures)
        allRefreshes = Change(subject: (), before: one.refreshes, after: other.refreshes)
        redundantRefreshes = Change(subject: (), before: one.redundantRefreshes, after: other.redundantRefreshes)
        cured = Self.only(in: beforeFindings, not: afterFindings)
        new = Self.only(in: afterFindings, not: beforeFindings)
    }

    /// Whether the second run is as the first one in everything that is compared.
    public var isEmpty: Bool {
        nodesGone.isEmpty && nodesCame.isEmpty && edgesGone.isEmpty && edgesCame.isEmpty && refreshes.isEmpty
            && effects.isEmpty && values.isEmpty && cured.isEmpty && new.isEmpty
            && redundantRefreshes.before == redundantRefreshes.after
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
