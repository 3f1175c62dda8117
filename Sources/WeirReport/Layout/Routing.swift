/// Routes lines through the gaps between columns, and horizontally through the columns themselves.
struct Routing {
    private let graph: LayerGraph
    private let columns: Columns
    private let boxes: [Rectangle]
    private let heights: [Double]
    private let ends: LineEnds
    private let spacing: LayoutSpacing

    init(
        _ graph: LayerGraph, columns: Columns, boxes: [Rectangle], heights: [Double], ends: LineEnds,
        spacing: LayoutSpacing
    ) {
        (self.graph, self.columns, self.boxes) = (graph, columns, boxes)
        (self.heights, self.ends, self.spacing) = (heights, ends, spacing)
    }

    /// The route of an edge; `edge` gives its nodes from left to right.
    func route(_ index: Int, _ edge: (source: Int, target: Int), isReversed: Bool) -> Route {
        if edge.source == edge.target { return loop(boxes[edge.source]) }
        let chain = graph.chains[index]
        var points: [Point] = []
        if chain.isEmpty {
            let (source, target) = (boxes[edge.source], boxes[edge.target])
            points = [
                Point(x: source.right, y: source.y + source.height / 2),
                Point(x: target.x, y: target.y + target.height / 2),
            ]
        }
        for (place, vertex) in chain.enumerated() {
            let layer = graph.layers[vertex]
            if place == 0 {
                let y = heights[vertex] + ends.atLeft[index]
                points.append(Point(x: boxes[vertex].right, y: y))
                if boxes[vertex].right < columns.right[layer] { points.append(Point(x: columns.right[layer], y: y)) }
            } else if place == chain.count - 1 {
                points.append(Point(x: columns.left[layer], y: heights[vertex] + ends.atRight[index]))
            } else {
                points.append(Point(x: columns.left[layer], y: heights[vertex]))
                if columns.right[layer] > columns.left[layer] {
                    points.append(Point(x: columns.right[layer], y: heights[vertex]))
                }
            }
        }
        return Route(points: isReversed ? points.reversed() : points)
    }

    private func loop(_ box: Rectangle) -> Route {
        let height = box.y - spacing.loop * 0.7
        return Route(
            points: [
                Point(x: box.right - 12, y: box.y), Point(x: box.right - 12, y: height),
                Point(x: box.right - 38, y: height), Point(x: box.right - 38, y: box.y),
            ], isLoop: true)
    }
}
