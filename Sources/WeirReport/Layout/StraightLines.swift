/// Gives the bends of a line the same height wherever there is room.
struct StraightLines {
    private let rows: HeightRows
    private let graph: LayerGraph
    private let ends: LineEnds

    init(_ rows: HeightRows, _ graph: LayerGraph, _ ends: LineEnds) {
        (self.rows, self.graph, self.ends) = (rows, graph, ends)
    }

    func straighten(_ values: inout [Double], _ levels: LevelBorders) {
        var byVariable = Array(repeating: 0.0, count: levels.count)
        for (element, variable) in levels.variables.enumerated() { byVariable[variable] = values[element] }
        // Longer lines first: the eye follows these.
        let order = graph.chains.indices.filter { graph.chains[$0].count > 2 }
            .sorted { (-graph.chains[$0].count, $0) < (-graph.chains[$1].count, $1) }
        for edge in order {
            let chain = graph.chains[edge]
            let start = values[chain[0]] + ends.atLeft[edge]
            let end = values[chain[chain.count - 1]] + ends.atRight[edge]
            var index = 1
            while index < chain.count - 1 {
                var room = levels.room(chain[index], values, of: byVariable)
                var last = index
                while last + 1 < chain.count - 1 {
                    let other = levels.room(chain[last + 1], values, of: byVariable)
                    let (low, high) = (
                        max(room.lowerBound, other.lowerBound), min(room.upperBound, other.upperBound)
                    )
                    guard low <= high else { break }
                    room = low...high
                    last += 1
                }
                let wished = Self.wished(
                    start: index == 1 ? start : nil, end: last == chain.count - 2 ? end : nil, room,
                    mean: chain[index...last].reduce(0) { $0 + values[$1] } / Double(last - index + 1))
                for bend in chain[index...last] {
                    values[bend] = wished
                    byVariable[levels.variables[bend]] = wished
                }
                index = last + 1
            }
        }
    }

    /// The height of one end if there is room for it; else the height nearest to both.
    private static func wished(
        start: Double?, end: Double?, _ room: ClosedRange<Double>, mean: Double
    ) -> Double {
        if let start, room.contains(start) { return start }
        if let end, room.contains(end) { return end }
        return min(max(mean, room.lowerBound), room.upperBound)
    }
}
