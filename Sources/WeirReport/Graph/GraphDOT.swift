import WeirAnalysis
import WeirTrace

/// A dependency graph in the DOT language, for Graphviz and the tools that read its files.
///
/// Groups are clusters. Data edges are solid, timing edges are dashed, writes by handlers are dotted. Edges that close a
/// cycle are red and do not affect the layout. The busier a node, the warmer its colour.
package struct GraphDOT {
    private let graph: FlowGraph
    private let title: String
    private let subtitle: String

    /// A rendering with a title (the trace's name) and a subtitle (the moment that it shows).
    package init(_ graph: FlowGraph, title: String, subtitle: String = "") {
        self.graph = graph.inGroupOrder
        self.title = title
        self.subtitle = subtitle
    }

    /// The text of the file.
    package var text: String {
        let heading = [title, subtitle].filter { !$0.isEmpty }.joined(separator: ", ")
        var lines = [
            "digraph \(Self.quoted(title)) {",
            "    graph [label=\(Self.quoted(heading)), labelloc=t, fontname=\"Helvetica\", rankdir=TB, newrank=true]",
            "    node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11, color=\"#7f8c99\"]",
            "    edge [color=\"#4b5763\", arrowsize=0.7]",
        ]
        let heat = GraphHeat(graph)
        var ofGroup = [[Int]](repeating: [], count: graph.groups.count)
        for (place, node) in graph.nodes.enumerated() {
            if let group = node.group { ofGroup[group].append(place) }
        }
        for (group, places) in ofGroup.enumerated() {
            lines.append("    subgraph cluster_\(group) {")
            lines.append(
                "        graph [label=\(Self.quoted(graph.groups[group].name)), style=rounded, color=\"#b8c1ca\"]")
            lines += places.map { "        " + node($0, heat) }
            lines.append("    }")
        }
        for place in graph.nodes.indices where graph.nodes[place].group == nil {
            lines.append("    " + node(place, heat))
        }
        lines += graph.edges.map { "    " + edge($0) }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static let colors = ["#f4f6f8", "#fff3c4", "#ffdf8c", "#ffbc66", "#ff9466"]

    private func node(_ place: Int, _ heat: GraphHeat) -> String {
        let node = graph.nodes[place]
        let label = [
            GraphWords.name(node), GraphWords.origin(node), GraphWords.value(node, columns: 40) ?? "",
            GraphWords.figures(node), GraphWords.handlers(node) ?? "",
        ]
        let color = Self.colors[heat.level(node.activity)]
        let tooltip = ([node.site?.description].compactMap(\.self) + [Self.ids(node)]).joined(separator: ", ")
        return "n\(place) [label=\(Self.quoted(lines: label)), fillcolor=\"\(color)\", tooltip=\(Self.quoted(tooltip))]"
    }

    /// "node 12", "nodes 12, 13 and 4 more".
    private static func ids(_ node: FlowGraph.Node) -> String {
        let shown = node.ids.prefix(12).map(String.init).joined(separator: ", ")
        let rest = node.ids.count - 12
        return (node.ids.count == 1 ? "node " : "nodes ") + shown + (rest > 0 ? " and \(Figures.count(rest)) more" : "")
    }

    private func edge(_ edge: FlowGraph.Edge) -> String {
        var attributes: [String] = []
        switch edge.kind {
        case .data: break
        case .timing: attributes.append("style=dashed")
        case .handler: attributes.append("style=dotted")
        }
        if edge.isFeedback { attributes += ["color=\"#c0392b\"", "constraint=false"] }
        if edge.count > 1, edge.kind != .handler { attributes.append("label=\"×\(edge.count)\", fontsize=9") }
        let times = edge.kind == .handler ? "seen" : "delivered"
        attributes.append("tooltip=\"\(GraphWords.verb(edge.kind)), \(Figures.count(edge.deliveries)) \(times)\"")
        return "n\(edge.source) -> n\(edge.target) [\(attributes.joined(separator: ", "))]"
    }

    // MARK: text

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    private static func quoted(lines: [String]) -> String {
        "\"\(lines.filter { !$0.isEmpty }.map(escaped).joined(separator: "\\n"))\""
    }

    /// Escapes backslashes and entities, which Graphviz interprets, so that no name can contain either.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.escaped(TerminalText.cut(text, to: 100)).unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "&": result += "&amp;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
