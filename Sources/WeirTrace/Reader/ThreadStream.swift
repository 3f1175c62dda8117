/// The events of one thread in order, across its chunks; it can stop at any event and go on later.
///
/// Invariants:
/// - `place`, `ticks` and `sequence` tell the state behind the last event that was taken, so that a chunk
///   can be read again from there;
/// - while a buffer is held, `cursor` stands on the next record, at `nextTicks`;
/// - `nextTicks` is `nil` when nothing more is to be had before the next `resume`.
struct ThreadStream {
    let thread: UInt32
    private(set) var overwrittenEvents: UInt64 = 0
    private(set) var nextTicks: UInt64?

    private var frames = FrameStack()
    private var serial: UInt64 = 0
    private var hasBegun = false
    /// Nothing more is to be read of the chunk: it ended in a malformed record.
    private var isSpent = false
    private var place = 0
    private var ticks: UInt64 = 0
    private var sequence: UInt64 = 1
    private var buffer: ChunkBuffer?
    private var chunk: TraceReader.LoadedChunk?
    private var cursor = RecordCursor(
        UnsafeRawBufferPointer(start: nil, count: 0), at: 0, ticks: 0, sequence: 0)

    init(thread: UInt32) { self.thread = thread }

    var isLoaded: Bool { buffer != nil && chunk != nil }

    /// Prepares for another run; the time at which the stream may go on, or `nil` if it has nothing.
    mutating func resume(_ reader: TraceReader) -> UInt64? {
        if hasBegun && !isSpent { nextTicks = ticks } else { moveOn(reader) }
        return nextTicks
    }

    /// Lets go of the buffer; the stream can be loaded again.
    mutating func unload() -> ChunkBuffer? {
        chunk = nil
        defer { buffer = nil }
        return buffer
    }

    /// Reads the current chunk from where the stream is; without an event in it, goes on to the next chunk.
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

    /// Takes the record that the cursor stands on; false if it is no event.
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

    private mutating func noteMalformed(_ reader: TraceReader) {
        if let chunk, !chunk.isCut {
            reader.noteMalformed(tag: cursor.tag, at: cursor.position, in: chunk.header)
        }
        isSpent = true
        moveOn(reader)
    }

    private mutating func advance(_ reader: TraceReader) {
        let hasNext = cursor.next()
        if !hasNext && !cursor.isSound {
            if let chunk, !chunk.isCut { reader.noteEnd(of: cursor, in: chunk.header) }
            isSpent = true
        }
        if hasNext {
            nextTicks = cursor.currentTicks
        } else {
            saveState()
            moveOn(reader)
        }
    }

    private mutating func saveState() {
        place = cursor.following
        ticks = cursor.currentTicks
        sequence = cursor.followingSequence
    }

    /// Goes on to the thread's next chunk; without one, the stream stays where it is.
    private mutating func moveOn(_ reader: TraceReader) {
        chunk = nil
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
        // A chunk taken into use while frames are open says so in its first record.
        frames.removeAll()
    }
}

extension ThreadStream {
    private mutating func restoreFrames() -> Bool {
        frames.removeAll()
        var payload = bodyScanner
        guard var count = payload.varint() else { return false }
        while count > 0 {
            guard let what = payload.byte(), let opener = payload.varint(), payload.varint() != nil,
                let subscription = payload.id()
            else { return false }
            frames.open(isEmission: what == 1, sequence: opener, subscription: subscription)
            count -= 1
        }
        if let deeper = payload.varint() { frames.openUnknown(deeper) }
        return true
    }

    private var bodyScanner: ByteScanner {
        ByteScanner(cursor.base, from: cursor.currentBody, to: cursor.following)
    }

    /// Tells the event that the cursor stands on, with its place in the nesting; false if it is malformed.
    ///
    /// One event is filled again and again, because making a new one for each costs more than reading it.
    private mutating func fill(_ event: inout TraceEvent, _ kind: EventKind) -> Bool {
        event.id = EventID(thread: thread, sequence: cursor.currentSequence)
        event.kind = kind
        event.ticks = cursor.currentTicks
        event.isStamped = cursor.isStamped
        event.subject = cursor.currentSubject
        event.delivers = false
        event.isReplayed = false
        event.reason = 0
        event.count = 0
        event.text = ""
        event.value = .notRecorded
        event.cause = frames.cause.map { EventID(thread: thread, sequence: $0) }
        event.depth = frames.depth
        event.endedSubscription = 0
        event.deliveringTo = frames.innermostEmission?.subscription ?? 0
        switch kind {
        case .emitted: return fillEmission(&event)
        case .suppressed, .subscriptionEnded:
            event.reason = cursor.currentReason
        case .deliveryBegan:
            _ = frames.beginDelivery(to: event.subject)
        case .deliveryNext:
            event.endedSubscription = frames.beginDelivery(to: event.subject)
        case .deliveryEnded:
            event.endedSubscription = frames.close(emission: true)?.subscription ?? 0
        case .eventsLost:
            var payload = bodyScanner
            guard let count = payload.varint() else { return false }
            event.count = count
        case .stimulusBegan:
            guard fillText(&event) else { return false }
            frames.open(isEmission: false, sequence: event.id.sequence)
        case .stimulusEnded:
            if let closed = frames.close(emission: false) {
                event.cause = EventID(thread: thread, sequence: closed.sequence)
                event.depth = frames.depth
            }
        case .checkpoint: return fillText(&event)
        case .subscriptionStarted, .nodeCreated, .nodeReleased, .frame, .objectTracked, .objectReleased,
            .context:
            break
        }
        return true
    }

    private mutating func fillEmission(_ event: inout TraceEvent) -> Bool {
        var payload = bodyScanner
        guard let value = TraceValue(from: &payload) else { return false }
        event.value = value
        event.delivers = cursor.delivers
        event.isReplayed = cursor.isReplayed
        if cursor.delivers { frames.open(isEmission: true, sequence: event.id.sequence) }
        return true
    }

    private func fillText(_ event: inout TraceEvent) -> Bool {
        var payload = bodyScanner
        guard let text = payload.text() else { return false }
        event.text = text
        return true
    }
}
