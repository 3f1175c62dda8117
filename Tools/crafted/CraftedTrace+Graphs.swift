extension CraftedTrace {
    /// Graphs in which each edge costs a few bytes.
    static let graphs = [
        CraftedTrace("chain") { file, records in
            let nodes = UInt32(records / 10)
            file.chain(nodes)
            // Each turn runs through a part of the chain; four turns cover all of it.
            for turn in 0..<UInt32(8) {
                let start = turn % 4 * (nodes / 4) + 1
                file.cascade(from: start, to: min(start + nodes / 4, nodes - 1), value: Int(turn))
            }
        },
        CraftedTrace("ring") { file, records in
            let nodes = UInt32(records / 10)
            file.chain(nodes)
            file.subscription(nodes, nodes, 1)
            for turn in 0..<8 { file.cascade(from: 1, to: nodes, value: turn) }
        },
        CraftedTrace("one wide combiner") { file, records in
            let inputs = UInt32(records / 12)
            file.node(1, kind: 3, "Wide.sum", line: 1)
            for node in 2..<inputs + 2 {
                file.node(node, "Wide.input\(node)", line: Int(node))
                file.subscription(node, node, 1, line: Int(node))
            }
            file.subscription(1, 1, line: 2)
            for node in 2..<inputs + 2 {
                for round in 0..<2 {
                    file.emitted(node, round, delivers: true)
                    file.delivered(node)
                    file.emitted(1, round, to: [1])
                    file.ended()
                }
            }
        },
        CraftedTrace("dense graph") { file, records in
            let edges = records / 4
            var (source, target, id) = (UInt32(1), UInt32(2), UInt32(1))
            file.node(1, kind: 1, "Dense.node1")
            file.node(2, kind: 3, "Dense.node2", line: 2)
            while id <= edges {
                file.subscription(id, source, target, line: Int(id))
                source += 1
                if source == target {
                    (source, target) = (1, target + 1)
                    file.node(target, kind: 3, "Dense.node\(target)", line: Int(target))
                }
                id += 1
            }
            for value in 0..<records / 4 { file.emitted(1, value, to: [1]) }
        },
        CraftedTrace("cycles") { file, records in
            let nodes = UInt32(records / 12)
            for node in 1...nodes { file.node(node, kind: 3, "Cycles.node\(node)", line: Int(node)) }
            var random = CraftedRandom()
            for edge in 1...nodes * 2 {
                file.subscription(edge, random.below(nodes) + 1, random.below(nodes) + 1, line: Int(edge))
            }
            for edge in 1...nodes * 2 { file.emitted(edge % nodes + 1, Int(edge), to: [edge]) }
        },
        CraftedTrace("feedback of handlers") { file, records in
            let nodes = UInt32(records / 8)
            for node in 1...nodes {
                file.node(node, "Feedback.node\(node)", line: Int(node))
                file.subscription(node, node, line: Int(node))
            }
            var random = CraftedRandom()
            for node in 1...nodes {
                file.emitted(node, 1, delivers: true)
                file.delivered(node)
                file.emitted(random.below(nodes) + 1, 2)
                file.ended()
            }
        },
        CraftedTrace("star") { file, records in
            let leaves = UInt32(records / 6)
            file.node(1, kind: 2, "Star.center")
            for leaf in 1...leaves {
                file.node(leaf + 1, kind: 1, "Star.leaves[\(leaf)].value")
                file.subscription(leaf, 1, leaf + 1, line: Int(leaf))
            }
            for value in 0..<2 { file.emitted(1, value, to: 1...leaves) }
        },
        CraftedTrace("names") { file, records in
            // All nodes' names begin alike, and many share one long name.
            let prefix = String(repeating: "Prefix.", count: 140)
            for node in 1...UInt32(records) {
                let isShared = node % 2 == 0 && node % 64 != 0
                let name = node % 2 == 0 ? prefix + (isShared ? "end" : "\(node)") : "P.items[\"k\(node)\"].v"
                file.node(node, name, line: Int(node))
            }
            for value in 0..<records / 4 { file.emitted(UInt32(value + 1), value) }
        },
        CraftedTrace("one huge name") { file, records in
            let name = String(repeating: "N", count: 60_000)
            for node in 1...UInt32(records) { file.node(node, name, file: name, line: Int(node)) }
            for value in 0..<records / 4 { file.emitted(UInt32(value + 1), value) }
        },
    ]
}

extension CraftedFile {
    /// Nodes from 1 on, each except the last observed by the next, through a subscription with the observed node's number.
    fileprivate mutating func chain(_ nodes: UInt32) {
        for node in 1...nodes {
            self.node(node, kind: node == 1 ? 1 : 3, "Chain.node\(node)", line: Int(node))
            if node < nodes { subscription(node, node, node + 1, line: Int(node)) }
        }
    }

    /// One turn: each node passes on its value, up to 200 deep at a time.
    fileprivate mutating func cascade(from first: UInt32, to last: UInt32, value: Int) {
        var start = first
        while start <= last {
            let end = min(start + 199, last)
            for node in start...end {
                emitted(node, value, delivers: true)
                delivered(node)
            }
            for _ in start...end { ended() }
            start = end + 1
        }
    }
}

/// The same numbers every time.
struct CraftedRandom {
    private var state: UInt64 = 1

    mutating func below(_ bound: UInt32) -> UInt32 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt32((state >> 33) % UInt64(bound))
    }
}
