import WeirAnalysis
import WeirTrace

/// A dependency graph for a terminal: its nodes by group, each with its figures and the nodes that it feeds.
package struct GraphText {
    private let graph: FlowGraph
    private let title: String
    private let subtitle: String
    private let heat: GraphHeat
    private let outgoing: [[Int]]

    /// A rendering with a title (the trace's name) and a subtitle (the moment that it shows).
    package init(_ graph: FlowGraph, title: String, subtitle: String = "") {
        self.graph = graph
        self.title = title
        self.subtitle = subtitle
        heat = GraphHeat(graph)
        var outgoing = [[Int]](repeating: [], count: graph.nodes.count)
        for (place, edge) in graph.edges.enumerated() { outgoing[edge.source].append(place) }
        self.outgoing = outgoing
    }

    /// The text, its lists wrapped at `width` columns where possible.
    package func text(style: Style = .plain, width: Int = 100) -> String {
        let heading = style(.strong, TerminalText.escaped(title)) + ": \(GraphWords.size(graph))"
        var lines = [heading + (subtitle.isEmpty ? "" : ", " + TerminalText.escaped(subtitle))]
        let table = table(style)
        var rows = [[String]](repeating: [], count: graph.groups.count + 1)
        for (place, node) in graph.nodes.enumerated() {
            rows[node.group ?? graph.groups.count].append(table[place + 1])
            rows[node.group ?? graph.groups.count] += feeds(place, style, width)
        }
        if !graph.nodes.isEmpty { lines += ["", table[0]] }
        for (group, rows) in rows.enumerated() where !rows.isEmpty {
            if group < graph.groups.count {
                lines.append(style(.strong, Self.cut(graph.groups[group].name)))
            } else if group > 0 {
                lines.append(style(.faint, "of no known owner"))
            }
            lines += rows
        }
        let legend = legend
        if !legend.isEmpty { lines += ["", style(.faint, legend)] }
        if let released = GraphWords.released(graph) { lines.append(style(.warning, released)) }
        if let idle = GraphWords.idle(graph) { lines.append(style(.faint, idle)) }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: nodes

    /// The heading and a line for each node.
    private func table(_ style: Style) -> [String] {
        let values = graph.nodes.map { GraphWords.value($0, columns: 28) ?? "" }
        let hasValues = values.contains { !$0.isEmpty }
        let kinds = graph.nodes.map { GraphWords.isNamedByPlace($0) ? "" : $0.kind?.name ?? "" }
        let hasKinds = kinds.contains { !$0.isEmpty }
        var table = TextTable(
            [.left("", .name)] + (hasKinds ? [.left("kind", .faint)] : []) + (hasValues ? [.left("value", .value)] : [])
                + [.right("emitted"), .right("refreshed"), .right("suppressed", .warning), .left("activity")])
        for (place, node) in graph.nodes.enumerated() {
            table.add(
                [Self.name(node)] + (hasKinds ? [kinds[place]] : [])
                    + (hasValues ? [values[place]] : [])
                    + [
                        Self.figure(node.emissions), Self.figure(node.refreshes), Self.figure(node.suppressions),
                        heat.bar(node.activity, cells: 8),
                    ])
        }
        return table.lines(indent: "  ", style: style)
    }

    private static func figure(_ count: UInt64) -> String { count > 0 ? Figures.count(count) : "·" }

    private static func name(_ node: FlowGraph.Node) -> String {
        TerminalText.escaped(GraphWords.name(node, columns: 40))
    }

    private static func cut(_ name: String) -> String { TerminalText.cut(TerminalText.escaped(name), to: 48) }

    // MARK: edges

    private static let feedback = "↺"

    private static func arrow(_ kind: FlowGraph.EdgeKind) -> String {
        switch kind {
        case .data: "→"
        case .timing: "~>"
        case .handler: "⇢"
        }
    }

    private func feeds(_ place: Int, _ style: Style, _ width: Int) -> [String] {
        let edges = outgoing[place].map { graph.edges[$0] }
        var lines: [String] = []
        for kind in FlowGraph.EdgeKind.allCases {
            var targets = edges.filter { $0.kind == kind && !$0.isFeedback }.map { name(of: $0.target, from: place) }
            if kind == .data, let handlers = GraphWords.handlers(graph.nodes[place]) { targets.append(handlers) }
            lines += Self.list(targets, Self.arrow(kind), width)
        }
        let back = edges.filter(\.isFeedback).map { edge in
            (edge.kind == .data ? "" : Self.arrow(edge.kind) + " ") + name(of: edge.target, from: place)
        }
        lines += Self.list(back, Self.feedback, width).map { style(.warning, $0) }
        let node = graph.nodes[place]
        // A single node without an arrow says so itself.
        guard node.unheard > 0, node.unheard < node.ids.count, node.foldedNodes == 0 else { return lines }
        let fact = node.unheard == 1 ? "emitted values and feeds nothing" : "emitted values and feed nothing"
        return lines + [
            style(.warning, "      \(Figures.count(node.unheard)) of \(Figures.count(node.ids.count)) \(fact)")
        ]
    }

    /// "      → a, b, c", over several lines when they are long.
    private static func list(_ words: [String], _ arrow: String, _ width: Int) -> [String] {
        guard !words.isEmpty else { return [] }
        let indent = "      " + String(repeating: " ", count: arrow.count + 1)
        var lines = ["      " + arrow]
        for (index, word) in words.enumerated() {
            let piece = " " + word + (index + 1 < words.count ? "," : "")
            let used = TerminalText.width(lines[lines.count - 1])
            if index > 0, used + TerminalText.width(piece) > width {
                lines.append(indent + piece.dropFirst())
            } else {
                lines[lines.count - 1] += piece
            }
        }
        return lines
    }

    private func name(of target: Int, from source: Int) -> String {
        let node = graph.nodes[target]
        if target == source { return node.ids.count > 1 ? "another of these" : "itself" }
        let name = Self.name(node)
        guard let group = node.group, group != graph.nodes[source].group, graph.groups[group].isOwner,
            !GraphWords.isNamedByPlace(node)
        else {
            return name
        }
        return Self.cut(graph.groups[group].name) + "." + name
    }

    private var legend: String {
        var parts: [String] = []
        let hasHandlers = graph.nodes.contains { $0.handlers > 0 }
        for kind in FlowGraph.EdgeKind.allCases
        where graph.edges.contains(where: { $0.kind == kind }) || kind == .data && hasHandlers {
            parts.append("\(Self.arrow(kind)) \(GraphWords.verb(kind))")
        }
        if graph.edges.contains(where: \.isFeedback) { parts.append("\(Self.feedback) leads back, closing a cycle") }
        if graph.nodes.contains(where: { $0.ids.count > 1 }) { parts.append("×N: so many drawn as one") }
        return parts.joined(separator: "   ")
    }
}
