/// A layer for each node such that every edge leads to a later layer, and edges are short.
///
/// Longest paths give the first layers. The network simplex method then minimizes the lengths of the edges. Where the graph
/// is too large for that, each node moves to where its edges are shortest, as long as that helps.
struct Layering {
    private(set) var layers: [Int]

    /// `edges` have no cycle and no loop. Nodes of a group that have no edges fill the group's layers.
    init(count: Int, edges: [(source: Int, target: Int)], groups: [Int?]) {
        let next = Adjacency(count: count, pairs: edges.lazy.map { ($0.source, $0.target) })
        let previous = Adjacency(count: count, pairs: edges.lazy.map { ($0.target, $0.source) })
        layers = Array(repeating: 0, count: count)
        var order: [Int] = []
        order.reserveCapacity(count)
        var waiting = (0..<count).map(previous.degree)
        order = (0..<count).filter { waiting[$0] == 0 }
        var index = 0
        while index < order.count {
            let node = order[index]
            index += 1
            for other in next[node] {
                layers[other] = max(layers[other], layers[node] + 1)
                waiting[other] -= 1
                if waiting[other] == 0 { order.append(other) }
            }
        }
        if count <= 3000 {
            minimize(edges, groups)
        } else {
            shorten(order, next, previous, count)
        }
        even(order, next, previous)
        spread(next, previous, groups)
        let first = layers.min() ?? 0
        if first != 0 { layers = layers.map { $0 - first } }
    }

    /// The sum of the numbers of layers that the groups span.
    func sumOfSpans(_ groups: [Int?]) -> Int {
        var spans: [Int: (first: Int, last: Int)] = [:]
        for (layer, group) in zip(layers, groups) {
            guard let group else { continue }
            let span = spans[group] ?? (layer, layer)
            spans[group] = (min(span.first, layer), max(span.last, layer))
        }
        return spans.values.reduce(0) { $0 + $1.last - $1.first + 1 }
    }

    private mutating func shorten(_ order: [Int], _ next: Adjacency, _ previous: Adjacency, _ count: Int) {
        for _ in 0..<(count > 5000 ? 4 : 24) {
            var hasMoved = false
            // Later nodes first, so that a whole chain follows its end.
            for node in order.reversed() where next.degree(node) > previous.degree(node) {
                hasMoved = move(node, to: (next[node].map { layers[$0] }.min() ?? 1) - 1) || hasMoved
            }
            for node in order where previous.degree(node) > next.degree(node) {
                hasMoved = move(node, to: (previous[node].map { layers[$0] }.max() ?? -1) + 1) || hasMoved
            }
            if !hasMoved { break }
        }
    }

    /// Handles each connected part, the largest first, and moves it to where the groups of its nodes already are.
    private mutating func minimize(_ edges: [(source: Int, target: Int)], _ groups: [Int?]) {
        let members = groups.map { _ in LayeredLayout.Node(width: 0, height: 0) }
        let lines = edges.map { LayeredLayout.Edge(source: $0.source, target: $0.target) }
        let pieces = LayoutParts(nodes: members, edges: lines, groupCount: 0).parts.filter { $0.nodes.count > 1 }
        var sums: [Int: (layers: Int, count: Int)] = [:]
        for piece in pieces.enumerated().sorted(by: {
            (-$0.element.nodes.count, $0.offset) < (-$1.element.nodes.count, $1.offset)
        }).map(\.element) {
            let places = Dictionary(uniqueKeysWithValues: zip(piece.nodes, piece.nodes.indices))
            let own = piece.edges.map { (source: places[edges[$0].source] ?? 0, target: places[edges[$0].target] ?? 0) }
            let shortest = NetworkSimplex(layers: piece.nodes.map { layers[$0] }, edges: own).layers
            let first = shortest.min() ?? 0
            var (wish, votes) = (0, 0)
            for (node, layer) in zip(piece.nodes, shortest) {
                guard let group = groups[node], let sum = sums[group] else { continue }
                wish += sum.layers / sum.count - (layer - first)
                votes += 1
            }
            let shift = votes == 0 ? 0 : Int((Double(wish) / Double(votes)).rounded())
            for (node, layer) in zip(piece.nodes, shortest) {
                layers[node] = layer - first + shift
                if let group = groups[node] {
                    let sum = sums[group] ?? (0, 0)
                    sums[group] = (sum.layers + layers[node], sum.count + 1)
                }
            }
        }
        let first = layers.min() ?? 0
        for node in layers.indices { layers[node] -= first }
    }

    /// Moves nodes whose edges are equally short in several layers to the emptiest of these layers.
    private mutating func even(_ order: [Int], _ next: Adjacency, _ previous: Adjacency) {
        var sizes: [Int: Int] = [:]
        for layer in layers { sizes[layer, default: 0] += 1 }
        for node in order where next.degree(node) == previous.degree(node) && next.degree(node) > 0 {
            let first = (previous[node].map { layers[$0] }.max() ?? 0) + 1
            let last = (next[node].map { layers[$0] }.min() ?? 0) - 1
            guard first < last, last - first < 64 else { continue }
            let best = (first...last).min { (sizes[$0] ?? 0, $0) < (sizes[$1] ?? 0, $1) } ?? first
            sizes[layers[node], default: 0] -= 1
            sizes[best, default: 0] += 1
            layers[node] = best
        }
    }

    private mutating func move(_ node: Int, to layer: Int) -> Bool {
        guard layers[node] != layer else { return false }
        layers[node] = layer
        return true
    }

    /// Puts nodes without edges where their group has the fewest, so that the group does not become a tower.
    private mutating func spread(_ next: Adjacency, _ previous: Adjacency, _ groups: [Int?]) {
        var lonely: [Int: [Int]] = [:]
        var members: [Int: [Int]] = [:]
        for (node, group) in groups.enumerated() {
            guard let group else { continue }
            if next.degree(node) + previous.degree(node) == 0 {
                lonely[group, default: []].append(node)
            } else {
                members[group, default: []].append(node)
            }
        }
        for (group, nodes) in lonely {
            let used = (members[group] ?? []).map { layers[$0] }
            let first = used.min() ?? 0
            // About as wide as high: boxes are four times wider.
            let square = Int((Double(nodes.count + used.count) / 4).squareRoot().rounded(.up))
            let last = max(used.max() ?? 0, first + square - 1)
            var sizes = Array(repeating: 0, count: last - first + 1)
            for layer in used { sizes[layer - first] += 1 }
            var fill = 1
            var layer = 0
            for node in nodes {
                // Picks the least full layer, from the left, so that all layers fill evenly.
                while sizes[layer] >= fill {
                    layer += 1
                    if layer == sizes.count { (layer, fill) = (0, fill + 1) }
                }
                sizes[layer] += 1
                layers[node] = first + layer
            }
        }
    }
}
