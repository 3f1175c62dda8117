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
