import Testing
import WeirTestSupport

@testable import WeirReport

/// Invariants of every layout, checked on random graphs.
struct LayoutTests {
    private static let drawings = Repeats.seeds(24).map { seed in
        let drawing = RandomDrawing(seed: seed)
        return (seed: seed, drawing: drawing, layout: drawing.layout)
    }

    @Test func `no two boxes overlap`() {
        for (seed, _, layout) in Self.drawings {
            let boxes = layout.boxes
            for first in boxes.indices {
                for second in boxes.indices.dropFirst(first + 1) {
                    #expect(!boxes[first].overlaps(boxes[second]), "seed \(seed), boxes \(first) and \(second)")
                }
            }
        }
    }

    @Test func `boxes have the sizes that were asked for, within the picture`() {
        for (seed, drawing, layout) in Self.drawings {
            #expect(layout.boxes.map(\.width) == drawing.nodes.map(\.width))
            #expect(layout.boxes.map(\.height) == drawing.nodes.map(\.height))
            let picture = Rectangle(x: -0.1, y: -0.1, width: layout.width + 0.2, height: layout.height + 0.2)
            for box in layout.boxes + layout.groups.compactMap({ $0 }) {
                #expect(picture.contains(box), "seed \(seed)")
            }
            for point in layout.routes.flatMap(\.points) { #expect(picture.surrounds(point), "seed \(seed)") }
        }
    }

    @Test func `a group's rectangle holds its own boxes and touches no other`() {
        var grouped = 0
        for (seed, drawing, layout) in Self.drawings {
            for (group, rectangle) in layout.groups.enumerated() {
                guard let rectangle else {
                    #expect(!drawing.nodes.contains { $0.group == group })
                    continue
                }
                grouped += 1
                for (node, box) in zip(drawing.nodes, layout.boxes) {
                    if node.group == group {
                        #expect(rectangle.contains(box), "seed \(seed), group \(group)")
                    } else {
                        #expect(!rectangle.overlaps(box), "seed \(seed), group \(group)")
                    }
                }
                for other in layout.groups.dropFirst(group + 1) {
                    if let other { #expect(!rectangle.overlaps(other), "seed \(seed), group \(group)") }
                }
            }
        }
        #expect(grouped > Repeats.count(24))
    }

    @Test func `a route begins and ends at its boxes and leads through none`() {
        for (seed, drawing, layout) in Self.drawings {
            for (edge, route) in zip(drawing.edges, layout.routes) {
                guard let first = route.points.first, let last = route.points.last else {
                    Issue.record("seed \(seed): an edge without a route")
                    continue
                }
                #expect(Self.isAtSide(first, of: layout.boxes[edge.source]), "seed \(seed)")
                #expect(Self.isAtSide(last, of: layout.boxes[edge.target]), "seed \(seed)")
                guard !route.isLoop else { continue }
                for sample in route.samples {
                    #expect(!layout.boxes.contains { $0.surrounds(sample) }, "seed \(seed)")
                }
            }
        }
    }

    /// On the border of a box, but not at a corner.
    private static func isAtSide(_ point: Point, of box: Rectangle) -> Bool {
        if abs(point.x - box.x) < 0.01 || abs(point.x - box.right) < 0.01 {
            return box.y < point.y && point.y < box.bottom
        }
        return abs(point.y - box.y) < 0.01 && box.x < point.x && point.x < box.right
    }

    @Test func `without cycles every edge leads to the right`() {
        for seed in UInt64(0)..<100 {
            var drawing = RandomDrawing(seed: seed)
            drawing.edges = drawing.edges.filter { $0.source < $0.target }
            for index in drawing.edges.indices { drawing.edges[index].isFeedback = false }
            let layout = drawing.layout
            for edge in drawing.edges {
                #expect(layout.boxes[edge.source].right < layout.boxes[edge.target].x, "seed \(seed)")
            }
        }
    }

    @Test func `where the rest has no cycle only feedback edges lead to the left`() {
        var leftward = 0
        for seed in UInt64(0)..<100 {
            var drawing = RandomDrawing(seed: seed)
            for index in drawing.edges.indices {
                drawing.edges[index].isFeedback = drawing.edges[index].source > drawing.edges[index].target
            }
            let layout = drawing.layout
            for edge in drawing.edges where edge.source != edge.target {
                let isRightward = layout.boxes[edge.source].right < layout.boxes[edge.target].x
                #expect(isRightward || edge.isFeedback, "seed \(seed)")
                if !isRightward { leftward += 1 }
            }
        }
        #expect(leftward > 0)
    }

    @Test func `the same graph has the same layout`() {
        for (_, drawing, first) in Self.drawings.prefix(60) {
            let second = drawing.layout
            #expect(first.boxes == second.boxes)
            #expect(first.groups == second.groups)
            #expect(first.routes == second.routes)
        }
    }

    @Test func `an empty graph and a lonely box are laid out`() {
        let empty = LayeredLayout(nodes: [], edges: [])
        #expect(empty.width == 0 && empty.height == 0)
        let lonely = LayeredLayout(nodes: [.init(width: 30, height: 20)], edges: [.init(source: 0, target: 0)])
        #expect(lonely.boxes[0].width == 30 && lonely.routes[0].isLoop)
    }

    @Test func `a plane tree is drawn without crossings`() {
        // Each node feeds the one at half its number.
        let edges = (1..<63).map { LayeredLayout.Edge(source: $0, target: ($0 - 1) / 2) }
        let nodes = (0..<63).map { _ in LayeredLayout.Node(width: 100, height: 40) }
        #expect(LayeredLayout(nodes: nodes, edges: edges).crossings == 0)
    }

    @Test func `what nothing connects is packed into about a square`() {
        let nodes = (0..<100).map { _ in LayeredLayout.Node(width: 100, height: 40) }
        let layout = LayeredLayout(nodes: nodes, edges: [])
        #expect((0.5...4).contains(layout.width / layout.height))
    }

    @Test func `a graph too large to lead all lines around its boxes is laid out all the same`() {
        let nodes = (0..<60).map { LayeredLayout.Node(width: 100, height: 40, group: $0 % 10) }
        let chain = (1..<60).map { LayeredLayout.Edge(source: $0 - 1, target: $0) }
        let far = (0..<20).map { LayeredLayout.Edge(source: $0, target: 59 - $0) }
        let layout = LayeredLayout(nodes: nodes, edges: chain + far, groupCount: 10, bendLimit: 100)
        #expect(!layout.isComplete)
        #expect(layout.routes.allSatisfy { $0.points.count > 1 })
    }
}
