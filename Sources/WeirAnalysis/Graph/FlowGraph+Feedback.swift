extension FlowGraph {
    /// Marks edges without which the graph has no circles (`FeedbackEdges`).
    ///
    /// Data comes before timing, timing before what handlers write, and an edge from an earlier node to a later one before
    /// one that leads back.
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
