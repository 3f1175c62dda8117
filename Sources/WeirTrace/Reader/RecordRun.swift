/// Records of one thread that follow one another in the order of the trace: what a pass takes before another thread's turn.
///
/// It begins at a record. Take that one, and go on with a cursor of your own, which is quicker than one in memory:
///
///     reader.forEachRecordRun { run in
///         var cursor = run.cursor
///         repeat { count(cursor) } while run.advance(&cursor)
///         return true
///     }
///
/// The bytes are valid during the call only.
public struct RecordRun {
    /// The number of the thread.
    public let thread: UInt32
    /// Stands on the first record of the run; when the run is over, on the record that comes next, or behind the chunk's last one.
    public var cursor: RecordCursor
    /// The run begins with the chunk's first record: what was open on the thread, its `context` says, or nothing was.
    public let startsChunk: Bool
    @usableFromInline let limitTicks: UInt64
    /// Among records of one time, those of this thread come first.
    @usableFromInline let isFirstAtLimit: Bool
    @usableFromInline var isAtEnd = false
    @usableFromInline var isOver = false
    /// Where what follows the last record that was taken begins, at what time, and with what number.
    @usableFromInline var resumption: (place: Int, ticks: UInt64, sequence: UInt64)
    var isMalformed = false
    var hasLoss = false

    @inline(__always)
    init(_ thread: UInt32, _ cursor: RecordCursor, startsChunk: Bool, limit: (ticks: UInt64, thread: UInt32)) {
        self.thread = thread
        self.cursor = cursor
        self.startsChunk = startsChunk
        limitTicks = limit.ticks
        isFirstAtLimit = thread < limit.thread
        resumption = (cursor.following, cursor.ticks, cursor.followingSequence)
    }

    /// Goes on to the next record; false where the run is over.
    @inlinable @inline(__always)
    public mutating func advance(_ cursor: inout RecordCursor) -> Bool {
        // Records of unknown kinds may lie between this one and the next.
        let resumption = (cursor.following, cursor.ticks, cursor.followingSequence)
        if cursor.next() {
            // A hop may have to wait for its cause.
            if cursor.rawKind != EventKind.hopBegan.rawValue {
                if cursor.ticks < limitTicks || cursor.ticks == limitTicks && isFirstAtLimit { return true }
            }
        } else {
            isAtEnd = true
        }
        isOver = true
        self.cursor = cursor
        self.resumption = resumption
        return false
    }

    /// The record that the cursor stands on says that events were lost: the reader is to tell that the trace is incomplete.
    public mutating func noteLoss() { hasLoss = true }

    /// The record that the cursor stands on is malformed: the reader notes it, and leaves the rest of the chunk.
    public mutating func stop(at cursor: RecordCursor) {
        self.cursor = cursor
        isOver = true
        isMalformed = true
    }
}

extension TraceReader {
    /// Hands `body` the records of all threads in the order of `forEachEvent`, as runs; false from `body` stops.
    ///
    /// Several times as fast as `forEachEvent`, as nothing is decoded: which frames are open is for `body` to know.
    public func forEachRecordRun(_ body: (inout RecordRun) throws -> Bool) rethrows {
        var merge = EventMerge(bufferLimit: bufferLimit)
        defer { noteMissing(merge) }
        try merge.runRecords(self, body)
    }
}
