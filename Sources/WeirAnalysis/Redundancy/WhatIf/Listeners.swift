import WeirTrace

/// The live subscriptions to each node, in the order in which it delivers.
///
/// They are linked lists, because one node may have as many subscriptions as the trace has events.
struct Listeners {
    private var first: [Int32]
    private var last: [Int32]
    private var next: [Int32]
    private var previous: [Int32]
    private var isListed: [Bool]
    private(set) var counts: [Int]
    private let sources: [Int]

    init(_ topology: Topology) {
        sources = topology.sources
        counts = .init(repeating: 0, count: topology.nodeIDs.count)
        first = .init(repeating: -1, count: topology.nodeIDs.count)
        last = first
        next = .init(repeating: -1, count: sources.count)
        previous = next
        isListed = .init(repeating: false, count: sources.count)
    }

    /// The first subscription of a node; -1 if there is none.
    @inline(__always)
    func first(of node: Int) -> Int { Int(first[node]) }

    /// The subscription after another; -1 if there is none.
    @inline(__always)
    func next(behind place: Int) -> Int { Int(next[place]) }

    mutating func append(_ place: Int) { insert(Int32(place), between: last[sources[place]], and: -1) }

    /// Inserts a subscription after another of the same node, or at the beginning if that one is not listed.
    mutating func insert(_ place: Int, behind former: Int?) {
        let node = sources[place]
        if let former, isListed[former], sources[former] == node {
            insert(Int32(place), between: Int32(former), and: next[former])
        } else {
            insert(Int32(place), between: -1, and: first[node])
        }
    }

    mutating func remove(_ place: Int) {
        guard isListed[place] else { return }
        let (node, left, right) = (sources[place], previous[place], next[place])
        if left < 0 { first[node] = right } else { next[Int(left)] = right }
        if right < 0 { last[node] = left } else { previous[Int(right)] = left }
        (next[place], previous[place], isListed[place]) = (-1, -1, false)
        counts[node] -= 1
    }

    private mutating func insert(_ place: Int32, between left: Int32, and right: Int32) {
        let node = sources[Int(place)]
        (previous[Int(place)], next[Int(place)], isListed[Int(place)]) = (left, right, true)
        if left < 0 { first[node] = place } else { next[Int(left)] = place }
        if right < 0 { last[node] = place } else { previous[Int(right)] = place }
        counts[node] += 1
    }
}
