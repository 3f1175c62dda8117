import WeirTrace

/// How many events of a trace are about each node: the simplest question, which measures the reader's speed.
struct EventCount {
    /// By node id; deliveries count for the observed node.
    private(set) var perNode: [UInt32: Int] = [:]
    /// Events whose record names neither node nor subscription.
    private(set) var others = 0
    private(set) var total = 0
    private(set) var bytes = 0

    init(_ path: String) throws {
        let reader = try TraceReader(path: path)
        let definitions = try reader.definitions()
        var table = Table(
            nodes: definitions.nodes.keys.max() ?? 0, subscriptions: definitions.subscriptions.keys.max() ?? 0
        )
        var bytes = 0
        reader.forEachEventChunk { header, records in
            var cursor = RecordCursor(records, of: header)
            table.count(&cursor)
            reader.noteEnd(of: cursor, in: header)
            bytes += records.count
            return true
        }
        guard reader.isIntact else { throw BenchmarkError("\(path): \(reader.damage)") }
        for (id, count) in table.nodes where count > 0 { perNode[id, default: 0] += count }
        for (id, count) in table.subscriptions where count > 0 {
            perNode[definitions.subscriptions[id]?.source ?? 0, default: 0] += count
        }
        (others, total, self.bytes) = (table.others, table.total, bytes)
    }
}

/// Counts in one row: others at 0, then nodes by id, then subscriptions by id.
private struct Table {
    private var counts: [Int]
    /// The first index of each record kind's ids, and the largest id.
    private var first = [Int](repeating: 0, count: 32)
    private var limit = [UInt32](repeating: 0, count: 32)
    private let nodeCount: Int

    init(nodes: UInt32, subscriptions: UInt32) {
        nodeCount = Int(nodes) + 1
        counts = [Int](repeating: 0, count: 1 + nodeCount + Int(subscriptions) + 1)
        for kind in [EventKind.emitted, .suppressed, .nodeCreated, .nodeReleased] {
            first[Int(kind.rawValue)] = 1
            limit[Int(kind.rawValue)] = nodes
        }
        for kind in [EventKind.deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded] {
            first[Int(kind.rawValue)] = 1 + nodeCount
            limit[Int(kind.rawValue)] = subscriptions
        }
    }

    mutating func count(_ cursor: inout RecordCursor) {
        var local = cursor
        counts.withUnsafeMutableBufferPointer { counts in
            first.withUnsafeBufferPointer { first in
                limit.withUnsafeBufferPointer { limit in
                    while local.next() {
                        let kind = Int(local.rawKind)
                        // An id without a definition counts among the others: no trace may index beyond the table.
                        let isKnown = local.subject <= limit[kind]
                        counts[isKnown ? first[kind] &+ Int(local.subject) : 0] &+= 1
                    }
                }
            }
        }
        cursor = local
    }

    var others: Int { counts[0] }
    var total: Int { counts.reduce(0, +) }
    var nodes: [(UInt32, Int)] { (0..<nodeCount).map { (UInt32($0), counts[1 + $0]) } }
    var subscriptions: [(UInt32, Int)] {
        (0..<counts.count - 1 - nodeCount).map { (UInt32($0), counts[1 + nodeCount + $0]) }
    }
}
