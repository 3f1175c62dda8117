import WeirTrace

/// All findings of the redundancy rules in a trace: one for each line of the program, worst first.
///
/// They are ordered by severity, then by wasted time, then by redundant refreshes, then by count.
public struct Findings: Sendable, Equatable {
    /// The findings to fix.
    public let found: [Finding]
    /// The findings that the program declares as intended.
    public let intended: [Finding]

    /// The findings of a pass; with `nodes`, only those at one of these nodes or at a subscription that feeds one.
    public init(_ pass: RedundancyPass, _ definitions: TraceDefinitions, nodes: Set<UInt32>? = nil) {
        self.init(pass.tallies, definitions, nodes: nodes)
    }

    init(_ tallies: [RuleTally], _ definitions: TraceDefinitions, nodes: Set<UInt32>? = nil) {
        let lines = ProgramLines(definitions)
        var groups: [GroupKey: [RuleTally]] = [:]
        for tally in tallies {
            let target = definitions.subscriptions[tally.subscription]?.target
            if let nodes, !nodes.contains(tally.node), target.map(nodes.contains) != true { continue }
            groups[GroupKey(tally, definitions, lines), default: []].append(tally)
        }
        let fingerprints = FindingFingerprints(groups.values.lazy.flatMap(\.self), lines)
        let all = groups.map { key, tallies in
            Finding(tallies, intention: key.intention, fingerprints, lines)
        }
        func isWorse(_ one: Finding, _ other: Finding) -> Bool {
            let (left, right) = (one.order, other.order)
            if left != right { return left > right }
            let names = (definitions.name(ofNode: one.node), definitions.name(ofNode: other.node))
            if names.0 != names.1 { return names.0 < names.1 }
            return (one.rule.rawValue, one.site?.line ?? 0, one.fingerprint, one.node)
                < (other.rule.rawValue, other.site?.line ?? 0, other.fingerprint, other.node)
        }
        found = all.filter { $0.intention == nil }.sorted(by: isWorse)
        intended = all.filter { $0.intention != nil }.sorted(by: isWorse)
    }

    /// Whether any finding is more severe than a note.
    public var hasFaults: Bool { found.contains { $0.severity > .note } }

    /// The common part of the tallies of one finding.
    private struct GroupKey: Hashable {
        let rule: RedundancyRule
        let node: ProgramLines.NodeLine
        let subscriptionSite: TraceSite?
        /// The id of a subscription without a known line, which forms a group of its own; otherwise 0.
        let subscription: UInt32
        let intention: String?

        init(_ tally: RuleTally, _ definitions: TraceDefinitions, _ lines: ProgramLines) {
            rule = tally.rule
            node = lines.line(ofNode: tally.node)
            subscriptionSite = definitions.subscriptions[tally.subscription]?.site
            subscription = subscriptionSite == nil ? tally.subscription : 0
            intention = definitions.intentions[tally.node]?.first { $0.rule == tally.rule.rawValue }?.reason
        }
    }
}

extension Finding {
    fileprivate init(
        _ unordered: [RuleTally], intention: String?, _ fingerprints: FindingFingerprints, _ lines: ProgramLines
    ) {
        // Equally bad tallies come in the order of ids.
        let tallies = unordered.sorted {
            ($0.wastedTicks, $0.refreshes, $0.count, $1.node, $1.subscription)
                > ($1.wastedTicks, $1.refreshes, $1.count, $0.node, $0.subscription)
        }
        let (rule, definitions) = (tallies[0].rule, lines.definitions)
        let technique = definitions.nodes[tallies[0].node]?.technique ?? .weir
        let severity = rule.severity(of: technique, isUnsettled: tallies.contains { $0.unsettled > 0 })
        self.init(
            rule: rule, severity: severity, tallies: tallies,
            count: tallies.reduce(0) { $0 &+ $1.count }, refreshes: tallies.reduce(0) { $0 &+ $1.refreshes },
            wastedTicks: tallies.reduce(0) { $0 &+ $1.wastedTicks },
            site: definitions.subscriptions[tallies[0].subscription]?.site ?? definitions.nodes[tallies[0].node]?.site,
            remedy: Remedy(for: tallies, lines), fingerprint: fingerprints.fingerprint(of: tallies),
            intention: intention)
    }

    fileprivate var order: (Int, UInt64, UInt64, UInt64) { (severity.rawValue, wastedTicks, refreshes, count) }
}

extension RedundancyRule {
    fileprivate func severity(of technique: NodeTechnique, isUnsettled: Bool) -> Finding.Severity {
        switch self {
        case .unobserved, .noopEvaluation: .note
        // Each value may be a wanted event: a message, a call of a delegate.
        case .burst where technique == .asyncSequence || technique == .callback: .note
        case .repeatedValue, .glitch, .burst, .resubscribedSource, .slowRefresh: .warning
        case .feedback: isUnsettled ? .error : .warning
        case .zombieRefresh, .crossThread, .unhandledFailure: .error
        }
    }
}
