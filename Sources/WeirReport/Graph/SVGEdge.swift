import WeirAnalysis

/// A line and its tip, styled by the kind of edge.
struct SVGEdge {
    private let edge: FlowGraph.Edge
    private let style: String
    private let traffic: Int
    private let tooltip: String

    init(_ edge: FlowGraph.Edge, source: String, target: String, busiest: UInt64) {
        self.edge = edge
        style = edge.isFeedback ? "\(Self.name(edge.kind)) feedback" : Self.name(edge.kind)
        traffic = GraphHeat.level(edge.deliveries, of: busiest, hottest: SVGStyle.trafficLevels - 1)
        let what = edge.kind == .handler ? "handler writes" : "\(edge.kind) edge"
        var lines = [
            "\(TerminalText.escaped(SVGText.start(source))) → "
                + TerminalText.escaped(SVGText.start(target)),
            edge.isFeedback ? "\(what), feedback" : what,
        ]
        if edge.kind != .handler { lines.append(Figures.count(edge.count, "subscription")) }
        lines.append(
            edge.kind == .handler
                ? Figures.count(edge.deliveries, "write") : Figures.count(edge.deliveries, "delivery", "deliveries"))
        if !edge.isAlive { lines.append("ended") }
        tooltip = lines.joined(separator: " | ")
    }

    static func name(_ kind: FlowGraph.EdgeKind) -> String {
        switch kind {
        case .data: "data"
        case .timing: "timing"
        case .handler: "handler"
        }
    }

    func drawn(along route: Route) -> String {
        guard let last = route.points.last, route.points.count > 1 else { return "" }
        let colour = edge.isFeedback ? "feedback" : Self.name(edge.kind)
        var text = "<g class=\"\(edge.isAlive ? "edge" : "edge gone")\"><title>\(SVGText.escaped(tooltip))</title>"
        text += "<path class=\"line \(style) t\(traffic)\" d=\"\(SVGPath.data(route))\"/>"
        text += "<path class=\"tip \(colour)\" d=\"\(SVGPath.tip(route, at: last))\"/>"
        if edge.count > 1 && edge.kind != .handler { text += label(on: route, colour) }
        return text + "</g>\n"
    }

    private func label(on route: Route, _ colour: String) -> String {
        let place = SVGPath.middle(route)
        let count = "×\(SVGText.count(UInt64(max(0, edge.count))))"
        let width = SVGText.width(count, size: 9.5)
        let (x, y) = (SVGText.number(place.x - width / 2), SVGText.number(place.y + 3.2))
        return "<text class=\"small halo\" x=\"\(x)\" y=\"\(y)\">\(count)</text>"
            + "<text class=\"small mark \(colour)\" x=\"\(x)\" y=\"\(y)\">\(count)</text>"
    }
}
