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

/// The points at which lines end at their boxes: spread over the side, in the order of their origins.
struct LineEnds {
    /// By edge: the offset below (negative: above) the middle of the box on its left, and of the one on its right.
    private(set) var atLeft: [Double]
    private(set) var atRight: [Double]

    init(_ order: LayerOrder, heights: [Double], spacing: LayoutSpacing) {
        let graph = order.graph
        atLeft = Array(repeating: 0, count: graph.chains.count)
        atRight = atLeft
        var outgoing = Array(repeating: [Int](), count: graph.nodeCount)
        var incoming = outgoing
        for (edge, chain) in graph.chains.enumerated() where chain.count > 1 {
            outgoing[chain[0]].append(edge)
            incoming[chain[chain.count - 1]].append(edge)
        }
        func spread(_ edges: [Int], over height: Double, _ neighbour: (Int) -> Int) -> [(edge: Int, offset: Double)] {
            let sorted = edges.sorted {
                let (first, second) = (order.places[neighbour($0)], order.places[neighbour($1)])
                return first == second ? $0 < $1 : first < second
            }
            let step = min(spacing.ends, max(0, height - 16) / Double(max(1, edges.count - 1)))
            return sorted.enumerated().map { ($1, (Double($0) - Double(edges.count - 1) / 2) * step) }
        }
        for node in 0..<graph.nodeCount {
            for end in spread(outgoing[node], over: heights[node], { graph.chains[$0][1] }) {
                atLeft[end.edge] = end.offset
            }
            for end in spread(incoming[node], over: heights[node], { graph.chains[$0][graph.chains[$0].count - 2] }) {
                atRight[end.edge] = end.offset
            }
        }
    }
}

/// Gives the bends of a line the same height wherever there is room.
struct StraightLines {
    private let rows: HeightRows
    private let graph: LayerGraph
    private let ends: LineEnds

    init(_ rows: HeightRows, _ graph: LayerGraph, _ ends: LineEnds) {
        (self.rows, self.graph, self.ends) = (rows, graph, ends)
    }

    func straighten(_ values: inout [Double], _ levels: LevelBorders) {
        var byVariable = Array(repeating: 0.0, count: levels.count)
        for (element, variable) in levels.variables.enumerated() { byVariable[variable] = values[element] }
        // Longer lines first: the eye follows these.
        let order = graph.chains.indices.filter { graph.chains[$0].count > 2 }
            .sorted { (-graph.chains[$0].count, $0) < (-graph.chains[$1].count, $1) }
        for edge in order {
            let chain = graph.chains[edge]
            let start = values[chain[0]] + ends.atLeft[edge]
            let end = values[chain[chain.count - 1]] + ends.atRight[edge]
            var index = 1
            while index < chain.count - 1 {
                var room = levels.room(chain[index], values, of: byVariable)
                var last = index
                while last + 1 < chain.count - 1 {
                    let other = levels.room(chain[last + 1], values, of: byVariable)
                    let (low, high) = (
                        max(room.lowerBound, other.lowerBound), min(room.upperBound, other.upperBound)
                    )
                    guard low <= high else { break }
                    room = low...high
                    last += 1
                }
                let wished = Self.wished(
                    start: index == 1 ? start : nil, end: last == chain.count - 2 ? end : nil, room,
                    mean: chain[index...last].reduce(0) { $0 + values[$1] } / Double(last - index + 1))
                for bend in chain[index...last] {
                    values[bend] = wished
                    byVariable[levels.variables[bend]] = wished
                }
                index = last + 1
            }
        }
    }

    /// The height of one end if there is room for it; else the height nearest to both.
    private static func wished(
        start: Double?, end: Double?, _ room: ClosedRange<Double>, mean: Double
    ) -> Double {
        if let start, room.contains(start) { return start }
        if let end, room.contains(end) { return end }
        return min(max(mean, room.lowerBound), room.upperBound)
    }
}
