import WeirReport

/// A curve as short straight pieces, and where two of them cross.
enum Curve {
    struct Place {
        var x: Double
        var y: Double
    }

    /// As the picture draws it: level at both ends of each piece.
    static func points(of route: Route) -> [Place] {
        var controls: [Place] = []
        for (index, point) in route.points.enumerated() {
            if index > 0 {
                let last = route.points[index - 1]
                let middle = (last.x + point.x) / 2
                controls.append(Place(x: middle, y: last.y))
                controls.append(Place(x: middle, y: point.y))
            }
            controls.append(Place(x: point.x, y: point.y))
        }
        return points(controls: controls)
    }

    /// A row of cubic Bézier curves, each beginning where the last ended.
    static func points(controls: [Place]) -> [Place] {
        guard let first = controls.first else { return [] }
        var points = [first]
        var index = 0
        while index + 3 < controls.count {
            let (a, b, c, d) = (controls[index], controls[index + 1], controls[index + 2], controls[index + 3])
            for step in 1...12 {
                let t = Double(step) / 12
                let u = 1 - t
                let (wa, wb, wc, wd) = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
                points.append(
                    Place(
                        x: wa * a.x + wb * b.x + wc * c.x + wd * d.x, y: wa * a.y + wb * b.y + wc * c.y + wd * d.y))
            }
            index += 3
        }
        return points
    }

    /// How often two curves cross.
    static func crossings(_ first: [Place], _ second: [Place]) -> Int {
        guard overlap(first[...], second[...]) else { return 0 }
        var count = 0
        for index in first.indices.dropLast() {
            guard overlap(first[index...(index + 1)], second[...]) else { continue }
            for other in second.indices.dropLast()
            where cross(first[index], first[index + 1], second[other], second[other + 1]) {
                count += 1
            }
        }
        return count
    }

    private static func overlap(_ first: ArraySlice<Place>, _ second: ArraySlice<Place>) -> Bool {
        func range(_ values: [Double]) -> (Double, Double) { (values.min() ?? 0, values.max() ?? 0) }
        let (left, right) = (range(first.map(\.x)), range(second.map(\.x)))
        guard left.0 <= right.1 && right.0 <= left.1 else { return false }
        let (upper, lower) = (range(first.map(\.y)), range(second.map(\.y)))
        return upper.0 <= lower.1 && lower.0 <= upper.1
    }

    private static func cross(_ a: Place, _ b: Place, _ c: Place, _ d: Place) -> Bool {
        func side(_ p: Place, _ q: Place, _ r: Place) -> Bool {
            (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) > 0
        }
        return side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
    }
}
