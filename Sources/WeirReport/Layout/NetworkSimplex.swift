/// Minimizes the sum of the lengths of all edges.
///
/// Gansner, Koutsofios, North and Vo, 'A technique for drawing directed graphs' (1993), in a simple form: each step examines
/// the whole graph, and the number of steps is bounded.
struct NetworkSimplex {
    private let edges: [(source: Int, target: Int)]
    private let incident: Adjacency
    /// By node: the number of outgoing edges minus the number of incoming edges.
    private let surplus: [Int]
    private(set) var layers: [Int]
    private var isInTree: [Bool]
    /// By node: the edge to its parent in the tree, its index in a walk from the root, and the end of its subtree.
    private var parentEdge: [Int]
    private var first: [Int]
    private var end: [Int]
    private var walk: [Int] = []

    /// `edges` connect all nodes, and each leads to a later layer in `layers`.
    init(layers: [Int], edges: [(source: Int, target: Int)]) {
        self.layers = layers
        self.edges = edges
        let count = layers.count
        incident = Adjacency(
            count: count,
            pairs: edges.indices.lazy.flatMap { [(edges[$0].source, $0), (edges[$0].target, $0)] })
        var surplus = Array(repeating: 0, count: count)
        for edge in edges {
            surplus[edge.source] += 1
            surplus[edge.target] -= 1
        }
        self.surplus = surplus
        isInTree = Array(repeating: false, count: edges.count)
        parentEdge = Array(repeating: -1, count: count)
        first = Array(repeating: -1, count: count)
        end = first
        growTree()
        let steps = min(8 * count + 50, 60_000_000 / (count + edges.count + 1))
        for _ in 0..<steps {
            walkTree()
            guard let leaving = mostNegative() else { break }
            replace(leaving)
        }
    }

    private func slack(_ edge: Int) -> Int { layers[edges[edge].target] - layers[edges[edge].source] - 1 }

    /// Grows a spanning tree of edges of minimal length; shifts the tree to give the nearest other edge that length.
    private mutating func growTree() {
        guard !layers.isEmpty else { return }
        var isReached = Array(repeating: false, count: layers.count)
        var reached = [0]
        isReached[0] = true
        var next = 0
        while true {
            while next < reached.count {
                for edge in incident[reached[next]] where slack(edge) == 0 {
                    let other = edges[edge].source == reached[next] ? edges[edge].target : edges[edge].source
                    guard !isReached[other] else { continue }
                    isReached[other] = true
                    isInTree[edge] = true
                    reached.append(other)
                }
                next += 1
            }
            var nearest: Int?
            for edge in edges.indices where isReached[edges[edge].source] != isReached[edges[edge].target] {
                if nearest.map({ slack(edge) < slack($0) }) ?? true { nearest = edge }
            }
            guard let nearest else { return }
            let shift = isReached[edges[nearest].source] ? slack(nearest) : -slack(nearest)
            for node in reached { layers[node] += shift }
            next = 0
        }
    }

    private mutating func walkTree() {
        walk.removeAll(keepingCapacity: true)
        for node in first.indices { first[node] = -1 }
        var stack = [(node: 0, isLeaving: false)]
        parentEdge[0] = -1
        while let (node, isLeaving) = stack.popLast() {
            if isLeaving {
                end[node] = walk.count
                continue
            }
            first[node] = walk.count
            walk.append(node)
            stack.append((node, true))
            for edge in incident[node] where isInTree[edge] && edge != parentEdge[node] {
                let other = edges[edge].source == node ? edges[edge].target : edges[edge].source
                guard first[other] < 0 else { continue }
                parentEdge[other] = edge
                stack.append((other, false))
            }
        }
    }

    /// The node whose edge to its parent is the most useful to lengthen.
    private func mostNegative() -> Int? {
        var sums = surplus
        var (worst, result): (Int, Int?) = (0, nil)
        for node in walk.reversed() where parentEdge[node] >= 0 {
            let edge = edges[parentEdge[node]]
            let isOutward = edge.source == node
            sums[isOutward ? edge.target : edge.source] += sums[node]
            let cut = isOutward ? sums[node] : -sums[node]
            if cut < worst { (worst, result) = (cut, node) }
        }
        return result
    }

    private mutating func replace(_ child: Int) {
        let leaving = parentEdge[child]
        let isOutward = edges[leaving].source == child
        let subtree = first[child]..<end[child]
        var entering: Int?
        for (index, edge) in edges.enumerated() {
            let (hasSource, hasTarget) = (subtree.contains(first[edge.source]), subtree.contains(first[edge.target]))
            guard hasSource != hasTarget, hasTarget == isOutward else { continue }
            if entering.map({ slack(index) < slack($0) }) ?? true { entering = index }
        }
        guard let entering else { return }
        let shift = isOutward ? -slack(entering) : slack(entering)
        for place in subtree { layers[walk[place]] += shift }
        isInTree[leaving] = false
        isInTree[entering] = true
    }
}
