import Testing
import WeirTestSupport

@testable import WeirReport

/// Each step with a clever implementation, compared with the simplest way to do the same.
struct CrossingTests {
    private func layered(seed: UInt64) -> LayerGraph {
        var generator = SeededGenerator(seed: seed &* 104_729 &+ 3)
        for _ in 0..<8 { _ = generator.next() }
        let layers = (0..<Int.random(in: 2...14, using: &generator)).map { _ in Int.random(in: 0...3, using: &generator)
        }
        var edges: [(source: Int, target: Int)] = []
        for source in layers.indices {
            for target in layers.indices
            where layers[source] < layers[target] && Int.random(in: 0..<3, using: &generator) == 0 {
                edges.append((source, target))
            }
        }
        return LayerGraph(
            layers: layers, groups: layers.map { _ in nil }, groupCount: 0, edges: edges, bendLimit: .max)
    }

    /// Pairs of edges between the same layers whose ends are in opposite order.
    private func crossings(_ order: LayerOrder) -> Int {
        let segments = (0..<order.graph.count).flatMap { left in order.graph.right[left].map { (left, $0) } }
        var count = 0
        for (index, first) in segments.enumerated() {
            for second in segments.dropFirst(index + 1)
            where order.graph.layers[first.0] == order.graph.layers[second.0] {
                let left = order.places[first.0] - order.places[second.0]
                let right = order.places[first.1] - order.places[second.1]
                if left * right < 0 { count += 1 }
            }
        }
        return count
    }

    @Test func `crossings are counted as by trying all pairs`() {
        var total = 0
        for seed in UInt64(0)..<300 {
            let graph = layered(seed: seed)
            var random = LayoutRandom(seed: seed)
            let order = LayerOrder(graph, keys: (0..<graph.count).map { _ in random.unit() }, groupRanks: [])
            var count = CrossingCount()
            let found = count.total(order)
            #expect(found == crossings(order), "seed \(seed)")
            total += found
        }
        #expect(total > 1000)
    }

    @Test func `sifting never adds a crossing, and crossings of the result are those that it says`() {
        for seed in Repeats.seeds(60) {
            let graph = layered(seed: seed)
            var random = LayoutRandom(seed: seed)
            var order = LayerOrder(graph, keys: (0..<graph.count).map { _ in random.unit() }, groupRanks: [])
            let before = crossings(order)
            var sifting = Sifting(graph)
            for layer in order.rows.indices { _ = sifting.sift(layer, of: &order) }
            #expect(crossings(order) <= before, "seed \(seed)")
            let reduction = CrossingReduction(graph)
            #expect(reduction.crossings == crossings(reduction.best), "seed \(seed)")
        }
    }

    @Test func `of two layers with few vertices the best order is found`() {
        for seed in UInt64(0)..<30 {
            var generator = SeededGenerator(seed: seed &+ 77)
            var edges: [(source: Int, target: Int)] = []
            for source in 0..<4 {
                for target in 4..<8 where Int.random(in: 0..<2, using: &generator) == 0 {
                    edges.append((source, target))
                }
            }
            let graph = LayerGraph(
                layers: [0, 0, 0, 0, 1, 1, 1, 1], groups: Array(repeating: nil, count: 8), groupCount: 0,
                edges: edges, bendLimit: .max)
            var fewest = Int.max
            for left in permutations([0.0, 1, 2, 3]) {
                for right in permutations([0.0, 1, 2, 3]) {
                    fewest = min(fewest, crossings(LayerOrder(graph, keys: left + right, groupRanks: [])))
                }
            }
            #expect(CrossingReduction(graph).crossings == fewest, "seed \(seed)")
        }
    }

    private func permutations(_ items: [Double]) -> [[Double]] {
        guard items.count > 1 else { return [items] }
        return items.indices.flatMap { index in
            var rest = items
            let item = rest.remove(at: index)
            return permutations(rest).map { [item] + $0 }
        }
    }

    @Test func `layers make the sum of the lengths of edges the least that there is`() {
        for seed in UInt64(0)..<120 {
            var generator = SeededGenerator(seed: seed &* 31 &+ 5)
            let count = Int.random(in: 2...6, using: &generator)
            var edges = (1..<count).map { (source: Int.random(in: 0..<$0, using: &generator), target: $0) }
            for target in 1..<count where Bool.random(using: &generator) {
                edges.append((Int.random(in: 0..<target, using: &generator), target))
            }
            let longest = Layering(count: count, edges: edges, groups: Array(repeating: nil, count: count)).layers
            #expect(edges.allSatisfy { longest[$0.source] < longest[$0.target] })
            let length = edges.reduce(0) { $0 + longest[$1.target] - longest[$1.source] }
            #expect(length == least(count, edges), "seed \(seed)")
        }
    }

    /// The minimum over all possible layers.
    private func least(_ count: Int, _ edges: [(source: Int, target: Int)]) -> Int {
        var best = Int.max
        var layers = Array(repeating: 0, count: count)
        while true {
            if edges.allSatisfy({ layers[$0.source] < layers[$0.target] }) {
                best = min(best, edges.reduce(0) { $0 + layers[$1.target] - layers[$1.source] })
            }
            var digit = 0
            while digit < count, layers[digit] == count - 1 {
                layers[digit] = 0
                digit += 1
            }
            guard digit < count else { return best }
            layers[digit] += 1
        }
    }
}
