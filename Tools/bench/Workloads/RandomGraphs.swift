import WeirReport

/// Makes graphs like those of data flows, the same for the same seed.
struct RandomGraphs {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Everything flows to a few nodes: each feeds one that comes later, some of them two.
    mutating func tree(_ size: Int) -> DrawnGraph {
        var edges = Set<[Int]>()
        for node in 0..<(size - 1) {
            edges.insert([node, node + 1 + below(min(size - node - 1, max(3, size / 6)))])
            if below(6) == 0 { edges.insert([node, node + 1 + below(size - node - 1)]) }
        }
        return graph(size, edges)
    }

    /// Mostly from earlier to later nodes that are near, a few far, one in thirty back.
    mutating func flow(_ size: Int, edgesPerNode: Double) -> DrawnGraph {
        var edges = Set<[Int]>()
        while edges.count < Int(Double(size) * edgesPerNode) {
            let source = below(size - 1)
            let reach = below(8) == 0 ? size : max(4, size / 8)
            let target = min(size - 1, source + 1 + below(reach))
            edges.insert(below(30) == 0 ? [target, source] : [source, target])
        }
        return graph(size, edges)
    }

    /// The same in groups, of which most nodes of one are near each other.
    mutating func grouped(_ graph: DrawnGraph) -> DrawnGraph {
        var graph = graph
        graph.groupCount = max(2, graph.nodes.count / 25)
        for node in graph.nodes.indices {
            let home = node * graph.groupCount / graph.nodes.count
            graph.nodes[node].group = below(8) == 0 ? below(graph.groupCount) : home
        }
        return graph
    }

    private mutating func graph(_ size: Int, _ edges: Set<[Int]>) -> DrawnGraph {
        let nodes = (0..<size).map { _ in LayeredLayout.Node(width: Double(120 + below(100)), height: 48) }
        let sorted = edges.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }
        return DrawnGraph(nodes: nodes, edges: sorted.map { LayeredLayout.Edge(source: $0[0], target: $0[1]) })
    }

    private mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
