import WeirTrace

/// The lives that a trace tells of, in one pass, up to its end or to a checkpoint.
///
/// Memory grows with nodes, subscriptions, objects and checkpoints, not with events.
public struct LeakPass {
    /// The nodes and subscriptions.
    public let topology: Topology
    /// The checkpoints up to the moment that is judged.
    public let checkpoints: LeakCheckpoints
    /// The number of the snapshot that is judged; nil: none was taken in time.
    public let snapshot: UInt32?
    /// The place of the checkpoint that is judged; nil: the end of the trace.
    public let judged: Int?
    /// The recording was closed by its program, and its end is judged.
    public let isAtEnd: Bool
    let lives: LifeTables

    /// Reads a trace, up to the checkpoint at the place `judged` of `known`, or to its end.
    public init(
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
                guard lives.take(cursor, &run, &found) else {
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
    }

    /// What a deadline that was missed is called.
    func deadline(_ missed: ObjectLife.Deadline) -> MissedExpectation.Deadline {
        switch missed {
        case .checkpoint(let place): .checkpoint(checkpoints.all[place].name)
        case .end: .end
        }
    }

    /// Checkpoints whose names were too many to be watched for growth.
    public var unwatchedCheckpoints: Int { lives.lines.unwatchedNames }

    /// How many nodes, subscriptions and tracked objects are alive at the moment that is judged.
    public var aliveCount: Int {
        lives.nodes.count { $0 == .alive } + lives.subscriptions.count { $0 == .alive }
            + lives.objects.count { $0.life == .alive }
    }
}

extension LifeTables {
    /// Takes up a record; false where it is malformed.
    fileprivate mutating func take(
        _ cursor: RecordCursor, _ run: inout RecordRun, _ checkpoints: inout LeakCheckpoints
    ) -> Bool {
        switch cursor.kind {
        case .emitted, .suppressed, .completed, .failed, .nodeCreated: mention(node: cursor.subject)
        case .nodeReleased: release(node: cursor.subject)
        case .deliveryBegan, .deliveryNext, .subscriptionStarted: mention(subscription: cursor.subject)
        case .subscriptionEnded: end(subscription: cursor.subject)
        case .objectTracked: track(object: cursor.subject)
        case .objectExpected: expect(object: cursor.subject)
        case .objectReleased: release(object: cursor.subject)
        case .snapshotTaken: return checkpoints.take(cursor, thread: run.thread)
        case .checkpoint:
            guard checkpoints.take(cursor, thread: run.thread), let last = checkpoints.all.last else { return false }
            take(checkpoint: last.name)
        case .context: return cursor.openFrames != nil
        case .stimulusBegan: return cursor.text != nil
        case .hopBegan: return cursor.isSoundHop
        case .eventsLost: run.noteLoss()
        default: break
        }
        return true
    }
}
