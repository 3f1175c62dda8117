/// The events of one thread in order, across its chunks; it can stop at any event and continue later.
///
/// Invariants:
/// - `place`, `ticks` and `sequence` are the state after the last event taken, so that a chunk can be read again from there;
/// - while a buffer is held, `cursor` is at the next record, at `nextTicks`;
/// - while a run is ahead, the records up to the cursor have been read, and `nextTicks` and `nextSequence` are those of the first
///   whose turn has not come; the buffer is not given away;
/// - `nextTicks` is `nil` if there is nothing more to read before the next `resume`;
/// - `nextSequence` and `nextCause` stay known when the buffer is given away. Otherwise two streams that share one buffer
///   could take it from each other forever.
struct ThreadStream {
    var thread: UInt32 { decoder.thread }
    private(set) var overwrittenEvents: UInt64 = 0
    private(set) var nextTicks: UInt64?
    /// The number of the next event, or a lower one while that is unknown.
    private(set) var nextSequence: UInt64 = 1
    /// The cause of the next record, if that is a hop.
    private(set) var nextCause: EventID?

    private var decoder: EventDecoder
    private var serial: UInt64 = 0
    private var hasBegun = false
    /// Whether the rest of the chunk is unreadable because of a malformed record.
    private var isSpent = false
    private var place = 0
    private var ticks: UInt64 = 0
    private var sequence: UInt64 = 1
    private var buffer: ChunkBuffer?
    private var chunk: TraceReader.LoadedChunk?
    /// The rest of the events that a filter accepts, instead of a buffer; last first.
    private var accepted: [TraceEvent] = []
    /// The last run, which holds the cursor: runs may be short, and a copy of the cursor costs as much as a record.
    private var run: RecordRun
    private var cursor: RecordCursor {
        @inline(__always) get { run.cursor }
        @inline(__always) _modify { yield &run.cursor }
    }

    /// - Parameter place: The number of the thread among all threads of the trace.
    init(thread: UInt32, place: Int = 0) {
        decoder = EventDecoder(thread: thread)
        let none = RecordCursor(UnsafeRawBufferPointer(start: nil, count: 0), at: 0, ticks: 0, sequence: 0)
        run = RecordRun(thread: thread, place: place, none)
    }

    /// A stream that begins with a later chunk of its thread.
    init(startingAt chunk: ChunkHeader) {
        self.init(thread: chunk.thread)
        hasBegun = true
        serial = chunk.serial
        ticks = chunk.baseTicks
        sequence = chunk.firstSequence
    }

    /// The number after the last event taken, or a lower one if the next chunk has not yet been begun.
    var followingSequence: UInt64 { sequence }

    var isLoaded: Bool {
        // Without `||`, whose right side would retain the stream.
        if chunk != nil, buffer != nil { return true }
        return !accepted.isEmpty
    }

    /// Whether the next event is before `limit` and does not wait for a cause.
    func comes(before limit: (ticks: UInt64, thread: UInt32)) -> Bool {
        guard nextCause == nil, let nextTicks else { return false }
        return nextTicks < limit.ticks || nextTicks == limit.ticks && thread < limit.thread
    }

    /// The time up to which records of other threads may precede those of the stream; nil: it has no more.
    var looseTicks: UInt64? { run.isAhead ? run.ahead.looseTicks ?? nextTicks : nextTicks }

    /// Whether records have been read before their turn, and records of other threads may precede them.
    var isLoose: Bool { run.isAhead && run.ahead.looseTicks != nil }

    /// Prepares for another run; returns the time at which the stream can continue, or `nil` if it has nothing.
    mutating func resume(_ reader: TraceReader) -> UInt64? {
        (nextSequence, nextCause) = (sequence, nil)
        if hasBegun && !isSpent { nextTicks = ticks } else { moveOn(reader) }
        return nextTicks
    }

    /// Releases the buffer; the stream can be loaded again.
    mutating func unload() -> ChunkBuffer? {
        chunk = nil
        accepted = []
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
        let isFirst = place == 0
        advance(reader)
        if isFirst, cursor.rawKind == EventKind.context.rawValue, cursor.openFrames?.deeper ?? 0 > 0 {
            reader.hasUnlistedFrames = true
        }
    }

    /// Takes the current chunk's accepted events; false: the chunk has to be read. Requires a filter that accepts all hops.
    ///
    /// Without rejected events, the accepted ones of all threads come in the same order as with them.
    mutating func load(
        _ reader: TraceReader, from ahead: ChunksAhead<FilteredChunk>, _ buffer: ChunkBuffer
    ) -> Bool {
        guard place == 0, let entry = reader.index.chunk(of: thread, from: serial), entry.serial == serial,
            let found = ahead.take(entry, buffer)
        else { return false }
        let next = serial == .max ? nil : reader.index.chunk(of: thread, from: serial + 1)
        guard next.map({ $0.baseTicks >= found.lastTicks }) ?? true else { return false }
        begin(found.header, reader)
        (place, ticks, sequence) = (found.header.committed, found.lastTicks, found.followingSequence)
        accepted = found.events.reversed()
        noteNextAccepted(reader)
        return true
    }

    /// Notes the properties of the next accepted event; leaves the chunk after the last one.
    private mutating func noteNextAccepted(_ reader: TraceReader) {
        guard let next = accepted.last else { return moveOn(reader) }
        nextTicks = next.ticks
        nextSequence = next.id.sequence
        nextCause = next.kind == .hopBegan ? next.cause : nil
    }

    /// Takes the record at the cursor; false if it is not an event.
    mutating func takeEvent(_ reader: TraceReader, into event: inout TraceEvent) -> Bool {
        if let next = accepted.popLast() {
            event = next
            if next.kind == .eventsLost { reader.hasSeenLoss = true }
            noteNextAccepted(reader)
            return true
        }
        guard decoder.take(cursor, into: &event) else {
            noteMalformed(reader)
            return false
        }
        let kind = cursor.kind
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
        guard accepted.isEmpty else { return true }
        // Copies: records and frames in memory would cost more than reading them.
        var cursor = cursor
        var frames = FrameStack()
        swap(&frames, &decoder.frames)
        defer { swap(&frames, &decoder.frames) }
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
        _ reader: TraceReader, before limit: (ticks: UInt64, thread: UInt32),
        loosely looseLimit: (ticks: UInt64, thread: UInt32), mayReadAhead: Bool,
        _ body: (inout RecordRun) throws -> Bool
    ) rethrows -> Bool {
        guard chunk != nil else { return true }
        run.limit = RecordRun.Limit(limit, of: thread)
        run.looseLimit = RecordRun.Limit(looseLimit, of: thread)
        if !run.isAhead {
            run.mayReadAhead = mayReadAhead
            run.begin(startsChunk: place == 0)
        }
        let goesOn = try body(&run) && run.isOver
        if run.hasLoss { reader.hasSeenLoss = true }
        if run.isAhead {
            place = cursor.following
            (nextTicks, nextSequence, nextCause) = (run.ahead.ticks, run.ahead.sequence, nil)
            return goesOn
        }
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
        decoder.frames.removeAll()
    }
}
