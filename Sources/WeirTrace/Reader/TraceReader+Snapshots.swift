extension TraceReader {
    /// The snapshot with the number that a `snapshotTaken` names; nil: a part of it is lost or damaged.
    ///
    /// The first call reads all chunks of definitions to locate the parts of all snapshots. Each call reads the chunks with
    /// parts of its snapshot. Reading takes at most 8 MiB of memory.
    public func snapshot(_ number: UInt32) -> TraceSnapshot? { snapshot(number, in: chunksOfSnapshots()[number] ?? []) }

    /// The same snapshot, read from the chunks that contain its parts.
    func snapshot(_ number: UInt32, in chunks: [ChunkIndex.Entry]) -> TraceSnapshot? {
        var parts: [UInt64: [UInt8]] = [:]
        var count: UInt64?
        var room = SnapshotLimits.bytes
        let buffer = ChunkBuffer()
        // The latest chunks first, because usually the last snapshot is requested.
        for entry in chunks.reversed() {
            if let count, parts.count == count { break }
            guard let chunk = load(Int(entry.index), serial: entry.serial, into: buffer) else { continue }
            let stop = Self.forEachPart(in: chunk.records) { part, bytes in
                guard part.snapshot == number, part.number < part.count, count ?? part.count == part.count,
                    parts[part.number] == nil,
                    bytes.count <= room
                else { return }
                count = part.count
                room -= bytes.count
                parts[part.number] = Array(bytes)
            }
            if let stop, !chunk.isCut { noteMalformed(tag: stop.tag, at: stop.position, in: chunk.header) }
        }
        guard let count, parts.count == count else {
            hasSeenLoss = true
            return nil
        }
        var bytes: [UInt8] = []
        for part in 0..<count { bytes += parts.removeValue(forKey: part) ?? [] }
        let snapshot = bytes.withUnsafeBytes { TraceSnapshot(decoding: $0) }
        if snapshot == nil { hasSeenLoss = true }
        return snapshot
    }

    /// The chunks that contain parts of each snapshot, in the order of their serial numbers.
    func chunksOfSnapshots() -> [UInt32: [ChunkIndex.Entry]] {
        if let known = snapshotPlaces, known.chunks == index.definitions.count { return known.places }
        var places: [UInt32: [ChunkIndex.Entry]] = [:]
        let buffer = ChunkBuffer()
        for entry in index.definitions {
            guard let chunk = load(Int(entry.index), serial: entry.serial, into: buffer) else { continue }
            _ = Self.forEachPart(in: chunk.records) { part, _ in
                guard places[part.snapshot]?.last?.index != entry.index else { return }
                places[part.snapshot, default: []].append(entry)
            }
        }
        snapshotPlaces = (index.definitions.count, places)
        return places
    }

    /// Passes each part of a snapshot in a chunk to `body`; returns the position of a malformed record.
    private static func forEachPart(
        in records: UnsafeRawBufferPointer, _ body: (SnapshotPart, UnsafeRawBufferPointer) -> Void
    ) -> DefinitionDecoder.Stop? {
        guard let base = records.baseAddress else { return nil }
        var scanner = ByteScanner(base, from: 0, to: records.count)
        while true {
            let start = scanner.position
            guard let tag = scanner.byte() else { return nil }
            let stop = DefinitionDecoder.Stop(tag: tag, position: start)
            guard tag != 0, let length = scanner.varint() else { return stop }
            let place = scanner.position
            guard scanner.skip(length) else { return stop }
            guard tag == TraceFormat.DefinitionTag.snapshotPart.rawValue else { continue }
            var payload = ByteScanner(base, from: place, to: scanner.position)
            guard let part = SnapshotPart(from: &payload) else { return stop }
            body(part, UnsafeRawBufferPointer(rebasing: records[payload.position..<payload.end]))
        }
    }
}
