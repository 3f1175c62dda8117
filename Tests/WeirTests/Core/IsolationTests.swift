import CWeir
import Dispatch
import Foundation
import Testing
import Weir
import WeirAnalysis
import WeirReport
import WeirTrace

/// A model whose handlers belong to the main actor.
@MainActor private final class Watcher {
    var heard: [Int] = []
    var wasOnMain = true
    let bag = DisposeBag()

    func show(_ signal: Signal<Int>) {
        signal.subscribe { [weak self] value in
            self?.heard.append(value)
            if !isOnMainQueue() { self?.wasOnMain = false }
        }.disposed(by: bag)
    }
}

private actor Store {
    private(set) var heard: [Int] = []
    private let bag = DisposeBag()

    func listen(to signal: Signal<Int>) { signal.subscribe { self.heard.append($0) }.disposed(by: bag) }

    /// Emits in this isolation; returns what was heard by then.
    func emit(_ value: Int, to emitter: Emitter<Int>) -> [Int] {
        emitter.emit(value)
        return heard
    }
}

/// Whether the main queue runs this, on any thread: with an asynchronous `main` it need not be the process's first one.
private func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainMark) != nil }

private let mainMark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
}()

/// Serves the main actor until `isDone`; returns false on a timeout.
@MainActor private func served(_ isDone: () -> Bool) async -> Bool {
    for _ in 0..<20_000 {
        if isDone() { return true }
        try? await Task.sleep(nanoseconds: 1_000_000)
    }
    return false
}

/// Runs `body` on `count` threads at once, and waits without blocking the calling actor.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread {
                body(index)
                group.leave()
            }.start()
        }
        group.notify(queue: .global()) { done.resume() }
    }
}

extension Everything {
    @MainActor @Suite(.timeLimit(.minutes(15))) struct IsolationTests {
        @Test func `A handler at home runs before the emission returns`() {
            let (emitter, screen) = (Emitter<Int>(), Watcher())
            screen.show(emitter)
            emitter.emit(1)
            #expect(screen.heard == [1])
        }

        @Test func `The counter of four threads ends exact`() async {
            let (emitter, screen) = (Emitter<Int>(), Watcher())
            screen.show(emitter)
            await onThreads(4) { _ in for value in 0..<10_000 { emitter.emit(value) } }
            #expect(await served { screen.heard.count >= 40_000 })
            #expect(screen.heard.count == 40_000)
            #expect(screen.wasOnMain)
            emitter.checkInvariants()
        }

        @Test func `Each thread's values arrive in their order, and a value at home overtakes none`() async {
            let (emitter, screen) = (Emitter<Int>(), Watcher())
            screen.show(emitter)
            let sent = Locked(0)
            async let threads: Void = onThreads(4) { thread in
                for value in 0..<2000 {
                    emitter.emit(thread * 10_000 + value)
                    sent.change { $0 += 1 }
                }
            }
            var own = 0
            while sent.value < 8000 {
                emitter.emit(90_000 + own)
                own += 1
                await Task.yield()
            }
            await threads
            #expect(await served { screen.heard.count == 8000 + own })
            for thread in [0, 1, 2, 3, 9] {
                let values = screen.heard.filter { $0 / 10_000 == thread }
                #expect(values == values.sorted() && Set(values).count == values.count)
            }
            #expect(screen.wasOnMain)
        }

        @Test func `A handler that emits again while it is served what waited hears that afterwards`() async {
            let emitter = Emitter<Int>()
            var heard: [Int] = []
            let subscription = emitter.subscribe { value in
                if value < 10 { emitter.emit(value + 10) }
                heard.append(value)
            }
            await onThreads(1) { _ in for value in 1...2 { emitter.emit(value) } }
            #expect(await served { heard.count == 4 })
            #expect(heard == [1, 2, 11, 12] || heard == [1, 11, 2, 12], "\(heard)")
            subscription.dispose()
        }

        @Test func `What waits when the subscription is disposed is dropped, and released`() async {
            final class Canary: Sendable {}
            let emitter = Emitter<Int>()
            var heard = 0
            weak var canary: Canary?
            var subscription: Disposable?
            do {
                let made = Canary()
                canary = made
                subscription = emitter.subscribe { [made] _ in
                    heard += 1
                    withExtendedLifetime(made) {}
                }
            }
            // Blocks the main actor until the thread has ended.
            let done = DispatchSemaphore(value: 0)
            Thread {
                for value in 0..<5 { emitter.emit(value) }
                done.signal()
            }.start()
            done.wait()
            #expect(heard == 0 && canary != nil)
            subscription?.dispose()
            subscription = nil
            #expect(canary == nil)
            try? await Task.sleep(nanoseconds: 20_000_000)
            #expect(heard == 0)
        }

        @Test func `Values that wait are heard before the end, and nothing after a disposal`() async {
            let (emitter, other) = (Emitter<Int>(), Emitter<Int>())
            var events: [String] = []
            emitter.subscribeEvents { events.append("\($0)") }
            let subscription = other.subscribeEvents { events.append("other \($0)") }
            let done = DispatchSemaphore(value: 0)
            Thread {
                for emitter in [emitter, other] {
                    emitter.emit(1)
                    emitter.emit(2)
                    emitter.complete()
                }
                done.signal()
            }.start()
            done.wait()
            // It has ended, but pending deliveries are still to come.
            subscription.dispose()
            #expect(await served { events.count == 3 })
            #expect(events == ["next(1)", "next(2)", "completed"])
        }

        @Test func `An actor's handler runs in that actor`() async {
            let (emitter, store) = (Emitter<Int>(), Store())
            await store.listen(to: emitter)
            #expect(await store.emit(1, to: emitter) == [1])
            await onThreads(4) { thread in for value in 0..<500 { emitter.emit(thread * 1000 + value) } }
            for _ in 0..<20_000 where await store.heard.count < 2001 { try? await Task.sleep(nanoseconds: 1_000_000) }
            let heard = await store.heard
            #expect(heard.count == 2001)
            for thread in 1..<4 {
                let values = heard.dropFirst().filter { $0 / 1000 == thread }
                #expect(values == values.sorted())
            }
        }

        @Test func `A property is written on the main actor, whoever emits`() async {
            @MainActor final class Label {
                var text = "" { didSet { wasOnMain = wasOnMain && isOnMainQueue() } }
                var wasOnMain = true
            }
            let (name, label) = (Observable("a"), Label())
            name.bind(to: label, \.text)
            #expect(label.text == "a")
            await onThreads(1) { _ in name.value = "b" }
            #expect(await served { label.text == "b" })
            #expect(label.wasOnMain)
        }

        @Test func `What a disposable ends, it ends on the actor of the action`() async {
            var isEnded = false
            let disposable = Disposable { isEnded = isOnMainQueue() }
            await onThreads(1) { _ in disposable.dispose() }
            #expect(await served { isEnded })
        }

        // MARK: Commands

        @Test func `An async command publishes on the main actor`() async {
            let command = Command<Int, Int> { number async in number * 2 }
            let (isOnMain, log) = (Locked(true), Locked<[String]>([]))
            // Handlers without an actor, so that they run where the command publishes.
            let note: @Sendable (String) -> Void = { line in
                if !isOnMainQueue() { isOnMain.change { $0 = false } }
                log.change { $0.append(line) }
            }
            Self.watch(command, note)
            await onThreads(1) { _ in command.execute(4) }
            #expect(await served { log.value.count == 6 })
            #expect(
                log.value == [
                    "enabled false", "executing true", "execution", "value 8", "enabled true", "executing false",
                ])
            #expect(isOnMain.value)
        }

        private nonisolated static func watch(
            _ command: Command<Int, Int>, _ note: @escaping @Sendable (String) -> Void
        ) {
            command.isExecuting.subscribe { note("executing \($0)") }
            command.isEnabled.subscribe { note("enabled \($0)") }
            command.executions.subscribe { _ in note("execution") }
            command.values.subscribe { note("value \($0)") }
            command.errors.subscribe { note("error \($0)") }
        }

        @Test func `A command executed elsewhere runs its closure on its actor, in the order of calls`() async {
            var inputs: [Int] = []
            var wasOnMain = true
            let command = Command<Int, Int>(allowsConcurrentExecution: true) { input in
                inputs.append(input)
                wasOnMain = wasOnMain && isOnMainQueue()
                return .just(input)
            }
            await onThreads(1) { _ in for input in 0..<100 { command.execute(input) } }
            #expect(await served { inputs.count == 100 })
            #expect(inputs == Array(0..<100) && wasOnMain)
        }

        @Test func `An execution that is cancelled before its actor can begin it never runs`() async {
            var runs = 0
            let command = Command<Void, Int> {
                runs += 1
                return .just(1)
            }
            let done = DispatchSemaphore(value: 0)
            Thread {
                command.execute().cancel()
                command.execute()
                done.signal()
            }.start()
            // The main actor is busy until both calls have returned.
            done.wait()
            #expect(await served { runs > 0 && !command.isExecuting.value })
            #expect(runs == 1)
        }

        // MARK: Traces

        @Test func `A trace has one refresh, in a hop that the emission caused`() async throws {
            let (emitter, screen) = (Emitter<Int>(), Watcher())
            let recording = try await recordTask {
                screen.show(emitter)
                await onThreads(1) { _ in Trace.stimulus("elsewhere") { emitter.emit(7) } }
                _ = await served { screen.heard == [7] }
                emitter.emit(8)
            }
            let emissions = recording.events.filter { $0.kind == .emitted }
            #expect(emissions.map(\.isReplayed) == [false, true, false])
            #expect(emissions.map(\.value) == [.signed(7), .signed(7), .signed(8)])
            #expect(emissions.map(\.delivers) == [false, true, true])
            let hop = try #require(recording.events.first { $0.kind == .hopBegan })
            #expect(hop.cause == emissions[0].id && emissions[1].cause == hop.id)
            let scheduled = recording.events.filter { $0.kind == .hopScheduled }
            #expect(scheduled.map(\.count) == [1] && scheduled[0].cause == emissions[0].cause)
            #expect(recording.count(.deliveryBegan) == 2 && recording.count(.hopEnded) == 1)
        }

        @Test func `Handlers before and after one that waits hear the value at once`() async throws {
            let (emitter, screen) = (Emitter<Int>(), Watcher())
            let log = Locked<[Int]>([])
            Self.log(emitter, log)
            screen.show(emitter)
            Self.log(emitter, log)
            let recording = try await recordTask {
                await onThreads(1) { _ in emitter.emit(7) }
                _ = await served { screen.heard == [7] }
            }
            #expect(log.value == [7, 7] && screen.heard == [7])
            #expect(recording.count(.deliveryBegan) == 2 && recording.count(.deliveryNext) == 1)
            let emission = try #require(recording.events.first { $0.kind == .emitted })
            #expect(recording.events.first { $0.kind == .hopBegan }?.cause == emission.id)
        }

        private nonisolated static func log(_ emitter: Emitter<Int>, _ log: Locked<[Int]>) {
            emitter.subscribe { value in log.change { $0.append(value) } }
        }

        @Test func `weir reads the hop: why, events, redundant, and info where it never comes`() async throws {
            let file = try TemporaryTrace()
            let (number, screen) = (Observable(0), Watcher())
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            let model = Model(number)
            Trace.adopt(model)
            screen.show(number)
            await onThreads(1) { _ in Trace.stimulus("tap") { number.value = 1 } }
            _ = await served { screen.heard == [1] }
            Trace.stop()
            let weir = try BuiltProgram("weir")
            let events = try weir.output(["events", file.path, "--color", "never"])
            #expect(events.contains("waits for the main actor"))
            #expect(events.contains("hop: Model.number"))
            #expect(events.contains("Model.number replayed 1"))
            let why = try weir.output(["why", file.path, "number", "--color", "never"])
            #expect(why.contains("stimulus “tap”"), "\(why)")
            let redundant = try weir.run(["redundant", file.path, "--color", "never"]).text
            #expect(redundant.contains("1 refresh"), "\(redundant)")
            let info = try weir.output(["info", file.path, "--color", "never"])
            #expect(!info.contains("Handlers not called"), "\(info)")
        }

        private final class Model {
            let number: Observable<Int>
            init(_ number: Observable<Int>) { self.number = number }
        }

        @Test func `A hop that never comes is listed`() throws {
            let (number, screen) = (Observable(0), Watcher())
            let recording = try TemporaryTrace()
            try Trace.start(writingTo: recording.path, clock: VirtualClock(), snapshots: .none)
            screen.show(number)
            screen.show(number)
            // As in a script, the main actor does nothing else until the end.
            let done = DispatchSemaphore(value: 0)
            Thread {
                for value in 1...3 { number.value = value }
                done.signal()
            }.start()
            done.wait()
            Trace.stop()
            let summary = try TraceSummary(of: TraceReader(path: recording.path))
            #expect(summary.waitingHandlers.count == 1)
            #expect(summary.waitingHandlers.first?.handlers == 2 && summary.waitingHandlers.first?.calls == 6)
            #expect(summary.waitingHandlers.first?.isForMain == true)
            let info = try BuiltProgram("weir").output(["info", recording.path, "--color", "never"])
            #expect(
                info.contains("2 handlers of WeirTests/IsolationTests.swift:")
                    && info.contains("wait for the main actor: 6 calls not made when the recording ended"), "\(info)")
        }
    }
}
