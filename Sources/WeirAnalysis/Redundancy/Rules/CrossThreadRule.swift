import WeirTrace

/// `cross-thread`: two threads drive one hot node, both outside of all hops.
///
/// Counts the emissions (not replayed) outside of all hops on each thread but the first such thread. All threads of one actor,
/// or of the main queue, count as one thread, because their work runs in turn.
struct CrossThreadRule {
    var table: TallyTable
    private var firstOf: [Int32: EventID] = [:]

    init(_ tables: FlowTables) { table = TallyTable(.crossThread, places: tables.topology.nodeIDs.count) }

    /// Judges an emission of a hot node outside of all hops; `runner` is the number of the thread or executor.
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
