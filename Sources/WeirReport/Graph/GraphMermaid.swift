import WeirAnalysis
import WeirTrace

/// A dependency graph in the Mermaid language, which GitHub draws in Markdown files and comments.
///
/// Groups are subgraphs. Data edges are solid, timing edges are dashed, writes by handlers are dotted. Edges that close a
/// cycle are red. The busier a node, the warmer its colour.
package struct GraphMermaid {
    /// The largest number of edges that GitHub draws.
    package static let mostEdges = 500
    /// The length of the longest text that GitHub draws.
    package static let mostCharacters = 50_000

    private let graph: FlowGraph

    /// A rendering of a graph.
    package init(_ graph: FlowGraph) { self.graph = graph.inGroupOrder }

    /// The text of the diagram, without a code fence around it.
    package var text: String {
        let heat = GraphHeat(graph)
        var lines = [
            "flowchart TD",
            "%% solid: feeds; dashed: triggers; dotted: its code writes; red: closes a cycle; warm: busy",
        ]
        var ofGroup = [[Int]](repeating: [], count: graph.groups.count)
        for (place, node) in graph.nodes.enumerated() {
            if let group = node.group { ofGroup[group].append(place) }
        }
        for (group, places) in ofGroup.enumerated() {
            lines.append("    subgraph g\(group)[\"\(Self.escaped(graph.groups[group].name))\"]")
            lines += places.map { "        " + node($0, heat) }
            lines.append("    end")
        }
        for place in graph.nodes.indices where graph.nodes[place].group == nil {
            lines.append("    " + node(place, heat))
        }
        lines += graph.edges.map { "    n\($0.source) \($0.kind == .data ? "-->" : "-.->") n\($0.target)" }
        lines += edgeStyles.map { "    " + $0 }
        lines += usedLevels(heat).map { "    classDef heat\($0) \(Self.classes[$0])" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The reason why GitHub will not draw this text; nil: it will.
    package static func obstacle(_ graph: FlowGraph, _ text: String) -> String? {
        if graph.edges.count > mostEdges {
            return "it has \(Figures.count(graph.edges.count)) edges, and GitHub draws at most \(mostEdges)"
        }
        // Counted as JavaScript does.
        guard text.utf16.count > mostCharacters else { return nil }
        return "it has \(Figures.count(text.utf16.count)) characters, and GitHub draws at most "
            + Figures.count(mostCharacters)
    }

    private static let classes = [
        "fill:#f4f6f8,stroke:#7f8c99,color:#1c2733", "fill:#fff3c4,stroke:#7f8c99,color:#1c2733",
        "fill:#ffdf8c,stroke:#7f8c99,color:#1c2733", "fill:#ffbc66,stroke:#7f8c99,color:#1c2733",
        "fill:#ff9466,stroke:#7f8c99,color:#1c2733",
    ]

    private func usedLevels(_ heat: GraphHeat) -> [Int] {
        Set(graph.nodes.map { heat.level($0.activity) }).sorted()
    }

    private func node(_ place: Int, _ heat: GraphHeat) -> String {
        let node = graph.nodes[place]
        let label = [
            GraphWords.name(node), GraphWords.origin(node), GraphWords.value(node, columns: 40) ?? "",
            GraphWords.figures(node), GraphWords.handlers(node) ?? "",
        ]
        let text = label.filter { !$0.isEmpty }.map(Self.escaped).joined(separator: "<br/>")
        return "n\(place)[\"\(text)\"]:::heat\(heat.level(node.activity))"
    }

    /// One line for each style, because a second line for the same edge would replace the first.
    private var edgeStyles: [String] {
        var lines: [String] = []
        for kind in FlowGraph.EdgeKind.allCases {
            for isFeedback in [false, true] {
                let places = graph.edges.indices.filter {
                    graph.edges[$0].kind == kind && graph.edges[$0].isFeedback == isFeedback
                }
                var styles: [String] = []
                if isFeedback { styles.append("stroke:#c0392b") }
                if kind == .timing { styles.append("stroke-dasharray:7 4") }
                if kind == .handler { styles.append("stroke-dasharray:2 4") }
                guard !places.isEmpty, !styles.isEmpty else { continue }
                let list = places.map(String.init).joined(separator: ",")
                lines.append("linkStyle \(list) \(styles.joined(separator: ","))")
            }
        }
        return lines
    }

    /// Keeps letters, digits and a few harmless marks, and writes all other characters by number.
    ///
    /// Mermaid looks for its own keywords and marks, and for Markdown, even inside quotation marks.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.escaped(TerminalText.cut(text, to: 100)).unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", ".", "(", ")", "/", ",", "'", "?", "!":
                result.unicodeScalars.append(scalar)
            case _ where !scalar.isASCII: result.unicodeScalars.append(scalar)
            default: result += "#\(scalar.value);"
            }
        }
        // A leading "1. " would make it a list.
        return result.first?.isNumber == true ? result.replacingFirstDot : result
    }
}

extension String {
    fileprivate var replacingFirstDot: String {
        guard let dot = firstIndex(of: ".") else { return self }
        return self[..<dot] + "#46;" + self[index(after: dot)...]
    }
}
