extension TraceReader {
    /// The snapshot with the number that a `snapshotTaken` names; nil: a part of it is lost or damaged.
    ///
    /// The first call reads all chunks of definitions to locate the parts of all snapshots. Each call reads the chunks with
    /// parts of its snapshot. Reading takes at most 8 MiB of memory.
    public func snapshot(_ number: UInt32) -> TraceSnapshot? { snapshot(number, in: chunksOfSnapshots()[number] ?? []) }

    /// The same snapshot, read from the chunks that contain its parts.
    func snapshot(_ number: UInt32, in chunks: [ChunkIndex.Entry]) -> TraceSnapshot? {
        var parts = PartsInMemory()
        let buffer = ChunkBuffer()
        // The latest chunks first, because usually the last snapshot is requested.
        for entry in chunks.reversed() {
            if parts.areAll { break }
            guard let chunk = load(Int(entry.index), serial: entry.serial, into: buffer) else { continue }
            let stop = Self.forEachPart(in: chunk.records) { part, bytes in
                if part.snapshot == number { parts.take(part, bytes) }
            }
            if let stop, !chunk.isCut { noteMalformed(tag: stop.tag, at: stop.position, in: chunk.header) }
        }
        guard let bytes = parts.joined else {
            hasSeenLoss = true
            return nil
        }
        let snapshot = bytes.withUnsafeBytes { TraceSnapshot(decoding: $0) }
        if snapshot == nil { hasSeenLoss = true }
        return snapshot
    }

    /// Why the heap walks of these snapshots were aborted, by the number of the snapshot; lost snapshots and those of whole
    /// walks are missing.
    ///
    /// Reads each chunk with parts of them once. Decodes nothing but the limitations, and keeps only the bytes of
    /// snapshots whose parts are not all read yet.
    package func abortedWalks(of numbers: some Sequence<UInt32>) -> [UInt32: SnapshotLimitation] {
        let places = chunksOfSnapshots()
        var chunks: [UInt32: ChunkIndex.Entry] = [:]
        var open: [UInt32: PartsInMemory] = [:]
        for number in numbers {
            open[number] = PartsInMemory()
            for entry in places[number] ?? [] { chunks[entry.index] = entry }
        }
        var aborted: [UInt32: SnapshotLimitation] = [:]
        let buffer = ChunkBuffer()
        for entry in chunks.values.sorted(by: { $0.serial < $1.serial }) {
            guard let chunk = load(Int(entry.index), serial: entry.serial, into: buffer) else { continue }
            _ = Self.forEachPart(in: chunk.records) { part, bytes in
                open[part.snapshot]?.take(part, bytes)
                guard let whole = open[part.snapshot]?.joined else { return }
                open[part.snapshot] = nil
                aborted[part.snapshot] = whole.withUnsafeBytes { SnapshotDecoder.abortion(in: $0) }
            }
        }
        return aborted
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

/// The bytes of the parts of one snapshot that were read so far.
private struct PartsInMemory {
    private var parts: [UInt64: [UInt8]] = [:]
    private var count: UInt64?
    private var room = SnapshotLimits.bytes

    var areAll: Bool { count.map { UInt64(parts.count) == $0 } ?? false }

    /// All bytes in order; nil: a part is missing.
    var joined: [UInt8]? {
        guard areAll, let count else { return nil }
        var bytes: [UInt8] = []
        for part in 0..<count { bytes += parts[part] ?? [] }
        return bytes
    }

    /// Takes a part, unless it is known, contradicts those before, or is too long.
    mutating func take(_ part: SnapshotPart, _ bytes: UnsafeRawBufferPointer) {
        guard part.number < part.count, count ?? part.count == part.count, parts[part.number] == nil,
            bytes.count <= room
        else { return }
        count = part.count
        room -= bytes.count
        parts[part.number] = Array(bytes)
    }
}
