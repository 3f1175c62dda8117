import WeirTrace

/// How far a pass over a trace has come.
public struct PassProgress: Sendable, Equatable {
    /// Events that were handed out so far.
    public let events: UInt64
    /// How many there are altogether: an estimate, taken from the first chunks of the trace.
    public let expectedEvents: UInt64

    /// Takes reports, such as for a progress bar.
    public typealias Report = (PassProgress) -> Void

    /// So many events lie between two reports.
    public static let interval: UInt64 = 65_536

    /// A pass that has come so far.
    public init(events: UInt64, expectedEvents: UInt64) {
        self.events = events
        self.expectedEvents = expectedEvents
    }

    /// The done part of the whole, from 0 to 0.99: that a pass has ended, only its end can tell.
    public var fraction: Double {
        expectedEvents == 0 ? 0 : min(0.99, Double(events) / Double(expectedEvents))
    }
}

extension TraceReader {
    /// Hands `body` all events in the order of time, and `report` now and then how far the pass has come.
    ///
    /// False from `body` stops. Without a `report` this is `forEachEvent`; with one it also reads the first
    /// chunks of events twice, to learn how many events there may be.
    public func forEachEvent(
        reporting report: PassProgress.Report?, _ body: (TraceEvent) throws -> Bool
    ) rethrows {
        guard let report else { return try forEachEvent(body) }
        let expected = estimatedEventCount()
        var events: UInt64 = 0
        try forEachEvent { (event: TraceEvent) in
            events += 1
            if events % PassProgress.interval == 0 {
                report(PassProgress(events: events, expectedEvents: expected))
            }
            return try body(event)
        }
    }

    /// The events of the first chunks, scaled up to all chunks.
    private func estimatedEventCount() -> UInt64 {
        var (chunks, records): (UInt64, UInt64) = (0, 0)
        forEachEventChunk { header, bytes in
            var cursor = RecordCursor(bytes, of: header)
            while cursor.next() { records += 1 }
            chunks += 1
            return chunks < 8
        }
        return chunks == 0 ? 0 : records * UInt64(eventChunkCount) / chunks
    }
}
