import WeirTrace

/// `cancelled-request`: a request of a flatMap that the next value replaces before it has answered.
struct CancelledRequestRule {
    private(set) var table: TallyTable
    /// The number of requests of each flatMap.
    private var requests: [Int32: UInt64] = [:]

    init(_ tables: FlowTables) { table = TallyTable(.cancelledRequest, ofNodes: tables) }

    mutating func began(_ node: Int32) { requests[node, default: 0] &+= 1 }

    mutating func count(_ subscription: Int32, _ id: EventID, _ tables: FlowTables) {
        let node = tables.subscriptions[Int(subscription)].target
        table.count(node) { RuleTally($0, node: tables.nodes[Int(node)].id, example: id) }
    }
}

extension CancelledRequestRule: TallyingRule {
    static let counted = CountedEvents.requests

    /// Whether fewer requests are wanted, or another strategy, only the program knows.
    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        (.note, nil)
    }

    /// The tallies, with the number of all requests.
    func tallies(_ tables: FlowTables, byMarks: Bool) -> [RuleTally] {
        let all = Dictionary(uniqueKeysWithValues: requests.map { (tables.nodes[Int($0)].id, $1) })
        return table.tallies.map { tally in
            var tally = tally
            tally.all = all[tally.node] ?? 0
            return tally
        }
    }
}
