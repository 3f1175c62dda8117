import Foundation
import Testing
import WeirTestSupport
import WeirTrace

@testable import Weir

extension Everything {
    /// A flight recorder with too little room for its threads: it loses and counts events, but blocks no thread.
    @Suite struct FlightRecorderTests {
        /// Expects that each emission of a run is in the file, overwritten or lost.
        private func expectAllCounted(_ emissions: Int, in path: String) throws -> Recording {
            let recording = try Recording(reading: path)
            let header = recording.header
            let lost = try #require(header.lostEvents), overwritten = try #require(header.overwrittenEvents)
            #expect(recording.events.count + Int(overwritten) + Int(lost) >= emissions)
            #expect(recording.damage.isEmpty)
            return recording
        }

        /// Emits on `threads` threads at once, `rounds` times on each; returns when all are done.
        private func emit(threads: Int, rounds: Int) {
            let done = DispatchSemaphore(value: 0)
            for number in 0..<threads {
                Thread {
                    let counter = Emitter<Int>()
                    for round in 0..<rounds { counter.emit(number * rounds + round) }
                    done.signal()
                }.start()
            }
            for _ in 0..<threads { done.wait() }
        }

        private static let runs = [
            (512, 1, 200_000), (512, 3, 50_000), (1024, 3, 300_000), (1024, 64, 5_000), (4096, 64, 20_000),
            (8192, 1, 2_000_000),
        ]

        @Test(arguments: Repeats.part(of: runs) { $0.1 * $0.2 < 500_000 })
        func `Threads emit while another one, which recorded early, is idle`(
            kibibytes: Int, threads: Int, rounds: Int
        ) throws {
            let file = try TemporaryTrace()
            let limit = max(kibibytes << 10, 4096 + 8 << 16)
            try Trace.start(writingTo: file.path, limit: .bytes(limit), snapshots: .none)
            Emitter<Int>().emit(0)
            emit(threads: threads, rounds: rounds)
            Trace.stop()
            let recording = try expectAllCounted(threads * rounds, in: file.path)
            // Of several threads that begin at once, each may wait for a second chunk in vain until it ends.
            let isRoomForAll = threads == 1 || limit >> 16 > 2 * threads + 2
            #expect(
                !isRoomForAll || recording.events.contains { $0.kind == .emitted && $0.id.thread > 1 },
                "no thread but the idle one was recorded")
            #expect(threads > 1 || recording.header.lostEvents == 0)
        }

        @Test(arguments: [512, 1024, 4096])
        func `Three thousand short threads at once are all counted`(kibibytes: Int)
            throws
        {
            let file = try TemporaryTrace()
            let limit = max(kibibytes << 10, 4096 + 8 << 16)
            try Trace.start(writingTo: file.path, limit: .bytes(limit), snapshots: .none)
            Emitter<Int>().emit(0)
            emit(threads: 3000, rounds: 5)
            Trace.stop()
            _ = try expectAllCounted(15_000, in: file.path)
        }

        /// Each generation defines the owner again, and says that it was released, before the first delivery of its node.
        @Test func `A released owner costs no event`() throws {
            final class Model { let count = Observable(0) }
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .bytes(1 << 20), snapshots: .none)
            let count = {
                let model = Model()
                Trace.adopt(model)
                return model.count
            }()
            count.map { $0 * 2 }.subscribe { _ in }
            for round in 1...200_000 { count.value = round }
            Trace.stop()
            let recording = try Recording(reading: file.path)
            #expect(recording.header.lostEvents == 0)
            #expect(try #require(recording.header.overwrittenEvents) > 0)
            #expect(recording.events.contains { $0.kind == .objectReleased })
        }

        @Test func `Threads of which nothing is left are counted`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .bytes(8 << 20), snapshots: .none)
            for _ in 0..<20 { emit(threads: 50, rounds: 10) }
            Trace.stop()
            let recording = try expectAllCounted(10_000, in: file.path)
            #expect(Set(recording.events.map(\.id.thread)).count < 1000)
            #expect(recording.undefined == 0)
        }
    }
}
