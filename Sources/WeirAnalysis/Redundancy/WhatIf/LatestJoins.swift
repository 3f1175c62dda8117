import WeirTrace

/// The combineLatest nodes among some nodes, and the nodes from whose values a combiner in their place would compute.
struct LatestJoins {
    private(set) var all: Set<Int> = []
    /// For each one that a combiner can replace, the nodes that hold the values.
    private(set) var roots: [Int: Set<Int>] = [:]
    private(set) var targets: [Int: [Int]] = [:]

    private static let deepest = 1000

    init(_ topology: Topology, _ nodes: [Int]) {
        all = Set(nodes.filter { Self.kind($0, topology) == .combineLatest })
        for node in all.sorted() {
            var found: Set<Int> = []
            guard collect(node, topology, depth: 0, into: &found) else { continue }
            roots[node] = found
            for root in found { targets[root, default: []].append(node) }
        }
    }

    private static func kind(_ node: Int, _ topology: Topology) -> NodeKind? {
        topology.definitions.nodes[topology.nodeIDs[node]]?.kind
    }

    /// Adds the nodes that hold the values behind the inputs; false if an input has no value.
    private func collect(_ node: Int, _ topology: Topology, depth: Int, into found: inout Set<Int>) -> Bool {
        guard depth < Self.deepest else { return false }
        for source in Set(topology.inputs[node].map { topology.sources[$0] }) {
            switch Self.kind(source, topology) {
            case .observable, .combiner, .array: found.insert(source)
            case .map, .current:
                guard collect(source, topology, depth: depth + 1, into: &found) else { return false }
            case .combineLatest where all.contains(source):
                guard collect(source, topology, depth: depth + 1, into: &found) else { return false }
            default: return false
            }
        }
        return !topology.inputs[node].isEmpty
    }

    /// The most combiners on any path to the node, if a combiner replaces each map and combineLatest.
    static func height(_ node: Int, _ topology: Topology, _ program: RecordedProgram) -> Int {
        var heights: [Int: Int] = [:]
        func height(_ node: Int, _ depth: Int) -> Int {
            if let known = heights[node] { return known }
            let kind = program.kinds[node]
            guard depth < deepest, kind == .map || kind == .current || kind == .combineLatest else {
                return program.height(node)
            }
            let highest = topology.inputs[node].map { height(topology.sources[$0], depth + 1) }.max() ?? 0
            let own = kind == .current ? highest : highest + 1
            heights[node] = own
            return own
        }
        return height(node, 0)
    }
}
