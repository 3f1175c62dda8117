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
