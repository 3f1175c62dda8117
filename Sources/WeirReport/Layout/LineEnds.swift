/// The points at which lines end at their boxes: spread over the side, in the order of their origins.
struct LineEnds {
    /// By edge: the offset below (negative: above) the middle of the box on its left, and of the one on its right.
    private(set) var atLeft: [Double]
    private(set) var atRight: [Double]

    init(_ order: LayerOrder, heights: [Double], spacing: LayoutSpacing) {
        let graph = order.graph
        atLeft = Array(repeating: 0, count: graph.chains.count)
        atRight = atLeft
        var outgoing = Array(repeating: [Int](), count: graph.nodeCount)
        var incoming = outgoing
        for (edge, chain) in graph.chains.enumerated() where chain.count > 1 {
            outgoing[chain[0]].append(edge)
            incoming[chain[chain.count - 1]].append(edge)
        }
        func spread(_ edges: [Int], over height: Double, _ neighbour: (Int) -> Int) -> [(edge: Int, offset: Double)] {
            let sorted = edges.sorted {
                let (first, second) = (order.places[neighbour($0)], order.places[neighbour($1)])
                return first == second ? $0 < $1 : first < second
            }
            let step = min(spacing.ends, max(0, height - 16) / Double(max(1, edges.count - 1)))
            return sorted.enumerated().map { ($1, (Double($0) - Double(edges.count - 1) / 2) * step) }
        }
        for node in 0..<graph.nodeCount {
            for end in spread(outgoing[node], over: heights[node], { graph.chains[$0][1] }) {
                atLeft[end.edge] = end.offset
            }
            for end in spread(incoming[node], over: heights[node], { graph.chains[$0][graph.chains[$0].count - 2] }) {
                atRight[end.edge] = end.offset
            }
        }
    }
}
