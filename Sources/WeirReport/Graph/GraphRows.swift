import WeirAnalysis

/// Places the boxes of a graph in rows that are no wider than a page.
///
/// A graph that is too wide is divided where its columns are. A node that feeds others in another row appears there again, as a
/// small box with its name.
struct GraphRows {
    /// A box.
    enum Item: Equatable {
        case node(Int)
        case handlers(of: Int)
        case elsewhere(Int)
    }

    /// A line between two boxes of a row; of a handler's line, the edge is nil.
    struct Line {
        var source: Int
        var target: Int
        var edge: Int?
    }

    struct Row {
        var items: [Item]
        var lines: [Line]
        var layout: LayeredLayout
    }

    private static let narrowGap = 34.0

    private(set) var rows: [Row] = []
    private var spacing = LayoutSpacing()
    private let graph: FlowGraph
    private let size: (Item) -> (width: Double, height: Double)
    /// The least width of the boxes in a group, so that the group's name fits above them.
    private let leastWidths: [Double]

    /// Places the boxes; `size` is that of a box, and `mostWidth` what a row should have.
    init(
        _ graph: FlowGraph, mostWidth: Double, groupWidths: [Double],
        size: @escaping (Item) -> (width: Double, height: Double)
    ) {
        (self.graph, self.size, leastWidths) = (graph, size, groupWidths)
        let nodes = graph.nodes.indices
        let items = nodes.map(Item.node) + nodes.filter { graph.nodes[$0].handlers > 0 }.map { .handlers(of: $0) }
        var whole = row(items, mostWidth)
        if whole.layout.width > mostWidth {
            // Narrower gaps may suffice.
            spacing.columns = Self.narrowGap
            whole = row(items, mostWidth)
        }
        rows = [whole]
        guard whole.layout.width > mostWidth else { return }
        // Narrower columns, until each row fits; a row also holds the repeated boxes.
        for share in [0.85, 0.7, 0.55, 0.42, 0.3, 0.2] {
            rows = divided(whole, every: mostWidth * share, mostWidth)
            if rows.allSatisfy({ $0.layout.width <= mostWidth }) { return }
        }
    }

    private func divided(_ whole: Row, every width: Double, _ mostWidth: Double) -> [Row] {
        var items: [Int: [Item]] = [:]
        for (item, box) in zip(whole.items, whole.layout.boxes) {
            items[Int((box.x + box.width / 2) / width), default: []].append(item)
        }
        return items.sorted { $0.key < $1.key }.map { row($0.value, mostWidth) }
    }

    /// Lays out a row, with the nodes outside of it that feed its own.
    private func row(_ own: [Item], _ mostWidth: Double) -> Row {
        var items = own
        var places: [Int: Int] = [:]
        for (place, item) in own.enumerated() { if case .node(let node) = item { places[node] = place } }
        var lines: [Line] = []
        var outside: [Int: Int] = [:]
        func source(_ node: Int) -> Int {
            if let place = places[node] ?? outside[node] { return place }
            outside[node] = items.count
            items.append(.elsewhere(node))
            return items.count - 1
        }
        for (index, edge) in graph.edges.enumerated() {
            guard let target = places[edge.target] else { continue }
            lines.append(Line(source: source(edge.source), target: target, edge: index))
        }
        for (place, item) in own.enumerated() {
            if case .handlers(let node) = item { lines.append(Line(source: source(node), target: place, edge: nil)) }
        }
        var widened: Set<Int> = []
        let nodes = items.map { item in
            var (width, height) = size(item)
            var group: Int?
            if case .node(let node) = item { group = graph.nodes[node].group }
            if let group, widened.insert(group).inserted { width = max(width, leastWidths[group]) }
            return LayeredLayout.Node(width: width, height: height, group: group)
        }
        let layout = LayeredLayout(
            nodes: nodes,
            edges: lines.map { line in
                let isInside = line.edge != nil && places[graph.edges[line.edge!].source] != nil
                return LayeredLayout.Edge(
                    source: line.source, target: line.target,
                    isFeedback: isInside && graph.edges[line.edge!].isFeedback)
            },
            groupCount: graph.groups.count, spacing: spacing, mostWidth: mostWidth)
        return Row(items: items, lines: lines, layout: layout)
    }
}
