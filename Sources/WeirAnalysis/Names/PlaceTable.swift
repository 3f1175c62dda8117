import WeirTrace

/// The indexes of nodes and subscriptions by id, for passes that look one up for each record.
final class PlaceTable: @unchecked Sendable {
    private let nodes: UnsafeMutableBufferPointer<Int32>
    private let subscriptions: UnsafeMutableBufferPointer<Int32>

    /// Nil if ids are so high that the tables would take too much memory.
    init?(_ topology: Topology) {
        guard max(topology.nodeIDs.last ?? 0, topology.subscriptions.last?.id ?? 0) < 1 << 22 else { return nil }
        nodes = Self.table(topology.nodeIDs)
        subscriptions = Self.table(topology.subscriptions.map(\.id))
    }

    deinit {
        nodes.deallocate()
        subscriptions.deallocate()
    }

    private static func table(_ ids: [UInt32]) -> UnsafeMutableBufferPointer<Int32> {
        let table = UnsafeMutableBufferPointer<Int32>.allocate(capacity: Int(ids.last ?? 0) + 1)
        table.initialize(repeating: -1)
        for (place, id) in ids.enumerated() { table[Int(id)] = Int32(place) }
        return table
    }

    /// The index of a node; -1 if the trace does not define it.
    @inline(__always)
    func node(_ id: UInt32) -> Int { Int(id) < nodes.count ? Int(nodes.baseAddress![Int(id)]) : -1 }

    /// The index of a subscription; -1 if the trace does not define it.
    @inline(__always)
    func subscription(_ id: UInt32) -> Int {
        Int(id) < subscriptions.count ? Int(subscriptions.baseAddress![Int(id)]) : -1
    }
}
