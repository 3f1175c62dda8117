import CWeir
import Dispatch
import Foundation
import Testing
import Weir
import WeirTestSupport
import WeirTrace

/// Problems around a recording: no room, no folder, many threads, a fork, a kill.
extension Everything {
    @MainActor @Suite struct RecorderRobustnessTests {
        @Test nonisolated func `Eight threads at once lose nothing`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none, snapshots: .none)
            let shared = Emitter<Int>()
            shared.subscribe { _ in }
            let each = Repeats.count(1500)
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                let own = Observable(-1, line: UInt(1000 + thread))
                own.subscribe { _ in }
                for number in 0..<each {
                    own.value = number
                    shared.emit(thread)
                }
            }
            #expect(Trace.stop() == 0)
            let recording = try Recording(reading: file.path)
            #expect(recording.damage.isEmpty)
            #expect(recording.count(.emitted) == 16 * each)
            #expect(recording.count(.deliveryBegan) == 16 * each)
            #expect(recording.count(.deliveryEnded) == 16 * each)
            for thread in 0..<8 {
                let name = "observable RecorderRobustnessTests.swift:\(1000 + thread)"
                let isWhole = recording.emissions(of: name) == (0..<each).map { .signed(Int64($0)) }
                #expect(isWhole, "\(name)")
            }
            #expect(recording.undefined == 0)
        }

        @Test nonisolated func `Short-lived threads seal what they wrote`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none, snapshots: .none)
            let number = Emitter<Int>()
            for value in 0..<50 {
                let thread = Thread { number.emit(value) }
                thread.start()
                while !thread.isFinished { usleep(200) }
            }
            Trace.stop()
            let recording = try Recording(reading: file.path)
            #expect(recording.count(.emitted) == 50)
            #expect(Set(recording.events.filter { $0.kind == .emitted }.map(\.id.thread)).count == 50)
            #expect(recording.damage.isEmpty)
        }

        @Test func `A flight recorder that wrapped round many times still names everything`() throws {
            let file = try TemporaryTrace()
            let limit = 1 << 20
            try Trace.start(writingTo: file.path, limit: .bytes(limit), snapshots: .none)
            let old = Observable(-1, line: 4711)
            old.subscribe { _ in }
            for number in 0..<300_000 {
                old.value = number
                // Subscriptions begin and end, so their definitions are overwritten as well.
                if number % 3 == 0 { old.subscribe { _ in }.dispose() }
            }
            #expect(Trace.stop() == 0)
            let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
            #expect(try #require(size) <= limit)
            let recording = try Recording(reading: file.path)
            #expect(recording.damage.isEmpty)
            #expect(recording.events.count > 25_000)
            #expect(recording.undefined == 0)
            let values = recording.emissions(of: "observable RecorderRobustnessTests.swift:4711")
            #expect(values.last == .signed(299_999))
            let first = try #require(values.first)
            guard case .signed(let start) = first else { return #expect(Bool(false), "\(first)") }
            let isWhole = values == (start..<300_000).map { .signed($0) }
            #expect(isWhole, "the window has holes")
        }

        @Test func `A flight recorder keeps the causes of a frame that was opened before its window`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .bytes(1 << 20), snapshots: .none)
            let number = Observable(0)
            Trace.stimulus("a long one") { for value in 1...400_000 { number.value = value } }
            Trace.stop()
            let recording = try Recording(reading: file.path)
            let emissions = recording.events.filter { $0.kind == .emitted }
            #expect(emissions.count < 400_000 && emissions.count > 1000)
            #expect(emissions.filter { $0.depth != 1 || $0.cause == nil }.count == 0)
        }

        @Test func `A forked child does not write to its parent's file`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none, snapshots: .none)
            let number = Observable(0)
            number.subscribe { _ in }
            number.value = 1
            let fork = try #require(dlsym(nil, "fork"))
            let child = unsafeBitCast(fork, to: (@convention(c) () -> Int32).self)()
            if child == 0 {
                for value in 100..<20_000 { number.value = value }
                _exit(Trace.isRecording || Trace.stop() != nil ? 1 : 0)
            }
            var status: Int32 = -1
            waitpid(child, &status, 0)
            #expect(status == 0)
            number.value = 2
            Trace.stop()
            let recording = try Recording(reading: file.path)
            #expect(recording.events.filter { $0.kind == .emitted }.map(\.value) == [.signed(1), .signed(2)])
            #expect(recording.damage.isEmpty)
        }

        @Test nonisolated func `A fork waits for names that another thread asks the runtime for`() throws {
            Trace.frame()
            let (isInside, hasLeft) = (DispatchSemaphore(value: 0), Locked(false))
            Thread {
                RuntimeNames.lock.withLock {
                    isInside.signal()
                    usleep(50_000)
                    hasLeft.change { $0 = true }
                }
            }.start()
            isInside.wait()
            let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: (@convention(c) () -> Int32).self)
            let child = fork()
            if child == 0 { _exit(RuntimeNames.name(of: [Int].self) == "Array<Int>" ? 0 : 1) }
            #expect(hasLeft.value)
            var status: Int32 = -1
            waitpid(child, &status, 0)
            #expect(status == 0)
        }

        /// A flag under a lock, on which threads wait.
        private final class Flag: @unchecked Sendable {  // `lock` guards what varies.
            let lock = SystemLock()
            private var isRaised = false

            func await() { lock.withLock { while !isRaised { lock.wait() } } }

            func change(to isRaised: Bool) {
                lock.withLock {
                    self.isRaised = isRaised
                    lock.broadcast()
                }
            }
        }

        private nonisolated static let flag = Flag()

        @Test nonisolated func `Threads of a forked child wake each other, whatever threads of the parent wait`() throws
        {
            // A program that forks has used Weir before.
            _ = Observable(0)
            let flag = Self.flag
            let waiting = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
            for _ in 0..<3 {
                Thread {
                    waiting.signal()
                    flag.await()
                    done.signal()
                }.start()
            }
            for _ in 0..<3 { waiting.wait() }
            // They go to sleep at once, but there is no notification of it.
            usleep(100_000)
            let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: (@convention(c) () -> Int32).self)
            let child = fork()
            if child == 0 {
                alarm(300)
                for _ in 0..<4 {
                    flag.change(to: false)
                    guard weir_thread_start_alone({ _ in RecorderRobustnessTests.flag.change(to: true) }, nil) else {
                        _exit(2)
                    }
                    flag.await()
                }
                _exit(0)
            }
            var status: Int32 = -1
            waitpid(child, &status, 0)
            #expect(status == 0)
            flag.change(to: true)
            for _ in 0..<3 { done.wait() }
        }

        @Test func `Forked children go on, whatever other threads of the parent were doing`() throws {
            final class Model { let name = Observable("") }
            let file = try TemporaryTrace()
            let shared = Observable(0)
            func record(to path: String) -> Bool {
                shared.value = -1
                let model = Model()
                Trace.adopt(model)
                model.name.subscribe { _ in }
                let isStarted = (try? Trace.start(writingTo: path, limit: .bytes(1 << 20), snapshots: .none)) != nil
                model.name.value = "child"
                shared.value = -2
                return isStarted && Trace.stop() == 0
            }
            // A type that the program uses for the first time is looked up under a lock of the runtime, which no child can take over.
            #expect(record(to: file.path + ".first"))
            try Trace.start(writingTo: file.path, limit: .bytes(8 << 20), snapshots: .none)
            let sum = Observable.combine(shared) { $0 + 1 }
            sum.subscribe { _ in }
            let isOver = Locked(false), isDone = DispatchSemaphore(value: 0), isWarm = DispatchSemaphore(value: 0)
            for thread in 0..<2 {
                Thread {
                    for round in 1... {
                        if isOver.value { break }
                        if round == 2000 { isWarm.signal() }
                        shared.value += 1
                        let model = Model()
                        Trace.adopt(model)
                        model.name.subscribe { _ in }.dispose()
                        model.name.value = "\(thread)"
                        batch { shared.value -= 1 }
                    }
                    isDone.signal()
                }.start()
            }
            // Nor do the threads use a type, or a conformance, for the first time while a child is made, also where they meet.
            for _ in 0..<2 { isWarm.wait() }
            let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: (@convention(c) () -> Int32).self)
            for _ in 0..<40 {
                let child = fork()
                if child == 0 {
                    alarm(60)
                    _exit(record(to: file.path + ".child") ? 0 : 1)
                }
                var status: Int32 = -1
                waitpid(child, &status, 0)
                #expect(status == 0)
            }
            isOver.change { $0 = true }
            for _ in 0..<2 { isDone.wait() }
            Trace.stop()
        }

        @Test(.enabled(if: getuid() == 0, "mounting needs root"))
        func `On a full disk events are counted as lost, and nothing else happens`() throws {
            let file = try TemporaryTrace()
            #expect(try runSystemCommand("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", file.folder) == 0)
            defer { _ = try? runSystemCommand("umount", "-l", file.folder) }
            try Trace.start(writingTo: file.path, limit: .none, snapshots: .none)
            let number = Observable(-1)
            var heard = 0
            number.subscribe { _ in heard += 1 }
            for value in 0..<300_000 { number.value = value }
            let whileRunning = Trace.lostEvents
            let lost = try #require(Trace.stop())
            #expect(heard == 300_000)
            // Stopping may lose a few more: the ends of objects that other tests tracked.
            #expect(lost > 100_000 && (whileRunning..<whileRunning + 100).contains(lost))
            let recording = try Recording(reading: file.path)
            #expect(recording.header.lostEvents == lost)
            #expect(recording.damage.isEmpty)
            #expect(recording.events.count + Int(lost) >= 900_000)
            let values = recording.events.filter { $0.kind == .emitted }.map(\.value)
            let isWhole = values == (0..<values.count).map { .signed(Int64($0)) }
            #expect(isWhole)
        }

        @Test(.enabled(if: getuid() == 0, "mounting needs root"), arguments: [400, 1024])
        func `On a full disk a flight recorder keeps what it can`(kibibytes: Int) throws {
            let file = try TemporaryTrace()
            #expect(try runSystemCommand("mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", file.folder) == 0)
            defer { _ = try? runSystemCommand("umount", "-l", file.folder) }
            try Trace.start(writingTo: file.path, snapshots: .none)
            let number = Observable(-1)
            for value in 0..<200_000 { number.value = value }
            let lost = try #require(Trace.stop())
            let recording = try Recording(reading: file.path)
            #expect(recording.damage.isEmpty && recording.undefined == 0)
            #expect(recording.header.lostEvents == lost)
            #expect(recording.events.count > 20_000)
            let last = recording.events.last { $0.kind == .emitted }?.value
            // A file that is too small is not overwritten: it keeps the beginning and counts the rest.
            #expect(last == .signed(199_999) || lost > 0)
            #expect(kibibytes < 600 || last == .signed(199_999))
        }

        @Test(.enabled(if: getuid() == 0, "mounting needs root"))
        func `When the disk has room again recording goes on, and says where it lost events`() throws {
            let file = try TemporaryTrace()
            #expect(try runSystemCommand("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", file.folder) == 0)
            defer { _ = try? runSystemCommand("umount", "-l", file.folder) }
            let ballast = file.folder + "/ballast"
            try Data(count: 500_000).write(to: URL(fileURLWithPath: ballast))
            try Trace.start(writingTo: file.path, limit: .none, snapshots: .none)
            let number = Observable(-1)
            for value in 0..<100_000 { number.value = value }
            #expect(Trace.lostEvents > 0)
            try FileManager.default.removeItem(atPath: ballast)
            for value in 100_000..<110_000 { number.value = value }
            Trace.stop()
            let recording = try Recording(reading: file.path)
            let reported = recording.events.filter { $0.kind == .eventsLost }.map(\.count)
            #expect(reported.count == 1)
            #expect(reported.first == recording.header.lostEvents)
            let last = recording.events.last { $0.kind == .emitted }?.value
            #expect(last == .signed(109_999))
        }

        @Test func `A folder that vanishes does no harm`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none, snapshots: .none)
            try FileManager.default.removeItem(atPath: file.folder)
            let number = Observable(-1)
            for value in 0..<200_000 { number.value = value }
            #expect(Trace.stop() == 0)
            #expect(number.value == 199_999)
        }

        @Test func `What cannot be written is refused in one sentence`() throws {
            let file = try TemporaryTrace()
            func refusal(_ path: String, limit: TraceLimit = .standard) -> String {
                do {
                    try Trace.start(writingTo: path, limit: limit, snapshots: .none)
                    Trace.stop()
                    return "started"
                } catch {
                    return "\(error)".replacingOccurrences(of: file.folder, with: "…")
                }
            }
            #expect(
                refusal(file.folder + "/none/x.weir")
                    == "cannot write a trace to '…/none/x.weir': No such file or directory; name a file in a folder that "
                    + "exists and is writable")
            let text = file.folder + "/letter.txt"
            try "dear".write(toFile: text, atomically: true, encoding: .utf8)
            #expect(
                refusal(text)
                    == "'…/letter.txt' exists and is not a trace, so it is left alone; name another file or remove this one"
            )
            #expect(try String(contentsOfFile: text, encoding: .utf8) == "dear")
            let link = file.folder + "/link.weir"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: text)
            #expect(
                refusal(link)
                    == "cannot write a trace to '…/link.weir': it is a symbolic link, which is not followed; name a file "
                    + "in a folder that exists and is writable")
            #expect(
                refusal(file.path, limit: .bytes(1000))
                    == "a trace of at most 1000 bytes is too small; allow at least 528384 bytes, or no limit")
            #expect(refusal(file.path) == "started")
            #expect(refusal(file.path) == "started", "an old trace is replaced")
            try Trace.start(writingTo: file.path, snapshots: .none)
            #expect(
                refusal(text)
                    == "already recording to '…/test.weir'; stop that recording first, or in tests that run beside it, use the "
                    + "trait .recorded")
            Trace.stop()
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }

        @Test(.enabled(if: getuid() == 0, "mounting needs root"))
        func `A read-only folder is refused`() throws {
            let file = try TemporaryTrace()
            #expect(try runSystemCommand("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", file.folder) == 0)
            defer { _ = try? runSystemCommand("umount", "-l", file.folder) }
            #expect(throws: TraceWriterError.self) { try Trace.start(writingTo: file.path, snapshots: .none) }
            #expect(!Trace.isRecording)
        }
    }
}
