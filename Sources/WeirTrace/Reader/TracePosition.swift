/// A place between two events of a trace, in the order of `forEachEvent`; to come back to it, keep a copy.
///
/// It takes about 300 bytes for each thread. It belongs to the reader that moved it.
public struct TracePosition {
    var merge: EventMerge

    /// The place before the first event.
    public init() { merge = EventMerge(bufferLimit: 1024) }

    /// The number of the next event of `thread`, as far as that is known: no event with a lower one is still to come.
    public func nextSequence(ofThread thread: UInt32) -> UInt64 { merge.nextSequence(ofThread: thread) }
}

extension TraceReader {
    /// Hands `body` the events behind `position` in the order of time, and moves it along; false from `body` stops.
    ///
    /// The event for which `body` gave false counts as passed. Beginning anew costs reading one chunk of each thread.
    public func forEachEvent(from position: inout TracePosition, _ body: (TraceEvent) throws -> Bool) rethrows {
        defer { noteMissing(position.merge) }
        try position.merge.run(self, body)
    }
}
