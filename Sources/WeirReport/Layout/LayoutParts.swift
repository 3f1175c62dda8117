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

/// Packs rectangles into rows, the highest first, so that the whole is somewhat wider than high.
struct Shelves {
    private(set) var origins: [Point]
    private(set) var width = 0.0
    private(set) var height = 0.0

    init(_ sizes: [(width: Double, height: Double)], gap: Double, mostWidth: Double = .infinity) {
        origins = Array(repeating: Point(), count: sizes.count)
        let area = sizes.reduce(0) { $0 + ($1.width + gap) * ($1.height + gap) }
        let limit = max(min((area * 1.6).squareRoot(), mostWidth), sizes.map(\.width).max() ?? 0)
        // Heights are rounded to multiples of the gap, so that rectangles of similar height keep their order.
        let order = sizes.indices.sorted {
            let (first, second) = ((sizes[$0].height / gap).rounded(), (sizes[$1].height / gap).rounded())
            return first == second ? $0 < $1 : first > second
        }
        var (x, y, row) = (0.0, 0.0, 0.0)
        for index in order {
            let size = sizes[index]
            if x > 0 && x + size.width > limit {
                y += row + gap
                (x, row) = (0, 0)
            }
            origins[index] = Point(x: x, y: y)
            x += size.width + gap
            row = max(row, size.height)
            width = max(width, x - gap)
            height = max(height, y + row)
        }
    }
}
