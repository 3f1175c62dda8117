/// The identity of an edge in a graph: edges with equal keys are drawn as one.
struct EdgeKey: Hashable, Comparable {
    let source: Int
    let target: Int
    let kind: FlowGraph.EdgeKind

    init(_ edge: FlowGraph.Edge) { (source, target, kind) = (edge.source, edge.target, edge.kind) }

    static func < (left: EdgeKey, right: EdgeKey) -> Bool {
        (left.source, left.target, left.kind.rawValue) < (right.source, right.target, right.kind.rawValue)
    }
}

extension FlowGraph.Edge {
    /// The edge with its counts set to zero.
    var empty: FlowGraph.Edge {
        var result = self
        (result.count, result.deliveries) = (0, 0)
        return result
    }

    /// Adds further counts to the edge.
    mutating func add(count more: Int, deliveries moreDeliveries: UInt64) {
        let (sum, overflow) = count.addingReportingOverflow(more)
        count = overflow ? .max : sum
        deliveries &+= moreDeliveries
    }
}
