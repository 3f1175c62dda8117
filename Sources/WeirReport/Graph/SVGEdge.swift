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

/// Routes as path data.
enum SVGPath {
    /// The length of the tip at which the line ends.
    private static let tipLength = 7.0

    static func data(_ route: Route) -> String {
        var points = route.points
        guard let last = points.last, points.count > 1 else { return "" }
        let before = points[points.count - 2]
        if route.isLoop {
            points[points.count - 1].y = last.y - tipLength + 1
            return loop(points)
        }
        // Lines end horizontally, so the end is shortened horizontally.
        points[points.count - 1].x = before.x < last.x ? last.x - tipLength + 1 : last.x + tipLength - 1
        var text = "M\(pair(points[0]))"
        for (start, end) in zip(points, points.dropFirst()) {
            if abs(start.y - end.y) < 0.05 {
                text += "H\(SVGText.number(end.x))"
            } else {
                let middle = (start.x + end.x) / 2
                text += "C\(pair(Point(x: middle, y: start.y))) \(pair(Point(x: middle, y: end.y))) \(pair(end))"
            }
        }
        return text
    }

    private static func loop(_ points: [Point]) -> String {
        "M\(pair(points[0]))C\(pair(points[1])) \(pair(points[2])) \(pair(points[3]))"
    }

    /// A small triangle whose point is at the end.
    static func tip(_ route: Route, at end: Point) -> String {
        if route.isLoop { return "M\(pair(end))l-3.4 -7h6.8z" }
        let isRightward = route.points[route.points.count - 2].x < end.x
        return "M\(pair(end))l\(isRightward ? "-7" : "7") -3.4v6.8z"
    }

    /// The middle of the middle segment: the position of a label.
    static func middle(_ route: Route) -> Point {
        if route.isLoop { return Point(x: (route.points[1].x + route.points[2].x) / 2, y: route.points[1].y) }
        let curves = zip(route.points, route.points.dropFirst()).filter { abs($0.y - $1.y) >= 0.05 }
        let pieces = curves.isEmpty ? Array(zip(route.points, route.points.dropFirst())) : curves
        let (start, end) = pieces[pieces.count / 2]
        return Point(x: (start.x + end.x) / 2, y: (start.y + end.y) / 2)
    }

    private static func pair(_ point: Point) -> String {
        "\(SVGText.number(point.x)) \(SVGText.number(point.y))"
    }
}
