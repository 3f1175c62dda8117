import WeirTrace

/// `resubscribed-source`: a cold source (or a flatMap, which makes one for each value) is subscribed to while another subscription to it lives; so it runs twice.
///
/// Exempt by itself: a source behind `share`, to which only that subscribes; one that has ended before it is subscribed to again.
struct ResubscribedSourceRule {
    var table: TallyTable

    init(_ tables: FlowTables) { table = TallyTable(.resubscribedSource, places: tables.topology.nodeIDs.count) }

    /// The beginning of a subscription was recorded.
    mutating func began(_ subscription: Int32, _ id: EventID, _ tables: FlowTables) {
        let source = tables.subscriptions[Int(subscription)].source
        let node = tables.nodes + Int(source)
        guard node.pointee.traits.contains(.source) else { return }
        // It may have been heard of before.
        let others = node.pointee.liveRuns &- (tables.subscriptions[Int(subscription)].isRunning ? 1 : 0)
        guard others > 0 else { return }
        let (nodeID, former) = (node.pointee.id, node.pointee.lastRun)
        table.count(source) { RuleTally($0, node: nodeID, example: id, counterpart: former) }
    }

    /// A subscription is alive from now on.
    func runs(_ subscription: Int32, _ id: EventID, _ tables: FlowTables) {
        let node = tables.nodes + Int(tables.subscriptions[Int(subscription)].source)
        guard node.pointee.traits.contains(.source) else { return }
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
