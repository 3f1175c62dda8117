import WeirAnalysis

extension FlowGraph {
    /// The same graph with the nodes of each group side by side, ungrouped nodes last, and the edges in that order.
    ///
    /// Which of two threads makes a node first, and so which id is lower, may change from run to run. Within a group it
    /// rarely changes, so drawings of two runs can be compared.
    var inGroupOrder: FlowGraph {
        var result = self
        func key(_ place: Int) -> (Int, Int) { (nodes[place].group ?? groups.count, place) }
        let order = nodes.indices.sorted { key($0) < key($1) }
        var drawn = [Int](repeating: 0, count: nodes.count)
        for (new, old) in order.enumerated() { drawn[old] = new }
        result.nodes = order.map { nodes[$0] }
        result.edges = edges.map { edge in
            var edge = edge
            (edge.source, edge.target) = (drawn[edge.source], drawn[edge.target])
            return edge
        }
        result.edges.sort { left, right in
            (left.source, left.target, left.kind.rawValue) < (right.source, right.target, right.kind.rawValue)
        }
        return result
    }
}
