import WeirTrace

/// `slow-refresh`: a refresh whose delivery, including everything inside it, took longer than a screen frame.
struct SlowRefreshRule {
    var table: TallyTable
    /// The longest allowed time, in ticks.
    let limit: UInt64

    init(_ tables: FlowTables, limit: UInt64) {
        table = TallyTable(.slowRefresh, ofSubscriptions: tables)
        self.limit = limit
    }

    /// Judges a completed refresh that began with `id`.
    @inline(__always)
    mutating func judge(_ subscription: Int32, _ id: EventID, lasted ticks: UInt64, _ tables: FlowTables) {
        if ticks <= limit { return }
        let slot = table.slot(subscription) {
            let known = tables.subscriptions[Int(subscription)]
            return RuleTally($0, node: tables.nodes[Int(known.source)].id, subscription: known.id, example: id)
        }
        table.change(slot) {
            $0.count &+= 1
            $0.wastedTicks &+= ticks &- limit
        }
    }
}

extension SlowRefreshRule: TallyingRule {
    static let counted = CountedEvents.refreshes

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        (.warning, finding.changingSubscriptions(.lightenHandler))
    }
}
