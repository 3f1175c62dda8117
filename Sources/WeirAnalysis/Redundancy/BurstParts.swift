import WeirTrace

/// The refreshes of a burst finding, by what would join them.
struct BurstParts {
    /// How many a batch joins with the ones that followed.
    private(set) var batched: UInt64 = 0
    /// How many later work followed, such as a load.
    private(set) var later: UInt64 = 0
    /// How many caused the refresh that followed, through hops.
    private var returned: UInt64 = 0
    /// How many follow from writes to several nodes whose handlers write one and the same node.
    private var handWritten: UInt64 = 0
    /// How many came directly before the completion of their source.
    private var last: UInt64 = 0
    private var all: UInt64 = 0
    /// Whether a batch joins the values at all: they are of states that the program writes.
    private(set) var canBatch = false
    /// A node that handlers of several other nodes write.
    private var shared: UInt32?
    private let lines: ProgramLines

    init(_ tallies: [RuleTally], _ lines: ProgramLines) {
        self.lines = lines
        for tally in tallies {
            let origin = origin(of: tally)
            if origin != nil { canBatch = true }
            batched &+= origin == nil ? 0 : tally.ofOneWriter
            if origin == .joinsAll { batched &+= tally.ofSeveralWriters }
            if case .writtenByHandlers(let node) = origin, tally.ofSeveralWriters > 0 {
                handWritten &+= tally.ofSeveralWriters
                shared = shared ?? node
            }
            later &+= tally.later
            returned &+= tally.returned
            last &+= tally.completedAtOnce ? 1 : 0
            all &+= tally.count
        }
    }

    /// Whether most of the refreshes follow from later work, whose values may all be wanted.
    var isOfLaterWork: Bool { later > all / 2 }

    /// Whether a throttle parts most of the refreshes from those that followed: it emits its last value at the completion.
    var canThrottle: Bool { last <= all / 2 }

    /// Whether most of the refreshes caused the one that followed: a handler writes what feeds it.
    var isOfLoop: Bool { returned > all / 2 }

    /// Whether a batch is the remedy: it joins at least half of the refreshes, or of those that are not of later work.
    var isBatched: Bool {
        let rest = all &- min(all, batched)
        return batched > 0 && (batched >= rest || !isOfLaterWork && batched >= rest &- min(rest, later))
    }

    /// The node that a combiner should compute, because its handlers write it in most cases one after another.
    var writtenByHandlers: UInt32? { handWritten > all / 2 ? shared : nil }

    /// The examples that show the remedy: one for each part of the program that needs a batch, or one of the rest.
    func examples(of tally: RuleTally) -> [BurstExample] {
        let origin = origin(of: tally)
        let joined = tally.examples.filter { example in
            example.isOfOneScene && (example.scene.isOfOneWriter ? origin != nil : origin == .joinsAll)
        }
        return isBatched ? joined : Array(tally.examples.filter { !joined.contains($0) }.prefix(1))
    }

    /// How a batch treats the values of a node.
    private enum Origin: Equatable {
        /// It makes one value of all its writes.
        case joinsAll
        /// It makes one value of the writes to one node.
        case joinsOneWriter
        /// The same; but if several nodes are written, the handler of each writes this node again.
        case writtenByHandlers(UInt32)
    }

    /// Nil: no batch joins the values.
    private func origin(of tally: RuleTally) -> Origin? {
        guard let state = lines.batched(behind: tally.node) else {
            guard tally.isOfOneWriter, let cause = tally.cause, lines.state(behind: cause) != nil else { return nil }
            return .joinsOneWriter
        }
        // The program cannot join the writes of a command.
        if let cause = tally.cause, lines.definitions.nodes[cause]?.kind == .command { return nil }
        guard let node = lines.definitions.nodes[state], node.technique == .weir else { return .joinsAll }
        if lines.computes(state) { return .joinsAll }
        return node.kind == .observable ? .writtenByHandlers(state) : .joinsOneWriter
    }
}
