/// The order of the vertices within each layer.
///
/// Invariants: the members of a group are contiguous in each layer, with only bends of other edges between them; groups have
/// the same order in all layers. So rectangles can be drawn around them that do not overlap.
struct LayerOrder: Sendable {
    let graph: LayerGraph
    private(set) var rows: [[Int]]
    /// By vertex: its index in its row.
    private(set) var places: [Int]
    /// By group: its index in the order of groups.
    private(set) var groupRanks: [Int]

    /// Rows ordered by `keys`, within the limits set by groups.
    init(_ graph: LayerGraph, keys: [Double], groupRanks: [Int]) {
        self.graph = graph
        self.groupRanks = groupRanks
        rows = Array(repeating: [], count: graph.layerCount)
        places = Array(repeating: 0, count: graph.count)
        for vertex in 0..<graph.count { rows[graph.layers[vertex]].append(vertex) }
        for layer in rows.indices { arrange(layer, keys: keys) }
    }

    /// Orders one row by `keys`, within the limits set by groups; ties keep their order, or are reversed.
    mutating func arrange(_ layer: Int, keys: [Double], reversingTies: Bool = false) {
        let row = rows[layer]
        for (place, vertex) in row.enumerated() { places[vertex] = place }
        func comesFirst(_ first: Int, _ second: Int) -> Bool {
            if keys[first] != keys[second] { return keys[first] < keys[second] }
            return reversingTies ? places[first] > places[second] : places[first] < places[second]
        }
        var members: [Int] = []
        var others: [Int] = []
        for vertex in row {
            if case .member = graph.roles[vertex] { members.append(vertex) } else { others.append(vertex) }
        }
        others.sort(by: comesFirst)
        if members.isEmpty {
            set(layer, others)
            return
        }
        members.sort { first, second in
            let (firstRank, secondRank) = (rank(first), rank(second))
            return firstRank == secondRank ? comesFirst(first, second) : firstRank < secondRank
        }
        let singles = others.filter { graph.roles[$0] == .single }
        let bends = others.filter { graph.roles[$0] == .bend }
        let boxes =
            singles.isEmpty
            ? members : merge(singles, into: members, keys: keys) { rank($0) != rank($1) || rank($0) < 0 }
        set(layer, bends.isEmpty ? boxes : merge(bends, into: boxes, keys: keys) { _, _ in true })
    }

    private func rank(_ vertex: Int) -> Int {
        if case .member(let group) = graph.roles[vertex] { return groupRanks[group] }
        return -1
    }

    /// Inserts each of `free` where the fewest of `fixed` are on the wrong side; both keep their own order.
    private func merge(_ free: [Int], into fixed: [Int], keys: [Double], mayPart: (Int, Int) -> Bool) -> [Int] {
        var gaps: [Int] = []
        var start = 0
        for vertex in free {
            var (cost, best, bestGap) = (0, Int.max, start)
            for gap in start...fixed.count {
                let isAllowed = gap == 0 || gap == fixed.count || mayPart(fixed[gap - 1], fixed[gap])
                if isAllowed && cost < best { (best, bestGap) = (cost, gap) }
                guard gap < fixed.count else { break }
                // Beyond a few hundred, the exact optimum is not worth the time.
                if gap - start > 512 && best < Int.max && cost > best { break }
                let key = keys[fixed[gap]]
                if key > keys[vertex] { cost += 1 } else if key < keys[vertex] { cost -= 1 }
            }
            gaps.append(bestGap)
            start = bestGap
        }
        var result: [Int] = []
        result.reserveCapacity(fixed.count + free.count)
        var next = 0
        for gap in 0...fixed.count {
            while next < free.count && gaps[next] == gap {
                result.append(free[next])
                next += 1
            }
            if gap < fixed.count { result.append(fixed[gap]) }
        }
        return result
    }

    mutating func set(_ layer: Int, _ row: [Int]) {
        rows[layer] = row
        for (place, vertex) in row.enumerated() { places[vertex] = place }
    }

    mutating func setGroupRanks(_ ranks: [Int]) { groupRanks = ranks }

    /// Whether the row, in another order, would keep the groups contiguous.
    func isAllowed(_ row: [Int]) -> Bool {
        var last = -1
        var isClosed = false
        for vertex in row where graph.roles[vertex] != .bend {
            let rank = rank(vertex)
            if rank < 0 {
                isClosed = true
            } else {
                guard rank > last || (rank == last && !isClosed) else { return false }
                (last, isClosed) = (rank, false)
            }
        }
        return true
    }

    /// Whether two neighbours in a row may be swapped.
    func maySwap(_ first: Int, _ second: Int) -> Bool {
        graph.roles[first] == .bend || graph.roles[second] == .bend || graph.roles[first] == graph.roles[second]
    }
}

/// The neighbours of each vertex, in one contiguous array.
struct Adjacency: Sendable {
    private var starts: [Int]
    private var items: [Int]

    /// Groups the second elements of `pairs` by their first elements, in the given order.
    init(count: Int, pairs: some Sequence<(Int, Int)>) {
        starts = Array(repeating: 0, count: count + 1)
        for (first, _) in pairs { starts[first + 1] += 1 }
        for index in 0..<count { starts[index + 1] += starts[index] }
        items = Array(repeating: 0, count: starts[count])
        var next = starts
        for (first, second) in pairs {
            items[next[first]] = second
            next[first] += 1
        }
    }

    subscript(vertex: Int) -> ArraySlice<Int> { items[starts[vertex]..<starts[vertex + 1]] }

    func degree(_ vertex: Int) -> Int { starts[vertex + 1] - starts[vertex] }

    func range(_ vertex: Int) -> Range<Int> { starts[vertex]..<starts[vertex + 1] }

    func item(_ place: Int) -> Int { items[place] }
}

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
