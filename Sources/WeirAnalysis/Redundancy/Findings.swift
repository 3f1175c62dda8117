import WeirTrace

/// All findings of the redundancy rules in a trace: one for each line of the program, worst first.
///
/// They are ordered by severity, then by wasted time, then by redundant refreshes, then by count.
package struct Findings: Sendable, Equatable {
    /// The findings to fix.
    package let found: [Finding]
    /// The findings that the program declares as intended.
    package let intended: [Finding]

    /// The findings of a pass; with `nodes`, only those at one of these nodes or at a subscription that feeds one.
    package init(_ pass: RedundancyPass, _ definitions: TraceDefinitions, nodes: Set<UInt32>? = nil) {
        self.init(pass.tallies, definitions, nodes: nodes, eager: pass.eagerNodes)
    }

    init(
        _ tallies: [RuleTally], _ definitions: TraceDefinitions, nodes: Set<UInt32>? = nil, eager: Set<UInt32> = []
    ) {
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
        var found = Self.grouped(all.filter { $0.intention == nil }.sorted(by: isWorse), lines)
        SettledJoins.complete(&found, lines, eager: eager)
        self.found = found
        intended = all.filter { $0.intention != nil }.sorted(by: isWorse)
    }

    /// The findings under which the others of the same cause are listed, worst first.
    package var primaries: [Finding] { found.filter { $0.primary == nil } }

    /// The findings with the same cause as a primary one, worst first.
    package func others(of finding: Finding) -> [Finding] { found.filter { $0.primary == finding.fingerprint } }

    /// Whether any finding is more severe than a note.
    package var hasFaults: Bool { found.contains { $0.severity > .note } }

    /// Lists each finding under the worst one with the same cause, whose remedy then cures all of them.
    private static func grouped(_ sorted: [Finding], _ lines: ProgramLines) -> [Finding] {
        var found = sorted
        listUnderLoops(&found, lines)
        let single = found.indices.filter { found[$0].primary == nil }
        let alike = Dictionary(grouping: single) { CauseKey(found[$0], lines) }
        let groups = alike.flatMap { key, group in
            switch key?.cause {
            case nil: [[Int]]()
            case .writes: ofOneWriter(group, found, lines)
            case .unchangedValues, .answers: [group]
            }
        }
        for group in groups where group.count > 1 || found[group[0]].isCuredOnlyAtCause {
            let all = group.map { found[$0] }
            guard let remedy = Remedy(forAll: all, lines) else { continue }
            found[group[0]].remedy = remedy
            for place in group.dropFirst() {
                found[place].primary = all[0].fingerprint
                found[place].remedy = nil
            }
        }
        listUnderAnswers(&found)
        return found
    }

    /// Divides bursts that nodes of one line caused: those of one group have a node in common, or a line whose writes a batch joins. One
    /// line may make the taps of many buttons, each with a handler of its own.
    private static func ofOneWriter(_ bursts: [Int], _ found: [Finding], _ lines: ProgramLines) -> [[Int]] {
        var groups: [(places: [Int], nodes: Set<UInt32>, sites: Set<TraceSite>)] = []
        for place in bursts {
            let handlers = found[place].remedy?.subscriptions ?? []
            var joined = (
                places: [place], nodes: Set(found[place].tallies.compactMap(\.cause)),
                sites: Set(handlers.compactMap { lines.definitions.subscriptions[$0]?.site })
            )
            for group in groups
            where !group.nodes.isDisjoint(with: joined.nodes) || !group.sites.isDisjoint(with: joined.sites) {
                joined.places += group.places
                joined.nodes.formUnion(group.nodes)
                joined.sites.formUnion(group.sites)
            }
            groups.removeAll { !Set($0.places).isDisjoint(with: joined.places) }
            groups.append(joined)
        }
        return groups.map { $0.places.sorted() }
    }

    /// Lists a burst under the stale answers that follow all of its refreshes: the cure of these cures it, too.
    private static func listUnderAnswers(_ found: inout [Finding]) {
        var answers: [UInt32: Int] = [:]
        for place in found.indices where found[place].rule == .staleResponse {
            for tally in found[place].tallies { answers[tally.subscription] = place }
        }
        if answers.isEmpty { return }
        let primaries = Set(found.compactMap(\.primary))
        for place in found.indices where found[place].rule == .burst && found[place].primary == nil {
            let tallies = found[place].tallies
            guard tallies.allSatisfy({ $0.stale == $0.count }), !primaries.contains(found[place].fingerprint),
                let stale = answers[tallies[0].subscription],
                tallies.allSatisfy({ answers[$0.subscription] == stale })
            else { continue }
            found[place].primary = found[stale].primary ?? found[stale].fingerprint
            found[place].remedy = nil
        }
    }

    /// Lists under a feedback loop what the same cut would cure: loops with that subscription, and refreshes that only loops made.
    private static func listUnderLoops(_ found: inout [Finding], _ lines: ProgramLines) {
        var places: [ProgramLines.Edge: Int] = [:]
        var loops: [UInt32: Int] = [:]
        for place in found.indices where found[place].rule == .feedback {
            let known = found[place].tallies[0].loop.lazy.compactMap(lines.edge).first { edge in
                places[edge] != nil
                    && found[place].tallies.allSatisfy { $0.loop.contains { lines.edge($0) == edge } }
            }
            let primary = known.flatMap { places[$0] } ?? place
            for tally in found[place].tallies { loops[tally.node] = primary }
            if primary != place {
                found[place].primary = found[primary].fingerprint
                found[place].remedy = nil
            } else if let edge = found[place].remedy?.subscriptions.first.flatMap(lines.edge) {
                places[edge] = place
            }
        }
        for place in found.indices where found[place].rule.definition.followsLoops {
            let tallies = found[place].tallies
            guard tallies.allSatisfy({ $0.inLoop == $0.count }), let primary = loops[tallies[0].loopNode],
                tallies.allSatisfy({ loops[$0.loopNode] == primary })
            else { continue }
            found[place].primary = found[primary].fingerprint
            found[place].remedy = nil
        }
    }

    /// The common part of findings with one cause.
    private struct CauseKey: Hashable {
        let cause: CommonCause
        let line: ProgramLines.NodeLine
        /// For writes and answers: each kind of remedy is of its own.
        let remedy: Remedy.Kind?

        init?(_ finding: Finding, _ lines: ProgramLines) {
            guard let cause = finding.rule.commonCause, let node = finding.cause else { return nil }
            self.cause = cause
            line = lines.causeLine(ofNode: node)
            remedy = cause == .unchangedValues ? nil : finding.remedy?.kind
        }
    }

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
        var tallies = unordered.sorted {
            ($0.wastedTicks, $0.refreshes, $0.count, $1.node, $1.subscription)
                > ($1.wastedTicks, $1.refreshes, $1.count, $0.node, $0.subscription)
        }
        let (rule, definitions) = (tallies[0].rule, lines.definitions)
        var facts = FindingFacts(tallies: tallies, lines: lines)
        let (severity, remedy) = rule.definition.judge(&facts)
        tallies = facts.tallies
        self.init(
            rule: rule, severity: severity, tallies: tallies,
            count: tallies.reduce(0) { $0 &+ $1.count }, refreshes: tallies.reduce(0) { $0 &+ $1.refreshes },
            wastedTicks: tallies.reduce(0) { $0 &+ $1.wastedTicks },
            site: definitions.subscriptions[tallies[0].subscription]?.site ?? definitions.nodes[tallies[0].node]?.site,
            remedy: remedy, fingerprint: fingerprints.fingerprint(of: tallies),
            cause: Self.cause(of: tallies, lines), intention: intention)
    }

    /// The first cause of the tallies, if one line made the causes of all.
    private static func cause(of tallies: [RuleTally], _ lines: ProgramLines) -> UInt32? {
        guard let first = tallies[0].cause else { return nil }
        let line = lines.causeLine(ofNode: first)
        return tallies.allSatisfy { $0.cause.map(lines.causeLine) == line } ? first : nil
    }

    /// Whether nothing helps at the node itself, but its input need not have emitted.
    fileprivate var isCuredOnlyAtCause: Bool { rule == .noopEvaluation && remedy == nil && cause != node }

    fileprivate var order: (Int, UInt64, UInt64, UInt64) { (severity.rawValue, wastedTicks, refreshes, count) }
}
