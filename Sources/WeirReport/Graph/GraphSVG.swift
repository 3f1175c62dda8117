import WeirAnalysis

/// The dependency graph as a self-contained picture in SVG 1.1.
///
/// Values flow from left to right. A graph that is too wide continues in further rows. Every box and line carries its details as
/// a tooltip.
package struct GraphSVG {
    /// The width of a picture for which none is asked.
    package static let usualWidth = 1600

    private let graph: FlowGraph
    private let title: String
    private let subtitle: String
    private let mostWidth: Double

    private static let margin = 24.0
    private static let leastWidth = 560.0
    private static let rowGap = 40.0

    /// A picture of `graph` with a heading; at most `width` pixels wide, if its boxes are no wider than that.
    package init(_ graph: FlowGraph, title: String, subtitle: String = "", width: Int = Self.usualWidth) {
        (self.graph, self.title, self.subtitle) = (graph, title, subtitle)
        mostWidth = max(Self.leastWidth, Double(width) - 2 * Self.margin)
    }

    /// The picture: one XML document. Its layout takes most of the time: some milliseconds for 200 nodes.
    package var text: String {
        let busiest = graph.nodes.map(\.activity).max() ?? 0
        let nodes = graph.nodes.map { node in
            SVGNode(node, group: node.group.map { graph.groups[$0].name }, busiest: busiest)
        }
        let rows = GraphRows(
            graph, mostWidth: mostWidth,
            groupWidths: graph.groups.map { SVGText.width(SVGText.cut($0.name, to: 60), size: 11) + 24 },
            size: { item in
                switch item {
                case .node(let node): (nodes[node].width, nodes[node].height)
                case .handlers, .elsewhere: { ($0.width, $0.height) }(smallBox(item))
                }
            }
        ).rows

        let headingColumns = Int(mostWidth / (17 * 0.61))
        let heading = SVGText.cut(title, to: headingColumns)
        let subheading = SVGText.wrapped(subtitle, to: Int(mostWidth / (11.5 * 0.61)))
        let content =
            rows.map(\.layout.width) + subheading.map { SVGText.width($0, size: 11.5) }
            + [SVGText.width(heading, size: 17), Self.leastWidth]
        let width = (content.max() ?? 0) + 2 * Self.margin
        var body = SVGNode.text("title", x: Self.margin, y: 38, heading) + "\n"
        var top = 62.0
        for line in subheading where !line.isEmpty {
            body += SVGNode.text("subtitle faint", x: Self.margin, y: top - 5, line) + "\n"
            top += 18
        }
        let hasRepeated = rows.contains { $0.items.contains { if case .elsewhere = $0 { true } else { false } } }
        let legend = SVGLegend(graph, hasRepeatedNodes: hasRepeated)
            .drawn(x: Self.margin, y: top, width: width - 2 * Self.margin)
        body += legend.text
        top += legend.height + 8
        for (number, row) in rows.enumerated() {
            if number > 0 {
                body +=
                    "<path class=\"frame\" d=\"M\(SVGText.number(Self.margin)) \(SVGText.number(top + Self.rowGap / 2))"
                body += "H\(SVGText.number(width - Self.margin))\"/>\n"
                top += Self.rowGap
            }
            body += picture(row, nodes, at: Point(x: Self.margin, y: top))
            top += row.layout.height
        }
        return Self.document(body, title: heading, width: width, height: top + Self.margin)
    }

    private func smallBox(_ item: GraphRows.Item) -> SVGSmallBox {
        switch item {
        case .handlers(let node): SVGSmallBox(.handlers(graph.nodes[node]))
        case .node(let node), .elsewhere(let node): SVGSmallBox(.elsewhere(graph.nodes[node]))
        }
    }

    private func picture(_ row: GraphRows.Row, _ nodes: [SVGNode], at origin: Point) -> String {
        var text = "<g transform=\"translate(\(SVGText.number(origin.x)) \(SVGText.number(origin.y)))\">\n"
        for (group, rectangle) in zip(graph.groups, row.layout.groups) {
            guard let rectangle else { continue }
            text += Self.frame(group.name, rectangle)
        }
        let busiest = graph.edges.map(\.deliveries).max() ?? 0
        for (line, route) in zip(row.lines, row.layout.routes) {
            if let edge = line.edge.map({ graph.edges[$0] }) {
                let (source, target) = (graph.nodes[edge.source].name, graph.nodes[edge.target].name)
                text += SVGEdge(edge, source: source, target: target, busiest: busiest).drawn(along: route)
            } else if let end = route.points.last, route.points.count > 1 {
                text += "<path class=\"line data t0\" d=\"\(SVGPath.data(route))\"/>"
                text += "<path class=\"tip data\" d=\"\(SVGPath.tip(route, at: end))\"/>\n"
            }
        }
        for (item, box) in zip(row.items, row.layout.boxes) {
            switch item {
            case .node(let node): text += nodes[node].drawn(in: box)
            case .handlers, .elsewhere: text += smallBox(item).drawn(in: box)
            }
        }
        return text + "</g>\n"
    }

    private static func frame(_ name: String, _ rectangle: Rectangle) -> String {
        let columns = max(4, Int((rectangle.width - 24) / (11 * 0.61)))
        return "<g><title>\(SVGText.escaped(SVGText.cut(name, to: 500)))</title>"
            + "<rect class=\"frame\" x=\"\(SVGText.number(rectangle.x))\" y=\"\(SVGText.number(rectangle.y))\" "
            + "width=\"\(SVGText.number(rectangle.width))\" height=\"\(SVGText.number(rectangle.height))\" rx=\"8\"/>"
            + SVGNode.text("group faint", x: rectangle.x + 12, y: rectangle.y + 17, SVGText.cut(name, to: columns))
            + "</g>\n"
    }

    private static func document(_ body: String, title: String, width: Double, height: Double) -> String {
        let size = (SVGText.number(width.rounded(.up)), SVGText.number(height.rounded(.up)))
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="\(size.0)" height="\(size.1)" \
            viewBox="0 0 \(size.0) \(size.1)">
            <title>\(SVGText.escaped(title))</title>
            <style>
            \(SVGStyle.sheet)</style>
            <rect class="page" width="\(size.0)" height="\(size.1)"/>
            \(body)</svg>

            """
    }
}

extension FlowGraph {
    /// The same graph with the nodes of each group side by side, ungrouped nodes last, and the edges in that order.
    ///
    /// Which of two threads makes a node first, and so which id is lower, may change from run to run. Within a group it
    /// rarely changes, so drawings of two runs can be compared.
    var inGroupOrder: FlowGraph {
        var result = self
        func key(_ place: Int) -> (Int, Int) { (nodes[place].group ?? groups.count, place) }
        let order = nodes.indices.sorted { key($0) < key($1) }
        var drawn = [Int](repeating: 0, count: nodes.count)
        for (new, old) in order.enumerated() { drawn[old] = new }
        result.nodes = order.map { nodes[$0] }
        result.edges = edges.map { edge in
            var edge = edge
            (edge.source, edge.target) = (drawn[edge.source], drawn[edge.target])
            return edge
        }
        result.edges.sort { left, right in
            (left.source, left.target, left.kind.rawValue) < (right.source, right.target, right.kind.rawValue)
        }
        return result
    }
}
