import Testing

@testable import WeirTrace

struct ReaderOracleTests {
    /// The first difference between two readings of a trace: whole traces would be too long.
    private func firstDifference(_ found: [TraceEvent], _ expected: [TraceEvent]) -> String? {
        if let place = zip(found, expected).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
            return "event \(place): \(found[place]) instead of \(expected[place])"
        }
        return found.count == expected.count ? nil : "\(found.count) events instead of \(expected.count)"
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `streaming agrees with decoding everything at once`(seed: UInt64) throws {
        let random = RandomTrace(seed: seed, chunks: 9, recordsPerChunk: 120, threads: UInt32(1 + seed % 5))
        let bytes = random.builder.bytes
        let trace = try TemporaryTrace(bytes)
        let reader = try TraceReader(path: trace.path)
        let events = reader.allEvents
        #expect(firstDifference(events, NaiveDecoder.events(bytes)) == nil)
        reader.index.checkInvariants()
        #expect(reader.damage == [])
    }

    @Test func `definitions agree with decoding everything at once`() throws {
        var owners = 0
        var intentions = 0
        for seed in UInt64(141)...200 {
            let builder = RandomDefinitions(seed: seed).builder
            let trace = try TemporaryTrace(builder)
            let reader = try TraceReader(path: trace.path)
            let found = try reader.definitions()
            #expect(found == NaiveDecoder.definitions(builder.bytes), "seed \(seed)")
            #expect(reader.damage == [])
            owners += found.subscriptions.values.filter { $0.owner != nil }.count
            intentions += found.intentions.values.joined().count
        }
        #expect(owners > 100 && intentions > 300)
    }

    @Test func `where many records are at one time, hops come as in the plain order`() throws {
        var waits = 0
        for seed in UInt64(61)...140 {
            let random = RandomTrace(
                seed: seed, chunks: 9, recordsPerChunk: 60, threads: UInt32(2 + seed % 5), isCoarse: true)
            let bytes = random.builder.bytes
            let trace = try TemporaryTrace(bytes)
            let reader = try TraceReader(path: trace.path)
            let events = reader.allEvents
            #expect(firstDifference(events, NaiveDecoder.events(bytes)) == nil, "seed \(seed)")
            reader.bufferLimit = 1
            #expect(firstDifference(reader.allEvents, events) == nil, "seed \(seed), one buffer")
            for (left, right) in zip(events, events.dropFirst()) {
                #expect(left.ticks <= right.ticks)
                if left.ticks == right.ticks && left.id.thread > right.id.thread { waits += 1 }
            }
        }
        #expect(waits > 80, "too few hops had to wait for their causes")
    }

    @Test(arguments: 41...50 as ClosedRange<UInt64>)
    func `buffers that change hands change nothing`(seed: UInt64) throws {
        let random = RandomTrace(seed: seed, chunks: 12, recordsPerChunk: 60, threads: 6)
        let trace = try TemporaryTrace(random.builder)
        let reader = try TraceReader(path: trace.path)
        let events = reader.allEvents
        reader.bufferLimit = 1
        #expect(reader.allEvents == events)
        #expect(reader.threads.count > 3)
    }

    @Test(arguments: 51...60 as ClosedRange<UInt64>)
    func `a cursor walks the same records with and without the margin of its fast path`(seed: UInt64) throws {
        let random = RandomTrace(seed: seed, chunks: 1, recordsPerChunk: 200, threads: 1)
        let chunk = random.builder.chunks[0]
        let padded = chunk.records + [UInt8](repeating: 0, count: 64)
        var walked: [[UInt64]] = []
        chunk.records.withUnsafeBytes { records in
            var cursor = RecordCursor(records, at: 0, ticks: chunk.baseTicks, sequence: 1)
            while cursor.next() { walked.append(fields(cursor)) }
            #expect(cursor.isSound)
            #expect(cursor.position == records.count)
        }
        // Each record alone, at the very end of the memory, takes the checked path.
        var checked: [[UInt64]] = []
        var (place, ticks, sequence) = (0, chunk.baseTicks, UInt64(1))
        padded.withUnsafeBytes { padded in
            while place < chunk.records.count {
                var end = place + 1
                while true {
                    let slice = UnsafeRawBufferPointer(rebasing: padded[place..<end])
                    var cursor = RecordCursor(slice, at: 0, ticks: ticks, sequence: sequence)
                    if cursor.next(), cursor.position + cursor.currentBody <= end - place {
                        checked.append(fields(cursor))
                    } else if !cursor.isSound {
                        end += 1
                        continue
                    }
                    ticks = cursor.ticks
                    sequence = cursor.followingSequence
                    break
                }
                place = end
            }
        }
        #expect(walked == checked)
    }

    private func fields(_ cursor: RecordCursor) -> [UInt64] {
        [
            UInt64(cursor.rawKind), UInt64(cursor.subject), cursor.ticks, cursor.sequence,
            cursor.isStamped ? 1 : 0, cursor.rawKind == 2 || cursor.rawKind == 7 ? UInt64(cursor.reason) : 0,
        ]
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `any bytes at all are walked to an end`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let length = Int.random(in: 0...400, using: &generator)
        let records = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var builder = TraceBuilder()
        builder.chunks = [
            .init(serial: seed % 2 == 0 ? 1 : .max, firstSequence: .max, baseTicks: .max, records: records),
            .init(content: 2, serial: 2, records: records),
        ]
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        var count = 0
        reader.forEachEvent { _ in
            count += 1
            return true
        }
        _ = try reader.definitions()
        #expect(count <= length)
    }
}
