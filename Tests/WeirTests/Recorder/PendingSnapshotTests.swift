#if os(Linux)
import Foundation
import Testing
import WeirAnalysis
import WeirTestSupport
import WeirTrace

@testable import Weir

/// Snapshots with pending walks: the program continues, and every loss is reported.
extension Everything {
    @Suite(.ahead) struct PendingSnapshotTests {
        private final class Model { let name = Observable("") }

        /// Numbers that a program and its walking children share.
        private struct Shared: @unchecked Sendable {
            let numbers: UnsafeMutablePointer<Int>

            init() throws {
                let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
                numbers = try #require(page).bindMemory(to: Int.self, capacity: 512)
            }

            /// Makes children wait before they walk, until `letWalk`. They never sleep: that would look like a lost lock.
            func holdWalks() {
                let numbers = numbers
                ForkedWalk.duringWalk = {
                    numbers[1] = Int(getpid())
                    while numbers[0] == 0 { sched_yield() }
                }
            }

            func letWalk() { numbers[0] = 1 }
        }

        /// Runs `body` during a recording with the usual clock, while walks are held.
        private func record(_ body: (Shared) throws -> Void) throws -> (Recording, TraceReader, TraceSummary) {
            let file = try TemporaryTrace()
            let shared = try Shared()
            shared.holdWalks()
            defer { ForkedWalk.duringWalk = nil }
            try Trace.start(writingTo: file.path)
            do {
                defer {
                    shared.letWalk()
                    Trace.stop()
                }
                try body(shared)
            }
            let reader = try TraceReader(path: file.path)
            return (try Recording(reading: file.path), reader, try TraceSummary(of: reader))
        }

        private func labels(_ snapshot: TraceSnapshot?) -> [String] {
            (snapshot?.objects ?? []).compactMap(\.label).filter { $0.hasPrefix("model ") }.sorted()
        }

        @Test func `The program goes on while a walk is under way, which shows the moment of its checkpoint`()
            throws
        {
            var early: Model? = Model()
            let late = Model()
            let (recording, reader, summary) = try record { _ in
                Trace.track(early!, as: "model early")
                Trace.checkpoint("now")
                early = nil
                Trace.track(late, as: "model late")
                for number in 0..<100 { late.name.value = "\(number)" }
                #expect(PendingSnapshots.shared.count == 1)
            }
            #expect(recording.count(.emitted) >= 100 && recording.undefined == 0 && recording.damage.isEmpty)
            let kinds = recording.events.filter { $0.id.thread == recording.events[0].id.thread }.map(\.kind)
            let checkpoint = try #require(kinds.firstIndex(of: .checkpoint))
            #expect(kinds[checkpoint + 1] == .snapshotTaken)
            #expect(labels(reader.snapshot(1)) == ["model early"])
            #expect(labels(reader.snapshot(2)) == ["model late"])
            #expect(summary.snapshots.taken == 2 && summary.snapshots.lost == 0)
        }

        @Test func `The trace tells for how long checkpoints and the end held up the program`() throws {
            let model = Model()
            let (recording, _, summary) = try record { shared in
                shared.letWalk()
                Trace.track(model)
                Trace.checkpoint("one")
                Trace.checkpoint("two")
            }
            let pauses = recording.events.filter { $0.kind == .snapshotTaken }.map(\.count)
            #expect(pauses.count == 3 && pauses.allSatisfy { $0 > 0 })
            #expect(summary.snapshots.pauses == 2)
            #expect(summary.snapshots.pauseNanoseconds == pauses[0] + pauses[1])
            #expect(summary.snapshots.longestPauseNanoseconds == max(pauses[0], pauses[1]))
            #expect(summary.snapshots.endNanoseconds == pauses[2])
        }

        @Test func `Under a virtual clock a checkpoint waits, and no pause is reported`() throws {
            let file = try TemporaryTrace()
            let model = Model()
            try Trace.start(writingTo: file.path, clock: VirtualClock())
            Trace.track(model, as: "model")
            Trace.checkpoint("one")
            #expect(PendingSnapshots.shared.count == 0)
            Trace.stop()
            let summary = try TraceSummary(of: TraceReader(path: file.path))
            #expect(summary.snapshots.taken == 2 && summary.snapshots.pauses == 0)
            #expect(summary.snapshots.endNanoseconds == 0)
        }

        @Test
        func `Of checkpoints in quick succession each has its own moment, and there are never too many children`()
            throws
        {
            var models: [Model] = []
            let (_, reader, summary) = try record { shared in
                for number in 0..<12 {
                    // The maximum number of pending walks wait; later ones start to walk.
                    if number == PendingSnapshots.most { shared.letWalk() }
                    models.append(Model())
                    Trace.track(models[number], as: "model \(10 + number)")
                    Trace.checkpoint("\(number)")
                    #expect(PendingSnapshots.shared.count <= PendingSnapshots.most)
                    if number < PendingSnapshots.most { #expect(PendingSnapshots.shared.count == number + 1) }
                }
            }
            for number in 0..<12 {
                #expect(labels(reader.snapshot(UInt32(number + 1))) == (0...number).map { "model \(10 + $0)" })
            }
            #expect(summary.snapshots.taken == 13 && summary.snapshots.lost == 0)
        }

        @Test func `The thread of the checkpoint may end before the walk does`() throws {
            let model = Model()
            let (_, reader, _) = try record { _ in
                Trace.track(model, as: "model")
                let thread = Thread { Trace.checkpoint("elsewhere") }
                thread.start()
                while !thread.isFinished { usleep(1000) }
            }
            let snapshot = try #require(reader.snapshot(1))
            #expect(snapshot.objects.contains { $0.label == "model" })
        }

        @Test func `A child that the program forks has no part in the walk, and can record`() throws {
            let model = Model()
            let own = try TemporaryTrace()
            let (_, reader, _) = try record { _ in
                Trace.track(model, as: "model")
                Trace.checkpoint("one")
                let child = forkProcess()
                if child == 0 {
                    ForkedWalk.duringWalk = nil
                    guard PendingSnapshots.shared.count == 0,
                        (try? Trace.start(writingTo: own.path)) != nil
                    else { _exit(1) }
                    Trace.checkpoint("in the child")
                    Trace.stop()
                    _exit(0)
                }
                var status: Int32 = -1
                #expect(waitpid(child, &status, 0) == child && status == 0)
                #expect(PendingSnapshots.shared.count == 1)
            }
            #expect(reader.snapshot(1)?.objects.contains { $0.label == "model" } == true)
            let summary = try TraceSummary(of: TraceReader(path: own.path))
            #expect(summary.snapshots.taken == 2 && summary.snapshots.lost == 0)
        }

        @Test func `The end of the program waits for the walk`() async throws {
            let file = try TemporaryTrace()
            await #expect(processExitsWith: .success) { [path = file.path as String] in
                try Trace.start(writingTo: path)
                let shared = try Shared()
                shared.holdWalks()
                let model = Model()
                Trace.track(model, as: "model")
                Trace.checkpoint("one")
                // The walk at the end is not held; the walk of the checkpoint is held until then.
                ForkedWalk.duringWalk = { shared.letWalk() }
                exit(0)
            }
            let summary = try TraceSummary(of: TraceReader(path: file.path))
            #expect(summary.isComplete && summary.snapshots.taken == 2 && summary.snapshots.lost == 0)
        }

        @Test func `While the end waits for its walk, nothing is recorded, and another stop waits, too`() throws {
            let file = try TemporaryTrace()
            let shared = try Shared()
            shared.holdWalks()
            defer { ForkedWalk.duringWalk = nil }
            let node = Observable(0)
            try Trace.start(writingTo: file.path)
            node.value = 1
            let (first, second) = (StopResult(), StopResult())
            let stopping = Thread { first.stop(file.path) }
            stopping.start()
            while shared.numbers[1] == 0 { sched_yield() }
            while Trace.isRecording { sched_yield() }
            node.value = 2
            #expect(throws: TraceWriterError.alreadyRecording(path: file.path)) {
                try Trace.start(writingTo: file.path)
            }
            let alsoStopping = Thread { second.stop(file.path) }
            alsoStopping.start()
            shared.letWalk()
            while !stopping.isFinished || !alsoStopping.isFinished { usleep(1000) }
            #expect(first.lost == .some(0) && second.lost == .none)
            #expect(first.isComplete && second.isComplete)
            let recording = try Recording(reading: file.path)
            #expect(recording.count(.emitted) == 1)
            #expect(recording.events.last?.kind == .snapshotTaken)
            let summary = try TraceSummary(of: TraceReader(path: file.path))
            #expect(summary.snapshots.taken == 1 && summary.snapshots.lost == 0 && summary.snapshots.endNanoseconds > 0)
        }

        @Test func `A killed program leaves a trace that lacks the snapshot and says so, and no child`()
            async throws
        {
            let file = try TemporaryTrace()
            let pidFile = file.path + ".pid"
            defer { try? FileManager.default.removeItem(atPath: pidFile) }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = file.path as String, pidFile = pidFile as String] in
                try Trace.start(writingTo: path)
                let shared = try Shared()
                shared.holdWalks()
                let model = Model()
                Trace.track(model, as: "model")
                Trace.checkpoint("one")
                while shared.numbers[1] == 0 { sched_yield() }
                try "\(shared.numbers[1])".write(toFile: pidFile, atomically: true, encoding: .utf8)
                kill(getpid(), SIGKILL)
            }
            let reader = try TraceReader(path: file.path)
            let summary = try TraceSummary(of: reader)
            #expect(summary.snapshots.taken == 1 && summary.snapshots.lost == 1 && !summary.isComplete)
            let lives = LeakPass(reader, Topology(try reader.definitions()))
            #expect(TraceLosses(reader, lives).lostSnapshots == 1)
            #expect(reader.snapshot(1) == nil)
            let child = try #require(Int32(String(contentsOfFile: pidFile, encoding: .utf8)))
            // It would run forever, and ends itself within some milliseconds.
            while runs(child) { usleep(1000) }
        }

        /// Whether a process exists and has not ended.
        private func runs(_ process: Int32) -> Bool {
            guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
                return false
            }
            return stat.split(separator: ")").last?.hasPrefix(" Z") == false
        }

        @Test func `A walk that fails leaves a snapshot that says why`() throws {
            let model = Model()
            let (_, reader, summary) = try record { shared in
                ForkedWalk.duringWalk = { kill(getpid(), SIGSEGV) }
                Trace.track(model, as: "model")
                Trace.checkpoint("one")
                shared.holdWalks()
            }
            #expect(reader.snapshot(1)?.limitations == [SnapshotLimitation(.walkCrashed, "SIGSEGV")])
            #expect(summary.snapshots.lost == 0)
        }
    }
}

/// What a thread finds that stops the recording.
private final class StopResult: @unchecked Sendable {  // Read when the thread has ended.
    var lost: UInt64?
    var isComplete = false

    func stop(_ path: String) {
        lost = Trace.stop()
        isComplete = (try? TraceSummary(of: TraceReader(path: path)).isComplete) == true
    }
}

/// The system's `fork`, which Swift hides.
func forkProcess() -> Int32 {
    typealias Fork = @convention(c) () -> Int32
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    return unsafeBitCast(symbol, to: Fork.self)()
}
#endif
