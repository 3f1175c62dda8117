/// Reads a trace, finished or still being written, in one pass and little memory.
///
///     let reader = try TraceReader(path: "login.weir")
///     let names = try reader.definitions()
///     reader.forEachEvent { event in
///         print(event.id, names.name(ofNode: event.subject), event.value)
///         return true
///     }
///
/// It keeps 24 bytes for each chunk of the file and a buffer of 64 KiB for each thread active at the same time, regardless of
/// the number of events. A damaged trace is read except for its damaged parts, which `damage` describes; `damage` grows as the
/// file is read. A reader must not be used by several threads at once.
public final class TraceReader {
    /// The most pieces of damage kept; all are counted.
    public static let damageLimit = 100

    /// The content of the file header; `refresh()` updates its changing part.
    public private(set) var header: TraceHeader
    /// The damage found so far, in the order of discovery.
    public internal(set) var damage: [TraceDamage] = []
    /// The number of pieces of damage found so far, including those that `damage` has no room for.
    public internal(set) var damageCount = 0
    /// The number of events that a flight recorder overwrote before they were read, according to the last pass.
    public internal(set) var overwrittenEvents: UInt64 = 0

    let file: InputFile
    private(set) var index = ChunkIndex()
    var follower: EventMerge?
    /// The chunks with parts of snapshots, for a given number of definition chunks; nil: not yet requested.
    var snapshotPlaces: (chunks: Int, places: [UInt32: [ChunkIndex.Entry]])?
    var hasSeenLoss = false
    /// Whether a chunk that was read begins inside more frames than it lists: what happens in the others cannot be attributed.
    public internal(set) var hasUnlistedFrames = false
    /// How many times a chunk was read, without those that several threads shared; a measure of cost.
    package private(set) var chunksRead = 0
    /// The most chunks of events that a pass keeps in memory; with more, chunks are read repeatedly.
    var bufferLimit = 1024
    var noted: Set<UInt64> = []
    private let headBuffer = ChunkBuffer(byteCount: TraceFormat.headerLength)

    /// Opens the trace, checks its file header and examines the header of each chunk.
    public init(path: String) throws(TraceError) {
        file = try InputFile(path: path)
        header = try Self.readHeader(of: file, into: headBuffer.bytes)
        if let places = header.redaction?.damagedPlaces, places > 0 {
            let field = UInt64(TraceFormat.HeaderField.redactionDamage)
            note(TraceDamage(chunk: nil, thread: nil, offset: field, reason: .damagedOriginal(places: places)))
        }
        scan()
    }

    /// Whether threads may be missing: chunks were overwritten, and the header does not count their events.
    public var mayLackThreads: Bool {
        header.isFlightRecorder && header.overwrittenEvents == nil && index.highestSerial > UInt64(index.serialCount)
    }

    /// Whether the part read so far shows no loss and no damage.
    ///
    /// An intact trace may be incomplete: it may still be written, and old events may have been overwritten.
    public var isIntact: Bool { damageCount == 0 && header.lostEvents == 0 && !hasSeenLoss }

    /// The number of undamaged chunks in use.
    public var chunkCount: Int { index.events.count + index.definitions.count }

    /// The number of undamaged chunks of events.
    public var eventChunkCount: Int { index.events.count }

    /// The number of undamaged chunks of definitions.
    public var definitionChunkCount: Int { index.definitions.count }

    /// The numbers of the threads that recorded events, in order.
    public var threads: [UInt32] { index.threads }

    /// Counts overwritten events at the end of a pass.
    ///
    /// Chunks show gaps only in threads that still have chunks; the header counts all overwritten events.
    func noteMissing(_ merge: EventMerge) {
        overwrittenEvents = max(merge.overwrittenEvents, header.overwrittenEvents ?? 0)
    }

    /// Reads what was written since: the end of the recording, new chunks, overwritten chunks.
    ///
    /// It is cheap enough for a few calls per second. It examines only chunks that were not yet in use, but all chunks of a
    /// flight recorder.
    public func refresh() {
        // The state first: everything committed before the state changed to closed is then visible below.
        if case .count(let count) = file.read(into: headBuffer.bytes, at: 0) {
            header.readChangingPart(UnsafeRawBufferPointer(rebasing: headBuffer.bytes[..<count]))
        }
        scan()
    }

    /// Notes the malformed record at which a walk over a chunk ended; does nothing if there is none.
    public func noteEnd(of cursor: RecordCursor, in chunk: ChunkHeader) {
        guard !cursor.isSound else { return }
        noteMalformed(tag: cursor.tag, at: cursor.position, in: chunk)
    }

    func noteMalformed(tag: UInt8, at position: Int, in chunk: ChunkHeader) {
        let reason: TraceDamage.Reason =
            chunk.content == .events ? .malformedRecord(tag: tag) : .malformedDefinition(tag: tag)
        note(chunk, at: TraceFormat.chunkHeaderLength + position, reason)
    }

    func note(_ chunk: ChunkHeader, at place: Int, _ reason: TraceDamage.Reason) {
        note(
            TraceDamage(
                chunk: chunk.index, thread: chunk.thread, offset: chunk.offset + UInt64(place), reason: reason
            ))
    }

    func note(_ found: TraceDamage) {
        let place = found.chunk.map { UInt64($0) } ?? UInt64(UInt32.max) + 1
        guard noted.insert(place << 8 | found.reason.code).inserted else { return }
        damageCount += 1
        if damage.count < Self.damageLimit { damage.append(found) }
    }
}

extension TraceReader {
    private static func readHeader(
        of file: InputFile, into buffer: UnsafeMutableRawBufferPointer
    ) throws(TraceError) -> TraceHeader {
        switch file.read(into: buffer, at: 0) {
        case .failed(let code): throw .unreadable(path: file.path, offset: 0, code: code)
        case .count(let count):
            return try TraceHeader(UnsafeRawBufferPointer(rebasing: buffer[..<count]), path: file.path)
        }
    }

    /// Examines the headers of the chunks that are not yet settled.
    private func scan() {
        let length = file.length
        var place = index.firstUnsettled
        index.forgetUnsettled()
        var firstUnsettled: Int?
        var unusedRun = 0
        var damagedCount = 0
        var last: ChunkHeader?
        while place < UInt32.max, ChunkHeader.offset(of: place) < length {
            switch readChunkHeader(place) {
            case .unused:
                firstUnsettled = firstUnsettled ?? place
                unusedRun += 1
                if unusedRun > 4096 { place = skipHole(from: place) }
            case .damaged(let found):
                unusedRun = 0
                damagedCount += 1
                firstUnsettled = firstUnsettled ?? place
                note(found)
            case .sound(let header, let found):
                unusedRun = 0
                last = header
                index.add(header)
                if let found { note(found) }
            }
            place += 1
        }
        for entry in index.sort() {
            note(
                TraceDamage(
                    chunk: Int(entry.index), thread: entry.thread,
                    offset: ChunkHeader.offset(of: Int(entry.index)), reason: .repeatedSerial(entry.serial)))
        }
        index.settle(upTo: header.isFlightRecorder ? 0 : firstUnsettled ?? place)
        noteMissingChunks(damaged: damagedCount, endsUnused: unusedRun > 0, length: length)
        // If the last chunk is damaged, the expected end of the file is unknown.
        if last == nil && place == 0 || last?.index == place - 1 { checkEnd(length: length, last: last) }
    }

    /// Notes chunks that are missing from a closed file.
    ///
    /// Serials count the chunks that came into use, and the last chunk of a closed file is one of them. A flight recorder
    /// that has overwritten chunks used these twice.
    private func noteMissingChunks(damaged: Int, endsUnused: Bool, length: UInt64) {
        guard header.isClosed, length == header.closedLength else { return }
        if header.isFlightRecorder, header.overwrittenEvents != 0 { return }
        var count = Int(clamping: index.highestSerial) - index.serialCount - damaged
        if endsUnused { count = max(1, count) }
        if count > 0 {
            note(TraceDamage(chunk: nil, thread: nil, offset: length, reason: .chunksMissing(count)))
        }
    }

    /// The last chunk that is certainly unused; keeps the scan of a huge file short that is a single hole.
    private func skipHole(from place: Int) -> Int {
        guard let data = file.nextData(from: ChunkHeader.offset(of: place)) else { return Int(UInt32.max) }
        let chunk = (data - UInt64(TraceFormat.headerLength)) / UInt64(TraceFormat.chunkSize)
        return max(place, Int(clamping: chunk) - 1)
    }

    private func checkEnd(length: UInt64, last: ChunkHeader?) {
        func missing(_ reason: TraceDamage.Reason) {
            note(TraceDamage(chunk: last?.index, thread: last?.thread, offset: length, reason: reason))
        }
        let end = last.map { $0.offset + UInt64(TraceFormat.chunkHeaderLength + $0.committed) } ?? length
        if length < end { missing(.cutOff) }
        guard header.isClosed else { return }
        // A thread that was writing a record when the recording was closed keeps its whole chunk in the file.
        let isWholeChunks = length % UInt64(TraceFormat.chunkSize) == UInt64(TraceFormat.headerLength)
        if length > end && !isWholeChunks { missing(.endMissing) }
        if let closedLength = header.closedLength, length < closedLength { missing(.endMissing) }
    }

    /// Reads a chunk's header; retries a few times, because the header may be in the middle of being written.
    func readChunkHeader(_ place: Int) -> ChunkHeader.Found {
        readChunkHeader(place, into: headBuffer.head)
    }

    private func readChunkHeader(_ place: Int, into buffer: UnsafeMutableRawBufferPointer)
        -> ChunkHeader.Found
    {
        var attempts = header.isClosed ? 1 : 4
        while true {
            attempts -= 1
            switch file.read(into: buffer, at: ChunkHeader.offset(of: place)) {
            case .failed(let code):
                return .damaged(
                    TraceDamage(
                        chunk: place, thread: nil, offset: ChunkHeader.offset(of: place),
                        reason: .unreadable(code: code)))
            case .count(let count):
                let found = ChunkHeader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]), index: place)
                switch found {
                case .unused, .sound(_, nil): return found
                case .damaged, .sound: if attempts <= 0 { return found }
                }
            }
        }
    }

    /// A chunk in a buffer; `header.committed` is limited to the bytes that the file has.
    struct LoadedChunk {
        var header: ChunkHeader
        var records: UnsafeRawBufferPointer
        /// Whether the file ends within the chunk, so that its last record may be incomplete.
        var isCut: Bool
    }

    /// Reads the chunk at `place`; `nil` if it is damaged, unused or, with another serial, overwritten.
    func load(_ place: Int, serial: UInt64?, into buffer: ChunkBuffer) -> LoadedChunk? {
        chunksRead += 1
        var attempts = header.isClosed ? 1 : 4
        while true {
            attempts -= 1
            switch readChunkHeader(place, into: buffer.head) {
            case .unused: return nil
            case .damaged(let found):
                note(found)
                return nil
            case .sound(let chunk, let found):
                guard serial == nil || chunk.serial == serial else { return nil }
                if let found { note(found) }
                guard let loaded = loadRecords(of: chunk, into: buffer) else { return nil }
                var isUnchanged = true
                if !header.isClosed {
                    // A flight recorder may have overwritten the chunk while it was being copied.
                    guard case .sound(let now, _) = readChunkHeader(place), now.serial == chunk.serial
                    else { return nil }
                    isUnchanged = now == chunk
                }
                let head = UnsafeRawBufferPointer(buffer.head)
                if loaded.isCut || chunk.checksumHolds(head: head, records: loaded.records) { return loaded }
                // The header may have been copied while the chunk was being sealed.
                if !isUnchanged && attempts > 0 { continue }
                note(chunk, at: TraceFormat.ChunkField.checksum, .checksumFailed)
                return loaded
            }
        }
    }

    private func loadRecords(of chunk: ChunkHeader, into buffer: ChunkBuffer) -> LoadedChunk? {
        let place = chunk.offset + UInt64(TraceFormat.chunkHeaderLength)
        let room = buffer.records(chunk.committed)
        switch file.read(into: room, at: place) {
        case .failed(let code):
            note(chunk, at: TraceFormat.chunkHeaderLength, .unreadable(code: code))
            return nil
        case .count(let count):
            var loaded = LoadedChunk(
                header: chunk, records: UnsafeRawBufferPointer(rebasing: room[..<count]),
                isCut: count < chunk.committed)
            loaded.header.committed = count
            if loaded.isCut { note(chunk, at: TraceFormat.chunkHeaderLength + count, .cutOff) }
            return loaded
        }
    }
}
