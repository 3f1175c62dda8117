/// The disconnected parts of a graph, connected by neither edges nor groups; each is laid out by itself.
struct LayoutParts {
    /// Indices of nodes, edges and groups, in ascending order.
    struct Part {
        var nodes: [Int] = []
        var edges: [Int] = []
        var groups: [Int] = []
    }

    private(set) var parts: [Part] = []

    init(nodes: [LayeredLayout.Node], edges: [LayeredLayout.Edge], groupCount: Int) {
        var forest = DisjointSets(count: nodes.count + groupCount)
        for (index, node) in nodes.enumerated() {
            if let group = node.group { forest.join(index, nodes.count + group) }
        }
        for edge in edges { forest.join(edge.source, edge.target) }
        var partOfRoot: [Int: Int] = [:]
        for index in nodes.indices {
            let root = forest.root(of: index)
            let part = partOfRoot[root] ?? parts.count
            if part == parts.count {
                partOfRoot[root] = part
                parts.append(Part())
            }
            parts[part].nodes.append(index)
        }
        for (index, edge) in edges.enumerated() {
            if let part = partOfRoot[forest.root(of: edge.source)] { parts[part].edges.append(index) }
        }
        for group in 0..<groupCount {
            if let part = partOfRoot[forest.root(of: nodes.count + group)] { parts[part].groups.append(group) }
        }
    }
}

/// Sets that can be joined, with path halving.
private struct DisjointSets {
    private var parents: [Int]

    init(count: Int) { parents = Array(0..<count) }

    mutating func root(of element: Int) -> Int {
        var element = element
        while parents[element] != element {
            parents[element] = parents[parents[element]]
            element = parents[element]
        }
        return element
    }

    mutating func join(_ first: Int, _ second: Int) {
        let (first, second) = (root(of: first), root(of: second))
        parents[max(first, second)] = min(first, second)
    }
}
