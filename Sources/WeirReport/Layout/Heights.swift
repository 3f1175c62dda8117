/// Finds heights for all vertices so that lines are straight and all distances are kept.
///
/// Lines are springs. Layer by layer, the elements of a layer get the heights of least energy that keep the order and the
/// distances, while the other layers stay fixed: an isotonic regression, by pooling adjacent violators. Then the borders of
/// each group are made level, and lines are straightened where there is room.
struct Heights {
    private struct Spring {
        var other: Int
        var weight: Double
        /// How far below `other` this end should be.
        var offset: Double
    }

    /// How strongly the borders of a group, and adjacent groups, attract each other.
    private static let closeness = 2.0

    private(set) var values: [Double]
    private let rows: HeightRows
    private var toLeft: [[Spring]]
    private var toRight: [[Spring]]
    /// Within one group: from boxes to its borders.
    private var within: [[Spring]]

    init(_ order: LayerOrder, rows: HeightRows, ends: LineEnds) {
        self.rows = rows
        let count = rows.count
        values = Array(repeating: 0, count: count)
        toLeft = Array(repeating: [], count: count)
        toRight = toLeft
        within = toLeft
        connect(order.graph, ends)
        stack()
        let rounds = count > 20_000 ? 3 : count > 5000 ? 8 : 24
        for round in 0..<rounds {
            relax(using: [toLeft, within], rightward: true)
            relax(using: [toRight, within], rightward: false)
            if round % 3 == 2 { relax(using: [toLeft, toRight, within], rightward: true) }
        }
        for round in 0..<rounds { relax(using: [toLeft, toRight, within], rightward: round % 2 == 0) }
        let levels = LevelBorders(rows)
        values = levels.project(values)
        for _ in 0..<4 { StraightLines(rows, order.graph, ends).straighten(&values, levels) }
    }

    private mutating func connect(_ graph: LayerGraph, _ ends: LineEnds) {
        for (edge, chain) in graph.chains.enumerated() where chain.count > 1 {
            for index in 1..<chain.count {
                let (first, second) = (chain[index - 1], chain[index])
                let bends = (rows.kinds[first] == .bend ? 1 : 0) + (rows.kinds[second] == .bend ? 1 : 0)
                // The weights from Gansner, Koutsofios, North and Vo, 'A technique for drawing directed graphs'.
                let weight = [1.0, 2, 8][bends]
                let start = index == 1 ? ends.atLeft[edge] : 0
                let end = index == chain.count - 1 ? ends.atRight[edge] : 0
                toRight[first].append(Spring(other: second, weight: weight, offset: end - start))
                toLeft[second].append(Spring(other: first, weight: weight, offset: start - end))
            }
        }
        for borders in rows.upper + rows.lower {
            for (first, second) in zip(borders, borders.dropFirst()) {
                toRight[first].append(Spring(other: second, weight: 8, offset: 0))
                toLeft[second].append(Spring(other: first, weight: 8, offset: 0))
            }
        }
        for (group, uppers) in rows.upper.enumerated() {
            for (upper, lower) in zip(uppers, rows.lower[group]) {
                within[lower].append(Spring(other: upper, weight: Self.closeness, offset: 0))
                within[upper].append(Spring(other: lower, weight: Self.closeness, offset: 0))
            }
        }
        for row in rows.rows {
            var upper: Int?
            var lower: Int?
            for element in row {
                if rows.kinds[element] == .lowerBorder { lower = element }
                if rows.kinds[element] == .upperBorder, let lower {
                    within[element].append(Spring(other: lower, weight: Self.closeness / 2, offset: 0))
                    within[lower].append(Spring(other: element, weight: Self.closeness / 2, offset: 0))
                }
                if rows.kinds[element] == .upperBorder { upper = element }
                if rows.kinds[element] == .lowerBorder { upper = nil }
                if let upper, rows.kinds[element] == .box || rows.kinds[element] == .filler {
                    within[element].append(Spring(other: upper, weight: 0.05, offset: 0))
                }
            }
        }
    }

    private mutating func stack() {
        for row in rows.rows {
            var height = 0.0
            for (index, element) in row.enumerated() {
                if index > 0 { height += rows.distance(row[index - 1], element) }
                values[element] = height
            }
            for element in row { values[element] -= height / 2 }
        }
    }

    private mutating func relax(using springs: [[[Spring]]], rightward: Bool) {
        for layer in rows.rows.indices {
            settle(rows.rows[rightward ? layer : rows.rows.count - 1 - layer], springs)
        }
    }

    private mutating func settle(_ row: [Int], _ springs: [[[Spring]]]) {
        var blocks: [(sum: Double, weight: Double, size: Int)] = []
        var shift = 0.0
        var shifts: [Double] = []
        for (index, element) in row.enumerated() {
            if index > 0 { shift += rows.distance(row[index - 1], element) }
            shifts.append(shift)
            // An element without springs stays where it is unless it is pushed.
            var weight = 0.02
            var sum = weight * values[element]
            for kind in springs {
                for spring in kind[element] {
                    sum += spring.weight * (values[spring.other] + spring.offset)
                    weight += spring.weight
                }
            }
            var block = (sum: sum - weight * shift, weight: weight, size: 1)
            while let last = blocks.last, last.sum / last.weight >= block.sum / block.weight {
                block = (last.sum + block.sum, last.weight + block.weight, last.size + block.size)
                blocks.removeLast()
            }
            blocks.append(block)
        }
        var index = 0
        for block in blocks {
            let height = block.sum / block.weight
            for _ in 0..<block.size {
                values[row[index]] = height + shifts[index]
                index += 1
            }
        }
    }
}
