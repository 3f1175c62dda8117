import WeirAnalysis

/// The legend: the meaning of each sign, line and colour that occurs in the picture.
struct SVGLegend {
    private enum Mark {
        case sign(SVGSign?)
        case line(String)
        case heat
        case gone
        case box(StaticString)
    }

    private var items: [(mark: Mark, text: String)] = [
        (.sign(.emission), "new values"), (.sign(.refresh), "values shown by a handler"),
        (.sign(.suppression), "values that went no further"), (.heat, "how much a node did: nothing … most"),
    ]
    private static let rowHeight = 18.0
    private static let gap = 22.0

    init(_ graph: FlowGraph, hasRepeatedNodes: Bool = false) {
        for kind in FlowGraph.EdgeKind.allCases where graph.edges.contains(where: { $0.kind == kind && !$0.isFeedback })
        {
            items.append((.line(SVGEdge.name(kind)), Self.meaning(kind)))
        }
        if graph.edges.contains(where: \.isFeedback) { items.append((.line("feedback"), "closes a loop")) }
        if graph.nodes.contains(where: { $0.handlers > 0 }) {
            items.append((.box("call"), "a handler that gets the values, such as a view"))
        }
        if hasRepeatedNodes { items.append((.box("elsewhere"), "a node that is drawn in another row")) }
        if graph.nodes.contains(where: { $0.ids.count > 1 && $0.foldedNodes == 0 }) {
            items.append((.sign(nil), "×8: eight of the same code, drawn as one"))
        }
        if graph.nodes.contains(where: \.isPrivate) { items.append((.sign(.lock), "the value is private")) }
        if graph.nodes.contains(where: { !$0.isAlive }) || graph.edges.contains(where: { !$0.isAlive }) {
            items.append((.gone, "no longer alive"))
        }
    }

    private static func meaning(_ kind: FlowGraph.EdgeKind) -> String {
        switch kind {
        case .data: "gives its values to"
        case .timing: "triggers, without giving a value"
        case .handler: "code that gets its values writes to"
        }
    }

    private static func markWidth(_ mark: Mark) -> Double {
        switch mark {
        case .sign(nil): 0
        case .sign: 14
        case .line: 36
        case .heat: Double(SVGStyle.heatLevels) * 12 + 7
        case .gone, .box: 26
        }
    }

    /// Rows no wider than `width`, the middle of the first at `y`, and the height of all rows.
    func drawn(x left: Double, y top: Double, width: Double) -> (text: String, height: Double) {
        var (x, y, text) = (left, top, "")
        for (mark, words) in items {
            let own = Self.markWidth(mark) + SVGText.width(words, size: 10)
            if x > left && x + own > left + width { (x, y) = (left, y + Self.rowHeight) }
            text += Self.drawn(mark, x: x, y: y)
            text += SVGNode.text("faint", x: x + Self.markWidth(mark), y: y + 3.5, words) + "\n"
            x += own + Self.gap
        }
        return (text, y - top + Self.rowHeight)
    }

    private static func drawn(_ mark: Mark, x: Double, y: Double) -> String {
        switch mark {
        case .sign(let sign): return sign?.drawn(x: x + 4, y: y) ?? ""
        case .box(let style):
            return "<rect class=\"\(style)\" x=\"\(SVGText.number(x))\" y=\"\(SVGText.number(y - 5))\" "
                + "width=\"19\" height=\"10\" rx=\"5\"/>"
        case .line(let name):
            let route = Route(points: [Point(x: x, y: y), Point(x: x + 29, y: y)])
            return "<path class=\"line \(name) t1\" d=\"\(SVGPath.data(route))\"/>"
                + "<path class=\"tip \(name)\" d=\"\(SVGPath.tip(route, at: route.points[1]))\"/>"
        case .heat:
            return (0..<SVGStyle.heatLevels).map { level in
                rectangle("box h\(level)", x: x + Double(level) * 12, y: y - 5, width: 12, height: 7)
                    + rectangle("b\(level)", x: x + Double(level) * 12, y: y + 2, width: 12, height: 3)
            }
            .joined()
        case .gone:
            return "<g class=\"gone\">"
                + rectangle("box h0", x: x, y: y - 5, width: 19, height: 10)
                + rectangle("b0", x: x, y: y - 5, width: 3, height: 10)
                + "</g>"
        }
    }

    private static func rectangle(_ style: String, x: Double, y: Double, width: Double, height: Double) -> String {
        "<rect class=\"\(style)\" x=\"\(SVGText.number(x))\" y=\"\(SVGText.number(y))\" "
            + "width=\"\(SVGText.number(width))\" height=\"\(SVGText.number(height))\"/>"
    }
}
