import WeirTrace

/// `repeated-request`: a flatMap receives a value equal to the one before it, and starts the same request again.
///
/// Exempt are events: each may ask for the request again.
struct RepeatedRequestRule {
    var table: TallyTable

    init(_ tables: FlowTables) { table = TallyTable(.repeatedRequest, ofNodes: tables) }

    /// Whether a value delivered to a flatMap starts the same request again.
    mutating func judge(
        _ subscription: Int32, _ value: ValueKey, _ id: EventID, _ tables: FlowTables, _ unjudged: inout UnjudgedTable
    ) -> Bool {
        let known = tables.subscriptions + Int(subscription)
        guard known.pointee.hasValue, !value.isVoid, !known.pointee.isOfEvents else { return false }
        let target = tables.nodes[Int(known.pointee.target)].id
        switch ValueKey.compare(known.pointee.value, value) {
        case .different: return false
        case .unknown(let reason):
            unjudged.count(.repeatedRequest, target, reason)
            return false
        case .equal:
            table.count(known.pointee.target) {
                var tally = RuleTally($0, node: target, example: id)
                tally.via = known.pointee.id
                return tally
            }
            return true
        }
    }
}

extension RepeatedRequestRule: TallyingRule {
    static let counted = CountedEvents.requests
    static let commonCause: CommonCause? = .unchangedValues

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        let lines = finding.lines
        // An onEvent may begin something that only a new answer ends, such as a spinner.
        let effects = lines.effects(before: finding.first.via)
        let inputs = finding.tallies.map { lines.effects(before: $0.via).last?.input ?? $0.via }
        var remedy = Remedy(
            .removeDuplicateRequests, nodes: finding.nodes, subscriptions: FindingFacts.distinct(inputs),
            site: effects.last.map { finding.definitions.nodes[$0.node]?.site } ?? finding.nodeSite)
        remedy.isBeforeEffects = !effects.isEmpty
        return (.warning, remedy)
    }
}
