/// The layout of one part of a graph, relative to its own origin.
struct LayoutPiece {
    let part: LayoutParts.Part
    private(set) var boxes: [Rectangle] = []
    /// nil: the group is too spread out for a rectangle.
    private(set) var groups: [Rectangle?] = []
    private(set) var routes: [Route] = []
    private(set) var width = 0.0
    private(set) var height = 0.0
    let crossings: Int
    let isComplete: Bool

    init(
        _ part: LayoutParts.Part, nodes: [LayeredLayout.Node], edges: [LayeredLayout.Edge], spacing: LayoutSpacing,
        bendLimit: Int
    ) {
        self.part = part
        let placeOfNode = Dictionary(uniqueKeysWithValues: zip(part.nodes, part.nodes.indices))
        let placeOfGroup = Dictionary(uniqueKeysWithValues: zip(part.groups, part.groups.indices))
        let nodes = part.nodes.map { nodes[$0] }
        let memberships = nodes.map { $0.group.flatMap { placeOfGroup[$0] } }
        let edges = part.edges.map { place in
            LayeredLayout.Edge(
                source: placeOfNode[edges[place].source] ?? 0, target: placeOfNode[edges[place].target] ?? 0,
                isFeedback: edges[place].isFeedback)
        }
        let isReversed = CycleBreaking(count: nodes.count, edges: edges).isReversed
        let directed = zip(edges, isReversed).map { edge, isReversed in
            isReversed ? (source: edge.target, target: edge.source) : (source: edge.source, target: edge.target)
        }
        let layering = Layering(
            count: nodes.count, edges: directed.filter { $0.source != $0.target }, groups: memberships)
        let isGrouped = layering.sumOfSpans(memberships) <= bendLimit + 4 * nodes.count
        let graph = LayerGraph(
            layers: layering.layers, groups: isGrouped ? memberships : memberships.map { _ in nil },
            groupCount: isGrouped ? part.groups.count : 0, edges: directed, bendLimit: bendLimit + 4 * edges.count)
        let reduction = CrossingReduction(graph)
        crossings = reduction.crossings
        isComplete = graph.unroutedCount == 0 && isGrouped
        place(nodes, directed, isReversed, reduction.best, spacing)
    }

    private mutating func place(
        _ nodes: [LayeredLayout.Node], _ edges: [(source: Int, target: Int)], _ isReversed: [Bool],
        _ order: LayerOrder, _ spacing: LayoutSpacing
    ) {
        let graph = order.graph
        let sizes = nodes.map(\.height)
        var hasLoop = Array(repeating: false, count: nodes.count)
        for edge in edges where edge.source == edge.target { hasLoop[edge.source] = true }
        let ends = LineEnds(order, heights: sizes, spacing: spacing)
        let rows = HeightRows(order, heights: sizes, hasLoop: hasLoop, spacing: spacing)
        let heights = Heights(order, rows: rows, ends: ends).values
        let columns = Columns(graph, widths: nodes.map(\.width), heights: heights, ends: ends, spacing: spacing)

        boxes = nodes.indices.map { node in
            Rectangle(
                x: columns.left[graph.layers[node]], y: heights[node] - sizes[node] / 2, width: nodes[node].width,
                height: sizes[node])
        }
        groups = part.groups.indices.map { group in
            guard group < graph.groupCount else { return nil }
            let (top, bottom) = (heights[rows.upper[group][0]], heights[rows.lower[group][0]])
            let left = columns.left[graph.spans[group].lowerBound] - spacing.groupPadding
            let right = columns.right[graph.spans[group].upperBound] + spacing.groupPadding
            return Rectangle(x: left, y: top, width: right - left, height: bottom - top)
        }
        let routing = Routing(graph, columns: columns, boxes: boxes, heights: heights, ends: ends, spacing: spacing)
        routes = edges.indices.map { routing.route($0, edges[$0], isReversed: isReversed[$0]) }
        moveToOrigin()
    }

    private mutating func moveToOrigin() {
        let points = routes.flatMap(\.points)
        let all = boxes + groups.compactMap { $0 }
        let left = (all.map(\.x) + points.map(\.x)).min() ?? 0
        let top = (all.map(\.y) + points.map(\.y)).min() ?? 0
        width = ((all.map(\.right) + points.map(\.x)).max() ?? 0) - left
        height = ((all.map(\.bottom) + points.map(\.y)).max() ?? 0) - top
        let offset = Point(x: -left, y: -top)
        boxes = boxes.map { $0.moved(by: offset) }
        groups = groups.map { $0?.moved(by: offset) }
        routes = routes.map { $0.moved(by: offset) }
    }
}
