import WeirTrace

/// `cross-thread`: two threads drive one hot node, both outside of all hops to a scheduler.
///
/// Counts the emissions (not replayed) outside of all such hops on each thread but the first such thread. All threads of one actor,
/// or of the main queue, count as one thread, because their work runs in turn. A hop that only carries the cause of a
/// task is no hop to a scheduler.
struct CrossThreadRule {
    var table: TallyTable
    private var firstOf: [Int32: EventID] = [:]

    init(_ tables: FlowTables) { table = TallyTable(.crossThread, ofNodes: tables) }

    /// Judges an emission of a hot node that no scheduler delivers; `runner` is the number of the thread or executor.
    @inline(__always)
    mutating func judge(_ place: Int32, _ id: EventID, by runner: UInt32, _ tables: FlowTables) {
        let node = tables.nodes + Int(place)
        if node.pointee.runner == runner { return }
        if node.pointee.runner == 0 {
            node.pointee.runner = runner
            firstOf[place] = id
            return
        }
        count(place, id, runner, tables)
    }

    /// Notes who refreshes a handler without a scheduler.
    @inline(__always)
    func refreshed(_ subscription: UnsafeMutablePointer<FlowSubscription>, by runner: UInt32) {
        if subscription.pointee.runner == runner { return }
        if subscription.pointee.runner == 0 {
            subscription.pointee.runner = runner
        } else {
            subscription.pointee.hasSeveralRunners = true
        }
    }

    /// The subscriptions with several runners that a node refreshes itself, or through nodes that are not judged themselves.
    func handlers(of place: Int, _ tables: FlowTables) -> [UInt32] {
        var (found, seen, next) = ([UInt32](), Set([place]), [place])
        while let node = next.popLast() {
            for output in tables.topology.outputs[node] {
                let subscription = tables.subscriptions[output]
                if subscription.isTerminal {
                    if subscription.hasSeveralRunners { found.append(subscription.id) }
                } else if let target = Int(exactly: subscription.target), target >= 0,
                    !tables.nodes[target].traits.contains(.hot), seen.insert(target).inserted
                {
                    next.append(target)
                }
            }
        }
        return found.sorted()
    }

    private mutating func count(_ place: Int32, _ id: EventID, _ runner: UInt32, _ tables: FlowTables) {
        let node = tables.nodes[Int(place)]
        let slot = table.slot(place) {
            var tally = RuleTally($0, node: node.id, example: id, counterpart: firstOf[place])
            tally.threads = [node.runner]
            return tally
        }
        table.change(slot) {
            $0.count &+= 1
            // Only a hostile trace has more threads.
            if $0.threads.count < 64, !$0.threads.contains(runner) { $0.threads.append(runner) }
        }
    }
}

extension CrossThreadRule: TallyingRule {
    static let counted = CountedEvents.emissions

    static func judge(_ finding: inout FindingFacts) -> (severity: Finding.Severity, remedy: Remedy?) {
        (.error, finding.changingNodes(.deliver))
    }

    /// The tallies, with the handlers that several threads call.
    func tallies(_ tables: FlowTables, byMarks: Bool) -> [RuleTally] {
        table.tallies.map { tally in
            var tally = tally
            tally.handlers = handlers(of: Int(tables.place(ofNode: tally.node)), tables)
            return tally
        }
    }
}
