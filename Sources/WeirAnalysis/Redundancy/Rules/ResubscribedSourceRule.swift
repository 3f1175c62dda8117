import WeirTrace

/// `resubscribed-source`: a cold source is subscribed to while another subscription to it is alive, so it runs twice.
///
/// A flatMap counts as such a source, because it makes one for each value. Two cases are exempt by themselves: a source behind
/// `share`, to which only `share` subscribes, and a source that has ended before it is subscribed to again.
struct ResubscribedSourceRule {
    var table: TallyTable

    init(_ tables: FlowTables) { table = TallyTable(.resubscribedSource, ofNodes: tables) }

    /// Judges a subscription whose beginning was recorded.
    mutating func began(_ subscription: Int32, _ id: EventID, _ tables: FlowTables) {
        let source = tables.subscriptions[Int(subscription)].source
        let node = tables.nodes + Int(source)
        guard node.pointee.traits.contains(.source) else { return }
        // The subscription may have been mentioned before.
        let others = node.pointee.liveRuns &- (tables.subscriptions[Int(subscription)].isRunning ? 1 : 0)
        guard others > 0 else { return }
        let (nodeID, former) = (node.pointee.id, node.pointee.lastRun)
        table.count(source) { RuleTally($0, node: nodeID, example: id, counterpart: former) }
    }

    /// Marks a subscription as alive.
    func runs(_ subscription: Int32, _ id: EventID, _ tables: FlowTables) {
        let node = tables.nodes + Int(tables.subscriptions[Int(subscription)].source)
        guard node.pointee.traits.contains(.source) else { return }
        node.pointee.liveRuns &+= 1
        node.pointee.lastRun = id
        tables.subscriptions[Int(subscription)].isRunning = true
    }

    /// Ends a run when its subscription ends, or when its source completes or fails: a later run does not overlap it.
    @inline(__always)
    func ended(_ subscription: Int32, _ order: UInt64, _ tables: FlowTables) {
        guard tables.subscriptions[Int(subscription)].isRunning else { return }
        tables.subscriptions[Int(subscription)].isRunning = false
        let node = tables.nodes + Int(tables.subscriptions[Int(subscription)].source)
        node.pointee.liveRuns &-= 1
        node.pointee.lastEnd = order
    }
}
