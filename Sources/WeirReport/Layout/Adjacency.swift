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
