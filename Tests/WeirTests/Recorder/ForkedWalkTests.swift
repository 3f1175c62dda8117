#if os(Linux)
import Foundation
import Testing
import WeirHeap
import WeirTestSupport
import WeirTrace

@testable import Weir

/// Failures in the child, none of which affects the program.
extension Everything {
    @Suite(.ahead) struct ForkedWalkTests {
        private final class Model { let name = Observable("") }

        /// A walk from an existing object.
        static func walk() -> [UInt8] {
            let model = Model()
            let root = HeapRoot(address: UInt(bitPattern: Unmanaged.passUnretained(model).toOpaque()))
            defer { withExtendedLifetime(model) {} }
            return HeapProbe(room: 1 << 20, roots: [root]).walk()
        }

        /// The limitations of a snapshot during whose walk the child runs `body`.
        private func limitations(limit: UInt32 = WalkingChild.limit, _ body: @escaping () -> Void) throws
            -> [SnapshotLimitation]
        {
            let file = try TemporaryTrace()
            try record(to: file, limit: limit, duringWalk: body)
            let reader = try TraceReader(path: file.path)
            let last = try #require(reader.snapshot(2))
            #expect(last.objects.contains { $0.label == "Model.name" })
            return try #require(reader.snapshot(1)).limitations
        }

        /// Records a checkpoint 'shown', during whose walk the child runs `body`, and an end whose walk is whole.
        private func record(
            to file: TemporaryTrace, limit: UInt32 = WalkingChild.limit, duringWalk body: @escaping () -> Void
        ) throws {
            let model = Model()
            let usual = WalkingChild.limit
            ForkedWalk.duringWalk = body
            WalkingChild.limit = limit
            defer {
                ForkedWalk.duringWalk = nil
                WalkingChild.limit = usual
            }
            // Under a virtual clock a checkpoint waits for its walk.
            try Trace.start(writingTo: file.path, clock: VirtualClock())
            Trace.adopt(model)
            Trace.checkpoint("shown")
            (ForkedWalk.duringWalk, WalkingChild.limit) = (nil, usual)
            model.name.value = "the program goes on"
            #expect(Trace.stop() == 0)
        }

        @Test func `A crash in the child is a limitation, and says the signal`() throws {
            for (signal, name) in [(SIGSEGV, "SIGSEGV"), (SIGABRT, "SIGABRT"), (SIGKILL, "SIGKILL")] {
                #expect(try limitations { kill(getpid(), signal) } == [SnapshotLimitation(.walkCrashed, name)])
            }
            #expect(
                try limitations { fatalError("nobody must read this") }.map(\.reason) == [.walkCrashed])
        }

        @Test func `After a walk that was aborted, strict leaks exits with 4 and names the cause`() throws {
            let file = try TemporaryTrace()
            try record(to: file) { kill(getpid(), SIGSEGV) }
            let weir = try BuiltProgram("weir")
            let strict = try weir.run(["leaks", "--strict", "--at", "shown", file.path], isHeardWhole: true)
            #expect(strict.status == 4)
            #expect(strict.text.contains("SIGSEGV"), "\(strict.text)")
            #expect(try weir.run(["leaks", "--at", "shown", file.path]).status == 0)
            // The end's walk was whole; the one before was not.
            let end = try weir.run(["leaks", "--strict", file.path], isHeardWhole: true)
            #expect(end.status == 4)
            #expect(end.text.contains("Heap walk at checkpoint “shown” aborted: it crashed (SIGSEGV)"), "\(end.text)")
            #expect(try weir.run(["leaks", file.path]).status == 0)
            #expect(try weir.run(["check", file.path]).status == 4)
        }

        @Test func `A type over which the runtime ends the child is left out by the next one`() throws {
            let found = try limitations {
                if TypeQuestion.refused.contains("Deadly") { return }
                TypeQuestion.note?.write("Deadly")
                abort()
            }
            #expect(found.allSatisfy { !$0.reason.isAborted })
        }

        private final class Deadly {}

        private final class DeadlyModel {
            let name = Observable("")
            let field: [Deadly] = []
        }

        @Test func `Its name is said, and what cannot be seen without it`() throws {
            let file = try TemporaryTrace()
            let model = DeadlyModel()
            // The mangled name in the description of the field: an array of that class.
            let deadly = "SayDeadlyG"
            ForkedWalk.duringWalk = {
                if TypeQuestion.refused.contains(deadly) { return }
                TypeQuestion.note?.write(deadly)
                abort()
            }
            defer { ForkedWalk.duringWalk = nil }
            try Trace.start(writingTo: file.path, clock: VirtualClock())
            Trace.adopt(model)
            Trace.checkpoint("shown")
            Trace.stop()
            let snapshot = try #require(try TraceReader(path: file.path).snapshot(1))
            #expect(
                snapshot.limitations == [
                    SnapshotLimitation(.unknownMemory, "DeadlyModel.field"),
                    SnapshotLimitation(.unknownMemory, "SayDeadlyG (which ends the Swift runtime)"),
                ])
        }

        @Test func `A child that takes too long is given up`() throws {
            #expect(
                try limitations(limit: 200) { while getpid() != 0 {} } == [
                    SnapshotLimitation(.walkTimedOut, "0.2 s")
                ])
            // A stopped child cannot even end itself.
            #expect(
                try limitations(limit: 200) { kill(getpid(), SIGSTOP) } == [
                    SnapshotLimitation(.walkTimedOut, "0.2 s")
                ])
        }

        @Test func `A child that waits for a lock is given up, and another one tried`() throws {
            let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
            let tries = try #require(page).bindMemory(to: Int.self, capacity: 1)
            defer { munmap(page, 4096) }
            func attempt(stuck count: Int) throws -> [SnapshotLimitation] {
                tries.pointee = 0
                nonisolated(unsafe) let tries = tries
                return try limitations {
                    tries.pointee += 1
                    while tries.pointee <= count { pause() }
                }
            }
            #expect(try attempt(stuck: 1).allSatisfy { $0.reason != .walkBlocked })
            // Possibly more: one walk confirms the garbage of other tests, and any walk may wait for a real lock.
            #expect(tries.pointee >= 2)
            #expect(try attempt(stuck: .max) == [SnapshotLimitation(.walkBlocked, "100 ms")])
            #expect(tries.pointee >= ForkedWalk.mostTries)
        }

        @Test func `The program's handlers do not run in the child, and nobody reads what it says`() async throws {
            let heard = try SaidText()
            await #expect(processExitsWith: .success) { [path = heard.path as String] in
                SaidText.hear(in: path)
                for number in [SIGSEGV, SIGTRAP, SIGILL] {
                    signal(number) { _ in
                        var sentence = Array("a handler ran\n".utf8)
                        write(2, &sentence, sentence.count)
                    }
                }
                ForkedWalk.duringWalk = {
                    print("the child speaks")
                    fatalError("the child fails")
                }
                atexit { print("the end") }
                let snapshot = Everything.ForkedWalkTests.walk().withUnsafeBytes { TraceSnapshot(decoding: $0) }
                #expect(snapshot?.limitations.map(\.reason) == [.walkCrashed])
            }
            let said = try heard.text
            #expect(said.contains("the end") && !said.contains("handler ran") && !said.contains("the child"), "\(said)")
        }

        @Test func `A program that waits for all its children does no harm`() async {
            await #expect(processExitsWith: .success) {
                signal(SIGCHLD) { _ in while waitpid(-1, nil, WNOHANG) > 0 {} }
                for round in 0..<20 {
                    ForkedWalk.duringWalk = round % 2 == 0 ? nil : { kill(getpid(), SIGSEGV) }
                    let snapshot = Everything.ForkedWalkTests.walk().withUnsafeBytes {
                        TraceSnapshot(decoding: $0)
                    }
                    #expect(snapshot?.limitations.filter { $0.reason == .walkCrashed }.count == round % 2)
                }
                signal(SIGCHLD, SIG_IGN)
                ForkedWalk.duringWalk = nil
                let snapshot = Everything.ForkedWalkTests.walk()
                #expect(snapshot.withUnsafeBytes { TraceSnapshot(decoding: $0)?.limitations } == [])
            }
        }

        @Test func `Where the system cannot fork, the snapshot says so`() async {
            await #expect(processExitsWith: .success) {
                var none = rlimit(rlim_cur: 0, rlim_max: 0)
                // The superuser may always fork; any other user may have no further process.
                guard setrlimit(__rlimit_resource_t(6), &none) == 0, setuid(65534) == 0 || getuid() != 0 else {
                    return
                }
                let snapshot = Everything.ForkedWalkTests.walk()
                let limitations = snapshot.withUnsafeBytes { TraceSnapshot(decoding: $0)?.limitations }
                #expect(limitations?.map(\.reason) == [.noWalk])
            }
        }

        @Test func `No file is left open, and no child behind`() async {
            // In a process of its own: elsewhere other threads open and close files meanwhile.
            await #expect(processExitsWith: .success) {
                func open() throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                }
                _ = Everything.ForkedWalkTests.walk()
                let before = try open()
                for round in 0..<10 {
                    ForkedWalk.duringWalk = round % 2 == 0 ? nil : { kill(getpid(), SIGSEGV) }
                    _ = Everything.ForkedWalkTests.walk()
                }
                #expect(try open() == before)
                let anyChild: Int32 = 0x4000_0000  // __WALL: also children that send no SIGCHLD
                #expect(waitpid(-1, nil, WNOHANG | anyChild) == -1 && errno == ECHILD)
            }
        }

        @Test func `A forked child of the program keeps its files, and no channel to a walk`() async {
            await #expect(processExitsWith: .success) {
                let model = Model()
                let root = HeapRoot(address: UInt(bitPattern: Unmanaged.passUnretained(model).toOpaque()))
                func begin() -> ForkedWalk { ForkedWalk(HeapProbe(room: 1 << 20, roots: [root])) }
                func openFiles() -> Set<Int32> { Set((0..<64).filter { fcntl($0, F_GETFD) >= 0 }) }
                let over = (0..<4).map { _ in begin() }
                for walk in over { walk.giveUp() }
                // These files get the numbers of the closed channels.
                let files = (0..<4).map { _ in open("/dev/null", O_RDONLY) }
                let own = openFiles()
                #expect(files.allSatisfy(own.contains))
                let running = begin()
                #expect(openFiles().count == own.count + 1)
                let child = forkProcess()
                if child == 0 { _exit(openFiles() == own ? 0 : 1) }
                var status: Int32 = -1
                #expect(waitpid(child, &status, 0) == child && status == 0)
                let snapshot = running.snapshot().withUnsafeBytes { TraceSnapshot(decoding: $0) }
                #expect(snapshot?.limitations.contains { $0.reason.isAborted } == false)
                withExtendedLifetime(model) {}
            }
        }
    }
}
#endif
