/// Edges without which a graph has no cycles: as few as a greedy choice finds, each of which closes one.
///
/// Edges are added one by one, and one that would close a cycle is marked. Only edges within a strongly connected component
/// (found with Tarjan's algorithm) can be on a cycle. The search for cycles is limited to `stepLimit` steps. Beyond the limit,
/// every edge against one order of the nodes is marked, so some of these close no cycle.
struct FeedbackEdges {
    /// By the index of the edge.
    private(set) var isFeedback: [Bool]

    /// - Parameter edges: in the order in which they are added.
    init(_ edges: [(source: Int, target: Int)], nodes: Int, stepLimit: Int = 20_000_000) {
        isFeedback = edges.map { $0.source == $0.target }
        let component = Self.stronglyConnectedComponents(edges, nodes)
        var next = [[Int]](repeating: [], count: nodes)
        let uncertain = edges.indices.filter {
            !isFeedback[$0] && component[edges[$0].source] == component[edges[$0].target]
        }
        var search = CycleSearch(count: nodes)
        var rest = uncertain[...]
        while search.steps < stepLimit, let place = rest.popFirst() {
            let edge = edges[place]
            if search.leads(from: edge.target, to: edge.source, next) {
                isFeedback[place] = true
            } else {
                next[edge.source].append(edge.target)
            }
        }
        guard !rest.isEmpty else { return }
        let order = Self.order(next)
        for place in rest where order[edges[place].source] > order[edges[place].target] { isFeedback[place] = true }
    }

    /// The position of each node in a topological order of a graph without cycles.
    private static func order(_ next: [[Int]]) -> [Int] {
        var open = [Int](repeating: 0, count: next.count)
        for target in next.joined() { open[target] += 1 }
        var ready = Array(next.indices.filter { open[$0] == 0 }.reversed())
        var order = [Int](repeating: 0, count: next.count)
        var count = 0
        while let place = ready.popLast() {
            order[place] = count
            count += 1
            for target in next[place] {
                open[target] -= 1
                if open[target] == 0 { ready.append(target) }
            }
        }
        return order
    }

    /// The number of each node's component, within which every node leads to every other.
    private static func stronglyConnectedComponents(_ edges: [(source: Int, target: Int)], _ nodes: Int) -> [Int] {
        var next = [[Int]](repeating: [], count: nodes)
        for edge in edges where edge.source != edge.target { next[edge.source].append(edge.target) }
        var number = [Int](repeating: -1, count: nodes)
        var lowest = number
        var component = number
        var (numbers, components) = (0, 0)
        var open: [Int] = []
        // An explicit stack: the graph may be deeper than the thread's stack.
        var path: [(node: Int, step: Int)] = []
        for root in 0..<nodes where number[root] < 0 {
            path.append((root, 0))
            while let (node, step) = path.last {
                if step == 0 {
                    (number[node], lowest[node]) = (numbers, numbers)
                    numbers += 1
                    open.append(node)
                }
                if step < next[node].count {
                    path[path.count - 1].step += 1
                    let target = next[node][step]
                    if number[target] < 0 {
                        path.append((target, 0))
                    } else if component[target] < 0 {
                        lowest[node] = min(lowest[node], number[target])
                    }
                    continue
                }
                path.removeLast()
                if let (parent, _) = path.last { lowest[parent] = min(lowest[parent], lowest[node]) }
                guard lowest[node] == number[node] else { continue }
                while let last = open.popLast() {
                    component[last] = components
                    if last == node { break }
                }
                components += 1
            }
        }
        return component
    }
}

/// Checks whether one node leads to another, and counts its steps.
private struct CycleSearch {
    private(set) var steps = 0
    private var round = 0
    private var roundOfNode: [Int]

    init(count: Int) { roundOfNode = .init(repeating: 0, count: count) }

    mutating func leads(from start: Int, to end: Int, _ next: [[Int]]) -> Bool {
        round += 1
        var rim = [start]
        roundOfNode[start] = round
        while let node = rim.popLast() {
            if node == end { return true }
            for target in next[node] {
                steps += 1
                guard roundOfNode[target] != round else { continue }
                roundOfNode[target] = round
                rim.append(target)
            }
        }
        return false
    }
}
