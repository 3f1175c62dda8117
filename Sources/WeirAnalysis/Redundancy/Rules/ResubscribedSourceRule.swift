import WeirTrace

/// `resubscribed-source`: a cold source is subscribed to while another subscription to it is alive, so it runs twice.
///
/// A flatMap counts as such a source, because it makes one for each value. Two cases are exempt by themselves: a source behind
/// `share`, to which only `share` subscribes, and a source that has ended before it is subscribed to again.
struct ResubscribedSourceRule {
    var table: TallyTable
    /// The beginnings of counted subscriptions that have had no value yet, but a live one had: these may miss values when shared.
    private var awaited: [Int32: EventID] = [:]

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
        if node.pointee.hasGivenToRuns { awaited[subscription] = id }
    }

    /// Notes a value that a source gives to a subscription in an emission, the innermost open frame.
    ///
    /// With `.share()`, the subscription would miss a value that the source gives at once, and that a live run had before.
    @inline(__always)
    mutating func gave(
        _ subscription: Int32, _ emission: UnsafeMutablePointer<FlowFrame>, _ thread: UnsafeMutablePointer<FlowThread>,
        _ tables: FlowTables
    ) {
        let source = tables.subscriptions[Int(subscription)].source
        tables.nodes[Int(source)].hasGivenToRuns = true
        if awaited.isEmpty { return }
        guard let beginning = awaited.removeValue(forKey: subscription), let slot = table[source] else { return }
        let isAtOnce = thread.pointee.isInBeginning(emission, of: beginning)
        table.change(slot) { if isAtOnce { $0.atOnce &+= 1 } else { $0.late &+= 1 } }
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
    mutating func ended(_ subscription: Int32, _ order: UInt64, _ tables: FlowTables) {
        guard tables.subscriptions[Int(subscription)].isRunning else { return }
        tables.subscriptions[Int(subscription)].isRunning = false
        let node = tables.nodes + Int(tables.subscriptions[Int(subscription)].source)
        node.pointee.liveRuns &-= 1
        if node.pointee.liveRuns == 0 { node.pointee.hasGivenToRuns = false }
        if !awaited.isEmpty { awaited[subscription] = nil }
        node.pointee.lastEnd = order
    }
}

extension ResubscribedSourceRule: TallyingRule {
    static let counted = CountedEvents.subscriptions

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        let replays = finding.tallies.contains { $0.atOnce > 0 }
        var remedy = finding.changingNodes(replays ? .replay : .share)
        remedy.missesEarlierValues = !replays && finding.tallies.contains { $0.late > 0 }
        return (.warning, remedy)
    }
}
