@testable import WeirAnalysis
@testable import WeirTrace

extension FlowGraph {
    /// Names that a careless renderer would misinterpret.
    static let hostileNames = [
        "a\"]; b [label=\"c", "ends with \\", "\u{1B}[2J\u{7}", "line\nbreak\r\u{2028}", "<b>&amp;</b>",
        "%%{init: {}}%%",
        "style x:#quot;y;", "end", "subgraph", "`**bold**`", "1. list", "- list", "n1 --> n2", "click n0 call alert()",
        "\u{202E}reversed", "", "#35;", "日本語", "linkStyle 0 stroke:#f00;", "graph TD; x---y", "\\N\\G\\l", "::: @{ }",
    ]

    /// A graph of hostile names, with every kind of edge, cycles, and nodes without a group.
    static var hostile: FlowGraph {
        var graph = FlowGraph()
        graph.groups = hostileNames.map { Group(name: $0) }
        for (place, name) in hostileNames.enumerated() {
            var node = Node(ids: [UInt32(place)], name: name)
            node.group = place.isMultiple(of: 3) ? nil : place
            node.kind = .observable
            node.site = TraceSite(file: name, line: place)
            node.value = .string(name)
            node.isPrivate = place == 5
            (node.emissions, node.handlers) = (UInt64(place) * 10, place)
            graph.nodes.append(node)
            for (step, kind) in EdgeKind.allCases.enumerated() {
                graph.edges.append(Edge(source: place, target: (place + step) % hostileNames.count, kind: kind))
            }
        }
        graph.groups[0] = Group(name: "empty")
        graph.markFeedback()
        return graph
    }
}
