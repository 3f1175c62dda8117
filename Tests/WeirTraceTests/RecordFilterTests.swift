import Testing
import WeirTestSupport

@testable import WeirTrace

struct RecordFilterTests {
    private func random(_ seed: UInt64, recordsPerChunk: Int = 60, isCoarse: Bool = true) -> TraceBuilder {
        var builder = RandomTrace(
            seed: seed, chunks: 14, recordsPerChunk: recordsPerChunk, threads: UInt32(1 + seed % 6), isCoarse: isCoarse
        ).builder
        builder.isClosed = true
        return builder
    }

    /// The accepted events, as a filter passes them.
    private func accepted(_ reader: TraceReader, _ filter: RecordFilter) -> [TraceEvent] {
        var found: [TraceEvent] = []
        reader.forEachEvent(passing: filter) { event in
            if isAccepted(event, filter) { found.append(event) }
            return true
        }
        return found
    }

    private func isAccepted(_ event: TraceEvent, _ filter: RecordFilter) -> Bool {
        filter.kinds & 1 << UInt32(event.kind.rawValue) != 0 && filter.thread ?? event.id.thread == event.id.thread
    }

    private func filter(_ seed: UInt64) -> RecordFilter {
        var filter = RecordFilter()
        filter.kinds = UInt32(truncatingIfNeeded: seed &* 0x9E37_79B9_7F4A_7C15 >> 16)
        filter.thread = seed % 5 == 0 ? 1 : nil
        return filter
    }

    @Test(arguments: [true, false])
    func `accepted events come as they do among all events, although chunks are decoded ahead`(isCoarse: Bool) throws {
        var count = 0
        for seed in Repeats.seeds(60, from: 811) {
            let trace = try TemporaryTrace(random(seed, isCoarse: isCoarse))
            let reader = try TraceReader(path: trace.path)
            let filter = filter(seed)
            let found = accepted(reader, filter)
            // A chunk is read by the pass itself only if it cannot be decoded ahead.
            #expect(reader.chunksRead == 0, "seed \(seed)")
            #expect(found == reader.allEvents.filter { isAccepted($0, filter) }, "seed \(seed)")
            #expect(reader.damageCount == 0)
            count += found.count
        }
        #expect(count > Repeats.count(1000))
    }

    @Test func `a chunk with many accepted events is decoded while they are passed`() throws {
        for seed in Repeats.seeds(6, from: 911) {
            let trace = try TemporaryTrace(random(seed, recordsPerChunk: 1500))
            let reader = try TraceReader(path: trace.path)
            var filter = RecordFilter()
            filter.kinds = ~(1 << UInt32(EventKind.suppressed.rawValue))
            let found = accepted(reader, filter)
            #expect(reader.chunksRead > 0)
            #expect(found == reader.allEvents.filter { isAccepted($0, filter) }, "seed \(seed)")
        }
    }

    @Test func `damage is found in the same order`() throws {
        var damaged = 0
        for seed in Repeats.seeds(60, from: 1011) {
            var builder = random(seed)
            for place in builder.chunks.indices where (place + Int(seed)) % 3 == 0 {
                let count = builder.chunks[place].records.count
                guard count > 0 else { continue }
                let byte = Int(seed &* 31) % count
                builder.chunks[place].records[byte] ^= 0x1F
                if seed % 2 == 0 { builder.chunks[place].isSealed = false }
            }
            let trace = try TemporaryTrace(builder)
            let (reader, other) = (try TraceReader(path: trace.path), try TraceReader(path: trace.path))
            let filter = filter(seed)
            #expect(accepted(reader, filter) == other.allEvents.filter { isAccepted($0, filter) }, "seed \(seed)")
            #expect(reader.damage == other.damage, "seed \(seed)")
            #expect(reader.isIntact == other.isIntact)
            damaged += reader.damageCount
        }
        #expect(damaged > Repeats.count(20))
    }

    @Test func `a pass stops where requested`() throws {
        let trace = try TemporaryTrace(random(7))
        let reader = try TraceReader(path: trace.path)
        var count = 0
        reader.forEachEvent(passing: RecordFilter()) { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
    }
}
