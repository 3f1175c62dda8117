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
