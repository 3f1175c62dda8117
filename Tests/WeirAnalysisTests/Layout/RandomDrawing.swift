import WeirTestSupport

@testable import WeirReport

/// A graph of a random shape: sparse or dense, with or without groups, cycles and duplicate edges.
struct RandomDrawing {
    var nodes: [LayeredLayout.Node]
    var edges: [LayeredLayout.Edge] = []
    let groupCount: Int

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed &* 7919 &+ 1)
        for _ in 0..<8 { _ = generator.next() }
        let groupCount = Int.random(in: 0...5, using: &generator)
        self.groupCount = groupCount
        nodes = (0..<Int.random(in: 0...28, using: &generator)).map { _ in
            LayeredLayout.Node(
                width: .random(in: 40...240, using: &generator), height: .random(in: 20...70, using: &generator),
                group: groupCount > 0 && .random(in: 0..<4, using: &generator) > 0
                    ? .random(in: 0..<groupCount, using: &generator) : nil)
        }
        guard !nodes.isEmpty else { return }
        for _ in 0..<Int.random(in: 0...2 * nodes.count, using: &generator) {
            edges.append(
                LayeredLayout.Edge(
                    source: .random(in: nodes.indices, using: &generator),
                    target: .random(in: nodes.indices, using: &generator),
                    isFeedback: .random(in: 0..<6, using: &generator) == 0))
        }
    }

    var layout: LayeredLayout { LayeredLayout(nodes: nodes, edges: edges, groupCount: groupCount) }
}

extension Rectangle {
    func overlaps(_ other: Rectangle) -> Bool {
        x < other.right - 0.01 && other.x < right - 0.01 && y < other.bottom - 0.01 && other.y < bottom - 0.01
    }

    func contains(_ other: Rectangle) -> Bool {
        x <= other.x && y <= other.y && right >= other.right && bottom >= other.bottom
    }

    /// Whether a point is within it and not on its border.
    func surrounds(_ point: Point) -> Bool {
        x + 0.01 < point.x && point.x < right - 0.01 && y + 0.01 < point.y && point.y < bottom - 0.01
    }
}

extension Route {
    /// Points along its whole length, as a picture draws it.
    var samples: [Point] {
        zip(points, points.dropFirst()).flatMap { start, end in
            (0...24).map { step in
                let t = Double(step) / 24
                // A cubic curve with horizontal handles in the middle.
                let across = 1.5 * t * (1 - t) * (1 - t) + 1.5 * t * t * (1 - t) + t * t * t
                let down = 3 * t * t - 2 * t * t * t
                return Point(x: start.x + (end.x - start.x) * across, y: start.y + (end.y - start.y) * down)
            }
        }
    }
}
