/// The chunks of events before a time, latest first.
///
///     var chunks = BackwardChunks(reader, before: ticks)
///     while let chunk = chunks.next() {
///         search(chunk)
///         if let found, found.ticks > chunks.latestUnread ?? 0 { break }
///     }
///
/// Each step reads the chunk whose unread events may be the latest. With several threads, that is one chunk of each at first.
/// A chunk is read once, and the bytes are valid until the next step. Requires `hasRisingChunks`.
package struct BackwardChunks {
    package struct Chunk {
        package let header: ChunkHeader
        package let records: UnsafeRawBufferPointer
        /// The latest time that its events may have: the thread's next chunk was taken into use then.
        package let latest: UInt64
    }

    /// The latest time that an unread event may have; nil: all are read.
    package private(set) var latestUnread: UInt64?
    /// Whether a chunk could not be read; there are no more steps then.
    package private(set) var isBroken = false

    private let reader: TraceReader
    /// By thread: the places in the index of the first chunk and of the next one to read.
    private var places: [(first: Int, next: Int)] = []
    private var heap = StreamHeap()
    private let buffer = ChunkBuffer()

    /// The events before `ticks`, and some of later times in the same chunks.
    package init(_ reader: TraceReader, before ticks: UInt64) {
        self.reader = reader
        for places in reader.index.placesOfThreads {
            let next = reader.index.lastPlace(in: places, before: ticks)
            guard let next else { continue }
            let thread = reader.index.events[next].thread
            // The heap has its lowest entry first.
            heap.insert(.init(ticks: 0, thread: thread, stream: self.places.count))
            self.places.append((places.lowerBound, next))
        }
        latestUnread = heap.first.map { ~$0.ticks }
    }

    /// Reads the next chunk; nil if there is none.
    package mutating func next() -> Chunk? {
        guard !isBroken, let first = heap.first else { return nil }
        let place = places[first.stream]
        let entry = reader.index.events[place.next]
        guard let loaded = reader.load(Int(entry.index), serial: entry.serial, into: buffer), !loaded.isCut else {
            isBroken = true
            return nil
        }
        places[first.stream].next -= 1
        heap.update(stream: first.stream, ticks: place.next > place.first ? ~entry.baseTicks : nil)
        latestUnread = heap.first.map { ~$0.ticks }
        return Chunk(header: loaded.header, records: loaded.records, latest: ~first.ticks)
    }
}

/// The chunks of events from a time on, earliest first; see `BackwardChunks`.
package struct ForwardChunks {
    /// The earliest time that an unread event may have; nil: all are read.
    package private(set) var earliestUnread: UInt64?
    package private(set) var isBroken = false

    private let reader: TraceReader
    private var places: [(next: Int, end: Int)] = []
    private var heap = StreamHeap()
    private let buffer = ChunkBuffer()

    /// The events at `ticks` and later, and some before that in the same chunks.
    package init(_ reader: TraceReader, from ticks: UInt64) {
        self.reader = reader
        for places in reader.index.placesOfThreads {
            let next = reader.index.lastPlace(in: places, before: ticks) ?? places.lowerBound
            let entry = reader.index.events[next]
            heap.insert(.init(ticks: entry.baseTicks, thread: entry.thread, stream: self.places.count))
            self.places.append((next, places.upperBound))
        }
        earliestUnread = heap.first?.ticks
    }

    /// Reads the next chunk; nil if there is none.
    package mutating func next() -> BackwardChunks.Chunk? {
        guard !isBroken, let first = heap.first else { return nil }
        let place = places[first.stream]
        let entry = reader.index.events[place.next]
        guard let loaded = reader.load(Int(entry.index), serial: entry.serial, into: buffer), !loaded.isCut else {
            isBroken = true
            return nil
        }
        places[first.stream].next += 1
        let following = place.next + 1 < place.end ? reader.index.events[place.next + 1].baseTicks : nil
        heap.update(stream: first.stream, ticks: following)
        earliestUnread = heap.first?.ticks
        return .init(header: loaded.header, records: loaded.records, latest: following ?? .max)
    }
}

extension ChunkIndex {
    /// The ranges of `events` with the chunks of one thread each.
    fileprivate var placesOfThreads: [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        while start < events.count {
            let thread = events[start].thread
            let end = firstPlace(in: start..<events.count) { $0.thread > thread }
            found.append(start..<end)
            start = end
        }
        return found
    }

    /// The last of one thread's chunks that was taken into use before a time; nil: there is none.
    fileprivate func lastPlace(in places: Range<Int>, before ticks: UInt64) -> Int? {
        let end = firstPlace(in: places) { $0.baseTicks >= ticks }
        return end > places.lowerBound ? end - 1 : nil
    }

    /// The chunks with events at a time or later, by thread and serial.
    func events(from ticks: UInt64) -> [Entry] {
        placesOfThreads.flatMap { places in
            events[(lastPlace(in: places, before: ticks) ?? places.lowerBound)..<places.upperBound]
        }
    }

    private func firstPlace(in places: Range<Int>, where isBehind: (Entry) -> Bool) -> Int {
        var (low, high) = (places.lowerBound, places.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(events[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The chunks of a thread, in order.
    func chunks(of thread: UInt32) -> ArraySlice<Entry> {
        let start = firstPlace(in: 0..<events.count) { $0.thread >= thread }
        return events[start..<firstPlace(in: start..<events.count) { $0.thread > thread }]
    }
}

extension TraceReader {
    /// The event with this id, and the one before it on its thread if that is in the same chunk.
    ///
    /// Nil if there is no such event, or if its chunk is damaged. Reads one chunk, and the headers of some others.
    package func event(_ id: EventID) -> (event: TraceEvent, before: TraceEvent?)? {
        guard let entry = chunk(with: id) else { return nil }
        var (found, before): (TraceEvent?, TraceEvent?)
        forEachEvent(in: entry, from: id.sequence - 1) { event in
            if event.id.sequence < id.sequence { before = event }
            if event.id == id { found = event }
            return event.id.sequence < id.sequence
        }
        return found.map { ($0, before?.id.sequence == id.sequence - 1 ? before : nil) }
    }

    /// Passes the events of a chunk to `body`, in order, until it returns false: those that a filter accepts.
    package func forEachEvent(
        in chunk: ChunkHeader, passing filter: RecordFilter, _ body: (TraceEvent) -> Bool
    ) {
        var stream = ThreadStream(startingAt: chunk)
        guard stream.resume(self) != nil else { return }
        stream.load(self, ChunkBuffer())
        var event = TraceEvent(id: EventID(thread: chunk.thread, sequence: 0), kind: .frame, ticks: 0)
        while stream.isLoaded {
            _ = stream.skip(filter, self, before: (.max, .max))
            if stream.isLoaded, stream.takeEvent(self, into: &event), !body(event) { return }
        }
    }

    /// As above: the events from a number on, and rare ones before it.
    private func forEachEvent(in chunk: ChunkHeader, from sequence: UInt64, _ body: (TraceEvent) -> Bool) {
        var stream = ThreadStream(startingAt: chunk)
        guard stream.resume(self) != nil else { return }
        stream.load(self, ChunkBuffer())
        var event = TraceEvent(id: EventID(thread: chunk.thread, sequence: 0), kind: .frame, ticks: 0)
        while stream.isLoaded {
            stream.skip(to: sequence, self)
            if stream.isLoaded, stream.takeEvent(self, into: &event), !body(event) { return }
        }
    }

    /// The header of the chunk that contains the event, if there is such an event; reads headers only.
    private func chunk(with id: EventID) -> ChunkHeader? {
        guard id.sequence > 0 else { return nil }
        let chunks = index.chunks(of: id.thread)
        var (low, high) = (chunks.startIndex, chunks.endIndex)
        var found: ChunkHeader?
        while low < high {
            let middle = (low + high) / 2
            guard case .sound(let header, nil) = readChunkHeader(Int(chunks[middle].index)),
                header.serial == chunks[middle].serial
            else { return nil }
            if header.firstSequence <= id.sequence {
                found = header
                low = middle + 1
            } else {
                high = middle
            }
        }
        return found
    }
}
