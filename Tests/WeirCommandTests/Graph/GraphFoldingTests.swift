import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// Drawings of graphs that are too large to show each node.
@Suite struct GraphFoldingTests {
    /// `counts[k]` items for each owner k, made on rising lines.
    private func items(_ counts: [Int]) -> [GraphFolding.Item] {
        counts.enumerated().flatMap { group, count in
            (0..<count).map {
                GraphFolding.Item(
                    name: "n\($0)", group: group, site: TraceSite(file: "\(group).swift", line: $0 + 1),
                    activity: UInt64(group))
            }
        }
    }

    private func folding(_ counts: [Int], links: [(source: Int, target: Int)] = [], most: Int = 100) -> GraphFolding {
        GraphFolding(
            items(counts), groups: counts.indices.map { "Owner\($0)" }, links: links, mostBoxes: most, mostLinks: 500)
    }

    /// Draws a box and all boxes in it; returns the single items that can be reached, and checks each drawing's size.
    private func reached(_ folding: GraphFolding, _ members: [Int], most: Int, depth: Int = 0) -> [Int] {
        guard depth < 8 else {
            Issue.record("a box opens itself")
            return []
        }
        let boxes = folding.boxes(of: members)
        #expect(boxes.count <= most)
        #expect(boxes.flatMap(\.items).sorted() == members.sorted(), "each item is in one box")
        return boxes.flatMap { $0.isSingle ? $0.items : reached(folding, $0.items, most: most, depth: depth + 1) }
    }

    @Test func `a graph with room for each node is drawn as it is`() {
        let folding = folding([60, 40])
        #expect(!folding.isNeeded)
        #expect(folding.boxes(of: Array(0..<100)).allSatisfy { $0.isSingle })
        #expect(self.folding([60, 41]).isNeeded)
    }

    @Test func `the largest owners become boxes, small ones stay open`() {
        let boxes = folding([80, 20, 90, 30]).boxes(of: Array(0..<220))
        #expect(boxes.filter { !$0.isSingle }.map(\.name) == ["Owner0", "Owner2"])
        #expect(boxes.count == 52)
    }

    @Test func `an owner that no drawing could show at once is in parts if there is room`() {
        let boxes = folding([250, 96]).boxes(of: Array(0..<346))
        #expect(boxes.filter { !$0.isSingle }.map(\.name) == ["n0 … n65", "n66 … n131", "n132 … n197", "n198 … n249"])
        #expect(boxes.count == 100)
        #expect(folding([250, 97]).boxes(of: Array(0..<347)).first?.name == "Owner0")
    }

    @Test func `a single owner is divided in the order of its lines`() {
        let boxes = folding([250]).boxes(of: Array(0..<250))
        #expect(boxes.map(\.name) == ["n0 … n65", "n66 … n131", "n132 … n197", "n198 … n249"])
    }

    @Test func `of too many owners, the least active are one box`() {
        let counts = Array(repeating: 3, count: 130)
        let boxes = folding(counts).boxes(of: Array(0..<390))
        #expect(boxes.count == 100)
        #expect(boxes.first { $0.name == "31 other owners" }?.items == Array(0..<93))
    }

    @Test func `layers that feed each other completely are a box each`() {
        var links: [(source: Int, target: Int)] = []
        for layer in 0..<4 {
            for from in 0..<30 { for to in 0..<30 { links.append((layer * 30 + from, layer * 30 + 30 + to)) } }
        }
        let folding = folding([150], links: links, most: 150)
        let boxes = folding.boxes(of: Array(0..<150))
        #expect(boxes.map(\.name) == ["n0 … n29", "n30 … n59", "n60 … n89", "n90 … n119", "n120 … n149"])
        #expect(folding.boxes(of: boxes[1].items).allSatisfy { $0.isSingle }, "a layer opens")
    }

    @Test func `owners become boxes until the lines can be followed`() {
        // Each of 40 nodes of one owner feeds each of 40 of another, but for one, so that none are alike.
        var links: [(source: Int, target: Int)] = []
        for from in 0..<40 { for to in 0..<40 where from != to { links.append((from, 40 + to)) } }
        let boxes = folding([40, 40, 10], links: links).boxes(of: Array(0..<90))
        #expect(boxes.count == 51 && boxes[0].name == "Owner0")
    }

    @Test func `a single owner with too many lines is gathered by the distance from its sources`() {
        var links: [(source: Int, target: Int)] = []
        for layer in 0..<4 {
            for from in 0..<30 {
                for to in 0..<30 where from != to { links.append((layer * 30 + from, layer * 30 + 30 + to)) }
            }
        }
        let boxes = folding([150], links: links, most: 150).boxes(of: Array(0..<150))
        #expect(boxes.map(\.items.count) == [30, 30, 30, 30, 30])
    }

    @Test(arguments: [
        [3000], [1, 2, 3, 2000, 900], Array(repeating: 10, count: 300), [20_000], [151],
        Array(repeating: 1, count: 400),
    ])
    func `every node can be reached, by drawings that can be read`(counts: [Int]) {
        var random = LayoutRandom(seed: 7)
        let total = counts.reduce(0, +)
        let links = (0..<total).map { (source: $0, target: random.below(total)) }
        let folding = folding(counts, links: links, most: 150)
        #expect(reached(folding, Array(0..<total), most: 150).sorted() == Array(0..<total))
    }

    @Test func `a folded graph has the counts of the nodes in its boxes, and opens them by name`() throws {
        var graph = FlowGraph()
        graph.groups = [.init(name: "Big"), .init(name: "Small")]
        for id in 1...200 as ClosedRange<UInt32> {
            var node = FlowGraph.Node(ids: [id], name: "n\(id)")
            (node.group, node.emissions) = (id <= 120 ? 0 : 1, 2)
            graph.nodes.append(node)
        }
        for place in 0..<199 {
            var edge = FlowGraph.Edge(source: place, target: place + 1, kind: .data)
            edge.deliveries = 5
            graph.edges.append(edge)
        }
        let folded = try #require(graph.folded())
        #expect(folded.nodes.count == 81)
        #expect(folded.nodes[0].name == "Big" && folded.nodes[0].foldedNodes == 120 && folded.nodes[0].emissions == 240)
        #expect(folded.nodes[0].hiddenEdges == 119 && folded.nodes[0].group == nil)
        #expect(folded.edges.map { [$0.source, $0.target, Int($0.deliveries)] }.first == [0, 1, 5])
        let opened = try #require(graph.folded(open: ["Big"]))
        #expect(opened.nodes == graph.nodes && opened.edges == graph.edges)
        graph.nodes.removeLast(60)
        graph.edges.removeLast(60)
        #expect(graph.folded() == nil)
    }
}
