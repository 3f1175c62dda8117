/// Merges the streams of all threads in the order of time; a later run continues where the last one stopped.
///
/// A hop never precedes its cause, unless their times say so. If both may have the same time, the stream with the cause goes
/// first, up to the cause.
struct EventMerge {
    /// The most chunks in memory at the same time; with more threads than that, streams exchange buffers.
    private let bufferLimit: Int
    private var streams: [ThreadStream] = []
    private var streamOfThread: [UInt32: Int] = [:]
    private var heap = StreamHeap()
    private var free: [ChunkBuffer] = []
    /// The number of buffers allocated so far, which is the most chunks in memory at the same time.
    private(set) var buffersMade = 0
    /// The streams that have a buffer, in the order in which they got it.
    private var holders: [Int] = []

    init(bufferLimit: Int) { self.bufferLimit = bufferLimit }

    /// A merge of streams that have already begun; other threads begin with their first chunks.
    init(bufferLimit: Int, _ streams: [ThreadStream]) {
        self.bufferLimit = bufferLimit
        self.streams = streams
        for (place, stream) in streams.enumerated() { streamOfThread[stream.thread] = place }
    }

    var overwrittenEvents: UInt64 { streams.reduce(0) { $0 &+ $1.overwrittenEvents } }

    /// The number of the thread's next event; 1 before any was taken.
    func nextSequence(ofThread thread: UInt32) -> UInt64 {
        streamOfThread[thread].map { streams[$0].followingSequence } ?? 1
    }

    mutating func run(
        _ reader: TraceReader, passing filter: RecordFilter? = nil, from ahead: ChunksAhead<FilteredChunk>? = nil,
        _ body: (TraceEvent) throws -> Bool
    ) rethrows {
        var event = TraceEvent(id: EventID(thread: 0, sequence: 0), kind: .frame, ticks: 0)
        try drive(reader, ahead) { stream, limit, _ in
            repeat {
                if let filter, !stream.skip(filter, reader, before: limit) { break }
                guard stream.takeEvent(reader, into: &event) else { break }
                if try !body(event) { return false }
            } while stream.isLoaded && stream.comes(before: limit)
            return true
        }
    }

    mutating func runRecords(_ reader: TraceReader, _ body: (inout RecordRun) throws -> Bool) rethrows {
        // A stream may have to read records again if streams exchange buffers.
        let mayReadAhead = reader.index.threads.count <= bufferLimit
        try drive(reader) { stream, limit, looseLimit in
            try stream.takeRun(reader, before: limit, loosely: looseLimit, mayReadAhead: mayReadAhead, body)
        }
    }

    /// Lets `take` consume the events of the current stream up to the limit; stops if it returns false.
    private mutating func drive(
        _ reader: TraceReader, _ ahead: ChunksAhead<FilteredChunk>? = nil,
        _ take: (inout ThreadStream, _ limit: StreamHeap.Limit, _ looseLimit: StreamHeap.Limit) throws -> Bool
    ) rethrows {
        for thread in reader.index.threads where streamOfThread[thread] == nil {
            streamOfThread[thread] = streams.count
            streams.append(ThreadStream(thread: thread, place: streams.count))
        }
        heap.removeAll()
        for place in streams.indices {
            guard let ticks = streams[place].resume(reader) else { continue }
            heap.insert(StreamHeap.Entry(ticks: ticks, thread: streams[place].thread, stream: place))
        }
        let spare = ChunkBuffer()
        // Buffered content of a trace that is still being written will be outdated by the next run.
        defer { releaseBuffers() }
        // Whether the last stream has records that may come after later ones of other streams.
        var isLoose = false
        while let place = nextStream {
            if streams[place].isLoaded {
                let limit = heap.limit(of: place)
                let looseLimit = isLoose && limit != (0, 0) ? looseLimit(of: place) : limit
                if try !take(&streams[place], limit, looseLimit) { return }
                isLoose = streams[place].isLoose
            } else if ahead.map({ streams[place].load(reader, from: $0, spare) }) != true {
                streams[place].load(reader, buffer(for: place))
            }
            if !streams[place].isLoaded { reclaim(place) }
            heap.update(stream: place, ticks: streams[place].nextTicks)
        }
    }

    /// The stream that comes next: usually the earliest.
    ///
    /// If its next record is a hop, the stream that still has to deliver the hop's cause goes first, if the times allow that.
    private var nextStream: Int? {
        guard let first = heap.first else { return nil }
        return _fastPath(streams[first.stream].nextCause == nil) ? first.stream : streamWithCause(first)
    }

    /// The limit up to which records of a stream that have been read ahead may precede those of all other streams.
    private func looseLimit(of place: Int) -> StreamHeap.Limit {
        var limit: StreamHeap.Limit = (.max, .max)
        for other in streams.indices where other != place {
            guard let ticks = streams[other].looseTicks else { continue }
            if (ticks, streams[other].thread) < limit { limit = (ticks, streams[other].thread) }
        }
        return limit
    }

    @inline(never)
    private func streamWithCause(_ first: StreamHeap.Entry) -> Int {
        var place = first.stream
        for _ in streams.indices {
            guard let cause = streams[place].nextCause, cause.thread != streams[place].thread,
                let other = streamOfThread[cause.thread], streams[other].nextTicks == first.ticks,
                streams[other].nextSequence <= cause.sequence
            else { return place }
            place = other
        }
        // In a damaged trace, hops may wait for each other in a cycle.
        return first.stream
    }

    private mutating func buffer(for stream: Int) -> ChunkBuffer {
        if free.isEmpty && holders.count >= bufferLimit {
            let longest = holders.removeFirst()
            if let taken = streams[longest].unload() { free.append(taken) }
        }
        holders.append(stream)
        if let buffer = free.popLast() { return buffer }
        buffersMade += 1
        return ChunkBuffer()
    }

    private mutating func reclaim(_ stream: Int) {
        guard let buffer = streams[stream].unload() else { return }
        free.append(buffer)
        if let place = holders.lastIndex(of: stream) { holders.remove(at: place) }
    }

    private mutating func releaseBuffers() {
        for stream in holders { _ = streams[stream].unload() }
        holders.removeAll()
        free.removeAll()
    }
}

/// A binary heap of streams: the earliest next event first, then the lowest thread number.
struct StreamHeap {
    typealias Limit = (ticks: UInt64, thread: UInt32)

    struct Entry {
        var ticks: UInt64
        var thread: UInt32
        var stream: Int

        @inline(__always)
        static func < (left: Entry, right: Entry) -> Bool {
            left.ticks == right.ticks ? left.thread < right.thread : left.ticks < right.ticks
        }
    }

    private var entries: [Entry] = []

    var first: Entry? { entries.first }

    /// The limit up to which the stream stays first and needs no `update`; zero if it is not first.
    func limit(of stream: Int) -> Limit {
        guard let first, first.stream == stream else { return (0, 0) }
        guard entries.count > 1 else { return (.max, .max) }
        let second = entries.count > 2 && entries[2] < entries[1] ? entries[2] : entries[1]
        return (second.ticks, second.thread)
    }

    mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        rise(from: entries.count - 1)
    }

    /// Sets the time of the stream's next event; `nil`: it has no more.
    @inline(__always)
    mutating func update(stream: Int, ticks: UInt64?) {
        // Usually it is the first and has more events.
        if let ticks, let first = entries.first, first.stream == stream {
            return sink(Entry(ticks: ticks, thread: first.thread, stream: stream), from: 0)
        }
        updateOther(stream, ticks)
    }

    @inline(never)
    private mutating func updateOther(_ stream: Int, _ ticks: UInt64?) {
        guard let place = entries.firstIndex(where: { $0.stream == stream }) else { return }
        if let ticks {
            entries[place].ticks = ticks
        } else {
            entries.swapAt(place, entries.count - 1)
            entries.removeLast()
        }
        guard place < entries.count else { return }
        rise(from: place)
        sink(entries[place], from: place)
    }

    private mutating func rise(from start: Int) {
        var place = start
        while place > 0, entries[place] < entries[(place - 1) / 2] {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Puts an entry where another one was, or further down.
    @inline(__always)
    private mutating func sink(_ moved: Entry, from start: Int) {
        entries.withUnsafeMutableBufferPointer { entries in
            var place = start
            while true {
                var child = 2 &* place &+ 1
                guard child < entries.count else { break }
                if child &+ 1 < entries.count, entries[child &+ 1] < entries[child] { child &+= 1 }
                guard entries[child] < moved else { break }
                entries[place] = entries[child]
                place = child
            }
            entries[place] = moved
        }
    }
}
