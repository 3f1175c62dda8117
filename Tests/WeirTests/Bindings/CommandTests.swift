import Dispatch
import Testing
import Weir
import WeirTrace

private struct Broken: Error, Equatable {}

/// A signal that runs until the test ends it.
@MainActor private final class Work {
    var subscribers: [Subscriber<Int>] = []
    var cleanups = 0
    lazy var signal = Signal<Int> { [weak self] subscriber in
        MainActor.assumeIsolated { self?.subscribers.append(subscriber) }
        return Disposable { @MainActor [weak self] in self?.cleanups += 1 }
    }
}

extension Everything {
    @MainActor @Suite struct CommandTests {
        private func events<Value>(of signal: Signal<Value>) -> [String] {
            var lines: [String] = []
            signal.subscribeEvents { lines.append("\($0)") }
            return lines
        }

        @Test func `An execution runs at once, and once, whoever subscribes to it`() {
            let work = Work()
            let command = Command<Void, Int> { work.signal }
            let execution = command.execute()
            #expect(work.subscribers.count == 1)
            var early: [String] = []
            execution.subscribeEvents { early.append("\($0)") }
            work.subscribers[0].next(1)
            work.subscribers[0].next(2)
            #expect(events(of: execution) == ["next(1)", "next(2)"])
            work.subscribers[0].complete()
            #expect(early == ["next(1)", "next(2)", "completed"])
            #expect(events(of: execution) == early)
            #expect(work.subscribers.count == 1)
        }

        @Test func `It says that it is executing, and is free before anybody hears of the end`() {
            let work = Work()
            let command = Command<Void, Int> { work.signal }
            var states: [String] = []
            command.isExecuting.subscribe { states.append("executing \($0)") }
            command.isEnabled.subscribe { states.append("enabled \($0)") }
            command.execute().subscribeEvents { _ in states.append("end \(command.isExecuting.value)") }
            work.subscribers[0].complete()
            #expect(
                states == ["enabled false", "executing true", "enabled true", "executing false", "end false"])
        }

        @Test func `A handler of the end may execute again`() {
            let work = Work()
            let command = Command<Void, Int> { work.signal }
            command.execute().subscribeEvents { _ in command.execute() }
            work.subscribers[0].complete()
            #expect(work.subscribers.count == 2)
            #expect(command.isExecuting.value)
        }

        @Test func `A disabled and an executing command refuse, each with its error`() {
            let work = Work()
            let enabled = Observable(false)
            let command = Command<Void, Int>(enabledIf: enabled) { work.signal }
            #expect(!command.isEnabled.value)
            #expect(events(of: command.execute()) == ["failed(Weir.CommandError.disabled)"])
            enabled.value = true
            #expect(command.isEnabled.value)
            command.execute()
            #expect(events(of: command.execute()) == ["failed(Weir.CommandError.executing)"])
            #expect(work.subscribers.count == 1)
            work.subscribers[0].complete()
            #expect(command.isEnabled.value)
            command.execute()
            #expect(work.subscribers.count == 2)
        }

        @Test func `What enables it may be any signal; until that speaks it may execute`() {
            let mayRun = Emitter<Bool>()
            let command = Command<Int, Int>(enabledIf: mayRun.map { !$0 }) { .just($0) }
            #expect(command.isEnabled.value)
            mayRun.emit(true)
            #expect(!command.isEnabled.value)
            #expect(events(of: command.execute(1)) == ["failed(Weir.CommandError.disabled)"])
            mayRun.emit(false)
            mayRun.complete()
            #expect(events(of: command.execute(1)) == ["next(1)", "completed"])
        }

        @Test func `Values and errors of all executions come together, and errors end nothing`() {
            let command = Command<Int, Int> { number in
                if number < 0 { throw Broken() }
                return number * 10
            }
            var values: [Int] = []
            var errors: [String] = []
            var executions = 0
            command.values.subscribe { values.append($0) }
            command.errors.subscribeEvents { if case .next(let error) = $0 { errors.append("next(\(error))") } }
            command.executions.subscribe { _ in executions += 1 }
            command.execute(1)
            command.execute(-1)
            command.execute(2)
            command.execute(-1)
            #expect(values == [10, 20])
            #expect(errors == ["next(Broken())", "next(Broken())"])
            #expect(executions == 4)
        }

        @Test func `An async command delivers what it returns, and cancelling it cancels its task`() async throws {
            let command = Command<Int, Int> { number in
                await Task.yield()
                if number < 0 { throw Broken() }
                return number * 10
            }
            #expect(try await command.execute(1).first == 10)
            while command.isExecuting.value { await Task.yield() }
            await #expect(throws: Broken.self) { try await command.execute(-1).first }
            let isCancelled = LockedCounter()
            let waiting = Command<Void, Void> {
                while !Task.isCancelled { await Task.yield() }
                isCancelled.increment()
            }
            let execution = waiting.execute()
            #expect(waiting.isExecuting.value)
            execution.cancel()
            #expect(!waiting.isExecuting.value)
            while isCancelled.value == 0 { await Task.yield() }
        }

        @Test func `What was refused is neither an error nor an execution`() {
            let command = Command<Int, Int>(enabledIf: Observable(false)) { .just($0) }
            var heard = 0
            command.errors.subscribe { _ in heard += 1 }
            command.executions.subscribe { _ in heard += 1 }
            command.execute(1)
            #expect(heard == 0)
        }

        @Test func `Executions overlap if they may`() {
            let work = Work()
            let command = Command<Void, Int>(allowsConcurrentExecution: true) { work.signal }
            var states: [Bool] = []
            command.isExecuting.subscribe { states.append($0) }
            command.execute()
            command.execute()
            #expect(command.isEnabled.value)
            #expect(work.subscribers.count == 2)
            work.subscribers[0].complete()
            #expect(states == [true])
            work.subscribers[1].complete()
            #expect(states == [true, false])
        }

        @Test func `Cancelling an execution ends the work and frees the command; nobody hears an end`() {
            let work = Work()
            let command = Command<Void, Int> { work.signal }
            let execution = command.execute()
            var heard: [String] = []
            execution.subscribeEvents { heard.append("\($0)") }
            work.subscribers[0].next(1)
            execution.cancel()
            execution.cancel()
            work.subscribers[0].next(2)
            work.subscribers[0].complete()
            #expect(heard == ["next(1)"])
            #expect(work.cleanups == 1)
            #expect(command.isEnabled.value)
        }

        @Test func `A subscriber hears one value after the other, also those that its handler causes`() {
            let work = Work()
            let command = Command<Void, Int> { work.signal }
            var heard: [String] = []
            command.execute().subscribe { value in
                heard.append("\(value) begins")
                if value == 1 { work.subscribers[0].next(2) }
                heard.append("\(value) ends")
            }
            work.subscribers[0].next(1)
            #expect(heard == ["1 begins", "1 ends", "2 begins", "2 ends"])
        }

        // MARK: Ownership

        @MainActor private final class Model {
            let work = Work()
            let name = Observable("")
            lazy var isNamed = Observable.combine(name) { !$0.isEmpty }
            lazy var load = Command<Void, Int>(enabledIf: isNamed) { @MainActor [weak self] in
                self?.work.signal ?? .empty()
            }
        }

        @Test func `A model dropped while its command executes leaks nothing, and the work is cancelled`() {
            weak var model: Model?
            let cleanups = LockedCounter()
            weak var subscribed: Work?
            do {
                let made = Model()
                made.name.value = "Maruko"
                made.work.signal = Signal { _ in Disposable { cleanups.increment() } }
                made.load.values.subscribe { _ in }
                made.load.execute().subscribe { _ in }
                model = made
                subscribed = made.work
            }
            #expect(model == nil)
            #expect(subscribed == nil)
            #expect(cleanups.value == 1)
        }

        @Test func `An execution that somebody keeps outlives its command`() {
            let work = Work()
            var heard: [Int] = []
            let kept: Disposable
            do {
                let command = Command<Void, Int> { work.signal }
                kept = command.execute().subscribe { heard.append($0) }
            }
            work.subscribers[0].next(1)
            #expect(heard == [1])
            kept.dispose()
            #expect(work.cleanups == 1)
        }

        @Test func `After its end an execution is held by nobody else`() {
            let work = Work()
            let command = Command<Void, Int> { work.signal }
            weak let execution = command.execute()
            #expect(execution != nil)
            work.subscribers[0].complete()
            #expect(execution == nil)
        }

        @Test func `What enabled a released command is let go of`() {
            let enabled = Observable(true)
            weak var gone: Command<Void, Int>?
            do {
                let command = Command<Void, Int>(enabledIf: enabled) { .just(1) }
                gone = command
            }
            enabled.value = false
            #expect(gone == nil)
            enabled.checkInvariants()
        }

        // MARK: Threads

        @Test nonisolated func `Of threads that execute at once one is accepted, and the states are true in the end`() {
            for _ in 0..<100 {
                let runs = LockedCounter()
                let release = DispatchSemaphore(value: 0)
                let executions = DispatchGroup()
                let refused = LockedCounter()
                let enabled = Observable(true)
                let command = Command<Int, Int>(enabledIf: enabled) { _ in
                    Signal { subscriber in
                        runs.increment()
                        DispatchQueue.global().async(group: executions) {
                            release.wait()
                            subscriber.complete()
                        }
                        return nil
                    }
                }
                DispatchQueue.concurrentPerform(iterations: 4) { index in
                    command.execute(index).subscribeEvents { if case .failed = $0 { refused.increment() } }
                }
                #expect(runs.value == 1)
                #expect(refused.value == 3)
                let ended = DispatchSemaphore(value: 0)
                command.isExecuting.subscribe { if !$0 { ended.signal() } }
                enabled.value = false
                release.signal()
                enabled.value = true
                ended.wait()
                executions.wait()
                #expect(command.isEnabled.value && !command.isExecuting.value)
            }
        }

        @Test nonisolated func `Values of two threads reach every subscriber once and in the same order`() {
            nonisolated(unsafe) var subscriber: Subscriber<Int>?
            let command = Command<Void, Int> {
                Signal {
                    subscriber = $0
                    return nil
                }
            }
            let execution = command.execute()
            nonisolated(unsafe) var one: [Int] = []
            nonisolated(unsafe) var two: [Int] = []
            execution.subscribe { one.append($0) }
            execution.subscribe { two.append($0) }
            DispatchQueue.concurrentPerform(iterations: 2) { half in
                for number in 0..<500 { subscriber?.next(half * 500 + number) }
            }
            subscriber?.complete()
            #expect(one.sorted() == Array(0..<1000))
            #expect(one == two)
        }

        // MARK: Traces

        private final class Player {
            let isReady = Observable(true)
            lazy var play = Command<String, Int>(enabledIf: isReady) { title in .just(title.count) }
        }

        @Test func `A trace tells a command's input, its states and its values by their names`() throws {
            let recording = try record {
                let player = Player()
                _ = player.play
                Trace.adopt(player)
                player.play.values.subscribe { _ in }
                Trace.stimulus("tap") { _ = player.play.execute("abc") }
                player.isReady.value = false
                player.play.execute("abc")
            }
            let story = recording.story.map { $0.drop { $0 == " " } }
            func place(_ line: String) -> Int? { story.firstIndex { $0 == line } }
            let reported = [
                "stimulus tap", "Player.play = \"abc\"", "to Player.play.execution", "Player.play.isExecuting = true",
                "to Player.play.isEnabled", "Player.play.isEnabled = false",
                "Player.play.execution = 3", "to Player.play.values", "Player.play.values = 3",
                "Player.play.isExecuting = false",
                "Player.isReady = false", "Player.play suppressed: disabled",
            ]
            let places = reported.map { place($0) }
            #expect(
                places.allSatisfy { $0 != nil }, "\(zip(reported, places).filter { $0.1 == nil }.map(\.0)) \(story)")
            #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
            let kinds = Set(recording.definitions.nodes.values.map(\.kind))
            #expect(kinds.contains(.command))
        }

        @Test func `The values of a private command stay out of traces`() throws {
            let recording = try record(values: .described()) {
                let kept = Command<String, String>(privacy: .private) { .just($0 + "!", privacy: .private) }
                kept.values.subscribe { _ in }
                kept.execute("secret").subscribe { _ in }
                let computed = Command<String, String>(privacy: .private) { $0 + "!" }
                computed.values.subscribe { _ in }
                computed.execute("secret").subscribe { _ in }
            }
            let said = recording.events.map { "\($0.value)" }
            #expect(said.contains("‹private›"))
            #expect(said.allSatisfy { !$0.contains("secret") })
        }
    }
}
