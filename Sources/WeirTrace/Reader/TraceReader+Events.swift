extension TraceReader {
    /// Hands `body` all events of all threads in the order of time; false from `body` stops.
    ///
    /// An event without a stamp of its own stands at the last stamp before it on its thread; among events of
    /// one time the thread with the lower number comes first, but a hop comes after its cause. Each call begins
    /// anew, with what the file held at the opening or the last `refresh()`.
    public func forEachEvent(_ body: (TraceEvent) throws -> Bool) rethrows {
        var merge = EventMerge(bufferLimit: bufferLimit)
        defer { noteMissing(merge) }
        try merge.run(self, body)
    }

    /// Hands `body` the events that no earlier call has given, in the order of time; false from `body` stops.
    ///
    /// To follow a trace that is still being written:
    ///
    ///     repeat {
    ///         wait()
    ///         reader.refresh()
    ///         reader.forEachNewEvent { show($0) }
    ///     } while !reader.header.isClosed
    ///
    /// An event that its thread commits after the call comes with a later one, also where another thread's
    /// later events were given before it. What a flight recorder overwrites in the meantime is counted in
    /// `overwrittenEvents`.
    public func forEachNewEvent(_ body: (TraceEvent) throws -> Bool) rethrows {
        var merge = follower ?? EventMerge(bufferLimit: bufferLimit)
        follower = nil
        defer {
            // Events that were overwritten after they had been read do not count here.
            overwrittenEvents = merge.overwrittenEvents
            follower = merge
        }
        try merge.run(self, body)
    }
}
