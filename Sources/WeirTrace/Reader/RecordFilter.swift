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
        var filter = filter
        if let wanted = filter.thread, wanted != thread { filter.kinds = 0 }
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
        try merge.run(self, passing: filter, body)
    }
}
