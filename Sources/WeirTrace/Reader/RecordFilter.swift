/// Finds records whose events nobody asked for, so that a reader skips them without decoding them.
///
/// It judges the frequent kinds only, and may let records pass whose events are not wanted either.
package struct RecordFilter {
    /// The wanted kinds, a bit for each raw kind.
    package var kinds: UInt32 = .max
    /// The wanted thread; nil: all.
    package var thread: UInt32?
    /// The wanted times, in ticks.
    package var ticks: ClosedRange<UInt64> = 0...(.max)
    /// By id, whether events of a node, or of a subscription, are wanted; nil: all are.
    package var subjects: (nodes: [Bool], subscriptions: [Bool])?

    package init() {}

    /// The filter for records of one thread.
    fileprivate func of(thread: UInt32) -> RecordFilter {
        var filter = self
        if let wanted = self.thread, wanted != thread { filter.kinds = 0 }
        return filter
    }

    /// Whether the event of a record is certainly not wanted; `frames` are those open before it.
    @inline(__always)
    func rejects(_ cursor: RecordCursor, _ frames: borrowing FrameStack) -> Bool {
        let kind = cursor.rawKind
        guard kind <= EventKind.failed.rawValue else { return false }
        if kinds & 1 << UInt32(kind) == 0 || !ticks.contains(cursor.ticks) { return true }
        guard let subjects else { return false }
        func wants(_ subscription: UInt32) -> Bool {
            Int(subscription) < subjects.subscriptions.count && subjects.subscriptions[Int(subscription)]
        }
        switch EventKind(rawValue: kind) {
        case .deliveryBegan, .subscriptionStarted, .subscriptionEnded: return !wants(cursor.subject)
        case .deliveryNext: return !wants(cursor.subject) && !wants(frames.delivery)
        case .deliveryEnded: return !wants(frames.delivery)
        default: return !(Int(cursor.subject) < subjects.nodes.count && subjects.nodes[Int(cursor.subject)])
        }
    }
}

extension FrameStack {
    /// The subscription to which the innermost emission is being delivered; 0: none.
    @inline(__always)
    fileprivate var delivery: UInt32 {
        let place = Int(places.emission)
        return place < 0 ? 0 : self[place].subscription
    }

    /// Follows a record of a frequent kind.
    @inline(__always)
    fileprivate mutating func pass(_ cursor: RecordCursor) {
        switch EventKind(rawValue: cursor.rawKind) {
        case .emitted: if cursor.delivers { open(.emission, sequence: cursor.sequence) }
        case .completed, .failed: if cursor.delivers { open(.emission, sequence: cursor.sequence, isEnding: true) }
        case .deliveryBegan, .deliveryNext: beginDelivery(to: cursor.subject)
        case .deliveryEnded:
            leaveDelivery()
            close(.emission)
        default: break
        }
    }
}

extension ThreadStream {
    /// Passes over records that a filter rejects. Returns whether the next event comes before the limit, or is at the cursor
    /// already.
    mutating func skip(
        _ filter: RecordFilter, _ reader: TraceReader, before limit: (ticks: UInt64, thread: UInt32)
    ) -> Bool {
        let filter = filter.of(thread: thread)
        return pass(reader, before: limit, while: { filter.rejects($0, $1) }, { $1.pass($0) })
    }

    /// Passes over the records of frequent kinds before an event of this thread, up to any other record.
    mutating func skip(to sequence: UInt64, _ reader: TraceReader) {
        let last = EventKind.failed.rawValue
        _ = pass(
            reader, before: (.max, .max), while: { cursor, _ in cursor.rawKind <= last && cursor.sequence < sequence },
            { $1.pass($0) })
    }
}

extension TraceReader {
    /// As `forEachEvent`, but without most events that a filter rejects.
    package func forEachEvent(passing filter: RecordFilter, _ body: (TraceEvent) throws -> Bool) rethrows {
        var merge = EventMerge(bufferLimit: bufferLimit)
        defer { noteMissing(merge) }
        guard canSkipEvents, index.events.count > 1 else { return try merge.run(self, passing: filter, body) }
        let ahead = ChunksAhead(self, atMost: 64) { FilteredChunk($0, $1, filter) }
        try ahead.run { try merge.run(self, passing: filter, from: ahead, body) }
    }
}

/// The events of an undamaged chunk that a filter accepts.
struct FilteredChunk {
    let header: ChunkHeader
    let events: [TraceEvent]
    /// The time of the last record.
    let lastTicks: UInt64
    /// The number after the last event.
    let followingSequence: UInt64

    // Limits the memory for chunks that are prepared. It is quicker to print more events than this than to decode them.
    private static let mostEvents = 256

    /// Nil if a record is malformed, the clock wraps, the events are too many, or more frames are open than are listed.
    init?(_ header: ChunkHeader, _ records: UnsafeRawBufferPointer, _ filter: RecordFilter) {
        let filter = filter.of(thread: header.thread)
        var decoder = EventDecoder(thread: header.thread)
        var cursor = RecordCursor(records, of: header)
        var events: [TraceEvent] = []
        var event = TraceEvent(id: EventID(thread: header.thread, sequence: 0), kind: .frame, ticks: 0)
        var last = header.baseTicks
        while cursor.next() {
            guard cursor.ticks >= last else { return nil }
            last = cursor.ticks
            if filter.rejects(cursor, decoder.frames) {
                decoder.frames.pass(cursor)
            } else {
                guard events.count < Self.mostEvents, decoder.take(cursor, into: &event) else { return nil }
                if cursor.kind != .context { events.append(event) }
            }
        }
        guard cursor.isSound, !decoder.hasUnlistedFrames else { return nil }
        (self.header, self.events, lastTicks, followingSequence) = (header, events, last, cursor.followingSequence)
    }
}
