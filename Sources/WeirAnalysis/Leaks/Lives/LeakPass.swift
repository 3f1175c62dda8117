import WeirTrace

/// The lives of nodes, subscriptions and objects in a trace, read in one pass up to its end or a checkpoint.
///
/// Memory grows with nodes, subscriptions, objects and checkpoints, not with events.
package struct LeakPass {
    /// The nodes and subscriptions.
    package let topology: Topology
    /// The checkpoints up to the judged moment.
    package let checkpoints: LeakCheckpoints
    /// The number of the judged snapshot; nil if none was taken in time.
    package let snapshot: UInt32?
    /// The index of the judged checkpoint; nil if the end of the trace is judged.
    package let judged: Int?
    /// Whether the program closed the recording and its end is judged.
    package let isAtEnd: Bool
    /// The heap walks up to the judged moment that were aborted, in the order of their checkpoints.
    package let abortedWalks: [AbortedWalk]
    let lives: LifeTables

    /// Reads a trace, up to the checkpoint at the index `judged` of `known`, or to its end.
    package init(
        _ reader: TraceReader, _ topology: Topology, upTo judged: Int? = nil, of known: LeakCheckpoints? = nil,
        reporting report: PassProgress.Report? = nil
    ) {
        self.topology = topology
        self.judged = judged
        isAtEnd = judged == nil && reader.header.isClosed
        var lives = LifeTables(topology)
        var found = LeakCheckpoints()
        let expected = UInt64(reader.eventChunkCount)
        var chunks: UInt64 = 0
        reader.forEachRecordRun { run in
            if run.startsChunk, let report {
                chunks += 1
                if chunks % 16 == 0 { report(PassProgress(events: chunks, expectedEvents: expected)) }
            }
            var cursor = run.cursor
            repeat {
                if cursor.kind == .eventsLost { run.noteLoss() }
                guard lives.take(cursor, run.thread, &found) else {
                    run.stop(at: cursor)
                    return true
                }
                if let judged, found.all.count > judged { return false }
            } while run.advance(&cursor)
            return true
        }
        if isAtEnd { lives.takeEnd() }
        self.lives = lives
        checkpoints = judged == nil ? found : known ?? found
        snapshot =
            if let judged { checkpoints.all.indices.contains(judged) ? checkpoints.all[judged].snapshot : nil } else {
                found.lastSnapshot
            }
        abortedWalks = Self.abortedWalks(reader, checkpoints, upTo: judged)
    }

    /// The lives that `collector` found while another pass read the whole trace.
    package init(_ reader: TraceReader, _ topology: Topology, _ collector: LifeCollector) {
        self.topology = topology
        judged = nil
        isAtEnd = reader.header.isClosed
        var lives = collector.lives
        if isAtEnd { lives.takeEnd() }
        self.lives = lives
        checkpoints = collector.checkpoints
        snapshot = checkpoints.lastSnapshot
        abortedWalks = Self.abortedWalks(reader, checkpoints, upTo: nil)
    }

    /// The numbers of the snapshots up to the judged moment.
    package var snapshots: [UInt32] { Self.snapshots(checkpoints, upTo: judged).map(\.number) }

    /// The snapshots up to a checkpoint or the end, each once, with the index of its checkpoint.
    private static func snapshots(
        _ checkpoints: LeakCheckpoints, upTo judged: Int?
    ) -> [(checkpoint: Int?, number: UInt32)] {
        var taken = checkpoints.all.indices.prefix(judged.map { $0 + 1 } ?? .max).compactMap { place in
            checkpoints.all[place].snapshot.map { (checkpoint: Int?(place), number: $0) }
        }
        if judged == nil, let last = checkpoints.lastSnapshot { taken.append((nil, last)) }
        var seen: Set<UInt32> = []
        return taken.filter { seen.insert($0.number).inserted }
    }

    private static func abortedWalks(
        _ reader: TraceReader, _ checkpoints: LeakCheckpoints, upTo judged: Int?
    ) -> [AbortedWalk] {
        let taken = snapshots(checkpoints, upTo: judged)
        let aborted = reader.abortedWalks(of: taken.map(\.number))
        return taken.compactMap { checkpoint, number in
            aborted[number].map { AbortedWalk(checkpoint: checkpoint, snapshot: number, limitation: $0) }
        }
    }

    /// The missed deadline in the form that findings show.
    func deadline(_ missed: ObjectLife.Deadline) -> MissedExpectation.Deadline {
        switch missed {
        case .checkpoint(let place): .checkpoint(checkpoints.all[place].name)
        case .end: .end
        }
    }

    /// The number of checkpoints not watched for growth, because there were too many names.
    package var unwatchedCheckpoints: Int { lives.lines.unwatchedNames }

    /// How many nodes, subscriptions and tracked objects are alive at the judged moment.
    package var aliveCount: Int {
        lives.nodes.count { $0 == .alive } + lives.subscriptions.count { $0 == .alive }
            + lives.objects.count { $0.life == .alive }
    }
}

extension LifeTables {
    /// Takes a record; false if it is malformed.
    fileprivate mutating func take(
        _ cursor: RecordCursor, _ thread: UInt32, _ checkpoints: inout LeakCheckpoints
    ) -> Bool {
        switch cursor.kind {
        case .emitted, .suppressed, .completed, .failed, .nodeCreated: mention(node: cursor.subject)
        case .nodeReleased: release(node: cursor.subject)
        case .deliveryBegan, .deliveryNext, .subscriptionStarted: mention(subscription: cursor.subject)
        case .subscriptionEnded: end(subscription: cursor.subject)
        case .objectTracked: track(object: cursor.subject)
        case .objectExpected: expect(object: cursor.subject)
        case .objectReleased: release(object: cursor.subject)
        case .snapshotTaken: return checkpoints.take(cursor, thread: thread)
        case .checkpoint:
            guard checkpoints.take(cursor, thread: thread), let last = checkpoints.all.last else { return false }
            take(checkpoint: last.name)
        case .context: return cursor.openFrames != nil
        case .stimulusBegan: return cursor.text != nil
        case .hopBegan: return cursor.isSoundHop
        default: break
        }
        return true
    }
}

/// Collects lives while another pass reads the records of a trace.
package final class LifeCollector {
    @exclusivity(unchecked) fileprivate var lives: LifeTables
    @exclusivity(unchecked) fileprivate var checkpoints = LeakCheckpoints()
    /// The nodes and subscriptions with low ids, which are nearly all, that are known to have been mentioned.
    private let nodes = UnsafeMutableBufferPointer<Bool>.allocate(capacity: 1 << 16)
    private let subscriptions = UnsafeMutableBufferPointer<Bool>.allocate(capacity: 1 << 16)

    /// A collector for the trace with these definitions.
    package init(_ topology: Topology) {
        lives = LifeTables(topology)
        nodes.initialize(repeating: false)
        subscriptions.initialize(repeating: false)
    }

    deinit {
        nodes.deallocate()
        subscriptions.deallocate()
    }

    /// Takes a record other than an emission or a delivery. A malformed one changes nothing: the other pass reports it, and losses.
    func take(_ cursor: RecordCursor, _ thread: UInt32) { _ = lives.take(cursor, thread, &checkpoints) }

    @inline(__always)
    func mention(node id: UInt32) { if isNew(id, nodes) { lives.mention(node: id) } }

    @inline(__always)
    func mention(subscription id: UInt32) { if isNew(id, subscriptions) { lives.mention(subscription: id) } }

    @inline(__always)
    private func isNew(_ id: UInt32, _ known: UnsafeMutableBufferPointer<Bool>) -> Bool {
        guard Int(id) < known.count else { return true }
        if known.baseAddress![Int(id)] { return false }
        known.baseAddress![Int(id)] = true
        return true
    }
}
