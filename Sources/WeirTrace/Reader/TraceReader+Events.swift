extension TraceReader {
    /// Passes all events of all threads to `body` in the order of time, until it returns false.
    ///
    /// An event without a stamp has the time of the last stamp before it on its thread. Among events of the same time, the
    /// thread with the lower number comes first, but a hop follows its cause. Each call starts at the beginning, with the
    /// content of the file at the time of opening or of the last `refresh()`.
    public func forEachEvent(_ body: (TraceEvent) throws -> Bool) rethrows {
        var merge = EventMerge(bufferLimit: bufferLimit)
        defer { noteMissing(merge) }
        try merge.run(self, body)
    }

    /// Passes the events that no earlier call has passed to `body` in the order of time, until it returns false.
    ///
    /// Use it to follow a trace that is still being written:
    ///
    ///     repeat {
    ///         wait()
    ///         reader.refresh()
    ///         reader.forEachNewEvent { show($0) }
    ///     } while !reader.header.isClosed
    ///
    /// An event that its thread commits after the call is passed by a later call, even if later events of other threads were
    /// passed before. `overwrittenEvents` counts events that a flight recorder overwrites between calls.
    public func forEachNewEvent(_ body: (TraceEvent) throws -> Bool) rethrows {
        var merge = follower ?? EventMerge(bufferLimit: bufferLimit)
        follower = nil
        defer {
            // Events overwritten after they were read do not count here.
            overwrittenEvents = merge.overwrittenEvents
            follower = merge
        }
        try merge.run(self, body)
    }
}
