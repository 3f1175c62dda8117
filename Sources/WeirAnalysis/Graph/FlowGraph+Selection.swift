extension FlowGraph {
    /// Keeps the nodes that represent one of `ids`, and the nodes connected with them over at most `depth` edges.
    mutating func select(_ ids: Set<UInt32>, depth: Int?, _ direction: GraphOptions.Direction) {
        let roots = nodes.indices.filter { place in nodes[place].ids.contains(where: ids.contains) }
        var isKept = [Bool](repeating: false, count: nodes.count)
        for place in roots { isKept[place] = true }
        if direction != .upstream { reach(roots, depth, edges.map { ($0.source, $0.target) }, &isKept) }
        if direction != .downstream { reach(roots, depth, edges.map { ($0.target, $0.source) }, &isKept) }
        keep(isKept)
    }

    private func reach(_ roots: [Int], _ depth: Int?, _ steps: [(from: Int, to: Int)], _ isKept: inout [Bool]) {
        var next = [[Int]](repeating: [], count: nodes.count)
        for step in steps { next[step.from].append(step.to) }
        var isReached = [Bool](repeating: false, count: nodes.count)
        for root in roots { isReached[root] = true }
        var rim = roots
        var left = depth ?? .max
        while !rim.isEmpty, left > 0 {
            left -= 1
            var further: [Int] = []
            for place in rim.flatMap({ next[$0] }) where !isReached[place] {
                isReached[place] = true
                isKept[place] = true
                further.append(place)
            }
            rim = further
        }
    }

    /// Removes and counts nodes that did nothing and have no connections, except those with `ids`.
    mutating func leaveOutIdleNodes(except ids: Set<UInt32>) {
        var isKept = nodes.map { node in
            node.activity > 0 || node.handlers > 0 || node.hiddenEdges > 0 || node.ids.contains(where: ids.contains)
        }
        for edge in edges {
            isKept[edge.source] = true
            isKept[edge.target] = true
        }
        let idle = nodes.indices.reduce(0) { isKept[$1] ? $0 : $0 + nodes[$1].ids.count }
        keep(isKept)
        idleNodes = idle
    }
}
