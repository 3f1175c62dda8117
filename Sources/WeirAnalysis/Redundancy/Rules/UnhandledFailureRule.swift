import WeirTrace

/// `unhandled-failure`: a failure ended a subscription, and nothing received the failure.
struct UnhandledFailureRule {
    var table: TallyTable
    /// The last failure of each node, by index.
    private var failures: [Int32: EventID] = [:]

    init(_ tables: FlowTables) { table = TallyTable(.unhandledFailure, ofSubscriptions: tables) }

    mutating func failed(_ node: Int32, _ id: EventID) { failures[node] = id }

    /// Counts the end of a subscription, and shows the failure as its example.
    mutating func count(_ subscription: Int32, _ end: EventID, _ tables: FlowTables) {
        let known = tables.subscriptions[Int(subscription)]
        let failure = failures[known.source]
        table.count(subscription) {
            RuleTally(
                $0, node: tables.nodes[Int(known.source)].id, subscription: known.id, example: failure ?? end)
        }
    }
}
