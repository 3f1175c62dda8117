import Testing

@testable import WeirTrace

struct FollowTests {
    @Test func `each event of a growing trace comes once, in the order in which it is committed`() throws {
        var builder = TraceBuilder()
        builder.isClosed = false
        builder.events(at: 10, sealed: false, [.emitted(1, .none, at: 1, delivers: true), .deliveryBegan(2)])
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.newEvents.map(\.id.description) == ["1:1", "1:2"])
        reader.refresh()
        #expect(reader.newEvents == [])

        // More in the same chunk, and a second thread.
        builder.chunks[0].records += Record.compact(8, 7, at: 5).bytes
        builder.events(thread: 2, at: 12, sealed: false, [.compact(8, 8, at: 1)])
        try trace.overwrite(builder.bytes, at: 0)
        reader.refresh()
        let second = reader.newEvents
        #expect(second.map(\.id.description) == ["2:1", "1:3"])
        #expect(second.map(\.cause) == [nil, EventID(thread: 1, sequence: 1)])
        #expect(second.map(\.ticks) == [13, 16])

        // The first chunk gets its last record and is sealed, and a third chunk follows.
        builder.chunks[0].records += Record.deliveryEnded().bytes
        builder.chunks[0].isSealed = true
        builder.events(from: 5, at: 20, [.compact(8, 9)])
        builder.isClosed = true
        try trace.overwrite(builder.bytes, at: 0)
        try trace.truncate(to: builder.bytes.count)
        #expect(!reader.header.isClosed)
        reader.refresh()
        #expect(reader.header.isClosed)
        #expect(reader.newEvents.map(\.id.description) == ["1:4", "1:5"])
        #expect(reader.newEvents == [])
        #expect(reader.isIntact)
        #expect(reader.allEvents.count == 6)
    }

    @Test func `stopping in the middle loses nothing`() throws {
        let random = RandomTrace(seed: 3, chunks: 8, recordsPerChunk: 50, threads: 3)
        let trace = try TemporaryTrace(random.builder)
        let reader = try TraceReader(path: trace.path)
        var pieces: [TraceEvent] = []
        while true {
            let before = pieces.count
            reader.forEachNewEvent {
                pieces.append($0)
                return pieces.count % 7 != 0
            }
            if pieces.count == before { break }
        }
        #expect(pieces == reader.allEvents)
        #expect(pieces.count > 50)
    }

    @Test func `an error of the caller ends the pass and passes through`() throws {
        struct Enough: Error {}
        var builder = TraceBuilder()
        builder.events([.compact(8, 1), .compact(8, 2)])
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        #expect(throws: Enough.self) { try reader.forEachNewEvent { _ in throw Enough() } }
        #expect(reader.newEvents.map(\.subject) == [2])
        #expect(throws: Enough.self) { try reader.forEachEventChunk { _, _ in throw Enough() } }
    }

    @Test func `a flight recorder that overwrites what was not yet read is followed, and the loss counted`()
        throws
    {
        var builder = TraceBuilder()
        builder.isClosed = false
        builder.isFlightRecorder = true
        builder.events(from: 11, at: 10, [.compact(8, 1)])
        builder.events(from: 12, at: 20, [.compact(8, 2)])
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.newEvents.map(\.id.sequence) == [11, 12])
        #expect(reader.overwrittenEvents == 10)
        #expect(reader.isIntact)

        builder.chunks[0] = .init(
            serial: 7, firstSequence: 50, baseTicks: 70, records: Record.compact(8, 3).bytes)
        try trace.overwrite(builder.bytes, at: 0)
        // The index still describes the previous chunk: no part of the new one may be mistaken for it.
        #expect(reader.allEvents.map(\.id.sequence) == [12])
        reader.refresh()
        #expect(reader.newEvents.map(\.id.sequence) == [50])
        #expect(reader.overwrittenEvents == 10 + 37)
        #expect(reader.allEvents.map(\.id.sequence) == [12, 50])
        #expect(reader.damage == [])
    }

    @Test func `a chunk that was taken but not yet begun is found later`() throws {
        var builder = TraceBuilder()
        builder.isClosed = false
        builder.events([.compact(8, 1)])
        builder.events(thread: 2, [.compact(8, 2)])
        builder.events(thread: 3, [.compact(8, 3)])
        let bytes = builder.bytes
        let trace = try TemporaryTrace(bytes)
        try trace.overwrite([0, 0, 0, 0], at: 4096 + 65536)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.newEvents.map(\.subject) == [1, 3])
        try trace.overwrite(bytes, at: 0)
        reader.refresh()
        #expect(reader.newEvents.map(\.subject) == [2])
        #expect(reader.chunkCount == 3)
        #expect(reader.damage == [])
    }
}
