import Testing
import WeirTestSupport

@testable import WeirTrace

struct RecordRunTests {
    /// Every record of a pass by runs, except for contexts, with its time.
    private func records(_ reader: TraceReader) -> [Seen] {
        var found: [Seen] = []
        reader.forEachRecordRun { run in
            var cursor = run.cursor
            repeat {
                if cursor.kind == .eventsLost { run.noteLoss() }
                guard cursor.kind != .context else { continue }
                let id = EventID(thread: run.thread, sequence: cursor.sequence)
                found.append(Seen(id: id, kind: cursor.kind, ticks: cursor.ticks))
            } while run.advance(&cursor)
            return true
        }
        return found
    }

    private struct Seen: Equatable {
        let id: EventID
        let kind: EventKind
        let ticks: UInt64
    }

    private func events(_ reader: TraceReader) -> [Seen] {
        reader.allEvents.map { Seen(id: $0.id, kind: $0.kind, ticks: $0.ticks) }
    }

    @Test(arguments: [true, false])
    func `runs give the records in the order of events, also where buffers change hands`(isCoarse: Bool) throws {
        var runs = 0
        for seed in Repeats.seeds(20, from: 301) {
            let random = RandomTrace(
                seed: seed, chunks: 12, recordsPerChunk: 60, threads: UInt32(1 + seed % 6), isCoarse: isCoarse)
            let trace = try TemporaryTrace(random.builder)
            let reader = try TraceReader(path: trace.path)
            let expected = events(reader)
            #expect(expected.count > 50)
            for limit in [1, 2, 1024] {
                reader.bufferLimit = limit
                #expect(records(reader) == expected, "seed \(seed), \(limit) buffers")
            }
            reader.forEachRecordRun { run in
                runs += 1
                var cursor = run.cursor
                while run.advance(&cursor) {}
                return true
            }
        }
        #expect(runs > Repeats.count(1000))
    }

    @Test func `runs stop where requested, and leave a chunk with a record that is no use`() throws {
        var builder = TraceBuilder()
        builder.events(thread: 1, at: 5, [.compact(8, 1), .compact(8, 2), .compact(8, 3)])
        builder.events(thread: 1, from: 4, at: 9, [.compact(8, 4)])
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        var subjects: [UInt32] = []
        reader.forEachRecordRun { run in
            var cursor = run.cursor
            repeat {
                subjects.append(cursor.subject)
                if cursor.subject == 2 {
                    run.stop(at: cursor)
                    return true
                }
            } while run.advance(&cursor)
            return true
        }
        #expect(subjects == [1, 2, 4])
        #expect(reader.damageCount > 0)
        var runs = 0
        reader.forEachRecordRun { run in
            runs += 1
            return false
        }
        #expect(runs == 1)
    }

    @Test func `a loss that a pass tells of makes the trace incomplete`() throws {
        var builder = TraceBuilder()
        builder.events(thread: 1, at: 5, [.compact(8, 1), .counted(17, [3])])
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        #expect(reader.isIntact)
        _ = records(reader)
        #expect(!reader.isIntact)
    }
}
