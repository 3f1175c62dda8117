extension FlowGraph {
    /// Marks edges without which the graph has no cycles (`FeedbackEdges`).
    ///
    /// Data edges come before timing edges, and these before writes of handlers. Within a kind, an edge from an earlier node to
    /// a later one comes before one that leads back.
    mutating func markFeedback(stepLimit: Int = 20_000_000) {
        let order = edges.indices.sorted { before($0, $1) }
        let found = FeedbackEdges(
            order.map { (edges[$0].source, edges[$0].target) }, nodes: nodes.count, stepLimit: stepLimit)
        for (place, isFeedback) in zip(order, found.isFeedback) { edges[place].isFeedback = isFeedback }
    }

    private func before(_ left: Int, _ right: Int) -> Bool {
        func key(_ edge: Edge) -> (Int, Int, Int, Int) {
            (edge.kind.rawValue, edge.source > edge.target ? 1 : 0, edge.source, edge.target)
        }
        return key(edges[left]) < key(edges[right])
    }
}
