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
