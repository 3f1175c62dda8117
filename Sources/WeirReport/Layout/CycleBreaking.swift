/// An order of the nodes against which few edges run, and only edges that are part of a cycle.
///
/// The greedy rule of Eades, Lin and Smyth, 'A fast and effective heuristic for the feedback arc set problem' (1993), over
/// the edges not marked as feedback. If these edges have no cycle, they alone decide.
struct CycleBreaking {
    /// By edge: whether it runs against the order.
    private(set) var isReversed: [Bool]

    init(count: Int, edges: [LayeredLayout.Edge]) {
        let rank = Self.ranks(count: count, edges: edges.filter { !$0.isFeedback && $0.source != $0.target })
        isReversed = edges.map { rank[$0.source] > rank[$0.target] }
    }

    private static func ranks(count: Int, edges: [LayeredLayout.Edge]) -> [Int] {
        let next = Adjacency(count: count, pairs: edges.lazy.map { ($0.source, $0.target) })
        let previous = Adjacency(count: count, pairs: edges.lazy.map { ($0.target, $0.source) })
        var outgoing = (0..<count).map(next.degree)
        var incoming = (0..<count).map(previous.degree)
        var rank = Array(repeating: -1, count: count)
        var (first, last) = (0, count - 1)
        var sources = (0..<count).filter { incoming[$0] == 0 }
        var sinks = (0..<count).filter { outgoing[$0] == 0 && incoming[$0] > 0 }
        var buckets = Buckets(count: count)
        for node in 0..<count { buckets.put(node, outgoing[node] - incoming[node]) }

        func remove(_ node: Int) {
            for other in next[node] where rank[other] < 0 {
                incoming[other] -= 1
                if incoming[other] == 0 { sources.append(other) }
                buckets.put(other, outgoing[other] - incoming[other])
            }
            for other in previous[node] where rank[other] < 0 {
                outgoing[other] -= 1
                if outgoing[other] == 0 { sinks.append(other) }
                buckets.put(other, outgoing[other] - incoming[other])
            }
        }

        while first <= last {
            if let node = sources.popLast() {
                guard rank[node] < 0 else { continue }
                rank[node] = first
                first += 1
                remove(node)
            } else if let node = sinks.popLast() {
                guard rank[node] < 0 else { continue }
                rank[node] = last
                last -= 1
                remove(node)
            } else {
                let node = buckets.takeGreatest { rank[$0] < 0 ? outgoing[$0] - incoming[$0] : nil }
                rank[node] = first
                first += 1
                remove(node)
            }
        }
        return rank
    }
}

/// Nodes by surplus of outgoing edges; outdated entries stay until they are encountered.
private struct Buckets {
    private var entries: [Int: [Int]] = [:]
    private var greatest = Int.min

    init(count: Int) {}

    mutating func put(_ node: Int, _ surplus: Int) {
        entries[surplus, default: []].append(node)
        greatest = max(greatest, surplus)
    }

    mutating func takeGreatest(_ surplus: (Int) -> Int?) -> Int {
        while true {
            while let node = entries[greatest]?.popLast() {
                if surplus(node) == greatest { return node }
            }
            greatest -= 1
        }
    }
}
