import Testing

@testable import WeirTrace

struct ReaderOrderTests {
    @Test func `events of all threads come in the order of time, at one time the lower thread first`() throws {
        var builder = TraceBuilder()
        builder.events(thread: 2, at: 0, [.compact(8, 20, at: 5), .compact(8, 21), .compact(8, 22, at: 5)])
        builder.events(thread: 1, at: 0, [.compact(8, 10, at: 5), .compact(8, 11, at: 1), .compact(8, 12)])
        builder.events(thread: 3, at: 6, [.compact(8, 30)])
        let read = try events(of: builder)
        #expect(read.map(\.subject) == [10, 20, 21, 11, 12, 30, 22])
        #expect(read.map(\.ticks) == [5, 5, 5, 6, 6, 6, 10])
    }

    private func order(_ builder: TraceBuilder) throws -> [String] { try events(of: builder).map(\.id.description) }

    @Test func `a hop comes after its cause, also through other hops, where all may be at one time`() throws {
        var builder = TraceBuilder()
        builder.events(thread: 1, at: 5, [.hopBegan(1, cause: 2, 2, at: 0), .compact(8, 1)])
        builder.events(thread: 2, at: 5, [.hopBegan(1, cause: 3, 3, at: 0), .emitted(1, .none), .compact(8, 1)])
        builder.events(thread: 3, at: 5, [.compact(8, 1), .compact(8, 2), .emitted(1, .none), .compact(8, 3)])
        #expect(try order(builder) == ["3:1", "3:2", "3:3", "2:1", "2:2", "1:1", "1:2", "2:3", "3:4"])
    }

    @Test func `a hop waits for no cause that comes later, is gone, or is reported already`() throws {
        var builder = TraceBuilder()
        builder.events(
            thread: 1, at: 5, [.hopBegan(1, cause: 2, 2, at: 0), .hopBegan(1, cause: 2, 9), .hopBegan(1, cause: 9, 1)])
        builder.events(thread: 2, at: 5, [.compact(8, 1), .compact(8, 2, at: 1)])
        #expect(try order(builder) == ["2:1", "1:1", "1:2", "1:3", "2:2"])
        // Nothing waits for a chunk that begins after the cause.
        builder = TraceBuilder()
        builder.isFlightRecorder = true
        builder.events(thread: 1, at: 5, [.hopBegan(1, cause: 2, 2, at: 0)])
        builder.events(thread: 2, from: 3, at: 5, [.compact(8, 1)])
        #expect(try order(builder) == ["1:1", "2:3"])
    }

    @Test func `a reading that begins late comes to an end also behind the last serial there is`() throws {
        var builder = TraceBuilder()
        builder.events(at: 5, [.compact(8, 1)])
        builder.events(from: 2, at: 9, [.compact(8, 2), .compact(8, 3)])
        builder.chunks[1].serial = .max
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        var position = try #require(reader.position(before: 100))
        var subjects: [UInt32] = []
        reader.forEachEvent(from: &position) { event in
            subjects.append(event.subject)
            return true
        }
        #expect(subjects == [2, 3])
    }

    @Test func `hops of a damaged trace that wait for each other come in the order of threads`() throws {
        var builder = TraceBuilder()
        builder.events(thread: 1, at: 5, [.hopBegan(1, cause: 2, 2, at: 0), .compact(8, 1)])
        builder.events(thread: 2, at: 5, [.hopBegan(1, cause: 3, 2, at: 0), .compact(8, 1)])
        builder.events(thread: 3, at: 5, [.hopBegan(1, cause: 2, 2, at: 0), .compact(8, 1)])
        #expect(try order(builder) == ["1:1", "1:2", "2:1", "2:2", "3:1", "3:2"])
    }

    @Test func `chunks of one thread come in the order of their serial numbers`() throws {
        var builder = TraceBuilder()
        builder.events(from: 2, at: 9, [.compact(8, 2)])
        builder.events(from: 1, at: 3, [.compact(8, 1)])
        (builder.chunks[0].serial, builder.chunks[1].serial) = (2, 1)
        #expect(try events(of: builder).map(\.subject) == [1, 2])
    }

    @Test func `false stops`() throws {
        var builder = TraceBuilder()
        builder.events([.compact(8, 1), .compact(8, 2), .compact(8, 3)])
        builder.events(from: 4, [.compact(8, 4)])
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        var seen: [UInt32] = []
        reader.forEachEvent {
            seen.append($0.subject)
            return seen.count < 2
        }
        #expect(seen == [1, 2])
        var chunks = 0
        reader.forEachEventChunk { _, _ in
            chunks += 1
            return false
        }
        #expect(chunks == 1)
    }

    @Test func `chunks of events come in file order, with their headers`() throws {
        var builder = TraceBuilder()
        builder.definitions([.node(1)])
        builder.events(thread: 2, from: 1, at: 77, [.compact(8, 1), .compact(8, 2)])
        builder.events(thread: 1, from: 1, [.compact(8, 3), .raw([0])])
        builder.chunks[1].systemThread = 4321
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        var headers: [ChunkHeader] = []
        var subjects: [UInt32] = []
        reader.forEachEventChunk { header, records in
            headers.append(header)
            var cursor = RecordCursor(records, of: header)
            while cursor.next() { subjects.append(cursor.subject) }
            reader.noteEnd(of: cursor, in: header)
            return true
        }
        #expect(subjects == [1, 2, 3])
        #expect(headers.map(\.thread) == [2, 1])
        #expect(headers.map(\.index) == [1, 2])
        #expect(headers.map(\.offset) == [69632, 135168])
        #expect(headers[0].baseTicks == 77)
        #expect(headers[0].systemThread == 4321)
        #expect(reader.damage.map(\.reason) == [.malformedRecord(tag: 0)])
        #expect(reader.chunkCount == 3)
        #expect(reader.eventChunkCount == 2)
        #expect(reader.definitionChunkCount == 1)
        #expect(reader.threads == [1, 2])
    }

    @Test func `a file that is mostly a hole is opened at once`() throws {
        var builder = TraceBuilder()
        builder.isClosed = false
        builder.events([.compact(8, 1)])
        let trace = try TemporaryTrace(builder)
        // 64 million chunks' worth of hole: looking at each would take a minute or more.
        try trace.truncate(to: 4096 + (1 << 42))
        builder.chunks[0] = .init(serial: 2, firstSequence: 2, records: Record.compact(8, 2).bytes)
        try trace.overwrite(builder.chunks[0].header + builder.chunks[0].records, at: 4096 + (1 << 41))
        let reader = try TraceReader(path: trace.path)
        #expect(reader.allEvents.map(\.subject) == [1, 2])
        #expect(reader.damage == [])
    }

    @Test func `there are as many buffers as threads at the same time, however many chunks and threads`()
        throws
    {
        var builder = TraceBuilder()
        for thread in UInt32(1)...20 {
            for part in UInt64(0)..<3 {
                let start = UInt64(thread) * 100 + part * 10
                builder.events(thread: thread, from: part + 1, at: start, [.compact(8, 1, at: 5)])
            }
        }
        let oneByOne = try TemporaryTrace(builder)
        var merge = EventMerge(bufferLimit: 1024)
        var count = 0
        merge.run(try TraceReader(path: oneByOne.path)) { _ in
            count += 1
            return true
        }
        #expect(count == 60)
        #expect(merge.buffersMade == 1)

        for place in builder.chunks.indices { builder.chunks[place].baseTicks = 7 }
        let together = try TemporaryTrace(builder)
        merge = EventMerge(bufferLimit: 1024)
        merge.run(try TraceReader(path: together.path)) { _ in true }
        #expect(merge.buffersMade == 20)
        merge = EventMerge(bufferLimit: 4)
        merge.run(try TraceReader(path: together.path)) { _ in true }
        #expect(merge.buffersMade == 4)
    }
}
