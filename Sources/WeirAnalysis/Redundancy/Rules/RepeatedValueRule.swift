import WeirTrace

/// `repeated-value`: a refresh with the same value as the previous refresh through the same subscription.
///
/// Exempt are events, each of which counts: `()`, and values of emitters, also delayed, filtered or merged. So are two-way
/// bindings: a view may have changed what it shows since it received the value. So are changes of an array, which an equal one
/// changes again, and a condition that a filter lets pass each time it becomes true.
struct RepeatedValueRule {
    var table: TallyTable

    init(_ tables: FlowTables) { table = TallyTable(.repeatedValue, ofSubscriptions: tables) }

    /// Notes that the refresh just counted was in a feedback loop.
    mutating func noteLoop(_ subscription: Int32, at node: Int32, _ tables: FlowTables) {
        guard let slot = table[subscription] else { return }
        table.change(slot) {
            $0.inLoop &+= 1
            $0.loopNode = tables.nodes[Int(node)].id
        }
    }

    /// Whether a filter has held back another value since the last refresh.
    private func isBack(_ subscription: UnsafePointer<FlowSubscription>, _ tables: FlowTables) -> Bool {
        guard case let filter = subscription.pointee.filter, filter >= 0 else { return false }
        return tables.nodes[Int(filter)].heldBack > subscription.pointee.refresh.order
    }

    /// Whether a refresh repeats the one before it; `comparison` is that of their values.
    mutating func judge(
        _ subscription: Int32, _ value: ValueKey, _ comparison: ValueKey.Comparison, _ id: EventID,
        _ tables: FlowTables, _ unjudged: inout UnjudgedTable
    ) -> Bool {
        let known = tables.subscriptions + Int(subscription)
        guard known.pointee.refresh.order != 0, known.pointee.hasValue, !value.isVoid, !known.pointee.isOfEmitters
        else { return false }
        let node = tables.nodes + Int(known.pointee.source)
        if node.pointee.traits.contains(.mayRepeat) { return false }
        switch comparison {
        case .different: return false
        case .unknown(let reason):
            unjudged.count(.repeatedValue, node.pointee.id, reason)
            return false
        case .equal:
            let isBack = isBack(known, tables)
            if isBack, value.isBool { return false }
            table.count(subscription) {
                RuleTally(
                    $0, node: node.pointee.id, subscription: known.pointee.id, example: id,
                    counterpart: known.pointee.refresh.id)
            }
            if isBack, let slot = table[subscription] { table.change(slot) { $0.back &+= 1 } }
            return true
        }
    }
}

extension RepeatedValueRule: TallyingRule {
    static let counted = CountedEvents.refreshes
    static let commonCause: CommonCause? = .unchangedValues
    static let followsLoops = true

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        (severity(finding), finding.changingSubscriptions(.removeDuplicates))
    }

    private static func severity(_ finding: FindingFacts) -> Finding.Severity {
        // An equal value may be another event or answer: the same error again, another tap on the same row, an empty page again.
        if finding.tallies.allSatisfy(\.areAnswers) { return .note }
        guard finding.technique == .render else { return .warning }
        // A body runs for each change that it has read. A few runs, fewer than those of a second in which each frame has one, cost
        // less than another property, which would save them.
        let count = finding.tallies.reduce(0) { $0 &+ $1.count }
        let all = finding.tallies.reduce(0) { $0 &+ $1.all }
        return count < 60 || count < all / 2 ? .note : .warning
    }

    /// The tallies, with the number of all refreshes.
    func tallies(_ tables: FlowTables, byMarks: Bool) -> [RuleTally] {
        table.tallies.map { tally in
            var tally = tally
            let place = tables.place(ofSubscription: tally.subscription)
            if place >= 0 { tally.all = UInt64(tables.subscriptions[Int(place)].refreshes) }
            return tally
        }
    }
}
