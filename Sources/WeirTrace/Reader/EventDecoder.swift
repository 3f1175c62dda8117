/// Reads the events of one thread from its records, with the frames open at each.
struct EventDecoder {
    let thread: UInt32
    var frames = FrameStack()
    /// Whether a `context` did not list all open frames.
    private(set) var hasUnlistedFrames = false

    /// Reads the record at a cursor: an event, including its nesting depth, or the open frames; false if it is malformed.
    ///
    /// The same event is filled repeatedly, because creating a new one costs more than reading it.
    mutating func take(_ cursor: RecordCursor, into event: inout TraceEvent) -> Bool {
        let kind = cursor.kind
        if kind == .context {
            frames.removeAll()
            guard let open = cursor.openFrames else { return false }
            if open.deeper > 0 { hasUnlistedFrames = true }
            frames.restore(open)
            return true
        }
        switch kind {
        case .deliveryBegan, .deliveryNext, .deliveryEnded: frames.leaveDelivery()
        default: break
        }
        let causing = frames.causing
        event.id = EventID(thread: thread, sequence: cursor.currentSequence)
        event.kind = kind
        event.ticks = cursor.currentTicks
        event.isStamped = cursor.isStamped
        event.subject = cursor.currentSubject
        event.delivers = false
        event.isReplayed = false
        event.deliversEnd = false
        event.reason = 0
        event.count = 0
        event.text = ""
        event.value = .notRecorded
        event.cause = (causing ?? frames.innermost).map { EventID(thread: thread, sequence: $0.sequence) }
        event.depth = frames.depth
        event.endedSubscription = 0
        let isInHop = causing?.opener == .hop
        event.deliveringTo = isInHop ? 0 : causing?.subscription ?? 0
        event.scheduledBy = isInHop ? causing?.subscription ?? 0 : 0
        switch kind {
        case .emitted:
            event.isReplayed = cursor.isReplayed
            return fillEmission(&event, cursor, isEnding: false)
        case .completed, .failed: return fillEmission(&event, cursor, isEnding: true)
        case .suppressed, .subscriptionEnded:
            event.reason = cursor.currentReason
        case .written:
            var payload = cursor.bodyScanner
            guard let value = TraceValue(from: &payload) else { return false }
            if case .unsigned(let site) = value { event.count = site }
        case .deliveryBegan, .deliveryNext:
            event.deliversEnd = (causing?.isEnding ?? false) && !event.isSettling
            let ended = frames.beginDelivery(to: event.subject)
            if kind == .deliveryNext { event.endedSubscription = ended }
        case .deliveryEnded:
            event.endedSubscription = frames.close(.emission)?.subscription ?? 0
        case .eventsLost:
            var payload = cursor.bodyScanner
            guard let count = payload.varint() else { return false }
            event.count = count
        case .stimulusBegan:
            guard fillText(&event, cursor) else { return false }
            frames.open(.stimulus, sequence: event.id.sequence)
        case .hopBegan: return fillHop(&event, cursor)
        case .hopScheduled:
            guard let count = cursor.scheduledCount else { return false }
            event.count = count
        case .batchBegan: frames.open(.batch, sequence: event.id.sequence)
        case .stimulusEnded: fillEnd(&event, of: .stimulus)
        case .hopEnded: fillEnd(&event, of: .hop)
        case .batchEnded: fillEnd(&event, of: .batch)
        case .checkpoint: return fillText(&event, cursor)
        case .snapshotTaken:
            guard let pause = cursor.snapshotPause else { return false }
            event.count = pause
        case .subscriptionStarted, .nodeCreated, .nodeReleased, .frame, .objectTracked, .objectReleased,
            .objectExpected, .context:
            break
        }
        return true
    }

    private mutating func fillEmission(_ event: inout TraceEvent, _ cursor: RecordCursor, isEnding: Bool) -> Bool {
        var payload = cursor.bodyScanner
        guard let value = TraceValue(from: &payload) else { return false }
        event.value = value
        event.delivers = cursor.delivers
        if cursor.delivers { frames.open(.emission, sequence: event.id.sequence, isEnding: isEnding) }
        return true
    }

    private mutating func fillHop(_ event: inout TraceEvent, _ cursor: RecordCursor) -> Bool {
        guard cursor.isSoundHop else { return false }
        event.cause = cursor.hopCause
        event.scheduledBy = cursor.hopSubscription
        event.count = cursor.hopCarriesCause ? 1 : 0
        frames.open(.hop, sequence: event.id.sequence, subscription: event.scheduledBy)
        return true
    }

    /// The cause of the end of a stimulus, hop or batch is its beginning, and both have the same depth.
    private mutating func fillEnd(_ event: inout TraceEvent, of opener: FrameStack.Opener) {
        guard let closed = frames.close(opener) else { return }
        event.cause = EventID(thread: thread, sequence: closed.sequence)
        event.depth = frames.depth
    }

    private func fillText(_ event: inout TraceEvent, _ cursor: RecordCursor) -> Bool {
        var payload = cursor.bodyScanner
        guard let text = payload.name() else { return false }
        event.text = text
        return true
    }
}

extension RecordCursor {
    fileprivate var bodyScanner: ByteScanner { ByteScanner(base, from: currentBody, to: following) }
}
