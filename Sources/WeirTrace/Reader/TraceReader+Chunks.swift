extension TraceReader {
    /// Hands `body` the records of each chunk of events, in file order; false from `body` stops.
    ///
    /// For passes that need no order in time across threads; walk the records with `RecordCursor`, and tell
    /// `noteEnd(of:in:)` how the walk ended. The bytes are valid during the call only.
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

    /// Reads all definitions: what the ids in events mean.
    ///
    /// Memory grows with the nodes, subscriptions, objects and names of the trace.
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
