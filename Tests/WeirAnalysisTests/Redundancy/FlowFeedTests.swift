import Foundation
import Testing
import WeirTestSupport

@testable import WeirAnalysis
@_spi(Records) @testable import WeirTrace

/// The feed decodes many steps before their turn; they must come as if it decoded record by record.
@Suite struct FlowFeedTests {
    private struct Fed: Equatable {
        let thread: UInt32
        let number: UInt64
        let kind: UInt8
        let ticks: UInt64
        let place: Int32
        var value: ValueKey?
    }

    /// All steps of a trace that are records.
    private func feed(_ reader: TraceReader, isExact: Bool = true, blockCapacity: Int) throws -> [Fed] {
        let tables = FlowTables(Topology(try reader.definitions()), keeping: 0)
        var fed: [Fed] = []
        BlockPipe((0..<2).map { _ in FlowBlock(capacity: blockCapacity) }).run(
            filling: { pipe in
                var feed = FlowFeed(
                    pipe, tables, threads: reader.threads.count, isExact: isExact, blockCapacity: blockCapacity)
                reader.forEachRecordRun { run in
                    feed.take(&run)
                    return true
                }
                feed.finish()
            },
            { block in
                var (step, value) = (block.first, block.values)
                for run in block.runs {
                    for number in run.sequence..<run.sequence + UInt64(run.count) {
                        if step.pointee.kind != FlowStep.closesAll {
                            fed.append(
                                Fed(
                                    thread: run.thread, number: number, kind: step.pointee.kind,
                                    ticks: step.pointee.ticks, place: step.pointee.place))
                        }
                        if step.pointee.kind == 1 {
                            fed[fed.count - 1].value = value.pointee
                            value += 1
                        }
                        step += 1
                    }
                }
            })
        return fed
    }

    /// Several threads with few, many or no records, in chunks; some chunks begin with a context, and some contain rare records.
    private func trace(_ seed: UInt64, definesNodes: Bool = true) -> TraceBuilder {
        var random = SeededGenerator(seed: seed)
        var builder = TraceBuilder()
        builder.isClosed = false
        if definesNodes { builder.definitions((1...4 as ClosedRange<UInt64>).map { .node($0) }) }
        var (sequences, times) = ([UInt64](repeating: 1, count: 6), [UInt64](repeating: 0, count: 6))
        for _ in 0..<14 {
            let thread = Int.random(in: 1...5, using: &random)
            let (first, base) = (sequences[thread], times[thread])
            var records: [Record] = Bool.random(using: &random) ? [.context([])] : []
            for _ in 0..<[0, 1, 40, 400].randomElement(using: &random)! {
                let delta: UInt64? =
                    Bool.random(using: &random) ? [0, 0, 0, 1, seed % 2 * 200].randomElement(using: &random) : nil
                times[thread] += delta ?? 0
                sequences[thread] += 1
                switch Int.random(in: 0...60, using: &random) {
                case 0: records.append(.counted(17, varint(1), at: delta))
                case 1: records.append(.batchBegan(at: delta))
                case 2:
                    let cause = first + UInt64.random(in: 0...100, using: &random)
                    records.append(.hopBegan(1, cause: UInt64.random(in: 1...5, using: &random), cause, at: delta))
                case 3: records.append(.counted(31, varint(9), at: delta))
                case 4...20:
                    let number = Int64.random(in: -70_000...70_000, using: &random)
                    records.append(.emitted(UInt64.random(in: 1...5, using: &random), .signed(number), at: delta))
                case 21...24: records.append(.suppressed(2, 1, at: delta))
                case 25...40: records.append(.deliveryBegan(UInt64.random(in: 0...1, using: &random), at: delta))
                case 41...50: records.append(.deliveryNext(3, at: delta))
                default: records.append(.deliveryEnded(at: delta))
                }
            }
            builder.events(thread: UInt32(thread), from: first, at: base, sealed: false, records)
            // Damage in the middle of deliveries.
            if Int.random(in: 0...3, using: &random) == 0, let last = builder.chunks.indices.last, records.count > 30 {
                builder.chunks[last].records[builder.chunks[last].records.count / 2] = 0
            }
        }
        return builder
    }

    @Test func `steps come in the order of the trace, with their values`() throws {
        var (steps, threads) = (0, 0)
        for seed in Repeats.seeds(20, from: 11) {
            let written = try TemporaryTrace()
            try Data(trace(seed).bytes).write(to: URL(fileURLWithPath: written.path))
            let plain = try TraceReader(path: written.path)
            plain.bufferLimit = 1
            let expected = try feed(plain, blockCapacity: 16_384)
            var direct: [Fed] = []
            try TraceReader(path: written.path).forEachRecordRun { run in
                var cursor = run.cursor
                repeat {
                    let key = cursor.rawKind == 1 ? ValueKey(cursor.body) : nil
                    direct.append(
                        Fed(
                            thread: run.thread, number: cursor.sequence, kind: cursor.rawKind, ticks: cursor.ticks,
                            place: -1, value: key))
                    // The feed checks what it needs of these records.
                    let isSound =
                        switch cursor.kind {
                        case .hopBegan: cursor.isSoundHop
                        case .context: cursor.openFrames != nil
                        case .stimulusBegan, .checkpoint: cursor.text != nil
                        default: true
                        }
                    guard isSound else {
                        run.stop(at: cursor)
                        return true
                    }
                } while run.advance(&cursor)
                return true
            }
            #expect(expected.map(\.number) == direct.map(\.number) && expected.map(\.value) == direct.map(\.value))
            for capacity in [1, 7, 16_384] {
                let reader = try TraceReader(path: written.path)
                #expect(try feed(reader, blockCapacity: capacity) == expected, "seed \(seed), \(capacity) steps")
                #expect(reader.damage == plain.damage && reader.isIntact == plain.isIntact)
            }
            (steps, threads) = (steps + expected.count, max(threads, plain.threads.count))
        }
        #expect(steps > Repeats.count(10_000) && threads > 3)
    }

    @Test func `threads apart keep the order of each, and that of other kinds of records`() throws {
        var (exactRuns, looseRuns) = (0, 0)
        for seed in Repeats.seeds(20, from: 11) {
            // Without nodes, no two threads touch one part.
            let written = try TemporaryTrace()
            try Data(trace(seed, definesNodes: false).bytes).write(to: URL(fileURLWithPath: written.path))
            let exact = try feed(TraceReader(path: written.path), blockCapacity: 16_384)
            for capacity in [1, 7, 16_384] {
                let loose = try feed(TraceReader(path: written.path), isExact: false, blockCapacity: capacity)
                #expect(between(loose) == between(exact), "seed \(seed), \(capacity) steps")
                looseRuns += runs(loose)
            }
            exactRuns += 3 * runs(exact)
        }
        #expect(looseRuns < exactRuns)
    }

    /// The steps by thread, between those of other kinds than emissions, suppressions and deliveries.
    private func between(_ steps: [Fed]) -> [[UInt32: [Fed]]] {
        var parts: [[UInt32: [Fed]]] = [[:]]
        for step in steps {
            parts[parts.count - 1][step.thread, default: []].append(step)
            if step.kind > 5 { parts.append([:]) }
        }
        return parts
    }

    private func runs(_ steps: [Fed]) -> Int { zip(steps, steps.dropFirst()).count { $0.thread != $1.thread } }
}
