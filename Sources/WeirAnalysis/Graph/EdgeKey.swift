/// What tells one edge of a graph from another: edges that have it in common are drawn as one.
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
    /// The edge, standing for nothing so far.
    var empty: FlowGraph.Edge {
        var result = self
        (result.count, result.deliveries) = (0, 0)
        return result
    }

    /// Makes it stand for more.
    mutating func add(count more: Int, deliveries moreDeliveries: UInt64) {
        let (sum, overflow) = count.addingReportingOverflow(more)
        count = overflow ? .max : sum
        deliveries &+= moreDeliveries
    }
}
