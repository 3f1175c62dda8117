/// Counts crossings between two layers as inversions, in a Fenwick tree.
///
/// Barth, Jünger and Mutzel, 'Simple and efficient bilayer cross counting' (2002).
struct CrossingCount {
    private var tree: [Int] = []

    /// The pairs of edges that cross in the whole of `order`.
    mutating func total(_ order: LayerOrder) -> Int {
        var sum = 0
        for layer in order.rows.indices.dropLast() { sum += between(order, layer) }
        return sum
    }

    /// The pairs of edges that cross between `layer` and the next.
    mutating func between(_ order: LayerOrder, _ layer: Int) -> Int {
        let size = order.rows[layer + 1].count
        tree.removeAll(keepingCapacity: true)
        tree.append(contentsOf: repeatElement(0, count: size + 1))
        var (inserted, sum) = (0, 0)
        for vertex in order.rows[layer] {
            let neighbours = order.graph.right[vertex]
            for neighbour in neighbours {
                // Edges inserted earlier that end further down.
                var index = order.places[neighbour] + 1
                var above = 0
                while index > 0 {
                    above += tree[index]
                    index &= index - 1
                }
                sum += inserted - above
            }
            for neighbour in neighbours {
                var index = order.places[neighbour] + 1
                while index <= size {
                    tree[index] += 1
                    index += index & -index
                }
                inserted += 1
            }
        }
        return sum
    }
}
