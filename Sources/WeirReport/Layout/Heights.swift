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

/// The elements of each column from top to bottom, including the borders of groups, and their distances.
struct HeightRows {
    /// The kind of an element whose height is computed.
    enum Kind: Equatable {
        case box, filler, bend, upperBorder, lowerBorder
    }

    /// By column: its elements. Elements are the vertices of the graph, then the borders.
    private(set) var rows: [[Int]]
    private(set) var kinds: [Kind]
    /// By border: its group.
    private(set) var groupOfBorder: [Int] = []
    /// By group: its borders, layer by layer.
    private(set) var upper: [[Int]]
    private(set) var lower: [[Int]]
    let vertexCount: Int
    private let heights: [Double]
    private let hasLoop: [Bool]
    private let spacing: LayoutSpacing

    init(_ order: LayerOrder, heights: [Double], hasLoop: [Bool], spacing: LayoutSpacing) {
        let graph = order.graph
        (self.heights, self.hasLoop, self.spacing) = (heights, hasLoop, spacing)
        vertexCount = graph.count
        kinds = (0..<graph.count).map { $0 < graph.nodeCount ? .box : graph.isBend[$0] ? .bend : .filler }
        upper = Array(repeating: [], count: graph.groupCount)
        lower = upper
        rows = []
        for row in order.rows {
            var first: [Int: Int] = [:]
            var last: [Int: Int] = [:]
            for (place, vertex) in row.enumerated() {
                guard case .member(let group) = graph.roles[vertex] else { continue }
                if first[group] == nil { first[group] = place }
                last[group] = place
            }
            var elements: [Int] = []
            for (place, vertex) in row.enumerated() {
                guard case .member(let group) = graph.roles[vertex] else {
                    elements.append(vertex)
                    continue
                }
                if first[group] == place { elements.append(addBorder(.upperBorder, of: group)) }
                elements.append(vertex)
                if last[group] == place { elements.append(addBorder(.lowerBorder, of: group)) }
            }
            rows.append(elements)
        }
    }

    private mutating func addBorder(_ kind: Kind, of group: Int) -> Int {
        let element = kinds.count
        kinds.append(kind)
        groupOfBorder.append(group)
        if kind == .upperBorder { upper[group].append(element) } else { lower[group].append(element) }
        return element
    }

    var count: Int { kinds.count }

    /// How far the middle of `second` must be below the middle of `first`, the element directly above it.
    func distance(_ first: Int, _ second: Int) -> Double {
        half(first) + half(second) + gap(kinds[first], kinds[second]) + loop(second)
    }

    private func half(_ element: Int) -> Double { kinds[element] == .box ? heights[element] / 2 : 0 }

    private func loop(_ element: Int) -> Double {
        kinds[element] == .box && hasLoop[element] ? spacing.loop : 0
    }

    private func gap(_ first: Kind, _ second: Kind) -> Double {
        switch (first, second) {
        case (.box, .box): spacing.boxes
        case (.bend, .bend): spacing.lines
        case (.box, .bend), (.bend, .box): spacing.linesAndBoxes
        case (.upperBorder, .bend): spacing.groupTitle + 2
        case (.upperBorder, _): spacing.groupTitle + spacing.groupPadding / 2
        case (_, .lowerBorder): spacing.groupPadding
        case (.lowerBorder, .bend), (.bend, .upperBorder): spacing.linesAndBoxes
        case (.lowerBorder, _), (_, .upperBorder): spacing.groups
        case (.filler, _), (_, .filler): spacing.lines
        }
    }
}
