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

/// The activity of a graph's nodes, compared with the busiest of them.
struct GraphHeat {
    /// The highest level; level 0 means no activity.
    static let hottest = 4

    private let most: UInt64

    init(_ graph: FlowGraph) { most = graph.nodes.lazy.map(\.activity).max() ?? 0 }

    /// From 0 to `hottest`.
    func level(_ activity: UInt64) -> Int { Self.level(activity, of: most, hottest: Self.hottest) }

    /// A level from 0 (no activity) to `hottest` (the most).
    ///
    /// The scale is logarithmic: a node and one ten times as active differ on any scale.
    static func level(_ activity: UInt64, of most: UInt64, hottest: Int) -> Int {
        guard activity > 0 else { return 0 }
        guard activity < most else { return hottest }
        let share = logarithm(activity) / logarithm(most)
        return 1 + min(hottest - 2, Int(share * Double(hottest - 1)))
    }

    /// A bar as long as the share of the busiest node's activity; any activity gives a visible bar.
    func bar(_ activity: UInt64, cells: Int) -> String {
        guard activity > 0, most > 0 else { return "" }
        let eighths = max(1, Int(Double(activity) / Double(most) * Double(cells * 8)))
        let rest = eighths % 8
        return String(repeating: "█", count: eighths / 8) + (rest > 0 ? Self.parts[rest - 1] : "")
    }

    private static let parts = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// The logarithm to the base 2, linear between the powers of 2.
    private static func logarithm(_ number: UInt64) -> Double {
        let number = Double(number)
        return Double(number.exponent) + number.significand - 1
    }
}

/// How `weir graph` writes a graph. Its commands, their help and the tools that try them all take the formats from here.
package enum GraphFormat: String, CaseIterable, Sendable {
    case text, dot, mermaid, svg, json
}
