/// Places the boxes of a graph in columns so that its edges run from left to right with few crossings.
///
/// The steps are those of Sugiyama, Tagawa and Toda, 'Methods for visual understanding of hierarchical system structures'
/// (1981): break cycles, assign layers, divide long edges, order the layers, find positions.
/// Invariants: no boxes overlap; a group's rectangle contains its own boxes and no others; no route crosses a box, unless
/// `isComplete` is false; the same input gives the same layout.
package struct LayeredLayout: Sendable {
    /// A box to be placed.
    package struct Node: Sendable {
        package var width: Double
        package var height: Double
        /// The group whose rectangle contains the box.
        package var group: Int?

        package init(width: Double, height: Double, group: Int? = nil) {
            self.width = width
            self.height = height
            self.group = group
        }
    }

    /// A line to be drawn from one box to another.
    package struct Edge: Sendable {
        package var source: Int
        package var target: Int
        /// Whether this edge, rather than another, runs against the flow.
        package var isFeedback: Bool

        package init(source: Int, target: Int, isFeedback: Bool = false) {
            self.source = source
            self.target = target
            self.isFeedback = isFeedback
        }
    }

    /// The boxes, in the order of the nodes.
    package private(set) var boxes: [Rectangle]
    /// The rectangles of the groups; nil: the group has no nodes, or `isComplete` is false.
    package private(set) var groups: [Rectangle?]
    /// The routes, in the order of the edges.
    package private(set) var routes: [Route]
    package private(set) var width = 0.0
    package private(set) var height = 0.0
    /// The number of pairs of lines that cross between two columns.
    package private(set) var crossings = 0
    /// No line was too long to be routed around the boxes, and no group too spread out for a rectangle.
    package private(set) var isComplete = true

    /// Lays out `nodes`; the nodes of one group are placed together.
    ///
    /// - Parameters:
    ///   - bendLimit: the approximate number of bends in each part of the graph; it bounds time and memory.
    ///   - mostWidth: parts that nothing connects stand side by side up to this width.
    package init(
        nodes: [Node], edges: [Edge], groupCount: Int = 0, spacing: LayoutSpacing = LayoutSpacing(),
        bendLimit: Int = 40_000, mostWidth: Double = .infinity
    ) {
        boxes = Array(repeating: Rectangle(), count: nodes.count)
        groups = Array(repeating: nil, count: groupCount)
        routes = Array(repeating: Route(), count: edges.count)
        let parts = LayoutParts(nodes: nodes, edges: edges, groupCount: groupCount)
        let pieces = parts.parts.map {
            LayoutPiece($0, nodes: nodes, edges: edges, spacing: spacing, bendLimit: bendLimit)
        }
        let shelves = Shelves(pieces.map { ($0.width, $0.height) }, gap: spacing.pieces, mostWidth: mostWidth)
        (width, height) = (shelves.width, shelves.height)
        for (piece, origin) in zip(pieces, shelves.origins) { place(piece, at: origin) }
    }

    private mutating func place(_ piece: LayoutPiece, at origin: Point) {
        crossings += piece.crossings
        isComplete = isComplete && piece.isComplete
        for (node, box) in zip(piece.part.nodes, piece.boxes) { boxes[node] = box.moved(by: origin) }
        for (edge, route) in zip(piece.part.edges, piece.routes) { routes[edge] = route.moved(by: origin) }
        for (group, rectangle) in zip(piece.part.groups, piece.groups) { groups[group] = rectangle?.moved(by: origin) }
    }
}

/// The horizontal extent of each layer's column: as wide as its widest box, with wider gaps for steeper lines.
struct Columns {
    private(set) var left: [Double] = []
    private(set) var right: [Double] = []

    init(_ graph: LayerGraph, widths: [Double], heights: [Double], ends: LineEnds, spacing: LayoutSpacing) {
        var width = Array(repeating: 0.0, count: graph.layerCount)
        for (node, own) in widths.enumerated() { width[graph.layers[node]] = max(width[graph.layers[node]], own) }
        var climbs = Array(repeating: [Double](), count: graph.layerCount)
        for (edge, chain) in graph.chains.enumerated() {
            for (first, second) in zip(chain, chain.dropFirst()) {
                let start = heights[first] + (first == chain[0] ? ends.atLeft[edge] : 0)
                let end = heights[second] + (second == chain[chain.count - 1] ? ends.atRight[edge] : 0)
                climbs[graph.layers[first]].append(abs(end - start))
            }
        }
        var x = 0.0
        for layer in 0..<graph.layerCount {
            left.append(x)
            x += width[layer]
            right.append(x)
            // The steepest tenth is ignored: one long climb does not justify a wide gap.
            let sorted = climbs[layer].sorted()
            let climb = sorted.isEmpty ? 0 : sorted[sorted.count * 9 / 10]
            x += spacing.columns + min(120, climb * 0.18)
        }
    }
}
