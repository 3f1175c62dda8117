import WeirTrace

/// `unhandled-failure`: a failure ended a handler's subscription, and nothing received the failure.
struct UnhandledFailureRule {
    var table: TallyTable

    init(_ tables: FlowTables) { table = TallyTable(.unhandledFailure, ofSubscriptions: tables) }

    /// Counts the end of a subscription, and shows the failure as its example.
    mutating func count(
        _ subscription: Int32, _ end: EventID, _ thread: UnsafeMutablePointer<FlowThread>, _ tables: FlowTables
    ) {
        let known = tables.subscriptions[Int(subscription)]
        guard known.isTerminal else { return }
        let failure = thread.pointee.causingEmission.flatMap { $0.pointee.isEnding ? $0.pointee.sequence : nil }
        table.count(subscription) {
            RuleTally(
                $0, node: tables.nodes[Int(known.source)].id, subscription: known.id,
                example: failure.map { EventID(end.thread, $0) } ?? end)
        }
    }
}
