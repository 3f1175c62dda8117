import WeirTrace

/// `noop-evaluation`: an evaluation that produced an equal value.
///
/// Either it was suppressed as equal, or its emission's value equals the previous value delivered through the subscription of
/// its first delivery. Exempt are filters, which produce no value of their own.
struct NoopEvaluationRule {
    var table: TallyTable

    init(_ tables: FlowTables) { table = TallyTable(.noopEvaluation, ofNodes: tables) }

    /// Counts an evaluation fed through `via` that was suppressed as equal, or whose value equals `counterpart`'s.
    ///
    /// - Parameter isAgain: Whether the node had already evaluated in the turn, and could have waited.
    @inline(__always)
    mutating func count(
        _ place: Int32, _ id: EventID, counterpart: EventID?, via: Int32, isAgain: Bool, _ tables: FlowTables
    ) {
        table.count(place) {
            var tally = RuleTally($0, node: tables.nodes[Int(place)].id, example: id, counterpart: counterpart)
            tally.via = via >= 0 ? tables.subscriptions[Int(via)].id : 0
            return tally
        }
        if isAgain, let slot = table[place] { table.change(slot) { $0.again &+= 1 } }
    }
}

extension NoopEvaluationRule: TallyingRule {
    static let counted = CountedEvents.evaluations
    static let commonCause: CommonCause? = .unchangedValues

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        (.note, remedy(finding))
    }

    private static func remedy(_ finding: FindingFacts) -> Remedy? {
        let (first, lines) = (finding.first, finding.lines)
        if finding.tallies.allSatisfy({ $0.again == $0.count }), lines.canSettle(first.node) { return finding.settling }
        guard lines.canNarrow(first.via, of: first.node) else { return nil }
        return Remedy(
            .narrowInput, nodes: finding.nodes, subscriptions: finding.inputs,
            site: finding.definitions.subscriptions[first.via]?.site ?? finding.nodeSite)
    }
}
