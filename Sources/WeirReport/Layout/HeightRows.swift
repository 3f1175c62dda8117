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
