import WeirTrace

/// How far a pass over a trace has come.
package struct PassProgress: Sendable, Equatable {
    /// Events that were passed on so far.
    package let events: UInt64
    /// The estimated number of all events, from the first chunks of the trace.
    package let expectedEvents: UInt64

    /// Receives reports, such as for a progress bar.
    package typealias Report = (PassProgress) -> Void

    /// The number of events between two reports.
    package static let interval: UInt64 = 65_536

    /// The progress after some of the expected events.
    package init(events: UInt64, expectedEvents: UInt64) {
        self.events = events
        self.expectedEvents = expectedEvents
    }

    /// The completed fraction, from 0 to 0.99: only the end of a pass shows that it is complete.
    package var fraction: Double {
        expectedEvents == 0 ? 0 : min(0.99, Double(events) / Double(expectedEvents))
    }
}

extension TraceReader {
    /// Passes all events to `body` in the order of time, and regularly reports the progress.
    ///
    /// The pass stops when `body` returns false. Without a `report` this is `forEachEvent`; with one it also reads the first
    /// chunks of events twice, to estimate the number of events.
    package func forEachEvent(
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

    /// The number of events in the first chunks, scaled up to all chunks.
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
