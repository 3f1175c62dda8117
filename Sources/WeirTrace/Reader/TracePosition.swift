/// A position between two events of a trace, in the order of `forEachEvent`; keep a copy to return to it.
///
/// It takes about 300 bytes for each thread. Use it only with the reader that advanced it.
public struct TracePosition {
    var merge: EventMerge

    /// The position before the first event.
    public init() { merge = EventMerge(bufferLimit: 1024) }

    /// The number of the next event of `thread`, or a lower one while that is unknown.
    public func nextSequence(ofThread thread: UInt32) -> UInt64 { merge.nextSequence(ofThread: thread) }
}

extension TraceReader {
    /// Passes the events after `position` to `body` in the order of time and advances it, until `body` returns false.
    ///
    /// The event for which `body` returned false counts as passed. A new run starts by reading one chunk of each thread.
    public func forEachEvent(from position: inout TracePosition, _ body: (TraceEvent) throws -> Bool) rethrows {
        defer { noteMissing(position.merge) }
        try position.merge.run(self, body)
    }
}
