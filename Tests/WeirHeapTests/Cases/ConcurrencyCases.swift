import Observation
import Synchronization
import Testing

private final class Worker: Counted, @unchecked Sendable {
    var load: (() async -> Void)?
    var loads: [@Sendable () async throws -> Int] = []
    var onMain: [@MainActor (Int) -> Void] = []
    var sendable: [@Sendable () -> Void] = []
    var task: Task<Void, Never>?
    var failing: Task<Int, any Error>?
    var continuation: CheckedContinuation<Void, Never>?
    var unsafeContinuation: UnsafeContinuation<Void, Never>?
    var stream: AsyncStream<Int>?
    var streamContinuation: AsyncStream<Int>.Continuation?
    var number = 0

    @inline(never) func go() { number += 1 }
    @inline(never) func fetch() async { number += 1 }
    @MainActor func show(_ number: Int) { self.number = number }

    /// Waits until the task of the worker has nothing left to do but wait for its continuation.
    func settle() async {
        while continuation == nil && unsafeContinuation == nil { await Task.yield() }
        try? await Task.sleep(for: .milliseconds(50))
    }
}

private actor Keeper {
    let ticket = Counted()
    var action: (() -> Void)?
    var asyncAction: (() async -> Void)?
    var friend: Keeper?
    var delegate: PlantedNode?

    func keep(_ erased: Erased) { asyncAction = { erased.go() } }
    func keepSelf() { action = { [self] in use(self) } }
    func keepSelfAsync() { asyncAction = { [self] in touch() } }
    func keepWeakly() { action = { [weak self] in use(self) } }
    func hold(_ other: Keeper) { friend = other }
    func touch() {}
}

@globalActor
private actor Stage {
    static let shared = Stage()
}

@Stage
private final class StageModel: Counted, @unchecked Sendable {
    var action: (@Stage () -> Void)?
    var count = 0

    nonisolated override init() { super.init() }
    func bind() { action = { self.count += 1 } }
}

private final class Isolated: Counted, @unchecked Sendable {
    var action: (@Sendable (isolated Keeper) -> Void)?
    var anyIsolated: (@isolated(any) () -> Void)?

    func go() {}
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private final class Locked: Counted, @unchecked Sendable {
    let state = Mutex<[() -> Void]>([])
    let number = Atomic<Int>(0)

    func go() {}
}

/// The state of a mutex is often private to the class that has it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private final class LockedPrivately: Counted, @unchecked Sendable {
    private struct State {
        var handlers: [Int: @Sendable () -> Void] = [:]
    }

    private enum Part {
        struct Mutex {
            var last: (@Sendable () -> Void)?
        }
    }

    private let state = Mutex(State())
    private let parts = Synchronization.Mutex<[Part.Mutex?]>([])

    func keep(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.handlers[1] = handler } }

    func keepPart(_ handler: @escaping @Sendable () -> Void) { parts.withLock { $0.append(Part.Mutex(last: handler)) } }

    func go() {}
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class Model: Counted, Observable, @unchecked Sendable {
    let registrar = ObservationRegistrar()
    var number = 0

    func access() { registrar.access(self, keyPath: \.number) }

    @inline(never) func watch() {
        withObservationTracking {
            access()
        } onChange: { [self] in
            use(self)
        }
    }

    @inline(never) func watchWeakly() {
        withObservationTracking {
            access()
        } onChange: { [weak self] in
            use(self)
        }
    }
}

/// Holds closures that know their isolation.
private final class Erased: Counted, @unchecked Sendable {
    var action: (@Sendable @isolated(any) () -> Void)?
    var transform: (@Sendable @isolated(any) (Int) -> Any)?
    var number = 0

    @inline(never) func go() { number += 1 }
}

private protocol Handling: Sendable { func handle(_ erased: Erased) }
private struct Handler: Handling {
    var node = 1
    func handle(_ erased: Erased) { erased.go() }
}

private final class SentBox<Value>: Counted, @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

// In generic code, the isolation of a closure stands before its metadata. Specialised code has no metadata there.
@inline(never) @_semantics("optimize.sil.specialize.generic.never")
private func wrap<Input: Sendable>(_ erased: Erased, _ action: @escaping @Sendable (Input) -> Int) {
    erased.transform = { action($0 as! Input) }
}

@inline(never) @_semantics("optimize.sil.specialize.generic.never")
private func capture<First: Sendable, Second: Handling>(_ erased: Erased, _ first: First, _ second: Second) {
    let text = opaque("a text that is too long to be stored in place"), flag = opaque(true)
    erased.action = {
        use((first, text, flag))
        second.handle(erased)
    }
}

@inline(never) @_semantics("optimize.sil.specialize.generic.never")
private func captureOnMain<First: Sendable, Second: Handling>(_ erased: Erased, _ first: First, _ second: Second) {
    let flag = opaque(true)
    erased.action = { @MainActor in
        use((first, flag))
        second.handle(erased)
    }
}

@inline(never) @_semantics("optimize.sil.specialize.generic.never")
private func captureBoxed<Value: Handling>(_ erased: Erased, _ box: SentBox<Value>) {
    erased.action = { box.value.handle(erased) }
}

@inline(never) @_semantics("optimize.sil.specialize.generic.never")
private func captureWeakly<Value: Sendable>(_ erased: Erased, _ value: Value) {
    erased.action = { [weak erased] in
        use(value)
        erased?.go()
    }
}

@inline(never) @_semantics("optimize.sil.specialize.generic.never")
private func capturePack<each Value: Sendable>(_ erased: Erased, _ value: repeat each Value) {
    erased.action = {
        erased.go()
        repeat use(each value)
    }
}

@inline(never) @_semantics("optimize.sil.specialize.generic.never")
private func captureActor<Value: Sendable>(_ erased: Erased, on keeper: isolated Keeper, _ value: Value) {
    isolate(erased) {
        keeper.touch()
        use(value)
    }
}

@inline(never)
private func isolate(
    _ erased: Erased, @_inheritActorContext _ action: @escaping @Sendable @isolated(any) () -> Void
) {
    erased.action = action
}

extension Corpus {
    private mutating func plantErasedIsolation() {
        leaks("a closure of any isolation wraps one in generic code", "Erased.transform {} → Erased") {
            let erased = Erased()
            wrap(erased) { (number: Int) in
                erased.go()
                return number
            }
            return Plant(erased)
        }
        leaks("a closure of any isolation in generic code, with several captures", "Erased.action {} → Erased") {
            let erased = Erased()
            capture(erased, "another text that is too long to be stored in place", Handler())
            return Plant(erased)
        }
        leaks("a closure of the main actor in generic code", "Erased.action {} → Erased") {
            let erased = Erased()
            captureOnMain(erased, UInt8(1), Handler())
            return Plant(erased)
        }
        leaks("a closure of any isolation whose metadata come from a capture", "Erased.action {} → Erased") {
            let erased = Erased()
            captureBoxed(erased, SentBox(Handler()))
            return Plant(erased)
        }
        leaks(
            "closures of any isolation of two objects", cycles: Array(repeating: "Erased.action {} → Erased", count: 2)
        ) {
            let first = Erased(), second = Erased()
            capture(first, 1, Handler())
            capture(second, 1, Handler())
            return Plant(first, second)
        }
        leaks("a closure of any isolation over a parameter pack", "Erased.action {} → Erased", limitations: nil) {
            let erased = Erased()
            capturePack(erased, 1, "text")
            return Plant(erased)
        }
        leaks("the isolation of a closure in generic code", "Erased.action {} → Keeper.asyncAction {} → Erased") {
            let erased = Erased(), keeper = Keeper()
            await keeper.keep(erased)
            await captureActor(erased, on: keeper, 7)
            return Plant(erased)
        }
        silent("a closure of any isolation in generic code that captures weakly") {
            let erased = Erased()
            captureWeakly(erased, 7)
            return Plant(keeping: erased)
        }
    }

    mutating func plantConcurrency() {
        about("async closures, actors, tasks")
        leaks("an async closure", "Worker.load {} → Worker") {
            let worker = Worker()
            worker.load = {
                await Task.yield()
                worker.go()
            }
            return Plant(worker)
        }
        leaks("an async closure with several captures", "Worker.load {} → Worker") {
            let worker = Worker(), node = PlantedNode()
            let text = opaque("a text that is too long to be stored in place")
            worker.load = { [weak node] in
                await Task.yield()
                use((node, text))
                worker.go()
            }
            return Plant(worker)
        }
        leaks("an async method reference", "Worker.load {} → Worker") {
            let worker = Worker()
            worker.load = worker.fetch
            return Plant(worker)
        }
        leaks("async throwing closures in a list", "Worker.loads[0] {} → Worker") {
            let worker = Worker()
            worker.loads.append {
                await worker.fetch()
                return worker.number
            }
            return Plant(worker)
        }
        leaks("a synchronous closure as an async one", "Worker.load {} → Worker") {
            let worker = Worker()
            let synchronous: () -> Void = { worker.go() }
            worker.load = synchronous
            return Plant(worker)
        }
        leaks("an async closure in an async closure", "Worker.load {} → Worker") {
            let worker = Worker()
            let inner: () async -> Void = { await worker.fetch() }
            let number = opaque(3)
            worker.load = {
                use(number)
                await inner()
            }
            return Plant(worker)
        }
        leaks("sendable closures in a list", "Worker.sendable[0] {} → Worker") {
            let worker = Worker()
            worker.sendable.append { worker.go() }
            return Plant(worker)
        }
        leaks("closures of the main actor in a list", "Worker.onMain[0] {} → Worker") {
            let worker = Worker()
            worker.onMain.append { worker.number += $0 }
            return Plant(worker)
        }
        leaks("a method reference of the main actor", "Worker.onMain[0] {} → Worker") {
            let worker = Worker()
            worker.onMain.append(worker.show)
            return Plant(worker)
        }
        leaks("an actor that holds its closure", "Keeper.action {} → Keeper") {
            let keeper = Keeper()
            await keeper.keepSelf()
            return Plant(keeper)
        }
        leaks("an actor that holds its async closure", "Keeper.asyncAction {} → Keeper") {
            let keeper = Keeper()
            await keeper.keepSelfAsync()
            return Plant(keeper)
        }
        leaks("two actors", "Keeper.friend → Keeper.friend → Keeper") {
            let first = Keeper(), second = Keeper()
            await first.hold(second)
            await second.hold(first)
            return Plant(first)
        }
        leaks("a model of a global actor", "StageModel.action {} → StageModel") {
            let model = StageModel()
            await model.bind()
            return Plant(model)
        }
        leaks("a closure with an isolated parameter", "Isolated.action {} → Isolated") {
            let object = Isolated()
            object.action = { _ in object.go() }
            return Plant(object)
        }
        leaks("a closure of any isolation", "Isolated.anyIsolated {} → Isolated") {
            let object = Isolated()
            object.anyIsolated = { object.go() }
            return Plant(object)
        }
        plantErasedIsolation()
        leaks(
            "the end of a stream captures its owner",
            "Worker.streamContinuation… → AsyncStream._Storage.state.onTermination {} → Worker"
        ) {
            let worker = Worker()
            let (_, continuation) = AsyncStream.makeStream(of: Int.self)
            worker.streamContinuation = continuation
            continuation.onTermination = { _ in worker.go() }
            return Plant(worker)
        }
        leaks("a finished task in a ring", "Worker.load {} → Worker", limitations: [.unknownMemory]) {
            let worker = Worker()
            worker.task = Task {}
            await worker.task?.value
            try? await Task.sleep(for: .milliseconds(50))
            worker.load = { worker.go() }
            return Plant(worker)
        }
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) {
            leaks("closures behind a mutex", "Locked.state…[0] {} → Locked") {
                let object = Locked()
                object.state.withLock { $0.append { object.go() } }
                return Plant(object)
            }
            leaks("a private state behind a mutex", "LockedPrivately.state… {} → LockedPrivately") {
                let object = LockedPrivately()
                object.keep { object.go() }
                return Plant(object)
            }
            leaks(
                "a state behind a mutex, whose type has the words of another one",
                "LockedPrivately.parts… {} → LockedPrivately"
            ) {
                let object = LockedPrivately()
                object.keepPart { object.go() }
                return Plant(object)
            }
        }
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) {
            leaks(
                "an observation that captures what it observes",
                "Model.registrar… → ObservationRegistrar.Extent.context.state.buffer → _ManagedCriticalState.LockedBuffer… {} → Model"
            ) {
                let model = Model()
                model.watch()
                return Plant(model)
            }
            silent("an observation that captures weakly") {
                let model = Model()
                model.watchWeakly()
                return Plant(keeping: model)
            }
        }
        unseen("a task that waits, and captures the one that stores it", limitations: [.unknownMemory]) {
            let worker = Worker()
            worker.task = Task.detached {
                await withUnsafeContinuation { worker.unsafeContinuation = $0 }
                worker.go()
            }
            await worker.settle()
            return Plant(worker)
        }
        unseen("a continuation that nobody resumes, stored in what its task captures", limitations: [.unknownMemory]) {
            let worker = Worker()
            worker.task = Task.detached {
                await withCheckedContinuation { worker.continuation = $0 }
                worker.go()
            }
            await worker.settle()
            return Plant(worker)
        }
        silent("a task that waits, and captures weakly", limitations: [.unknownMemory]) {
            let worker = Worker()
            worker.task = Task.detached { [weak worker] in
                await withUnsafeContinuation { worker?.unsafeContinuation = $0 }
                worker?.go()
            }
            await worker.settle()
            return Plant(keeping: worker).holding(worker, by: 0) { [unowned worker] in
                worker.unsafeContinuation?.resume()
            }
        }
        silent("a task that has finished", limitations: [.unknownMemory]) {
            let worker = Worker()
            worker.task = Task { worker.go() }
            worker.failing = Task {
                worker.go()
                return worker.number
            }
            await worker.task?.value
            _ = try? await worker.failing?.value
            return Plant(keeping: worker)
        }
        silent("an actor whose closure captures weakly") {
            let keeper = Keeper()
            await keeper.keepWeakly()
            return Plant(keeping: keeper)
        }
    }
}
