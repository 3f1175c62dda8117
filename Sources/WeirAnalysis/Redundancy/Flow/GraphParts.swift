import WeirTrace

/// The connected parts of the graph, and which thread has touched which of them so far.
///
/// As long as no part is touched by two threads, the rules find the same in whatever order the threads' emissions and deliveries come.
struct GraphParts {
    /// The parts of subscriptions, then those of nodes, by index.
    private let parts: [Int32]
    private let subscriptionCount: Int
    /// The place of the thread that has touched a part; by part.
    private var threads: [Int32]

    private static let none: Int32 = -1
    private static let several: Int32 = -2

    init(_ tables: FlowTables) {
        let topology = tables.topology
        var parts = topology.nodeIDs.indices.map { Int32($0) }
        func part(of node: Int) -> Int {
            var node = node
            while Int(parts[node]) != node {
                parts[node] = parts[Int(parts[node])]
                node = Int(parts[node])
            }
            return node
        }
        for (source, target) in zip(topology.sources, topology.targets) where target >= 0 {
            parts[part(of: source)] = Int32(part(of: target))
        }
        let ofNodes = topology.nodeIDs.indices.map { Int32(part(of: $0)) }
        threads = Array(repeating: Self.none, count: ofNodes.count)
        for (place, part) in ofNodes.enumerated() {
            // Sources are compared with others of their line, and a callback may begin the first stimulus.
            let traits = tables.nodes[place].traits
            if !traits.isDisjoint(with: [.source, .isCallback]) { threads[Int(part)] = Self.several }
        }
        subscriptionCount = topology.sources.count
        self.parts = topology.sources.map { ofNodes[$0] } + ofNodes
    }

    /// Notes that the thread at a place touches the parts of emissions, suppressions and deliveries; false: another one has touched one of
    /// them.
    mutating func touch(_ steps: UnsafeBufferPointer<FlowStep>, _ thread: Int) -> Bool {
        for step in steps {
            let isOwn =
                step.kind <= EventKind.suppressed.rawValue
                ? touch(node: step.place, thread) : touch(subscription: step.place, thread)
            if !isOwn { return false }
        }
        return true
    }

    /// The same for a node.
    @inline(__always)
    mutating func touch(node: Int32, _ thread: Int) -> Bool {
        node < 0 || touch(subscriptionCount + Int(node), thread)
    }

    /// The same for a subscription.
    @inline(__always)
    mutating func touch(subscription: Int32, _ thread: Int) -> Bool {
        subscription < 0 || touch(Int(subscription), thread)
    }

    @inline(__always)
    private mutating func touch(_ place: Int, _ thread: Int) -> Bool {
        let part = Int(parts[place])
        let known = Int(threads[part])
        if _fastPath(known == thread) { return true }
        guard known == Int(Self.none) else { return false }
        threads[part] = Int32(truncatingIfNeeded: thread)
        return true
    }
}
