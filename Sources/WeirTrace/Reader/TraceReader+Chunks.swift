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
