/// One order of the groups for all layers that keeps groups with many edges between them close together.
struct GroupOrder {
    private(set) var ranks: [Int]
    private let weights: [[Int: Int]]

    init(_ graph: LayerGraph) {
        var weights = Array(repeating: [Int: Int](), count: graph.groupCount)
        for chain in graph.chains {
            guard let first = chain.first, let last = chain.last, case .member(let source) = graph.roles[first],
                case .member(let target) = graph.roles[last], source != target
            else { continue }
            weights[source][target, default: 0] += 1
            weights[target][source, default: 0] += 1
        }
        self.weights = weights
        ranks = Array(0..<graph.groupCount)
        ranks = improved(ranks)
    }

    /// Another order, improved from a random one.
    func improved(from random: inout LayoutRandom) -> [Int] {
        var order = Array(ranks.indices)
        for index in order.indices.dropFirst() { order.swapAt(index, random.below(index + 1)) }
        return improved(order)
    }

    /// Moves each group to the position where its edges are shortest, until no group moves.
    private func improved(_ start: [Int]) -> [Int] {
        var order = start
        var ranks = start
        func renumber() { for (rank, group) in order.enumerated() { ranks[group] = rank } }
        renumber()
        guard order.count > 2, order.count <= 100 else { return ranks }
        for _ in 0..<8 {
            var hasMoved = false
            for group in order.indices {
                let from = ranks[group]
                var (best, bestCost) = (from, cost(ranks))
                for to in order.indices where to != from {
                    let candidate = Self.moving(from, to, in: order)
                    let candidateCost = cost(Self.ranks(candidate))
                    if candidateCost < bestCost { (best, bestCost) = (to, candidateCost) }
                }
                guard best != from else { continue }
                order = Self.moving(from, best, in: order)
                renumber()
                hasMoved = true
            }
            if !hasMoved || order.count > 40 { break }
        }
        return ranks
    }

    private func cost(_ ranks: [Int]) -> Int {
        var sum = 0
        for (group, others) in weights.enumerated() {
            for (other, weight) in others { sum += weight * abs(ranks[group] - ranks[other]) }
        }
        return sum
    }

    private static func moving(_ from: Int, _ to: Int, in order: [Int]) -> [Int] {
        var order = order
        order.insert(order.remove(at: from), at: to)
        return order
    }

    private static func ranks(_ order: [Int]) -> [Int] {
        var ranks = order
        for (rank, group) in order.enumerated() { ranks[group] = rank }
        return ranks
    }
}
