import WeirAnalysis

/// The dependency graph as a self-contained picture in SVG 1.1.
///
/// Values flow from left to right. Every box and line carries its details as a tooltip.
public struct GraphSVG {
    private let graph: FlowGraph
    private let title: String
    private let subtitle: String

    private static let margin = 24.0
    private static let leastWidth = 560.0

    /// A picture of `graph` with a heading.
    public init(_ graph: FlowGraph, title: String, subtitle: String = "") {
        (self.graph, self.title, self.subtitle) = (graph, title, subtitle)
    }

    /// The picture: one XML document. Its layout takes most of the time: some milliseconds for 200 nodes.
    public var text: String {
        let busiest = graph.nodes.map(\.activity).max() ?? 0
        let nodes = graph.nodes.map { node in
            SVGNode(node, group: node.group.map { graph.groups[$0].name }, busiest: busiest)
        }
        let layout = LayeredLayout(
            nodes: zip(nodes, graph.nodes).map {
                LayeredLayout.Node(width: $0.width, height: SVGNode.height, group: $1.group)
            },
            edges: graph.edges.map {
                LayeredLayout.Edge(source: $0.source, target: $0.target, isFeedback: $0.isFeedback)
            },
            groupCount: graph.groups.count)

        let heading = SVGText.cut(title, to: 100)
        let subheading = SVGText.cut(subtitle, to: 160)
        let content = [
            layout.width, SVGText.width(heading, size: 17), SVGText.width(subheading, size: 11.5), Self.leastWidth,
        ]
        let width = (content.max() ?? 0) + 2 * Self.margin
        var body = SVGNode.text("title", x: Self.margin, y: 38, heading) + "\n"
        if !subheading.isEmpty { body += SVGNode.text("subtitle faint", x: Self.margin, y: 57, subheading) + "\n" }
        let legend = SVGLegend(graph).drawn(
            x: Self.margin, y: subheading.isEmpty ? 62 : 80, width: min(width - 2 * Self.margin, 1400))
        body += legend.text
        let top = (subheading.isEmpty ? 62 : 80) + legend.height + 8
        body += picture(layout, nodes, at: Point(x: Self.margin, y: top))
        return Self.document(body, title: heading, width: width, height: top + layout.height + Self.margin)
    }

    private func picture(_ layout: LayeredLayout, _ nodes: [SVGNode], at origin: Point) -> String {
        var text = "<g transform=\"translate(\(SVGText.number(origin.x)) \(SVGText.number(origin.y)))\">\n"
        for (group, rectangle) in zip(graph.groups, layout.groups) {
            guard let rectangle else { continue }
            text += Self.frame(group.name, rectangle)
        }
        let busiest = graph.edges.map(\.deliveries).max() ?? 0
        for (edge, route) in zip(graph.edges, layout.routes) {
            let (source, target) = (graph.nodes[edge.source].name, graph.nodes[edge.target].name)
            text += SVGEdge(edge, source: source, target: target, busiest: busiest).drawn(along: route)
        }
        for (node, box) in zip(nodes, layout.boxes) { text += node.drawn(in: box) }
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
