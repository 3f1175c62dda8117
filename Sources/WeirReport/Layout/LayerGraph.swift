/// A layered graph in which every edge leads to the next layer; bends divide longer edges.
///
/// The vertices are the nodes, then bends and fillers.
struct LayerGraph: Sendable {
    /// The role of a vertex in the order of its layer.
    enum Role: Sendable, Equatable {
        /// A box of a group, a bend of an edge within the group, or a filler that reserves space where the group has neither.
        case member(of: Int)
        /// A box without a group.
        case single
        /// A bend of an edge that leaves its group.
        case bend
    }

    private(set) var roles: [Role]
    private(set) var layers: [Int]
    /// By vertex: whether it is a bend of a long edge.
    private(set) var isBend: [Bool]
    /// By edge: its vertices from left to right; empty for a loop, and for an edge too long to be routed around boxes.
    private(set) var chains: [[Int]] = []
    private(set) var left = Adjacency(count: 0, pairs: [])
    private(set) var right = Adjacency(count: 0, pairs: [])
    let nodeCount: Int
    let layerCount: Int
    let groupCount: Int
    /// The first and last layer of each group.
    let spans: [ClosedRange<Int>]
    /// The number of edges without a chain that are not loops.
    private(set) var unroutedCount = 0

    var count: Int { roles.count }

    /// `edges` lead from left to right, or from a node to itself; groups are numbered without gaps.
    init(layers nodeLayers: [Int], groups: [Int?], groupCount: Int, edges: [(source: Int, target: Int)], bendLimit: Int)
    {
        nodeCount = nodeLayers.count
        layers = nodeLayers
        layerCount = (nodeLayers.max() ?? -1) + 1
        self.groupCount = groupCount
        roles = groups.map { $0.map { Role.member(of: $0) } ?? .single }
        isBend = Array(repeating: false, count: nodeCount)

        var spans = Array<ClosedRange<Int>?>(repeating: nil, count: groupCount)
        for (node, group) in groups.enumerated() {
            guard let group else { continue }
            let layer = nodeLayers[node]
            spans[group] = spans[group].map { min($0.lowerBound, layer)...max($0.upperBound, layer) } ?? layer...layer
        }
        self.spans = spans.map { $0 ?? 0...0 }

        let routable = Self.routable(edges, nodeLayers, bendLimit)
        var segments: [(Int, Int)] = []
        for (index, edge) in edges.enumerated() {
            guard edge.source != edge.target else {
                chains.append([])
                continue
            }
            guard routable[index] else {
                chains.append([])
                unroutedCount += 1
                continue
            }
            var chain = [edge.source]
            let isWithin = groups[edge.source] != nil && groups[edge.source] == groups[edge.target]
            let role = isWithin ? roles[edge.source] : .bend
            for layer in (nodeLayers[edge.source] + 1)..<nodeLayers[edge.target] {
                chain.append(roles.count)
                roles.append(role)
                isBend.append(true)
                layers.append(layer)
            }
            chain.append(edge.target)
            for (first, second) in zip(chain, chain.dropFirst()) { segments.append((first, second)) }
            chains.append(chain)
        }
        addFillers(groups)
        right = Adjacency(count: roles.count, pairs: segments)
        left = Adjacency(count: roles.count, pairs: segments.lazy.map { ($0.1, $0.0) })
    }

    /// Selects the shortest edges until the number of their bends reaches `limit`.
    private static func routable(
        _ edges: [(source: Int, target: Int)], _ layers: [Int], _ limit: Int
    ) -> [Bool] {
        let bends = edges.map { $0.source == $0.target ? 0 : layers[$0.target] - layers[$0.source] - 1 }
        var result = Array(repeating: true, count: edges.count)
        guard bends.reduce(0, +) > limit else { return result }
        var used = 0
        for index in edges.indices.sorted(by: { (bends[$0], $0) < (bends[$1], $1) }) {
            used += bends[index]
            result[index] = used <= limit
        }
        return result
    }

    private mutating func addFillers(_ groups: [Int?]) {
        var occupied = Set<Int>()
        for (node, group) in groups.enumerated() {
            if let group { occupied.insert(group * layerCount + layers[node]) }
        }
        for (vertex, role) in roles.enumerated() where isBend[vertex] {
            if case .member(let group) = role { occupied.insert(group * layerCount + layers[vertex]) }
        }
        for group in 0..<groupCount {
            for layer in spans[group] where !occupied.contains(group * layerCount + layer) {
                roles.append(.member(of: group))
                isBend.append(false)
                layers.append(layer)
            }
        }
    }
}

/// An order of the nodes against which few edges run, and only edges that are part of a cycle.
///
/// The greedy rule of Eades, Lin and Smyth, 'A fast and effective heuristic for the feedback arc set problem' (1993), over
/// the edges not marked as feedback. If these edges have no cycle, they alone decide.
struct CycleBreaking {
    /// By edge: whether it runs against the order.
    private(set) var isReversed: [Bool]

    init(count: Int, edges: [LayeredLayout.Edge]) {
        let rank = Self.ranks(count: count, edges: edges.filter { !$0.isFeedback && $0.source != $0.target })
        isReversed = edges.map { rank[$0.source] > rank[$0.target] }
    }

    private static func ranks(count: Int, edges: [LayeredLayout.Edge]) -> [Int] {
        let next = Adjacency(count: count, pairs: edges.lazy.map { ($0.source, $0.target) })
        let previous = Adjacency(count: count, pairs: edges.lazy.map { ($0.target, $0.source) })
        var outgoing = (0..<count).map(next.degree)
        var incoming = (0..<count).map(previous.degree)
        var rank = Array(repeating: -1, count: count)
        var (first, last) = (0, count - 1)
        var sources = (0..<count).filter { incoming[$0] == 0 }
        var sinks = (0..<count).filter { outgoing[$0] == 0 && incoming[$0] > 0 }
        var buckets = Buckets(count: count)
        for node in 0..<count { buckets.put(node, outgoing[node] - incoming[node]) }

        func remove(_ node: Int) {
            for other in next[node] where rank[other] < 0 {
                incoming[other] -= 1
                if incoming[other] == 0 { sources.append(other) }
                buckets.put(other, outgoing[other] - incoming[other])
            }
            for other in previous[node] where rank[other] < 0 {
                outgoing[other] -= 1
                if outgoing[other] == 0 { sinks.append(other) }
                buckets.put(other, outgoing[other] - incoming[other])
            }
        }

        while first <= last {
            if let node = sources.popLast() {
                guard rank[node] < 0 else { continue }
                rank[node] = first
                first += 1
                remove(node)
            } else if let node = sinks.popLast() {
                guard rank[node] < 0 else { continue }
                rank[node] = last
                last -= 1
                remove(node)
            } else {
                let node = buckets.takeGreatest { rank[$0] < 0 ? outgoing[$0] - incoming[$0] : nil }
                rank[node] = first
                first += 1
                remove(node)
            }
        }
        return rank
    }
}

/// Nodes by surplus of outgoing edges; outdated entries stay until they are encountered.
private struct Buckets {
    private var entries: [Int: [Int]] = [:]
    private var greatest = Int.min

    init(count: Int) {}

    mutating func put(_ node: Int, _ surplus: Int) {
        entries[surplus, default: []].append(node)
        greatest = max(greatest, surplus)
    }

    mutating func takeGreatest(_ surplus: (Int) -> Int?) -> Int {
        while true {
            while let node = entries[greatest]?.popLast() {
                if surplus(node) == greatest { return node }
            }
            greatest -= 1
        }
    }
}
