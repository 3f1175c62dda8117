import WeirTrace

/// `cross-thread`: two threads drive one hot node, both outside of all hops.
///
/// Counts the emissions (not replayed) outside of all hops on each thread but the first such thread.
struct CrossThreadRule {
    var table: TallyTable
    private var firstOf: [Int32: EventID] = [:]

    init(_ tables: FlowTables) { table = TallyTable(.crossThread, places: tables.topology.nodeIDs.count) }

    /// A hot node emits outside of all hops.
    @inline(__always)
    mutating func judge(_ place: Int32, _ id: EventID, _ tables: FlowTables) {
        let node = tables.nodes + Int(place)
        if node.pointee.thread == id.thread { return }
        if node.pointee.thread == 0 {
            node.pointee.thread = id.thread
            firstOf[place] = id
            return
        }
        count(place, id, tables)
    }

    private mutating func count(_ place: Int32, _ id: EventID, _ tables: FlowTables) {
        let node = tables.nodes[Int(place)]
        let slot = table.slot(place) {
            var tally = RuleTally($0, node: node.id, example: id, counterpart: firstOf[place])
            tally.threads = [node.thread]
            return tally
        }
        table.change(slot) {
            $0.count &+= 1
            // Only a hostile trace has so many threads.
            if $0.threads.count < 64, !$0.threads.contains(id.thread) { $0.threads.append(id.thread) }
        }
    }
}
