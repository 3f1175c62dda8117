/// Consecutive records of one thread in the order of the trace, up to the next record of another thread.
///
/// It begins at a record. Read that one, and continue with a local cursor, which is faster than one in memory:
///
///     reader.forEachRecordRun { run in
///         var cursor = run.cursor
///         repeat { count(cursor) } while run.advance(&cursor)
///         return true
///     }
///
/// The bytes are valid only during the call.
public struct RecordRun {
    /// The number of the thread.
    public let thread: UInt32
    /// The position: the first record of the run; after the run, the next record or the end of the chunk.
    public var cursor: RecordCursor
    /// Whether the run starts its chunk; then its `context`, if any, lists the open frames, otherwise none is open.
    public private(set) var startsChunk = false
    /// The limit of records that come in the order of the trace.
    public internal(set) var limit = Limit()
    /// The limit of records that have been read before their turn and may come before earlier records of other threads.
    @_spi(Records) public internal(set) var looseLimit = Limit()
    @usableFromInline var isAtEnd = false
    @usableFromInline var isOver = false
    /// The offset, time and number from which to continue after the last record taken.
    @usableFromInline var resumption: (place: Int, ticks: UInt64, sequence: UInt64)
    var isMalformed = false
    var hasLoss = false

    /// The number of the thread among all threads of the trace, from 0.
    @_spi(Records) public let place: Int
    /// Whether records may be read before their turn.
    @_spi(Records) public internal(set) var mayReadAhead = false
    /// Whether records have been read before their turn, up to the cursor.
    @_spi(Records) public var isAhead = false
    /// The time and number of the first of these, and the time up to which they may come after later records of other threads.
    @usableFromInline var ahead: (ticks: UInt64, sequence: UInt64, looseTicks: UInt64?) = (0, 0, nil)

    /// A time up to which records belong to a run.
    @frozen public struct Limit {
        @usableFromInline var ticks: UInt64 = 0
        /// Whether records of this thread precede records of other threads with the same time.
        @usableFromInline var isFirst = false

        init() {}

        @inline(__always)
        init(_ limit: (ticks: UInt64, thread: UInt32), of thread: UInt32) {
            (ticks, isFirst) = (limit.ticks, thread < limit.thread)
        }

        /// Whether a record at this time belongs to the run, unless it is a hop.
        @inlinable @inline(__always)
        public func includes(_ ticks: UInt64) -> Bool { ticks < self.ticks || ticks == self.ticks && isFirst }
    }

    /// No run yet.
    init(thread: UInt32, place: Int, _ cursor: RecordCursor) {
        self.thread = thread
        self.place = place
        self.cursor = cursor
        resumption = (0, 0, 0)
    }

    /// Begins a run at the cursor.
    @inline(__always)
    mutating func begin(startsChunk: Bool) {
        self.startsChunk = startsChunk
        resumption = (cursor.following, cursor.ticks, cursor.followingSequence)
        (isAtEnd, isOver, isMalformed, hasLoss) = (false, false, false, false)
    }

    /// Whether a record at this time belongs to the run, unless it is a hop.
    @inlinable @inline(__always)
    public func includes(_ ticks: UInt64) -> Bool { limit.includes(ticks) }

    /// Ends the run before records that have already been read, from one of this time and number up to the cursor.
    ///
    /// The next run of the thread begins with these. None of them may be a hop, or end the chunk. Up to `looseTicks`, other threads'
    /// records that have been read before their turn may precede them.
    @_spi(Records) @inline(__always) @inlinable
    public mutating func end(aheadFrom ticks: UInt64, _ sequence: UInt64, looseTicks: UInt64? = nil) {
        ahead = (ticks, sequence, looseTicks)
        (isAhead, isOver) = (true, true)
    }

    /// Notes that the turn of all records read so far has come.
    @_spi(Records) @inlinable
    public mutating func catchUp() { (isAhead, isOver) = (false, false) }

    /// Advances to the next record; false if the run is over.
    @inlinable @inline(__always)
    public mutating func advance(_ cursor: inout RecordCursor) -> Bool {
        // Records of unknown kinds may lie between this record and the next.
        let resumption = (cursor.following, cursor.ticks, cursor.followingSequence)
        if cursor.next() {
            // A hop may have to wait for its cause.
            if cursor.rawKind != EventKind.hopBegan.rawValue, includes(cursor.ticks) { return true }
        } else {
            isAtEnd = true
        }
        isOver = true
        self.cursor = cursor
        self.resumption = resumption
        return false
    }

    /// Notes that the current record reports lost events, so that the reader marks the trace as incomplete.
    public mutating func noteLoss() { hasLoss = true }

    /// Notes that the current record is malformed; the reader skips the rest of the chunk.
    public mutating func stop(at cursor: RecordCursor) {
        self.cursor = cursor
        isOver = true
        isMalformed = true
    }
}

extension TraceReader {
    /// Passes the records of all threads to `body` as runs, in the order of `forEachEvent`, until it returns false.
    ///
    /// This is several times as fast as `forEachEvent`, because nothing is decoded. `body` must keep track of open frames
    /// itself.
    public func forEachRecordRun(_ body: (inout RecordRun) throws -> Bool) rethrows {
        var merge = EventMerge(bufferLimit: bufferLimit)
        defer { noteMissing(merge) }
        try merge.runRecords(self, body)
    }
}
