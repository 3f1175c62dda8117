import WeirTrace

/// The result of a policy and a baseline for the findings of many traces.
package struct CheckVerdict<Story: Sendable>: Sendable {
    /// Why a finding does not fail a check.
    package enum Status: Sendable, Equatable {
        /// It does fail it, if its level is high enough.
        case new
        /// The baseline covers it.
        case known
        /// The waiver at this index of the policy covers it.
        case waived(Int)
        /// The program declares it as intended, for this reason.
        case intended(String)
    }

    /// A finding that was judged.
    package struct Item: Sendable {
        /// The finding, with the traces that have it.
        package let entry: CheckTable<Story>.Entry
        /// Its level by the policy.
        package let level: Policy.Level
        /// Why it does not fail the check.
        package internal(set) var status = Status.new
        /// How many findings have its identity, if the baseline covers only some of them; otherwise 0.
        package internal(set) var alike = 0
    }

    /// The findings that are reported, the worst first.
    package let items: [Item]
    /// The entries of the baseline for which fewer findings were found, with the number of those that are gone.
    package let cured: [Baseline.Entry]
    /// The indexes of the waivers that cover nothing.
    package let unusedWaivers: [Int]
    /// The indexes of the waivers that have expired.
    package let expiredWaivers: [Int]
    /// The policy.
    package let policy: Policy
    /// Whether a trace was not read in full: then what is in `cured` may still be there.
    package let isPartial: Bool

    /// Judges the findings and measures of a table.
    ///
    /// - Parameters:
    ///   - day: The day on which waivers must hold, such as "2026-11-24".
    ///   - paths: The paths of the file of a line: its `#fileID`, and its path in the repository if that is known.
    ///   - story: The text of a report about a measure that exceeds a limit.
    package init(
        _ table: CheckTable<Story>, _ policy: Policy, _ baseline: Baseline, day: String,
        paths: (TraceSite) -> [String], story: (Measure, Double) -> Story
    ) {
        self.policy = policy
        isPartial = table.isPartial
        let budgets = Exceeded.all(table.measures.all, policy, paths: paths).map { exceeded in
            CheckTable.Entry(
                finding: CheckedFinding(exceeded), story: story(exceeded.measure, exceeded.limit),
                trace: exceeded.measure.trace)
        }
        var items: [Item] = []
        var used: Set<Int> = []
        for entry in table.entries + budgets {
            let finding = entry.finding
            let paths = finding.sites.flatMap(paths)
            let level = policy.level(of: finding, paths: paths)
            guard level != .off else { continue }
            var item = Item(entry: entry, level: level)
            let waivers = policy.waivers.indices.filter {
                !policy.waivers[$0].isExpired(on: day) && policy.waivers[$0].covers(finding, paths: paths)
            }
            used.formUnion(waivers)
            if let reason = finding.intention {
                item.status = .intended(reason)
            } else if let waiver = waivers.first {
                item.status = .waived(waiver)
            }
            items.append(item)
        }
        items = items.enumerated().sorted { ($1.element.level, $0.offset) < ($0.element.level, $1.offset) }.map(
            \.element)
        cured = Self.match(&items, baseline, table.mentionedFiles, failOn: policy.failOn)
        self.items = items
        expiredWaivers = policy.waivers.indices.filter { policy.waivers[$0].isExpired(on: day) }
        let expired = Set(expiredWaivers)
        unusedWaivers = policy.waivers.indices.filter { !used.contains($0) && !expired.contains($0) }
    }

    /// The findings that fail the check.
    package var failures: [Item] { items.filter { $0.status == .new && $0.level >= policy.failOn } }

    /// The baseline that covers what fails the check, and what the present baseline covers.
    ///
    /// If a trace was not read in full, it keeps the entries that were not found.
    package var updatedBaseline: Baseline {
        let found = Baseline(
            of: items.filter { ($0.status == .new || $0.status == .known) && $0.level >= policy.failOn }
                .map(\.entry.finding))
        return isPartial ? found.adding(cured) : found
    }

    private static func match(
        _ items: inout [Item], _ baseline: Baseline, _ mentionedFiles: Set<String>, failOn: Policy.Level
    ) -> [Baseline.Entry] {
        // Notes fail nothing, so that a baseline has none of them.
        let open = items.indices.filter { items[$0].status == .new && items[$0].level >= failOn }
        let match = baseline.match(open.map { items[$0].entry.finding }, mentionedFiles: mentionedFiles)
        for known in match.known { items[open[known]].status = .known }
        let alike = Dictionary(grouping: open) { items[$0].entry.finding.key.identity }
        for places in alike.values where places.contains(where: { items[$0].status == .known }) {
            for place in places where items[place].status == .new { items[place].alike = places.count }
        }
        return match.cured
    }
}

/// A measure that exceeds a budget.
private struct Exceeded {
    /// A finding of its own.
    private struct Line: Hashable {
        let metric: BudgetMetric
        let site: TraceSite?
        let names: [String]
    }

    let measure: Measure
    let limit: Double
    let level: Policy.Level

    /// The measures beyond their limits, one for each line and metric. The last of several budgets for a measure counts.
    static func all(_ measures: [Measure], _ policy: Policy, paths: (TraceSite) -> [String]) -> [Exceeded] {
        var lines: Set<Line> = []
        var all: [Exceeded] = []
        for measure in measures {
            let (metric, subject) = (measure.metric, measure.subject)
            let paths = subject.site.map(paths) ?? []
            let budget = policy.budgets.last { budget in
                guard budget.limits[metric] != nil else { return false }
                // What a whole turn emits is no figure of a node, and the other way round.
                if metric == .emissionsPerTurn, budget.scope.isEverything != subject.names.isEmpty { return false }
                return budget.scope.contains(names: subject.names, owners: subject.owners, paths: paths)
            }
            guard let budget, let limit = budget.limits[metric], measure.value > limit else { continue }
            let line = Line(metric: metric, site: subject.site, names: subject.site == nil ? subject.names : [])
            if lines.insert(line).inserted { all.append(Exceeded(measure: measure, limit: limit, level: budget.level)) }
        }
        return all
    }
}

extension CheckedFinding {
    fileprivate init(_ exceeded: Exceeded) {
        let (measure, subject) = (exceeded.measure, exceeded.measure.subject)
        let key = FindingKey(
            rule: measure.metric.ruleName, words: subject.names, files: [subject.site?.fileName ?? ""],
            lines: [subject.site?.description ?? ""])
        self.init(
            rule: CheckRule(.budget(measure.metric)), severity: Finding.Severity(exceeded.level), key: key,
            fingerprint: key.identity, names: subject.names, owners: subject.owners,
            sites: [subject.site].compactMap(\.self), count: 1,
            intention: nil)
    }
}

extension Finding.Severity {
    fileprivate init(_ level: Policy.Level) {
        self =
            switch level {
            case .off, .note: .note
            case .warning: .warning
            case .error: .error
            }
    }
}
