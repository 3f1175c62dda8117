import WeirTrace

/// Everything that the rules find in one trace, and what budgets measure there.
package struct TraceFindings {
    /// How many findings of each analysis are kept, the worst; the rest are counted.
    package static let limit = 1000

    /// The findings of the redundancy rules, with those that the program declares as intended.
    package let redundancy: [Finding]
    /// The findings of the leak rules.
    package let leaks: [LeakFinding]
    /// The facts of both, in this order.
    package let found: [CheckedFinding]
    /// Findings that were not kept.
    package let omitted: UInt64
    /// The measures.
    package let measures: Measures
    /// The faults of the trace, with sentences about them; see `adding`.
    package var faults: [TraceFault: [String]] = [:]
    /// The names of the files that the trace mentions.
    package let mentionedFiles: Set<String>
}

extension TraceFindings {
    /// Takes the findings of both analyses and the figures of a trace.
    package init(
        _ pass: RedundancyPass, _ findings: Findings, _ leaks: LeakFindings, snapshot: (LeakFinding) -> TraceSnapshot?,
        _ topology: Topology, measures: Measures
    ) {
        let (lines, definitions) = (ProgramLines(topology.definitions), topology.definitions)
        // A condition whose value does not change with its inputs needs no change, and so no entry in a baseline.
        let found = findings.found.filter { !$0.isNormal }
        let redundancy = Array(found.prefix(Self.limit) + findings.intended.prefix(Self.limit))
        let kept = Array(leaks.found.prefix(Self.limit))
        let all = found.count + findings.intended.count + leaks.found.count
        var measures = measures
        measures.refreshes = pass.refreshes
        measures.redundantRefreshes = pass.redundantRefreshes
        self.init(
            redundancy: redundancy, leaks: kept,
            found: redundancy.map { CheckedFinding($0, lines) }
                + kept.map { CheckedFinding($0, in: snapshot($0) ?? TraceSnapshot(), definitions) },
            omitted: UInt64(all - redundancy.count - kept.count), measures: measures,
            mentionedFiles: Set(
                (definitions.nodes.values.compactMap(\.site) + definitions.subscriptions.values.compactMap(\.site))
                    .map(\.fileName)))
    }
}
