import WeirTrace

@testable import WeirAnalysis

/// The findings of the naive rules, with severity, remedy and common cause, as the page of the rules defines them.
struct NaiveFindings {
    typealias Subject = NaiveRules.Subject

    /// The parts that a remedy changes: subscriptions, or else nodes.
    struct NaiveRemedy: Equatable {
        var kind: Remedy.Kind
        var nodes: Set<UInt32> = []
        var subscriptions: Set<UInt32> = []
    }

    struct NaiveFinding {
        let rule: RedundancyRule
        let subjects: Set<Subject>
        let count: UInt64
        let refreshes: UInt64
        let wastedTicks: UInt64
        let isIntended: Bool
        var severity = Finding.Severity.note
        var remedy: NaiveRemedy?
        /// The place of the finding under which it is listed.
        var primary: Int?
        /// The subject that is shown as the example: of those that wasted most, that of the lowest node and subscription.
        let first: Subject

        var order: [UInt64] { [UInt64(severity.rawValue), wastedTicks, refreshes, count] }
        var nodes: Set<UInt32> { Set(subjects.map(\.node)).subtracting([0]) }
        var subscriptions: Set<UInt32> { Set(subjects.map(\.subscription)).subtracting([0]) }
    }

    let rules: NaiveRules
    var found: [NaiveFinding] = []

    var events: [TraceEvent] { rules.events }
    var definitions: TraceDefinitions { rules.naive.definitions }

    init(_ rules: NaiveRules) {
        self.rules = rules
        for subjects in Dictionary(grouping: rules.tallies.keys, by: line).values { add(subjects) }
    }

    /// Sorts the findings, worst first; `place` decides between equally bad ones.
    mutating func sort(_ place: (Set<Subject>) -> Int?) {
        found.sort {
            $0.order == $1.order
                ? place($0.subjects) ?? .max < place($1.subjects) ?? .max : $1.order.lexicographicallyPrecedes($0.order)
        }
    }

    /// Lists findings under the worst one of the same cause.
    mutating func group() {
        listUnderLoops()
        groupByCause()
        listUnderAnswers()
        listUnderSettled()
    }

    // MARK: Lines

    private struct Line: Hashable {
        let rule: RedundancyRule
        let node: NodeLine
        let site: TraceSite?
        let subscription: UInt32
        let intention: String?
    }

    struct NodeLine: Hashable {
        var site: TraceSite?
        var kind: UInt8?
        var type: String?
        /// The last part of the label, without an index; the whole label if the line is not known.
        var label: String?
        var node: UInt32?
    }

    private func line(_ subject: Subject) -> Line {
        let site = definitions.subscriptions[subject.subscription]?.site
        return Line(
            rule: subject.rule, node: nodeLine(subject.node), site: site,
            subscription: site == nil ? subject.subscription : 0,
            intention: definitions.intentions[subject.node]?.first { $0.rule == subject.rule.rawValue }?.reason)
    }

    func nodeLine(_ id: UInt32) -> NodeLine {
        guard let node = definitions.nodes[id] else { return NodeLine(node: id) }
        let last = node.label?.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init)
        let property = last.map { $0.hasSuffix("]") ? String($0.prefix { $0 != "[" }) : $0 }
        return NodeLine(
            site: node.site, kind: node.rawKind, type: node.valueType, label: node.site == nil ? node.label : property)
    }

    /// The line of a cause: value types may differ, unless it chains operators of one kind.
    func causeLine(_ id: UInt32) -> NodeLine {
        let line = nodeLine(id)
        guard line.site != nil else { return line }
        func untyped(_ node: UInt32) -> NodeLine {
            var line = nodeLine(node)
            line.type = nil
            return line
        }
        let isChained = definitions.subscriptions.values.contains { subscription in
            guard let target = subscription.target, definitions.nodes[target] != nil else { return false }
            return untyped(subscription.source) == untyped(id) && untyped(target) == untyped(id)
        }
        return isChained ? line : untyped(id)
    }

    private mutating func add(_ subjects: [Subject]) {
        let tallies = subjects.map { rules.tallies[$0]! }
        let first = subjects.max { one, other in
            let (left, right) = (rules.tallies[one]!, rules.tallies[other]!)
            let (bad, worse) = (
                [left.wastedTicks, left.refreshes, left.count], [right.wastedTicks, right.refreshes, right.count]
            )
            if bad != worse { return bad.lexicographicallyPrecedes(worse) }
            return (one.node, one.subscription) > (other.node, other.subscription)
        }!
        let intentions = definitions.intentions[subjects[0].node] ?? []
        var finding = NaiveFinding(
            rule: first.rule, subjects: Set(subjects), count: tallies.reduce(0) { $0 + $1.count },
            refreshes: tallies.reduce(0) { $0 + $1.refreshes }, wastedTicks: tallies.reduce(0) { $0 + $1.wastedTicks },
            isIntended: intentions.contains { $0.rule == first.rule.rawValue }, first: first)
        finding.severity = severity(finding)
        finding.remedy = remedy(finding)
        found.append(finding)
    }

    // MARK: Events

    /// The events that a finding counts, with the subject of each.
    func counted(_ finding: NaiveFinding) -> [(subject: Subject, position: Int)] {
        finding.subjects.flatMap { subject in rules.tallies[subject]!.positions.map { (subject, $0) } }
    }

    func refresh(at position: Int) -> NaiveRefresh? { rules.refreshes.first { $0.position == position } }

    /// The refresh after one through the same subscription.
    func next(after refresh: NaiveRefresh) -> NaiveRefresh? {
        rules.refreshes.first { $0.subscription == refresh.subscription && $0.position > refresh.position }
    }

    /// Whether the value of an emission equals the one delivered before it through the subscription of its first delivery.
    func isUnchanged(_ emission: Int) -> Bool {
        let event = events[emission]
        guard event.kind == .emitted, event.value != .void, rules.kind(event.subject) != .emitter,
            let first = rules.opened[emission]?.deliveries.first, first.subscription != 0
        else { return false }
        let before = events[..<first.position].indices.last {
            events[$0].subject == first.subscription && rules.naive.deliversValue($0)
        }
        guard let before, let former = rules.naive.position(of: rules.naive.places[before].cause) else { return false }
        return NaiveEquality(events[former].value, event.value) == .equal
    }
}
