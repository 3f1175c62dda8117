import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

@Suite struct FeedbackTests {
    /// Whether the graph has no cycle, tested by repeatedly removing nodes without incoming edges.
    static func isAcyclic(_ edges: [FlowGraph.Edge], count: Int) -> Bool {
        var left = Set(0..<count)
        while true {
            let free = left.filter { node in !edges.contains { $0.target == node && left.contains($0.source) } }
            if free.isEmpty { return left.isEmpty }
            left.subtract(free)
        }
    }

    private func randomGraph(seed: Int) -> FlowGraph {
        var random = SeededGenerator(seed: UInt64(seed))
        var graph = FlowGraph()
        let count = Int.random(in: 0...12, using: &random)
        for id in 0..<count { graph.nodes.append(.init(ids: [UInt32(id)], name: "\(id)")) }
        guard count > 0 else { return graph }
        var seen: Set<EdgeKey> = []
        for _ in 0..<Int.random(in: 0...24, using: &random) {
            let edge = FlowGraph.Edge(
                source: .random(in: 0..<count, using: &random), target: .random(in: 0..<count, using: &random),
                kind: FlowGraph.EdgeKind.allCases.randomElement(using: &random) ?? .data)
            if seen.insert(EdgeKey(edge)).inserted { graph.edges.append(edge) }
        }
        graph.edges.sort { EdgeKey($0) < EdgeKey($1) }
        return graph
    }

    @Test(arguments: 1...500)
    func `without the marked edges there is no cycle, and each of them closes one`(seed: Int) {
        var graph = randomGraph(seed: seed)
        graph.markFeedback()
        let rest = graph.edges.filter { !$0.isFeedback }
        #expect(Self.isAcyclic(rest, count: graph.nodes.count))
        for edge in graph.edges where edge.isFeedback {
            #expect(!Self.isAcyclic(rest + [edge], count: graph.nodes.count), "\(edge)")
        }
        let data = graph.edges.filter { $0.kind == .data }
        if Self.isAcyclic(data, count: graph.nodes.count) { #expect(data.allSatisfy { !$0.isFeedback }) }
    }

    @Test(arguments: [0, 1, 7, 30], 1...100)
    func `also when the search is cut short, no cycle is left`(limit: Int, seed: Int) {
        var graph = randomGraph(seed: seed)
        graph.markFeedback(stepLimit: limit)
        #expect(Self.isAcyclic(graph.edges.filter { !$0.isFeedback }, count: graph.nodes.count))
    }

    @Test func `the edge that leads back is marked, and rather a handler's than a subscription`() {
        var graph = FlowGraph()
        for id in 0..<3 { graph.nodes.append(.init(ids: [UInt32(id)], name: "")) }
        graph.edges = [
            .init(source: 0, target: 1, kind: .handler), .init(source: 1, target: 0, kind: .data),
            .init(source: 1, target: 2, kind: .data), .init(source: 2, target: 1, kind: .data),
            .init(source: 2, target: 2, kind: .timing),
        ]
        graph.markFeedback()
        #expect(graph.edges.map(\.isFeedback) == [true, false, false, true, true])
    }

    @Test func `a cycle through a hundred thousand nodes needs no deep stack`() {
        var graph = FlowGraph()
        for id in 0..<100_000 {
            graph.nodes.append(.init(ids: [UInt32(id)], name: ""))
            graph.edges.append(.init(source: id, target: (id + 1) % 100_000, kind: .data))
        }
        graph.markFeedback()
        #expect(graph.edges.count(where: \.isFeedback) == 1 && graph.edges[99_999].isFeedback)
    }
}
