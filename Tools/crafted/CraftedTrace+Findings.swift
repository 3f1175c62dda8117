extension CraftedTrace {
    /// Traces with many findings, or with remedies that take long to evaluate.
    static let findings = [
        CraftedTrace("many findings") { file, records in
            let nodes = UInt32(records / 12)
            file.screen(nodes)
            // In turn, and each value twice: all handlers are refreshed with an equal value, in one frame.
            for round in 0..<3 {
                for node in 1...nodes { file.emitted(node, round / 2, to: [node]) }
            }
        },
        CraftedTrace("many findings on one line") { file, records in
            let nodes = UInt32(records / 12)
            file.screen(nodes, isOneLine: true)
            for round in 0..<3 {
                for node in 1...nodes { file.emitted(node, round / 2, to: [node]) }
            }
        },
        CraftedTrace("findings, each in every turn") { file, records in
            let nodes = UInt32(60)
            file.screen(nodes)
            for number in 0..<records / Int(nodes * 3) {
                file.stimulus("s\(number % 100)")
                for node in 1...nodes { file.emitted(node, number / 2, to: [node]) }
                file.stimulusEnded()
            }
        },
        CraftedTrace("glitches") { file, records in
            // A series of diamonds: two paths join in a combiner, which emits twice.
            let diamonds = UInt32(records / 24)
            for number in 0..<diamonds {
                let (first, edge) = (number * 4 + 1, number * 5 + 1)
                file.node(first, "D\(number).origin", line: Int(first))
                for node in first + 1...first + 3 {
                    file.node(node, kind: 3, "D\(number).node\(node)", line: Int(node))
                }
                file.subscription(edge, first, first + 1, line: Int(edge))
                file.subscription(edge + 1, first, first + 2, line: Int(edge))
                file.subscription(edge + 2, first + 1, first + 3, line: Int(edge))
                file.subscription(edge + 3, first + 2, first + 3, line: Int(edge))
                file.subscription(edge + 4, first + 3, line: Int(edge))
            }
            for number in 0..<diamonds {
                let (first, edge) = (number * 4 + 1, number * 5 + 1)
                file.emitted(first, 1, delivers: true)
                for way in 0..<UInt32(2) {
                    file.delivered(edge + way, isFirst: way == 0)
                    file.emitted(first + 1 + way, 1, delivers: true)
                    file.delivered(edge + 2 + way)
                    file.emitted(first + 3, Int(way), to: [edge + 4])
                    file.ended()
                }
                file.ended()
            }
        },
        CraftedTrace("values that stay different") { file, records in
            // An early change by a remedy propagates through all turns.
            let nodes = UInt32(records / 10)
            file.screen(nodes)
            for node in 1...nodes {
                file.emitted(node, 1, to: [node])
                file.emitted(node, 1, to: [node])
            }
            for number in 0..<records / 10 { file.emitted(UInt32(number) % nodes + 1, number, to: [1]) }
        },
        CraftedTrace("shared sources") { file, records in
            let runs = UInt32(records / 6)
            file.node(1, kind: 5, "Shared.source")
            for run in 1...runs { file.subscription(run, 1, line: Int(run)) }
            for run in 1...runs { file.started(run) }
            for run in 1...runs { file.emitted(1, 7, to: [run]) }
            for run in 1...runs { file.ended(subscription: run) }
        },
        CraftedTrace("results without end") { file, records in
            // Two inputs of a combiner that never hold the same pair of values again.
            file.node(1, "R.left")
            file.node(2, "R.right", line: 2)
            file.node(3, kind: 3, "R.sum", line: 3)
            file.subscription(1, 1, 3)
            file.subscription(2, 2, 3)
            file.subscription(3, 3, line: 9)
            for number in 0..<records / 6 {
                let input = UInt32(number % 2) + 1
                file.emitted(input, number, delivers: true)
                file.delivered(input)
                file.emitted(3, number / 2, to: [3])
                file.ended()
            }
        },
    ]
}

extension CraftedFile {
    /// Nodes from 1 on, each with a handler of the same number.
    fileprivate mutating func screen(_ nodes: UInt32, isOneLine: Bool = false) {
        for node in 1...nodes {
            let line = isOneLine ? 1 : Int(node)
            self.node(node, "Screen.node\(node)", line: line)
            subscription(node, node, line: line)
        }
    }
}
