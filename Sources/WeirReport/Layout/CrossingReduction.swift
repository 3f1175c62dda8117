/// Searches for an order of the layers in which few edges cross.
///
/// From several starts, sweeps in both directions order each layer by the barycenters or medians of its neighbours. Sifting
/// (Matuszewski, Schönfeld and Molitor, 1999) then moves single vertices. The best order found is kept. Work is bounded:
/// large graphs get fewer starts and sweeps.
struct CrossingReduction {
    private(set) var best: LayerOrder
    private(set) var crossings: Int
    private let graph: LayerGraph
    private var count = CrossingCount()
    private var random = LayoutRandom(seed: 0x5EED)
    /// The remaining work, in vertices visited.
    private var budget = 60_000_000

    init(_ graph: LayerGraph) {
        self.graph = graph
        let ranks = GroupOrder(graph)
        best = LayerOrder(graph, keys: Self.depthFirst(graph, isReversed: false), groupRanks: ranks.ranks)
        crossings = count.total(best)
        guard graph.layerCount > 1, crossings > 0 else { return }
        for start in 0..<16 where start == 0 || (budget > 0 && crossings > 0) {
            var order = best
            switch start {
            case 0: break
            case 1:
                order = LayerOrder(graph, keys: Self.depthFirst(graph, isReversed: true), groupRanks: ranks.ranks)
            default:
                let keys = (0..<graph.count).map { _ in random.unit() }
                let groupRanks = start % 2 == 0 ? ranks.ranks : ranks.improved(from: &random)
                order = LayerOrder(graph, keys: keys, groupRanks: groupRanks)
            }
            improve(&order, usesMedian: start % 4 >= 2)
        }
        exchangeGroups()
        while budget > 0 && crossings > 0 {
            var order = best
            let before = crossings
            sift(&order)
            keep(order)
            if crossings == before { break }
        }
    }

    private mutating func keep(_ order: LayerOrder) {
        let crossings = count.total(order)
        if crossings < self.crossings { (best, self.crossings) = (order, crossings) }
    }

    private mutating func improve(_ order: inout LayerOrder, usesMedian: Bool) {
        var (fewest, idle) = (Int.max, 0)
        var local = order
        for sweep in 0..<20 {
            self.sweep(&order, toRight: sweep % 2 == 0, usesMedian: usesMedian, reversingTies: sweep % 4 >= 2)
            let crossings = count.total(order)
            if crossings < fewest {
                (fewest, idle, local) = (crossings, 0, order)
            } else {
                idle += 1
            }
            if idle == 5 || budget < 0 { break }
        }
        order = local
        for _ in 0..<4 where budget > 0 {
            sift(&order)
            let crossings = count.total(order)
            if crossings >= fewest { break }
            fewest = crossings
        }
        keep(order)
    }

    private mutating func sweep(_ order: inout LayerOrder, toRight: Bool, usesMedian: Bool, reversingTies: Bool) {
        budget -= 4 * graph.count
        var keys = Array(repeating: 0.0, count: graph.count)
        for step in 1..<graph.layerCount {
            let layer = toRight ? step : graph.layerCount - 1 - step
            let fixed = order.rows[toRight ? layer - 1 : layer + 1].count
            let scale = Double(fixed) / Double(max(1, order.rows[layer].count))
            for (place, vertex) in order.rows[layer].enumerated() {
                let neighbours = toRight ? graph.left[vertex] : graph.right[vertex]
                if neighbours.isEmpty {
                    keys[vertex] = Double(place) * scale
                } else if usesMedian {
                    keys[vertex] = Self.median(neighbours.map { order.places[$0] }.sorted())
                } else {
                    let sum = neighbours.reduce(0) { $0 + order.places[$1] }
                    keys[vertex] = Double(sum) / Double(neighbours.count)
                }
            }
            order.arrange(layer, keys: keys, reversingTies: reversingTies)
        }
    }

    private static func median(_ places: [Int]) -> Double {
        let middle = places.count / 2
        return places.count % 2 == 1 ? Double(places[middle]) : Double(places[middle - 1] + places[middle]) / 2
    }

    /// Swaps adjacent groups wherever that saves crossings.
    private mutating func exchangeGroups() {
        guard graph.groupCount > 1 else { return }
        for _ in 0..<3 {
            let before = crossings
            for rank in 0..<(graph.groupCount - 1) where budget > 0 {
                var ranks = best.groupRanks
                for (group, old) in best.groupRanks.enumerated() {
                    if old == rank { ranks[group] = rank + 1 } else if old == rank + 1 { ranks[group] = rank }
                }
                var order = LayerOrder(graph, keys: best.places.map(Double.init), groupRanks: ranks)
                for sweep in 0..<4 {
                    self.sweep(&order, toRight: sweep % 2 == 0, usesMedian: false, reversingTies: false)
                }
                sift(&order)
                keep(order)
            }
            if crossings == before || budget < 0 { break }
        }
    }

    private mutating func sift(_ order: inout LayerOrder) {
        var sifting = Sifting(graph)
        for layer in order.rows.indices where budget > 0 { budget -= sifting.sift(layer, of: &order) }
        for layer in order.rows.indices.reversed() where budget > 0 { budget -= sifting.sift(layer, of: &order) }
    }

    /// By vertex: the position in a depth-first search from the first node, along edges in both directions.
    private static func depthFirst(_ graph: LayerGraph, isReversed: Bool) -> [Double] {
        var keys = Array(repeating: -1.0, count: graph.count)
        var next = 0.0
        for vertex in 0..<graph.count {
            var stack = [isReversed ? graph.count - 1 - vertex : vertex]
            while let vertex = stack.popLast() {
                guard keys[vertex] < 0 else { continue }
                keys[vertex] = next
                next += 1
                stack.append(contentsOf: graph.left[vertex].reversed())
                stack.append(contentsOf: graph.right[vertex].reversed())
            }
        }
        return keys
    }
}

/// Moves each vertex of a layer to where the fewest edges cross, while the others keep their order.
struct Sifting {
    private let graph: LayerGraph
    /// The indices of the neighbours of each vertex, ascending.
    private var left: [[Int]]
    private var right: [[Int]]

    init(_ graph: LayerGraph) {
        self.graph = graph
        left = Array(repeating: [], count: graph.count)
        right = left
    }

    /// Returns the amount of work done.
    mutating func sift(_ layer: Int, of order: inout LayerOrder) -> Int {
        var row = order.rows[layer]
        guard row.count > 1 else { return 1 }
        for vertex in row {
            left[vertex] = graph.left[vertex].map { order.places[$0] }.sorted()
            right[vertex] = graph.right[vertex].map { order.places[$0] }.sorted()
        }
        let reach = row.count <= 400 ? row.count : 40
        var work = row.count
        for vertex in row {
            guard let from = row.firstIndex(of: vertex) else { continue }
            var (best, bestPlace) = (0, from)
            for step in [-1, 1] {
                var (change, place) = (0, from)
                while true {
                    let next = place + step
                    guard row.indices.contains(next), abs(next - from) <= reach,
                        canPass(vertex, row[next], order)
                    else { break }
                    let (upper, lower) = step > 0 ? (vertex, row[next]) : (row[next], vertex)
                    change += saving(upper, lower)
                    work += 1
                    place = next
                    if change < best && canStay(vertex, in: row, from: from, at: place, order) {
                        (best, bestPlace) = (change, place)
                    }
                }
            }
            if bestPlace != from {
                row.remove(at: from)
                row.insert(vertex, at: bestPlace)
            }
        }
        order.set(layer, row)
        return 4 * work
    }

    /// A vertex of a group stays within the group; a vertex without a group may pass a whole group.
    private func canPass(_ vertex: Int, _ other: Int, _ order: LayerOrder) -> Bool {
        graph.roles[vertex] == .single || order.maySwap(vertex, other)
    }

    /// A box without a group must not be between two boxes of one group.
    private func canStay(_ vertex: Int, in row: [Int], from: Int, at place: Int, _ order: LayerOrder) -> Bool {
        guard graph.roles[vertex] == .single, graph.groupCount > 0 else { return true }
        func box(from start: Int, step: Int) -> LayerGraph.Role? {
            var index = start
            while row.indices.contains(index) {
                if row[index] != vertex && graph.roles[row[index]] != .bend { return graph.roles[row[index]] }
                index += step
            }
            return nil
        }
        let before = box(from: place < from ? place - 1 : place, step: -1)
        let after = box(from: place < from ? place : place + 1, step: 1)
        return before != after || before == nil || before == .single
    }

    /// The change in crossings when `upper`, now directly above `lower`, moves below it.
    private func saving(_ upper: Int, _ lower: Int) -> Int {
        Self.difference(left[upper], left[lower]) + Self.difference(right[upper], right[lower])
    }

    /// The number of pairs in which the index in `upper` is less, minus those in which it is greater.
    private static func difference(_ upper: [Int], _ lower: [Int]) -> Int {
        if upper.isEmpty || lower.isEmpty { return 0 }
        var (below, equal, sum) = (0, 0, 0)
        for place in upper {
            while below < lower.count && lower[below] < place { below += 1 }
            equal = max(equal, below)
            while equal < lower.count && lower[equal] == place { equal += 1 }
            sum += (lower.count - equal) - below
        }
        return sum
    }
}

/// A reproducible sequence of numbers: SplitMix64, by Steele, Lea and Flood (2014).
struct LayoutRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to, but not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }

    /// From 0 up to, but not including, `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
