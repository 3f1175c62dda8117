/// The events of one thread in order, across its chunks; it can stop at any event and continue later.
///
/// Invariants:
/// - `place`, `ticks` and `sequence` are the state after the last event taken, so that a chunk can be read again from there;
/// - while a buffer is held, `cursor` is at the next record, at `nextTicks`;
/// - `nextTicks` is `nil` if there is nothing more to read before the next `resume`;
/// - `nextSequence` and `nextCause` stay known when the buffer is given away. Otherwise two streams that share one buffer
///   could take it from each other forever.
struct ThreadStream {
    let thread: UInt32
    private(set) var overwrittenEvents: UInt64 = 0
    private(set) var nextTicks: UInt64?
    /// The number of the next event, or a lower one while that is unknown.
    private(set) var nextSequence: UInt64 = 1
    /// The cause of the next record, if that is a hop.
    private(set) var nextCause: EventID?

    private var frames = FrameStack()
    private var serial: UInt64 = 0
    private var hasBegun = false
    /// Whether the rest of the chunk is unreadable because of a malformed record.
    private var isSpent = false
    private var place = 0
    private var ticks: UInt64 = 0
    private var sequence: UInt64 = 1
    private var buffer: ChunkBuffer?
    private var chunk: TraceReader.LoadedChunk?
    private var cursor = RecordCursor(
        UnsafeRawBufferPointer(start: nil, count: 0), at: 0, ticks: 0, sequence: 0)

    init(thread: UInt32) { self.thread = thread }

    /// A stream that begins with a later chunk of its thread.
    init(startingAt chunk: ChunkHeader) {
        thread = chunk.thread
        hasBegun = true
        serial = chunk.serial
        ticks = chunk.baseTicks
        sequence = chunk.firstSequence
    }

    /// The number after the last event taken, or a lower one if the next chunk has not yet been begun.
    var followingSequence: UInt64 { sequence }

    var isLoaded: Bool { buffer != nil && chunk != nil }

    /// Whether the next event is before `limit` and does not wait for a cause.
    func comes(before limit: (ticks: UInt64, thread: UInt32)) -> Bool {
        guard nextCause == nil, let nextTicks else { return false }
        return nextTicks < limit.ticks || nextTicks == limit.ticks && thread < limit.thread
    }

    /// Prepares for another run; returns the time at which the stream can continue, or `nil` if it has nothing.
    mutating func resume(_ reader: TraceReader) -> UInt64? {
        (nextSequence, nextCause) = (sequence, nil)
        if hasBegun && !isSpent { nextTicks = ticks } else { moveOn(reader) }
        return nextTicks
    }

    /// Releases the buffer; the stream can be loaded again.
    mutating func unload() -> ChunkBuffer? {
        chunk = nil
        defer { buffer = nil }
        return buffer
    }

    /// Reads the current chunk from the current position; continues with the next chunk if no event is left.
    mutating func load(_ reader: TraceReader, _ buffer: ChunkBuffer) {
        self.buffer = buffer
        guard let entry = reader.index.chunk(of: thread, from: serial), entry.serial == serial,
            let loaded = reader.load(Int(entry.index), serial: serial, into: buffer)
        else { return moveOn(reader) }
        if place == 0 { begin(loaded.header, reader) }
        guard place <= loaded.records.count else { return moveOn(reader) }
        chunk = loaded
        cursor = RecordCursor(loaded.records, at: place, ticks: ticks, sequence: sequence)
        advance(reader)
    }

    /// Takes the record at the cursor; false if it is not an event.
    mutating func takeEvent(_ reader: TraceReader, into event: inout TraceEvent) -> Bool {
        let kind = cursor.kind
        let isSound = kind == .context ? restoreFrames() : fill(&event, kind)
        guard isSound else {
            noteMalformed(reader)
            return false
        }
        if kind == .eventsLost { reader.hasSeenLoss = true }
        saveState()
        advance(reader)
        return kind != .context
    }

    /// Passes over records as long as `isSkipped` holds, each with the frames open before it, which `follow` then changes.
    /// Returns whether the stream can go on before the limit.
    @inline(__always)
    mutating func pass(
        _ reader: TraceReader, before limit: (ticks: UInt64, thread: UInt32),
        while isSkipped: (RecordCursor, borrowing FrameStack) -> Bool,
        _ follow: (RecordCursor, inout FrameStack) -> Void
    ) -> Bool {
        // Copies: records and frames in memory would cost more than reading them.
        var cursor = cursor
        var frames = FrameStack()
        swap(&frames, &self.frames)
        defer { swap(&frames, &self.frames) }
        guard isSkipped(cursor, frames) else { return true }
        while true {
            follow(cursor, &frames)
            let resumption = (cursor.following, cursor.currentTicks, cursor.followingSequence)
            guard cursor.next() else {
                self.cursor = cursor
                finishChunk(reader)
                return false
            }
            let isHop = cursor.rawKind == EventKind.hopBegan.rawValue
            let isBefore = cursor.ticks < limit.ticks || cursor.ticks == limit.ticks && thread < limit.thread
            if isHop || !isBefore || !isSkipped(cursor, frames) {
                self.cursor = cursor
                (place, ticks, sequence) = resumption
                noteNext()
                return comes(before: limit)
            }
        }
    }

    /// Passes the records from the cursor up to the limit to `body`, until it returns false.
    mutating func takeRun(
        _ reader: TraceReader, before limit: (ticks: UInt64, thread: UInt32), _ body: (inout RecordRun) throws -> Bool
    ) rethrows -> Bool {
        guard chunk != nil else { return true }
        var run = RecordRun(thread, cursor, startsChunk: place == 0, limit: limit)
        let goesOn = try body(&run) && run.isOver
        cursor = run.cursor
        if run.hasLoss { reader.hasSeenLoss = true }
        if run.isMalformed {
            noteMalformed(reader)
        } else if run.isAtEnd {
            finishChunk(reader)
        } else {
            (place, ticks, sequence) = run.resumption
            noteNext()
        }
        return goesOn
    }

    private mutating func noteMalformed(_ reader: TraceReader) {
        if let chunk, !chunk.isCut {
            reader.noteMalformed(tag: cursor.tag, at: cursor.position, in: chunk.header)
        }
        isSpent = true
        moveOn(reader)
    }

    private mutating func advance(_ reader: TraceReader) {
        if cursor.next() { noteNext() } else { finishChunk(reader) }
    }

    /// Notes the properties of the next record, at the cursor.
    private mutating func noteNext() {
        nextTicks = cursor.currentTicks
        nextSequence = cursor.currentSequence
        nextCause = cursor.rawKind == EventKind.hopBegan.rawValue ? cursor.hopCause : nil
    }

    /// Leaves the chunk, whose readable records are used up.
    private mutating func finishChunk(_ reader: TraceReader) {
        if !cursor.isSound {
            if let chunk, !chunk.isCut { reader.noteEnd(of: cursor, in: chunk.header) }
            isSpent = true
        }
        saveState()
        moveOn(reader)
    }

    private mutating func saveState() {
        place = cursor.following
        ticks = cursor.currentTicks
        sequence = cursor.followingSequence
    }

    /// Continues with the thread's next chunk; if there is none, the stream stays where it is.
    private mutating func moveOn(_ reader: TraceReader) {
        chunk = nil
        (nextSequence, nextCause) = (sequence, nil)
        let from = hasBegun ? serial.addingReportingOverflow(1) : (partialValue: 0, overflow: false)
        guard !from.overflow, let next = reader.index.chunk(of: thread, from: from.partialValue) else {
            nextTicks = nil
            return
        }
        hasBegun = true
        isSpent = false
        serial = next.serial
        place = 0
        nextTicks = next.baseTicks
    }

    private mutating func begin(_ header: ChunkHeader, _ reader: TraceReader) {
        if header.firstSequence != sequence {
            if !reader.header.isFlightRecorder {
                reader.note(
                    header, at: TraceFormat.ChunkField.firstSequence,
                    .sequenceBreak(expected: sequence, found: header.firstSequence))
            } else if header.firstSequence > sequence {
                overwrittenEvents &+= header.firstSequence - sequence
            }
        }
        sequence = header.firstSequence
        ticks = header.baseTicks
        // A chunk taken into use while frames are open lists them in its first record.
        frames.removeAll()
    }
}

extension ThreadStream {
    private mutating func restoreFrames() -> Bool {
        frames.removeAll()
        guard let open = cursor.openFrames else { return false }
        frames.restore(open)
        return true
    }

    private var bodyScanner: ByteScanner {
        ByteScanner(cursor.base, from: cursor.currentBody, to: cursor.following)
    }

    /// Reads the event at the cursor, including its nesting depth; false if it is malformed.
    ///
    /// The same event is filled repeatedly, because creating a new one costs more than reading it.
    private mutating func fill(_ event: inout TraceEvent, _ kind: EventKind) -> Bool {
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
            return fillEmission(&event, isEnding: false)
        case .completed, .failed: return fillEmission(&event, isEnding: true)
        case .suppressed, .subscriptionEnded:
            event.reason = cursor.currentReason
        case .written:
            var payload = bodyScanner
            guard let value = TraceValue(from: &payload) else { return false }
            if case .unsigned(let site) = value { event.count = site }
        case .deliveryBegan, .deliveryNext:
            event.deliversEnd = (causing?.isEnding ?? false) && !event.isSettling
            let ended = frames.beginDelivery(to: event.subject)
            if kind == .deliveryNext { event.endedSubscription = ended }
        case .deliveryEnded:
            event.endedSubscription = frames.close(.emission)?.subscription ?? 0
        case .eventsLost:
            var payload = bodyScanner
            guard let count = payload.varint() else { return false }
            event.count = count
        case .stimulusBegan:
            guard fillText(&event) else { return false }
            frames.open(.stimulus, sequence: event.id.sequence)
        case .hopBegan: return fillHop(&event)
        case .hopScheduled:
            guard let count = cursor.scheduledCount else { return false }
            event.count = count
        case .batchBegan: frames.open(.batch, sequence: event.id.sequence)
        case .stimulusEnded: fillEnd(&event, of: .stimulus)
        case .hopEnded: fillEnd(&event, of: .hop)
        case .batchEnded: fillEnd(&event, of: .batch)
        case .checkpoint: return fillText(&event)
        case .snapshotTaken:
            guard let pause = cursor.snapshotPause else { return false }
            event.count = pause
        case .subscriptionStarted, .nodeCreated, .nodeReleased, .frame, .objectTracked, .objectReleased,
            .objectExpected, .context:
            break
        }
        return true
    }

    private mutating func fillEmission(_ event: inout TraceEvent, isEnding: Bool) -> Bool {
        var payload = bodyScanner
        guard let value = TraceValue(from: &payload) else { return false }
        event.value = value
        event.delivers = cursor.delivers
        if cursor.delivers { frames.open(.emission, sequence: event.id.sequence, isEnding: isEnding) }
        return true
    }

    private mutating func fillHop(_ event: inout TraceEvent) -> Bool {
        guard cursor.isSoundHop else { return false }
        event.cause = cursor.hopCause
        event.scheduledBy = cursor.hopSubscription
        frames.open(.hop, sequence: event.id.sequence, subscription: event.scheduledBy)
        return true
    }

    /// The cause of the end of a stimulus, hop or batch is its beginning, and both have the same depth.
    private mutating func fillEnd(_ event: inout TraceEvent, of opener: FrameStack.Opener) {
        guard let closed = frames.close(opener) else { return }
        event.cause = EventID(thread: thread, sequence: closed.sequence)
        event.depth = frames.depth
    }

    private func fillText(_ event: inout TraceEvent) -> Bool {
        var payload = bodyScanner
        guard let text = payload.name() else { return false }
        event.text = text
        return true
    }
}
