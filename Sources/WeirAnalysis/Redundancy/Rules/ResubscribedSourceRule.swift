import WeirTrace

/// `resubscribed-source`: a cold source is subscribed to while another subscription to it lives; so it runs twice.
///
/// Exempt by itself: a source behind `share`, to which only that subscribes; one that has ended before it is subscribed to again.
struct ResubscribedSourceRule {
    var table: TallyTable

    init(_ tables: FlowTables) { table = TallyTable(.resubscribedSource, places: tables.topology.nodeIDs.count) }

    /// A subscription begins, or is heard of for the first time.
    mutating func began(_ subscription: Int32, _ id: EventID, isRecorded: Bool, _ tables: FlowTables) {
        let source = tables.subscriptions[Int(subscription)].source
        let node = tables.nodes + Int(source)
        guard node.pointee.traits.contains(.source) else { return }
        if node.pointee.liveRuns > 0, isRecorded {
            let (nodeID, former) = (node.pointee.id, node.pointee.lastRun)
            table.count(source) { RuleTally($0, node: nodeID, example: id, counterpart: former) }
        }
        node.pointee.liveRuns &+= 1
        node.pointee.lastRun = id
        tables.subscriptions[Int(subscription)].isRunning = true
    }

    /// A subscription ends, or its source completes or fails: what begins then begins after it.
    @inline(__always)
    func ended(_ subscription: Int32, _ tables: FlowTables) {
        guard tables.subscriptions[Int(subscription)].isRunning else { return }
        tables.subscriptions[Int(subscription)].isRunning = false
        let node = tables.nodes + Int(tables.subscriptions[Int(subscription)].source)
        node.pointee.liveRuns &-= 1
    }
}
