extension CraftedTrace {
    /// Events in a few large turns, or in many small ones.
    static let turns = [
        CraftedTrace("one turn") { file, records in
            file.pair()
            file.stimulus("all of it")
            for value in 0..<records / 3 { file.emitted(1, value, to: [1]) }
            file.stimulusEnded()
        },
        CraftedTrace("one batch") { file, records in
            let nodes = UInt32(records / 5)
            for node in 1...nodes {
                file.node(node, "Batch.node\(node)", line: Int(node))
                file.subscription(node, node, line: Int(node))
            }
            file.stimulus("batch")
            file.batch()
            for node in 1...nodes { file.suppressed(node, 6) }
            for node in 1...nodes { file.emitted(node, 1, to: [node]) }
            file.batchEnded()
            file.stimulusEnded()
        },
        CraftedTrace("deep nesting") { file, records in
            file.pair()
            for value in 0..<records / 3 {
                file.emitted(1, value, delivers: true)
                file.delivered(1)
            }
            for _ in 0..<records / 3 { file.ended() }
        },
        CraftedTrace("deep stimuli and batches") { file, records in
            file.pair()
            for value in 0..<records / 5 {
                file.stimulus("s")
                file.batch()
                file.emitted(1, value)
            }
            for _ in 0..<records / 5 {
                file.batchEnded()
                file.stimulusEnded()
            }
        },
        CraftedTrace("never closed") { file, records in
            file.pair()
            for value in 0..<records / 3 {
                file.emitted(1, value, delivers: true)
                file.delivered(1)
                file.emitted(2, value)
            }
        },
        CraftedTrace("one turn on all threads") { file, records in
            file.pair()
            file.emitted(1, 0, delivers: true)
            file.delivered(1)
            for number in 0..<records / 4 {
                let thread = UInt32(number % 60) + 2
                file.hop(1, cause: (1, 1), on: thread)
                file.emitted(2, number, on: thread)
                file.hopEnded(on: thread)
                file.emitted(2, number)
            }
            file.ended()
        },
        CraftedTrace("threads of one event") { file, records in
            // One chunk each: as many threads as a file with this many records would have chunks, and more.
            file.pair()
            for thread in 1...UInt32(max(4, records / 2000)) { file.emitted(1, Int(thread), to: [1], on: thread) }
        },
        CraftedTrace("endless causes") { file, records in
            // Each hop continues what the previous hop did, on the other thread.
            file.pair()
            file.emitted(1, 0)
            var cause = (thread: UInt32(1), sequence: UInt64(1))
            for number in 0..<records / 3 {
                let thread = UInt32(number % 2) + 2
                file.hop(1, cause: cause, on: thread)
                cause = (thread, file.nextSequence(thread))
                file.emitted(1, number, on: thread)
                file.hopEnded(on: thread)
            }
        },
        CraftedTrace("causes out of reach") { file, records in
            // Each hop names a cause that ended long ago or never existed.
            file.pair()
            for number in 0..<records / 4 {
                file.emitted(1, number)
                file.hop(1, cause: (1, UInt64(number / 2 + 1)), on: 2)
                file.emitted(2, number, on: 2)
                file.hopEnded(on: 2)
            }
        },
        CraftedTrace("one stimulus, many turns") { file, records in
            let nodes = UInt32(40)
            for node in 1...nodes {
                file.node(node, "Turns.node\(node)", line: Int(node))
                file.subscription(node, node, line: Int(node))
            }
            for number in 0..<records / 6 {
                file.stimulus("tap")
                file.emitted(UInt32(number) % nodes + 1, number / 3, to: [UInt32(number) % nodes + 1])
                file.emitted(UInt32(number + 1) % nodes + 1, number / 3)
                file.stimulusEnded()
            }
        },
        CraftedTrace("waiting for the turn") { file, records in
            // A turn in which many combiners wait, and then all are evaluated.
            let combiners = UInt32(records / 8)
            file.node(1, "Settled.origin")
            for node in 2..<combiners + 2 {
                file.node(node, kind: 3, "Settled.node\(node)", line: Int(node))
                file.subscription(node, 1, node, line: Int(node))
            }
            for round in 0..<2 {
                file.emitted(1, round, delivers: true)
                for node in 2..<combiners + 2 {
                    file.delivered(node, isFirst: node == 2)
                    file.suppressed(node, 3)
                }
                file.delivered(0, isFirst: false)
                for node in 2..<combiners + 2 { file.emitted(node, round) }
                file.ended()
            }
        },
    ]
}

extension CraftedFile {
    /// Two nodes, of which the first feeds a handler.
    mutating func pair() {
        node(1, "Pair.first")
        node(2, "Pair.second", line: 2)
        subscription(1, 1, line: 3)
    }
}
