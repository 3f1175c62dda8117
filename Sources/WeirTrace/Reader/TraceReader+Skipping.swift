extension TraceReader {
    /// Passes the records of each chunk of events taken into use before `ticks` to `body`, in file order.
    ///
    /// Stops if `body` returns false. Returns false if a chunk is incomplete.
    package func forEachEventChunk(
        before ticks: UInt64, _ body: (ChunkHeader, UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        let buffer = ChunkBuffer()
        for entry in index.events.filter({ $0.baseTicks < ticks }).sorted(by: { $0.index < $1.index }) {
            guard let chunk = load(Int(entry.index), serial: entry.serial, into: buffer), !chunk.isCut else {
                return false
            }
            guard body(chunk.header, chunk.records) else { return true }
        }
        return true
    }

    /// Passes the records of one chunk to `body`; false if the chunk is incomplete.
    package func withChunk(_ place: Int, _ body: (ChunkHeader, UnsafeRawBufferPointer) -> Void) -> Bool {
        guard let chunk = load(place, serial: nil, into: ChunkBuffer()), !chunk.isCut else { return false }
        body(chunk.header, chunk.records)
        return true
    }

    /// The latest time before `ticks` at which a chunk was taken into use; nil: there is none.
    package func lastChunkBase(before ticks: UInt64) -> UInt64? {
        index.events.lazy.map(\.baseTicks).filter { $0 < ticks }.max()
    }

    /// A time at which a chunk was taken into use, with this many further ones between it and `ticks`; nil: there are fewer.
    package func chunkBase(_ count: Int, chunksBefore ticks: UInt64) -> UInt64? {
        let bases = index.events.lazy.map(\.baseTicks).filter { $0 < ticks }.sorted()
        return bases.count > count ? bases[bases.count - 1 - count] : nil
    }

    /// Whether each thread's chunks were taken into use in the order of their times.
    package var hasRisingChunks: Bool {
        zip(index.events, index.events.dropFirst()).allSatisfy {
            $0.thread != $1.thread || $0.baseTicks <= $1.baseTicks
        }
    }

    /// The position before all events at `ticks` and later; it may include some earlier events of each thread.
    ///
    /// Nil if a chunk is unreadable. Requires `hasRisingChunks`.
    package func position(before ticks: UInt64) -> TracePosition? {
        var streams: [ThreadStream] = []
        for thread in index.threads {
            var last: ChunkIndex.Entry?
            var next = index.chunk(of: thread, from: 0)
            while let entry = next, last == nil || entry.baseTicks < ticks {
                last = entry
                next = entry.serial == .max ? nil : index.chunk(of: thread, from: entry.serial + 1)
            }
            guard let last else { continue }
            var header: ChunkHeader?
            guard withChunk(Int(last.index), { found, _ in header = found }), let header else { return nil }
            streams.append(ThreadStream(startingAt: header))
        }
        var position = TracePosition()
        position.merge = EventMerge(bufferLimit: 1024, streams)
        return position
    }

    /// The time of an event, if its chunk is complete; nil: there is no such event, or the chunk is damaged.
    package func ticks(of id: EventID) -> UInt64? {
        let chunks = index.events.filter { $0.thread == id.thread }
        var (low, high) = (0, chunks.count)
        var found: UInt64?
        while low < high {
            let middle = (low + high) / 2
            var (first, last): (UInt64, UInt64) = (0, 0)
            let isWhole = withChunk(Int(chunks[middle].index)) { header, records in
                var cursor = RecordCursor(records, of: header)
                (first, last) = (header.firstSequence, header.firstSequence)
                guard id.sequence >= first else { return }
                while cursor.next() {
                    guard cursor.rawKind != EventKind.context.rawValue else { continue }
                    last = cursor.sequence
                    if last == id.sequence { found = cursor.ticks }
                    if last >= id.sequence { return }
                }
            }
            guard isWhole else { return nil }
            if found != nil { return found }
            if id.sequence < first { high = middle } else { low = middle + 1 }
        }
        return nil
    }

    /// Passes the events of the chunk that contains the event to `body`, from the chunk's first event on.
    ///
    /// Stops if `body` returns false. Passes nothing if there is no such chunk.
    package func forEachEvent(inChunkOf id: EventID, _ body: (TraceEvent) -> Bool) {
        var chunks = index.events.filter { $0.thread == id.thread }
        var (low, high) = (0, chunks.count)
        let buffer = ChunkBuffer()
        var found: ChunkHeader?
        while low < high {
            let middle = (low + high) / 2
            guard let chunk = load(Int(chunks[middle].index), serial: chunks[middle].serial, into: buffer) else {
                chunks.remove(at: middle)
                high -= 1
                continue
            }
            if chunk.header.firstSequence <= id.sequence {
                found = chunk.header
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard let found else { return }
        var stream = ThreadStream(startingAt: found)
        guard stream.resume(self) != nil else { return }
        stream.load(self, buffer)
        var event = TraceEvent(id: id, kind: .frame, ticks: 0)
        while stream.isLoaded {
            if stream.takeEvent(self, into: &event), !body(event) { return }
        }
    }
}

extension TraceValue {
    /// Reads the value of an emission from the body of its record.
    package init?(body: UnsafeRawBufferPointer) {
        guard let base = body.baseAddress else { return nil }
        var scanner = ByteScanner(base, from: 0, to: body.count)
        self.init(from: &scanner)
    }
}

extension RecordCursor {
    /// The range of `body`, in bytes from the first record.
    @inlinable package var bodyBounds: Range<Int> { currentBody..<following }

    /// The number of bytes of the record.
    @_spi(Records) @inlinable public var byteCount: Int { following &- currentStart }

    /// The flags of the record; see `TraceFormat.EventFlag`.
    @_spi(Records) @inlinable public var flags: UInt8 { tag & ~EventFlag.kindMask }

    /// A cursor at the same record, whose bytes are copied to other memory; it cannot advance.
    package func copied(to bytes: UnsafeMutableRawPointer) -> RecordCursor {
        bytes.copyMemory(from: base + currentStart, byteCount: byteCount)
        return RecordCursor(movedTo: UnsafeRawPointer(bytes) - currentStart, self)
    }

    /// Whether it is the first record of its chunk.
    package var isFirst: Bool { position == 0 }

    /// The name of a stimulus or checkpoint; nil if it is malformed.
    package var text: String? {
        guard let base = body.baseAddress else { return nil }
        var payload = ByteScanner(base, from: 0, to: body.count)
        return payload.name()
    }

    /// Whether the payload of a `hopBegan` is well formed.
    package var isSoundHop: Bool {
        guard let base = body.baseAddress else { return false }
        var payload = ByteScanner(base, from: 0, to: body.count)
        return payload.id() != nil && payload.id() != nil && payload.varint() != nil
    }

    /// The cause of a `hopBegan`; nil if it is unknown or malformed.
    package var hopCause: EventID? {
        guard let base = body.baseAddress else { return nil }
        var payload = ByteScanner(base, from: 0, to: body.count)
        guard payload.id() != nil, let thread = payload.id(), let sequence = payload.varint(), thread > 0,
            sequence > 0
        else { return nil }
        return EventID(thread: thread, sequence: sequence)
    }

    /// The subscription whose delivery scheduled the work of a `hopBegan`; 0 if it is unknown.
    package var hopSubscription: UInt32 {
        guard let base = body.baseAddress else { return 0 }
        var payload = ByteScanner(base, from: 0, to: body.count)
        guard payload.id() != nil, payload.id() != nil, payload.varint() != nil else { return 0 }
        return payload.id() ?? 0
    }

    /// Whether a `hopBegan` only carries the cause of a task: no scheduler delivered what is in it.
    package var hopCarriesCause: Bool {
        guard let base = body.baseAddress else { return false }
        var payload = ByteScanner(base, from: 0, to: body.count)
        guard payload.id() != nil, payload.id() != nil, payload.varint() != nil, payload.id() != nil else {
            return false
        }
        return payload.varint() == 1
    }

    /// The frames that a `context` lists, outermost first; nil if it is malformed.
    package var openFrames: ContextFrames? {
        guard let base = body.baseAddress else { return nil }
        var payload = ByteScanner(base, from: 0, to: body.count)
        guard var count = payload.varint() else { return nil }
        var found = ContextFrames()
        while count > 0 {
            guard let opener = payload.byte(), let sequence = payload.varint(), let node = payload.id(),
                let subscription = payload.id()
            else { return nil }
            found.frames.append(
                .init(
                    opener: .init(rawValue: opener) ?? .unknown, sequence: sequence, node: node,
                    subscription: subscription))
            count -= 1
        }
        found.deeper = payload.varint() ?? 0
        return found
    }
}

/// The frames that a `context` record lists.
package struct ContextFrames {
    package struct Frame {
        package var opener: FrameStack.Opener
        package var sequence: UInt64
        package var node: UInt32
        /// The subscription that receives the current delivery, or whose delivery scheduled a hop; 0: none, or settling.
        package var subscription: UInt32
    }

    /// The frames, outermost first.
    package var frames: [Frame] = []
    /// The number of further open frames inside these, of which nothing is known.
    package var deeper: UInt64 = 0
}
