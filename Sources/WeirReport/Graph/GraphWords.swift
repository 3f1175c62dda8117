import WeirAnalysis
import WeirTrace

/// What the renderings of a graph say of its parts, without any escapes.
enum GraphWords {
    /// "username", "text ×6", with "‹private›" behind it where values are withheld, "†" where it was released early; a long name is cut.
    static func name(_ node: FlowGraph.Node, columns: Int = 60) -> String {
        TerminalText.cut(node.name, to: columns) + (node.ids.count > 1 ? " ×\(Figures.count(node.ids.count))" : "")
            + (node.isPrivate ? " ‹private›" : "") + (node.isAlive ? "" : " †")
    }

    /// What the sign behind a node's name means; nil: no node has it.
    static func released(_ graph: FlowGraph) -> String? {
        graph.nodes.contains { !$0.isAlive }
            ? "†: released while it had subscribers: nobody kept it, and neither its inputs nor they do" : nil
    }

    /// "observable LoginModel.swift:9"; without the kind or place that the name has already.
    static func origin(_ node: FlowGraph.Node) -> String {
        guard !isNamedByPlace(node) else { return "" }
        return [node.kind?.name, node.site?.shortDescription].compactMap(\.self).joined(separator: " ")
    }

    /// Whether it is called by its kind and place, for want of a label.
    static func isNamedByPlace(_ node: FlowGraph.Node) -> Bool {
        guard let kind = node.kind, let site = node.site else { return false }
        return node.name.hasPrefix("\(kind.name) \(site.shortDescription)")
    }

    /// "3 emitted, 2 refreshed, 1 suppressed"; what did not happen is left out.
    static func figures(_ node: FlowGraph.Node) -> String {
        [(node.emissions, "emitted"), (node.refreshes, "refreshed"), (node.suppressions, "suppressed")]
            .filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" }
            .joined(separator: ", ")
    }

    /// The value that it holds, as a person reads it; nil where none is known.
    static func value(_ node: FlowGraph.Node, columns: Int) -> String? {
        // The name says already that it is private.
        guard let value = node.value, value != .withheld else { return nil }
        return EventPhrases(TraceDefinitions()).value(value, columns: columns)
    }

    /// "1 handler", "3 handlers": closures that nothing is known of but that they listen.
    static func handlers(_ node: FlowGraph.Node) -> String? {
        node.handlers > 0 ? Figures.count(node.handlers, "handler") : nil
    }

    /// What an edge of this kind does, in the third person.
    static func verb(_ kind: FlowGraph.EdgeKind) -> String {
        switch kind {
        case .data: "feeds"
        case .timing: "triggers"
        case .handler: "its code writes"
        }
    }

    /// The kind's name in JSON.
    static func name(_ kind: FlowGraph.EdgeKind) -> String {
        switch kind {
        case .data: "data"
        case .timing: "timing"
        case .handler: "handler"
        }
    }

    /// The sentence about nodes that were left out; nil where none was.
    static func idle(_ graph: FlowGraph) -> String? {
        guard graph.idleNodes > 0 else { return nil }
        return "\(Figures.count(graph.idleNodes, "node")) that did nothing and \(graph.idleNodes == 1 ? "is" : "are")"
            + " connected to nothing \(graph.idleNodes == 1 ? "is" : "are") left out (--all shows them)"
    }

    /// "12 nodes and 14 edges".
    static func size(_ graph: FlowGraph) -> String {
        Figures.count(graph.nodes.count, "node") + " and " + Figures.count(graph.edges.count, "edge")
    }
}
