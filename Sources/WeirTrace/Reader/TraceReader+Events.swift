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

extension TraceReader {
    /// Passes the records of each chunk of events to `body` in file order, until it returns false.
    ///
    /// Use it for passes that need no order in time across threads. Read the records with `RecordCursor`, and report the end
    /// of the walk to `noteEnd(of:in:)`. The bytes are valid only during the call.
    public func forEachEventChunk(
        _ body: (ChunkHeader, UnsafeRawBufferPointer) throws -> Bool
    ) rethrows {
        let buffer = ChunkBuffer()
        for place in index.eventPlaces {
            guard let chunk = load(place, serial: nil, into: buffer), chunk.header.content == .events else {
                continue
            }
            guard try body(chunk.header, chunk.records) else { return }
        }
    }

    /// Reads all definitions of the ids in events.
    ///
    /// Memory use grows with the number of nodes, subscriptions, objects and names in the trace.
    public func definitions() throws(TraceError) -> TraceDefinitions {
        let buffer = ChunkBuffer()
        var decoder = DefinitionDecoder()
        for entry in index.definitions {
            guard let chunk = load(Int(entry.index), serial: entry.serial, into: buffer) else { continue }
            if let stop = decoder.decode(chunk.records, of: chunk.header), !chunk.isCut {
                noteMalformed(tag: stop.tag, at: stop.position, in: chunk.header)
            }
        }
        return decoder.definitions
    }
}
