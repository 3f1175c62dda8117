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

/// Makes each group's borders level through all its layers, and moves everything as little as possible.
///
/// All distances are lower bounds between pairs, and the pairs have no cycle. So one pass each finds the least heights above
/// the wished ones that keep them, the greatest heights below, and the means of both.
struct LevelBorders {
    /// By element: its variable. All upper borders of a group share one variable, and so do all lower ones.
    private(set) var variables: [Int]
    private(set) var count: Int
    private var order: [Int] = []
    private var pairs: [(first: Int, second: Int, distance: Double)] = []
    private let above: Adjacency
    private let below: Adjacency

    init(_ rows: HeightRows) {
        variables = Array(0..<rows.vertexCount) + Array(repeating: 0, count: rows.count - rows.vertexCount)
        count = rows.vertexCount
        for borders in rows.upper + rows.lower {
            for border in borders { variables[border] = count }
            count += 1
        }
        for row in rows.rows {
            for (first, second) in zip(row, row.dropFirst()) {
                pairs.append((variables[first], variables[second], rows.distance(first, second)))
            }
        }
        above = Adjacency(count: count, pairs: pairs.lazy.enumerated().map { ($1.second, $0) })
        below = Adjacency(count: count, pairs: pairs.lazy.enumerated().map { ($1.first, $0) })
        var waiting = (0..<count).map(above.degree)
        order = (0..<count).filter { waiting[$0] == 0 }
        var index = 0
        while index < order.count {
            for pair in below[order[index]] {
                let second = pairs[pair].second
                waiting[second] -= 1
                if waiting[second] == 0 { order.append(second) }
            }
            index += 1
        }
    }

    /// By element: heights near `values` that keep all distances and have level borders.
    func project(_ values: [Double]) -> [Double] {
        var wished = Array(repeating: 0.0, count: count)
        var parts = wished
        for (element, variable) in variables.enumerated() {
            wished[variable] += values[element]
            parts[variable] += 1
        }
        for variable in 0..<count where parts[variable] > 1 { wished[variable] /= parts[variable] }
        var (pushed, pulled) = (wished, wished)
        for variable in order {
            for pair in above[variable] {
                pushed[variable] = max(pushed[variable], pushed[pairs[pair].first] + pairs[pair].distance)
            }
        }
        for variable in order.reversed() {
            for pair in below[variable] {
                pulled[variable] = min(pulled[variable], pulled[pairs[pair].second] - pairs[pair].distance)
            }
        }
        return variables.map { (pushed[$0] + pulled[$0]) / 2 }
    }

    /// The range within which an element may be moved while the others stay fixed.
    func room(_ element: Int, _ values: [Double], of valuesByVariable: [Double]) -> ClosedRange<Double> {
        let variable = variables[element]
        var (low, high) = (-Double.infinity, Double.infinity)
        for pair in above[variable] {
            low = max(low, valuesByVariable[pairs[pair].first] + pairs[pair].distance)
        }
        for pair in below[variable] {
            high = min(high, valuesByVariable[pairs[pair].second] - pairs[pair].distance)
        }
        let value = values[element]
        return min(low, value)...max(high, value)
    }
}
