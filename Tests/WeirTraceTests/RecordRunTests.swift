import Testing
import WeirTestSupport

@_spi(Records) @testable import WeirTrace

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

    /// The same by a pass that reads up to `most` deliveries before their turn, and how many of these had to wait for it.
    private func recordsAhead(_ reader: TraceReader, most: Int) -> (found: [Seen], waited: Int) {
        var (found, waited): ([Seen], Int) = ([], 0)
        var slices: [UInt32: ArraySlice<Seen>] = [:]
        reader.forEachRecordRun { run in
            var cursor = run.cursor
            func take() {
                if cursor.kind == .eventsLost { run.noteLoss() }
                guard cursor.kind != .context else { return }
                let id = EventID(thread: run.thread, sequence: cursor.sequence)
                found.append(Seen(id: id, kind: cursor.kind, ticks: cursor.ticks))
            }
            var slice = slices[run.thread] ?? []
            if run.isAhead { found.append(slice.removeFirst()) } else { take() }
            while true {
                while let next = slice.first, run.includes(next.ticks) {
                    found.append(next)
                    slice.removeFirst()
                }
                slices[run.thread] = slice
                if let next = slice.first {
                    waited += slice.count
                    run.cursor = cursor
                    run.end(aheadFrom: next.ticks, next.id.sequence)
                    return true
                }
                if run.isAhead { run.catchUp() }
                var sequence = cursor.nextSequence
                if run.mayReadAhead {
                    _ = cursor.passDeliveries(most: most) { tag, _, ticks, _, _ in
                        guard let kind = EventKind(rawValue: tag & 31) else { return }
                        let id = EventID(thread: run.thread, sequence: sequence)
                        slice.append(Seen(id: id, kind: kind, ticks: ticks))
                        sequence += 1
                    }
                }
                if slice.isEmpty {
                    guard run.advance(&cursor) else { return true }
                    take()
                }
            }
        }
        return (found, waited)
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

    // Among these traces are equal times, hops that wait for their causes, losses, contexts, and threads whose chunks are empty.
    @Test(arguments: [true, false])
    func `deliveries read before their turn come in the same order`(isCoarse: Bool) throws {
        var (waited, damaged) = (0, 0)
        for seed in Repeats.seeds(40, from: 701) {
            var random = RandomTrace(
                seed: seed, chunks: 12, recordsPerChunk: 60, threads: UInt32(1 + seed % 6), isCoarse: isCoarse)
            if seed % 2 == 0 { random.damage() }
            let trace = try TemporaryTrace(random.builder)
            let plain = try TraceReader(path: trace.path)
            let expected = records(plain)
            damaged += plain.damageCount > 0 ? 1 : 0
            for most in [1, 3, 128] {
                for limit in [1, 1024] {
                    let reader = try TraceReader(path: trace.path)
                    reader.bufferLimit = limit
                    let (found, count) = recordsAhead(reader, most: most)
                    #expect(found == expected, "seed \(seed), \(most) records, \(limit) buffers")
                    #expect(reader.damage == plain.damage && reader.isIntact == plain.isIntact)
                    if limit == 1024 { waited += count }
                }
            }
        }
        // With fine time, threads rarely take turns.
        #expect(waited > (isCoarse ? Repeats.count(1000) : 0) && damaged > Repeats.count(5))
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
