import WeirAnalysis
import WeirTrace

/// The figures of one node, or of several with the same name and site, as a row of a table.
struct NodeRow {
    let cells: [String]

    /// The columns; ends and hops get a column only if there are any.
    static func columns(hasEnds: Bool, hasHops: Bool) -> [TextTable.Column] {
        [.left("Node", .name), .right("Emissions")] + (hasEnds ? [.left("Ended")] : [])
            + (hasHops ? [.right("Hops")] : [])
            + [
                .right("Refreshes", .strong), .right("Internal"), .left("Suppressed", .warning), .left("Subscribers"),
                .right("Handlers"), .left("Made at", .faint),
            ]
    }

    init(_ group: NodeGroup, isNameShared: Bool, hasEnds: Bool, hasHops: Bool) {
        let node = group.figures
        let mark = group.count > 1 ? " ×\(Figures.count(group.count))" : isNameShared ? " #\(node.id)" : ""
        let name = TerminalText.cut(TerminalText.escaped(node.name), to: 48) + mark
        let site = node.site.map { TerminalText.escaped($0.description) } ?? ""
        let hasHandlers = node.refreshes > 0 || node.handlerNanoseconds > 0
        cells =
            [name, Figures.count(node.emissions)] + (hasEnds ? [Self.ends(node)] : [])
            + (hasHops ? [Figures.count(node.hops)] : [])
            + [
                Figures.count(node.refreshes), Figures.count(node.internalDeliveries), Self.suppressions(node),
                Self.subscribers(node),
                hasHandlers ? Figures.duration(nanoseconds: node.handlerNanoseconds) : "", site,
            ]
    }

    /// "2 completed, 1 failed"; empty if it did not end.
    static func ends(_ node: NodeSummary) -> String {
        [(node.completions, "completed"), (node.failures, "failed")].filter { $0.0 > 0 }
            .map { "\(Figures.count($0.0)) \($0.1)" }
            .joined(separator: ", ")
    }

    /// "3 equal, 2 waiting"; empty if nothing was suppressed.
    static func suppressions(_ node: NodeSummary) -> String {
        node.suppressions.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .map { "\(Figures.count($0.value)) \(SuppressionReason.word($0.key))" }
            .joined(separator: ", ")
    }

    /// "2 live of 3"; with internal subscribers: "1 + 2 internal"; "?": the trace does not define some of them.
    static func subscribers(_ node: NodeSummary) -> String {
        var text = "\(node.subscribers)"
        if node.liveSubscribers != node.subscribers {
            text = "\(node.liveSubscribers) live of \(node.subscribers)"
        }
        if node.internalSubscribers > 0 { text += " + \(node.internalSubscribers) internal" }
        guard node.unknownDeliveries > 0 else { return text }
        return node.subscribers + node.internalSubscribers == 0 ? "?" : text + " + ?"
    }

    /// Names shared by several nodes, whose rows must show ids.
    static func repeated(_ names: some Sequence<String>) -> Set<String> {
        var seen: Set<String> = []
        var repeated: Set<String> = []
        for name in names where !seen.insert(name).inserted { repeated.insert(name) }
        return repeated
    }
}
