import Foundation
import Observation
import Synchronization
import Testing
import Weir
import WeirAnalysis
import WeirTesting
import WeirTrace

private actor Store {
    let saved = Emitter<Int>()
    func save(_ number: Int) async {
        await Task.yield()
        saved.emit(number)
    }
}

/// Runs the jobs of its actors on a thread of its own, and counts them.
private final class OneThread: SerialExecutor, @unchecked Sendable {  // The condition guards the state.
    private let condition = NSCondition()
    private var waiting: [UnownedJob] = []
    private var count = 0
    private var isOver = false

    init() { Thread.detachNewThread { [self] in run() } }

    var jobs: Int { condition.withLock { count } }

    func enqueue(_ job: UnownedJob) {
        condition.withLock {
            waiting.append(job)
            count += 1
            condition.signal()
        }
    }

    func end() {
        condition.withLock {
            isOver = true
            condition.signal()
        }
    }

    private func run() {
        while true {
            condition.lock()
            while waiting.isEmpty, !isOver { condition.wait() }
            let job = waiting.isEmpty ? nil : waiting.removeFirst()
            condition.unlock()
            guard let job else { return }
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }
}

private actor Clerk {
    nonisolated let executor = OneThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let letters = Emitter<Int>()
    private let listening: Disposable
    private var stamps = 0

    init() { listening = letters.subscribe { _ in } }
    deinit { executor.end() }

    func write(_ number: Int) { letters.emit(number) }

    /// How many jobs it takes to stamp a letter, after the one that this runs in.
    func stamp() async -> Int {
        let before = executor.jobs
        await Trace.stimulus("stamp") { await add() }
        return executor.jobs - before
    }

    private func add() async { stamps += 1 }
}

@MainActor @Observable
private final class SaveModel {
    var state = 0
}

extension Everything {
    @MainActor @Suite struct AsyncStimulusTests {
        @Test func `Effects after an await, in tasks, groups, async let and actors are caused by the stimulus`()
            async throws
        {
            let (value, store) = (Observable(0), Store())
            let listening = [store.saved.subscribe { _ in }, value.subscribe { _ in }]
            let recording = try await recordTask {
                let result = await Trace.stimulus("save") {
                    await Task.yield()
                    value.value = 1
                    await Task { @MainActor in value.value = 2 }.value
                    async let third: Void = store.save(3)
                    await third
                    await withTaskGroup(of: Void.self) { group in
                        for number in 4..<8 { group.addTask { await store.save(number) } }
                    }
                    await Trace.detached { await store.save(8) }.value
                    return 7
                }
                #expect(result == 7)
            }
            for subscription in listening { subscription.dispose() }
            #expect(recording.count(.stimulusBegan) == 1)
            let stimulus = try #require(recording.events.first { $0.kind == .stimulusBegan }).id
            let emitted = recording.events.filter { $0.kind == .emitted }
            // A value for a handler on another actor is emitted there again.
            #expect(Set(emitted.map { "\($0.value)" }) == Set((1...8).map(String.init)))
            #expect(recording.roots(of: emitted).allSatisfy { $0 == stimulus })
        }

        @Test func `The async closures of a command and a signal are caused by what started them`() async throws {
            let (saved, loaded, inGroup) = (Observable(0), Observable(0), Observable(0))
            let save = Command<Int, Int> { value in
                await Task.yield()
                saved.value = value
                await withTaskGroup { $0.addTask { inGroup.value = value } }
                return value
            }
            let load = Signal { () async throws -> Int in
                await Task.yield()
                loaded.value = 3
                return 3
            }
            let recording = try await recordTask {
                Trace.adopt(Nodes(saved: saved, loaded: loaded, inGroup: inGroup), as: "Model")
                let execution = Trace.stimulus("tap save") { save.execute(2) }
                _ = try await execution.first
                // Its value is there before its emission is recorded.
                let isDone = Mutex(false)
                let bag = DisposeBag()
                Trace.stimulus("tap load") {
                    load.subscribe { _ in isDone.withLock { $0 = true } }.disposed(by: bag)
                }
                while !isDone.withLock({ $0 }) { await Task.yield() }
            }
            for (node, stimulus) in [("saved", "tap save"), ("inGroup", "tap save"), ("loaded", "tap load")] {
                #expect(recording.causes(ofLastEmission: "Model.\(node)").last == stimulus, "\(node)")
            }
            #expect(recording.damage.isEmpty)
        }

        @Test func `The chain of an asynchronous command's value has a line for each hop`() async throws {
            let reply = Observable(0)
            let save = Command<Int, Int> { value in
                await Task.yield()
                return value
            }
            let bag = DisposeBag()
            save.values.bind(to: reply).disposed(by: bag)
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            Trace.stimulus("tap save") { _ = save.execute(2) }
            while reply.value == 0 { await Task.yield() }
            Trace.stop()
            let (reader, events) = (try TraceReader(path: file.path), try Recording(reading: file.path).events)
            let last = try #require(events.last { $0.kind == .emitted && $0.value == .signed(2) })
            let chain = try #require(Timeline(reader).explanation(of: last.id)?.chains.first)
            #expect(
                chain.steps.map(\.event.kind) == [
                    .stimulusBegan, .emitted, .hopBegan, .emitted, .emitted, .hopBegan, .emitted, .emitted,
                ])
        }

        private final class Nodes {
            let saved, loaded, inGroup: Observable<Int>
            init(saved: Observable<Int>, loaded: Observable<Int>, inGroup: Observable<Int>) {
                (self.saved, self.loaded, self.inGroup) = (saved, loaded, inGroup)
            }
        }

        @Test func `A stimulus that does not await may be written in an async function as before`() async throws {
            let value = Observable(0)
            let recording = try await recordTask {
                await Task.yield()
                Trace.stimulus("tap") { value.value = 1 }
            }
            #expect(recording.story.contains { $0.hasPrefix("  ") && $0.contains("= 1") })
        }

        @Test func `An error passes with its type`() async throws {
            struct Failure: Error {}
            await #expect(throws: Failure.self) {
                try await Trace.stimulus("save") { () async throws(Failure) in throw Failure() }
            }
            _ = try await recordTask {
                await #expect(throws: Failure.self) {
                    try await Trace.stimulus("save") { () async throws(Failure) in throw Failure() }
                }
            }
        }

        @Test func `A write of an observed model after an await is caused by the stimulus`() async throws {
            let model = SaveModel()
            let recording = try await recordTask {
                Trace.observe(model)
                await Trace.stimulus("save") {
                    await Task.yield()
                    model.state = 3
                }
            }
            #expect(recording.emissions(of: "SaveModel.state") == [.signed(3)])
            #expect(recording.causes(ofLastEmission: "SaveModel.state").last == "save")
        }

        @Test func `A stimulus stays on the actor that it is called on`() async throws {
            var jobs: Int?
            _ = try await recordTask { jobs = await Clerk().stamp() }
            #expect(jobs == 0)
        }

        @Test func `A task that lost its cause says so on a thread of an earlier recording, too`() async throws {
            let clerk = Clerk()
            _ = try await recordTask { await clerk.write(1) }
            let recording = try await recordTask {
                await Trace.stimulus("send") { await Task.detached { await clerk.write(2) }.value }
            }
            let written = recording.events.filter { $0.kind == .emitted }
            #expect(written.count == 1)
            let roots = recording.roots(of: written)
            let texts = recording.events.filter { roots.contains($0.id) }.map(\.text)
            #expect(texts == ["cause unknown: an untraced task"])
        }

        @Test func `A task that lost its cause says so, and only that`() async throws {
            let (model, value) = (SaveModel(), Observable(0))
            let listening = value.subscribe { _ in }
            defer { listening.dispose() }
            let recording = try await recordTask {
                Trace.observe(model)
                await Trace.stimulus("save") {
                    await Task.detached { @MainActor in model.state = 1 }.value
                    await Task.detached { @MainActor in value.value = 2 }.value
                    await Task.detached { @MainActor in withTracing("reply") { value.value = 3 } }.value
                    value.value = 4
                }
            }
            #expect(recording.causes(ofLastEmission: "SaveModel.state").last == "cause unknown: an untraced task")
            let roots = recording.roots(of: recording.events.filter { $0.kind == .emitted })
            let texts = roots.map { root in
                recording.events.first { $0.id == root }.map { $0.kind == .stimulusBegan ? $0.text : "reply" }
            }
            let unknown = "cause unknown: an untraced task"
            #expect(texts.filter { $0 == unknown }.count == 2)
            #expect(texts.filter { $0 == "reply" }.count == 2)
            #expect(texts.filter { $0 == "save" }.count == 1)
        }

        @Test func `Ten thousand tasks of a hundred stimuli all have the right cause`() async throws {
            let recording = try await recordTask {
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            let value = Emitter<Int>()
                            let listening = value.subscribe { _ in }
                            await Trace.stimulus("\(number)") {
                                await withTaskGroup(of: Void.self) { tasks in
                                    for _ in 0..<100 {
                                        tasks.addTask {
                                            await Task.yield()
                                            value.emit(number)
                                        }
                                    }
                                }
                            }
                            listening.dispose()
                        }
                    }
                }
            }
            let names = Dictionary(
                uniqueKeysWithValues: recording.events.filter { $0.kind == .stimulusBegan }.map { ($0.id, $0.text) })
            #expect(names.count == 100)
            let emitted = recording.events.filter { $0.kind == .emitted }
            #expect(emitted.count == 10_000)
            let roots = recording.roots(of: emitted)
            let wrong = zip(emitted, roots).filter { event, root in
                guard case .signed(let number) = event.value else { return true }
                return names[root] != "\(number)"
            }
            #expect(wrong.isEmpty)
        }
    }
}

extension Recording {
    /// The first cause of each event.
    fileprivate func roots(of wanted: [TraceEvent]) -> [EventID] {
        let known = Dictionary(events.map { ($0.id, $0) }) { first, _ in first }
        return wanted.map { event in
            var root = event
            while let cause = root.cause, let next = known[cause] { root = next }
            return root.id
        }
    }
}
