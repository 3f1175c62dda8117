import WeirAnalysis
import WeirTrace

/// The words for the parts of a graph that all its renderings use, without any escapes.
enum GraphWords {
    /// "username", "text ×6"; "‹private›" marks withheld values, "†" an early release. Long names are cut.
    static func name(_ node: FlowGraph.Node, columns: Int = 60) -> String {
        TerminalText.cut(node.name, to: columns) + (node.ids.count > 1 ? " ×\(Figures.count(node.ids.count))" : "")
            + (node.isPrivate ? " ‹private›" : "") + (node.isAlive ? "" : " †")
    }

    /// The meaning of the "†" behind a node's name; nil: no node has it.
    static func released(_ graph: FlowGraph) -> String? {
        graph.nodes.contains { !$0.isAlive }
            ? "†: released while it had subscribers: nobody kept it, and neither its inputs nor they do" : nil
    }

    /// "observable LoginModel.swift:9"; empty if the name already consists of kind and site.
    static func origin(_ node: FlowGraph.Node) -> String {
        guard !isNamedByPlace(node) else { return "" }
        return [node.kind?.name, node.site?.shortDescription].compactMap(\.self).joined(separator: " ")
    }

    /// Whether the node has no label and is named by its kind and site.
    static func isNamedByPlace(_ node: FlowGraph.Node) -> Bool {
        guard let kind = node.kind, let site = node.site else { return false }
        return node.name.hasPrefix("\(kind.name) \(site.shortDescription)")
    }

    /// "3 emitted, 2 refreshed, 1 suppressed", without figures that are 0.
    static func figures(_ node: FlowGraph.Node) -> String {
        [(node.emissions, "emitted"), (node.refreshes, "refreshed"), (node.suppressions, "suppressed")]
            .filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" }
            .joined(separator: ", ")
    }

    /// The node's value in readable form; nil: unknown.
    static func value(_ node: FlowGraph.Node, columns: Int) -> String? {
        // The name already says that it is private.
        guard let value = node.value, value != .withheld else { return nil }
        return EventPhrases(TraceDefinitions()).value(value, columns: columns)
    }

    /// "1 handler", "3 handlers": closures of which only the subscription is known.
    static func handlers(_ node: FlowGraph.Node) -> String? {
        node.handlers > 0 ? Figures.count(node.handlers, "handler") : nil
    }

    /// The verb for an edge of this kind, in the third person.
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

    /// The sentence about omitted nodes; nil: none was omitted.
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
