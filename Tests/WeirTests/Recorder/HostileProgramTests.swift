import CWeir
import Dispatch
import Foundation
import Testing
import Weir
import WeirAnalysis
import WeirReport
import WeirTrace

/// Programs that mistreat a recording. Each of these once caused a crash, a hang or a wrong trace.
extension Everything {
    @MainActor @Suite struct HostileProgramTests {
        struct Stopper: TraceValueConvertible {
            var traceDescription: String {
                Trace.stop()
                return "stopped"
            }
        }

        @Test func `A value whose description stops the recording`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, snapshots: .none)
            let value = Emitter<Stopper>()
            var heard = 0
            value.subscribe { _ in heard += 1 }
            for _ in 0..<3 { value.emit(Stopper()) }
            #expect(heard == 3)
            #expect(try Recording(reading: file.path).damage.isEmpty)
        }

        @Test func `A stimulus in which the recording is exchanged for another`() throws {
            let first = try TemporaryTrace()
            let second = try TemporaryTrace()
            try Trace.start(writingTo: first.path, snapshots: .none)
            try Trace.stimulus("exchange") {
                Trace.stop()
                try Trace.start(writingTo: second.path, snapshots: .none)
            }
            let number = Observable(0)
            for value in 1...3 { number.value = value }
            Trace.stop()
            let emissions = try Recording(reading: second.path).events.filter { $0.kind == .emitted }
            #expect(emissions.map(\.depth) == [0, 0, 0])
            #expect(emissions.filter { !$0.isStamped }.count == 0)
        }

        @Test func `A fork inside a handler takes nothing from the parent`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none, snapshots: .none)
            let number = Observable(0)
            let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: (@convention(c) () -> Int32).self)
            number.subscribe { value in
                guard value == 10 else { return }
                let child = fork()
                if child == 0 {
                    for other in 100..<200 { number.value = other }
                    _exit(0)
                }
                var status: Int32 = 0
                waitpid(child, &status, 0)
            }
            for value in 1...20 { number.value = value }
            Trace.stop()
            let recording = try Recording(reading: file.path)
            #expect(recording.events.filter { $0.kind == .emitted }.map(\.value) == (1...20).map { .signed($0) })
            #expect(recording.damage.isEmpty)
        }

        @Test nonisolated func `Recordings that come and go while other threads emit`() throws {
            let file = try TemporaryTrace()
            let shared = Emitter<Int>()
            shared.subscribe { _ in }
            let isOver = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
            isOver.initialize(to: 0)
            defer { isOver.deallocate() }
            let group = DispatchGroup()
            for thread in 0..<3 {
                let over = Int(bitPattern: isOver)
                DispatchQueue.global().async(group: group) {
                    guard let flag = UnsafeMutablePointer<UInt32>(bitPattern: over) else { return }
                    let own = Observable(0)
                    own.subscribe { _ in }
                    while weir_load_u32(flag) == 0 {
                        own.value += 1
                        shared.emit(thread)
                    }
                }
            }
            for round in 0..<60 {
                // The same path again: mappings in other threads must not keep it.
                try Trace.start(writingTo: file.path, limit: round % 2 == 0 ? .none : .bytes(1 << 20), snapshots: .none)
                usleep(UInt32(round % 7) * 300)
                Trace.stop()
                let reader = try TraceReader(path: file.path)
                reader.forEachEvent { _ in true }
                #expect(reader.damage.isEmpty)
                #expect(reader.header.isClosed)
            }
            weir_store_u32(isOver, 1)
            group.wait()
        }

        final class Model { let number = Observable(0) }

        @Test nonisolated func `Models that are adopted and dropped while others sweep`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .bytes(1 << 20), snapshots: .none)
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                for _ in 0..<2000 {
                    if thread == 0 {
                        Trace.frame()
                    } else {
                        let model = Model()
                        Trace.adopt(model)
                        model.number.value = 1
                    }
                }
            }
            Trace.stop()
            #expect(try Recording(reading: file.path).damage.isEmpty)
        }

        @Test func `A model that is adopted twice is one object`() throws {
            let recording = try record {
                do {
                    let model = Model()
                    Trace.adopt(model)
                    Trace.adopt(model)
                    model.number.value = 1
                }
                Trace.checkpoint("gone")
            }
            #expect(recording.definitions.objects.count == 1)
            #expect(recording.count(.objectTracked) == 1)
            #expect(recording.count(.objectReleased) == 1)
        }

        @Test nonisolated func `Combiners that are combined anew, fed and released on several threads`() {
            for _ in 0..<30 {
                let text = Observable("a text that is too long to be stored in place")
                let other = Observable("another text that is too long to be stored in place")
                let loop = Combiner("a third text that is too long to be stored in place")
                loop.combine(text, loop) { text, _ in text + "!" }
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    for round in 0..<50 {
                        switch thread {
                        case 0: text.value = "text \(round) that is too long to be stored in place"
                        case 1: loop.combine(other, loop) { other, _ in other + "?" }
                        case 2:
                            let short = Observable.combine(text, other) { $0 + $1 }
                            withExtendedLifetime(short) {}
                        default: other.value = "other \(round) that is too long to be stored in place"
                        }
                    }
                }
                text.checkInvariants()
                other.checkInvariants()
            }
        }

        @Test func `Causes stay right when more frames are open than are kept`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none, clock: VirtualClock(), snapshots: .none)
            let chain = (0..<2100).map { _ in Observable(0) }
            for (upper, lower) in zip(chain, chain.dropFirst()) { upper.subscribe { lower.value = $0 } }
            // The innermost frame writes enough to begin a new chunk there.
            let filler = Emitter<String>()
            chain[2099].subscribe { _ in for _ in 0..<2000 { filler.emit(String(repeating: "x", count: 60)) } }
            let after = Observable(0)
            chain[100].subscribe { after.value = $0 }
            chain[0].value = 1
            Trace.stop()
            let recording = try Recording(reading: file.path)
            let emissions = recording.events.filter { $0.kind == .emitted }
            let hundredth = try #require(emissions.first { $0.depth == 100 })
            let last = try #require(emissions.last)
            #expect(last.depth == 101)
            #expect(last.cause == hundredth.id)
            #expect(recording.damage.isEmpty)
        }

        /// Observables, each of which writes the next one; the last handler emits `fillers` values before two more nodes compute.
        private func deep(
            _ count: Int = 300, fillers: Int, in file: TemporaryTrace? = nil
        ) throws -> (pass: RedundancyPass, isComplete: Bool, chunks: Int) {
            let file = try file ?? TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none, clock: VirtualClock(), snapshots: .none)
            let chain = (0..<count).map { _ in Observable(0) }
            for (upper, lower) in zip(chain, chain.dropFirst()) { upper.subscribe { lower.value = $0 } }
            let filler = Emitter<String>()
            chain[count - 1].subscribe { _ in for _ in 0..<fillers { filler.emit(String(repeating: "x", count: 60)) } }
            let isPositive: Combiner<Bool> = .combine(chain[count - 1]) { $0 > 0 }
            let sum: Combiner<Int> = .combine(chain[count - 1], chain[count - 20]) { $0 + $1 }
            isPositive.subscribe { _ in }
            sum.subscribe { _ in }
            for number in 1...3 { chain[0].value = number }
            Trace.stop()
            return try judged(file)
        }

        private func judged(_ file: TemporaryTrace) throws -> (pass: RedundancyPass, isComplete: Bool, chunks: Int) {
            let reader = try TraceReader(path: file.path)
            let pass = RedundancyPass(reader, Topology(try reader.definitions()))
            return (pass, try TraceSummary(of: reader).isComplete, reader.eventChunkCount)
        }

        @Test func `Figures stay right when many frames are open at a chunk's beginning, or the trace is incomplete`()
            throws
        {
            let (flat, long) = (try deep(fillers: 0), try deep(fillers: 1100))
            #expect(flat.chunks < long.chunks)
            #expect(flat.isComplete && long.isComplete)
            #expect(flat.pass.refreshes > 900 && flat.pass.evaluations > 8)
            #expect(long.pass.refreshes == flat.pass.refreshes)
            #expect(long.pass.evaluations == flat.pass.evaluations)
            #expect(long.pass.noopEvaluations == flat.pass.noopEvaluations)
            #expect(long.pass.redundantRefreshes == flat.pass.redundantRefreshes)
            #expect(try !deep(2100, fillers: 1100).isComplete)
        }

        @Test func `An imported trace names as many open frames as a recorder does`() throws {
            let (file, copy) = (try TemporaryTrace(), try TemporaryTrace())
            let recorded = try deep(1200, fillers: 1100, in: file)
            var rows: [UInt8] = []
            var export = TraceExport(.ndjson) { rows += $0 }
            try export.add(TraceReader(path: file.path), path: file.path)
            try export.finish()
            let descriptor = open(copy.path, O_RDWR | O_CREAT | O_EXCL, 0o600)
            defer { close(descriptor) }
            var imported = TraceImport(descriptor: descriptor)
            for row in rows.split(separator: UInt8(ascii: "\n")) {
                try imported.take(String(decoding: row, as: UTF8.self))
            }
            try imported.finish()
            let result = try judged(copy)
            #expect(recorded.isComplete && result.isComplete && result.chunks > 1)
            #expect(result.pass.refreshes == recorded.pass.refreshes)
            #expect(result.pass.evaluations == recorded.pass.evaluations)
            #expect(result.pass.noopEvaluations == recorded.pass.noopEvaluations)
        }

        final class Box: @unchecked Sendable { var model: Model? }

        struct Unhashable: Error, Hashable {
            func hash(into hasher: inout Hasher) { preconditionFailure("an error that cannot be hashed") }
        }

        @Test func `Errors are not hashed`() throws {
            let recording = try record { Emitter<any Error>().emit(Unhashable()) }
            #expect(recording.events.filter { $0.kind == .emitted }.map(\.value) == [.enumCase("Unhashable", .unknown)])
        }

        @Test nonisolated func `A model made on one thread and adopted on another keeps its names`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, snapshots: .none)
            Observable(0).value = 1
            let made = Box()
            let isMade = DispatchSemaphore(value: 0)
            let thread = Thread {
                made.model = Model()
                isMade.signal()
            }
            thread.start()
            isMade.wait()
            while !thread.isFinished { usleep(200) }
            let model = try #require(made.model)
            Trace.adopt(model, as: "Loaded")
            model.number.value = 5
            Trace.stop()
            #expect(try Recording(reading: file.path).emissions(of: "Loaded.number") == [.signed(5)])
        }

        @Test func `A limit on the size of files kills nobody`() throws {
            let file = try TemporaryTrace()
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [
                "-c", "ulimit -f 600; exec '\(try BuiltProgram("weir-login").path)' published --rounds 1000",
            ]
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["WEIR_TRACE": file.path, "WEIR_LIMIT": "none", "WEIR_SNAPSHOTS": "none"]) { $1 }
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let recording = try Recording(reading: file.path)
            #expect(try #require(recording.header.lostEvents) > 0)
            #expect(recording.damage.isEmpty)
        }
    }
}
