import Dispatch
import Foundation
import Testing
import WeirTestSupport
import WeirTrace

@testable import Weir

extension Everything {
    @Suite(.ahead) struct SnapshotRecordingTests {
        private final class Model {
            let name = Observable("")
            let touched = Emitter<Void>()
            var other: Model?
            var action: (() -> Void)?
        }

        /// Whether it is from these tests: objects that other tests leak on purpose are tracked for the life of the process.
        private func isOurs(_ object: SnapshotObject) -> Bool {
            object.type.contains("SnapshotRecordingTests")
                || object.site?.file.hasSuffix("SnapshotRecordingTests.swift") == true
        }

        /// The snapshots recorded by `body`, in order.
        private func snapshots(
            limit: TraceLimit = .standard, _ body: () throws -> Void
        ) throws -> (Recording, [TraceSnapshot]) {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: limit, clock: VirtualClock())
            do {
                defer { Trace.stop() }
                try body()
            }
            let recording = try Recording(reading: file.path)
            let reader = try TraceReader(path: file.path)
            let taken = recording.events.filter { $0.kind == .snapshotTaken }
            let numbers = taken.map(\.subject)
            // The thread that takes its number first may be the second one to record it.
            #expect(numbers.sorted() == Array(1...UInt32(numbers.count)))
            for thread in Set(taken.map(\.id.thread)) {
                let own = taken.filter { $0.id.thread == thread }.map(\.subject)
                #expect(own == own.sorted())
            }
            return (recording, try numbers.map { try #require(reader.snapshot($0)) })
        }

        @Test func `A snapshot stands right behind its checkpoint, and one at the end`() throws {
            let model = Model()
            let (recording, snapshots) = try snapshots {
                Trace.adopt(model, as: "Login")
                model.name.subscribe { _ in }
                model.name.value = "Maruko"
                Trace.checkpoint("shown")
                model.name.value = "Momoko"
            }
            // Other tests may have left work on other threads.
            let thread = recording.events.first { $0.kind == .checkpoint }?.id.thread
            let kinds = recording.events.filter { $0.id.thread == thread }.map(\.kind)
            let checkpoint = try #require(kinds.firstIndex(of: .checkpoint))
            #expect(kinds[checkpoint + 1] == .snapshotTaken && kinds.last == .snapshotTaken)
            #expect(snapshots.count == 2)
            for snapshot in snapshots {
                #expect(snapshot.limitations.allSatisfy { $0.reason != .noWalk && $0.reason != .walkCrashed })
                let known = snapshot.objects.filter { $0.identity != .none }
                let model = try #require(known.first { $0.label == "Login" })
                #expect(model.type.hasSuffix("Model") && isOurs(model))
                guard case .object = model.identity else { continue }
                let name = try #require(known.first { $0.label == "Login.name" })
                #expect(name.site?.file == "WeirTests/SnapshotRecordingTests.swift")
                guard case .node(let id) = name.identity else {
                    Issue.record("\(name.identity)")
                    return
                }
                #expect(recording.definitions.nodes[id]?.label == "Login.name")
                #expect(known.contains { if case .subscription = $0.identity { true } else { false } })
                let hasGarbage = known.contains { $0.isGarbage && isOurs($0) }
                #expect(!hasGarbage)
            }
        }

        @Test func `A cycle that nobody holds is proven garbage, one that somebody holds is not`() throws {
            var held: Model?
            weak var lost: Model?
            let (_, snapshots) = try snapshots {
                func leak(_ name: String) -> Model {
                    let model = Model()
                    model.other = Model()
                    model.other?.other = model
                    Trace.track(model, as: name)
                    return model
                }
                lost = leak("lost")
                held = leak("kept")
                Trace.checkpoint("end")
            }
            let snapshot = try #require(snapshots.first)
            let garbage = try #require(snapshot.objects.first { $0.label == "lost" })
            let kept = try #require(snapshot.objects.first { $0.label == "kept" })
            #expect(garbage.isGarbage && garbage.outsideReferences == 0)
            #expect(!kept.isGarbage && kept.outsideReferences > 0)
            let ours = snapshot.cycles.filter {
                isOurs(snapshot.objects[Int(snapshot.references[Int($0.references[0])].source)])
            }
            #expect(ours.map(\.isProven) == [true, false])
            held?.other = nil
            lost?.other = nil
        }

        @Test func `Without snapshots there are none, in code and by the environment`() throws {
            let recording = try record { Trace.checkpoint("end") }
            #expect(recording.count(.snapshotTaken) == 0 && recording.count(.checkpoint) == 1)
            for (value, count) in [("none", 0), ("standard", 2)] {
                let file = try TemporaryTrace()
                let environment = ["WEIR_TRACE": file.path, "WEIR_SNAPSHOTS": value]
                _ = try BuiltProgram("weir-login").output(environment: environment)
                #expect(try Recording(reading: file.path).count(.snapshotTaken) == count)
            }
        }

        @Test func `What is expected to be released is on record, and tracked`() throws {
            let recording = try record {
                let model = Model()
                Trace.expectReleased(model)
                Trace.track(model, as: "screen")
                Trace.expectReleased(model)
            }
            let kinds = recording.events.map(\.kind).filter { $0 == .objectTracked || $0 == .objectExpected }
            #expect(kinds == [.objectTracked, .objectExpected, .objectExpected])
            #expect(recording.definitions.objects[1] == TraceObject(id: 1, type: "Model", label: "screen"))
            #expect(recording.count(.objectReleased) == 1)
        }

        @Test func `What was tracked before the recording is in its snapshot`() throws {
            let model = Model()
            Trace.track(model, as: "early")
            let (recording, snapshots) = try snapshots {}
            let early = try #require(snapshots.first?.objects.first { $0.label == "early" })
            guard case .object(let id) = early.identity else {
                Issue.record("\(early.identity)")
                return
            }
            #expect(recording.definitions.objects[id]?.label == "early")
        }

        @Test func `An object of an earlier recording is in the next one only if that mentions it`() throws {
            let used = Model(), unused = Model()
            _ = try snapshots {
                Trace.adopt(used, as: "Used")
                Trace.adopt(unused, as: "Unused")
            }
            let (_, later) = try snapshots { used.name.value = "again" }
            let labels = try #require(later.last).objects.filter { $0.identity != .none }.compactMap(\.label)
            #expect(labels.contains("Used"))
            #expect(!labels.contains { $0.hasPrefix("Unused") })
            withExtendedLifetime(unused) {}
        }

        /// Each recording has its own process: the search for a presumed holder reads all memory, and with it what other tests do.
        @Test func `Two recordings of the same program are the same bytes`() async throws {
            let files = [try TemporaryTrace(), try TemporaryTrace()]
            for file in files {
                await #expect(processExitsWith: .success) { [path = file.path as String] in
                    try Trace.start(writingTo: path, clock: VirtualClock())
                    let model = Model()
                    model.action = { [model] in model.touched.emit() }
                    Trace.adopt(model)
                    model.name.map(\.count).subscribe { _ in }
                    model.name.value = "Maruko"
                    Trace.checkpoint("one")
                    model.action = nil
                    Trace.checkpoint("two")
                    Trace.stop()
                }
            }
            let bytes = try files.map { try #require(FileManager.default.contents(atPath: $0.path)) }
            #expect(try Recording(reading: files[0].path).count(.snapshotTaken) == 3)
            #expect(bytes[0] == bytes[1])
            withExtendedLifetime(files) {}
        }

        @Test func `A killed program's trace holds the snapshots that had been written`() async throws {
            let file = try TemporaryTrace()
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = file.path as String] in
                try Trace.start(writingTo: path)
                let model = Model()
                Trace.adopt(model)
                model.name.value = "Maruko"
                Trace.checkpoint("shown")
                PendingSnapshots.shared.finish()
                model.name.value = "Momoko"
                kill(getpid(), SIGKILL)
            }
            let recording = try Recording(reading: file.path)
            #expect(!recording.header.isClosed && recording.count(.snapshotTaken) == 1)
            let snapshot = try #require(try TraceReader(path: file.path).snapshot(1))
            #expect(snapshot.objects.contains { $0.label == "Model.name" })
        }

        @Test func `A flight recorder bounds its snapshots, and keeps the last`() throws {
            var kept: [Model] = []
            let (recording, snapshots) = try snapshots(limit: .bytes(1 << 20)) {
                for number in 0..<2000 {
                    kept.append(Model())
                    Trace.track(kept[number], as: "model \(number)")
                }
                Trace.checkpoint("all")
            }
            #expect(recording.count(.snapshotTaken) == 2)
            #expect(snapshots.allSatisfy { $0.encoded.count <= 1 << 15 && $0.encoded.count > 1 << 13 })
            let last = try #require(snapshots.last)
            #expect(last.omittedObjects > 0 && last.objects.count > 100)
            #expect(UInt64(last.objects.count) + last.omittedObjects >= 2000)
        }

        @Test func `Checkpoints in handlers, in deinits, nested and from two threads`() throws {
            final class Loud {
                let number = Observable(0)
                deinit { Trace.checkpoint("deinit") }
            }
            let (recording, snapshots) = try snapshots {
                let number = Observable(0)
                number.subscribe { if $0 == 1 { Trace.checkpoint("in a handler") } }
                number.subscribe {
                    if $0 == 1 { Trace.stimulus("nested") { Trace.checkpoint("deeper") } }
                }
                number.value = 1
                var loud: Loud? = Loud()
                Trace.adopt(loud!)
                loud?.number.subscribe { _ in }
                loud = nil
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    for round in 0..<3 { Trace.checkpoint("\(thread) \(round)") }
                }
            }
            #expect(recording.count(.checkpoint) == 9 && snapshots.count == 10)
            #expect(recording.undefined == 0 && recording.damage.isEmpty)
            for thread in Set(recording.events.map(\.id.thread)) {
                let kinds = recording.events.filter { $0.id.thread == thread }.map(\.kind)
                for (place, kind) in kinds.enumerated() where kind == .checkpoint {
                    #expect(kinds[place + 1] == .snapshotTaken)
                }
            }
        }

        @Test func `Eight threads go on while checkpoints are taken, and nothing is lost or invented`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none)
            let shared = Emitter<Int>()
            shared.subscribe { _ in }
            let isOver = Locked(false)
            let busy = (0..<8).map { thread in
                Thread {
                    // If walks take long, as under a sanitizer, the trace does not grow without limit.
                    for round in 0... {
                        if isOver.value { break }
                        usleep(500)
                        if round >= 200 { continue }
                        let own = Observable(0)
                        let bag = DisposeBag()
                        own.map { $0 + 1 }.filter { $0 > 1 }.subscribe { _ in }.disposed(by: bag)
                        let link = shared.subscribe { _ in }
                        let model = Model()
                        Trace.track(model)
                        model.action = { [model] in _ = model }
                        for value in 0..<20 { own.value = value }
                        shared.emit(thread)
                        model.action = nil
                        link.dispose()
                    }
                }
            }
            busy.forEach { $0.start() }
            for round in 0..<8 { Trace.checkpoint("\(round)") }
            isOver.change { $0 = true }
            while !busy.allSatisfy(\.isFinished) { usleep(1000) }
            #expect(Trace.stop() == 0)
            let recording = try Recording(reading: file.path)
            #expect(recording.undefined == 0 && recording.damage.isEmpty)
            let reader = try TraceReader(path: file.path)
            for event in recording.events where event.kind == .snapshotTaken {
                let snapshot = try #require(reader.snapshot(event.subject))
                let hasGarbage = snapshot.objects.contains { $0.isGarbage && isOurs($0) }
                #expect(!hasGarbage)
                #expect(!snapshot.limitations.contains { [.walkCrashed, .walkTimedOut, .noWalk].contains($0.reason) })
            }
        }
    }
}
