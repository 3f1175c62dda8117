import Testing
import Weir
import WeirTrace

extension Everything {
    @Suite struct TracedTaskTests {
        private struct Offline: Error {}

        private func numbers(_ values: Int..., failing: Bool = false) -> AsyncThrowingStream<Int, any Error> {
            AsyncThrowingStream { continuation in
                for value in values { continuation.yield(value) }
                continuation.finish(throwing: failing ? Offline() : nil)
            }
        }

        @Test func `Elements are emissions of a node, and the end is reported`() async throws {
            var heard: [Int] = []
            let recording = try await recordTask {
                for try await number in numbers(1, 2).traced("numbers") { heard.append(number) }
            }
            #expect(heard == [1, 2])
            #expect(recording.emissions(of: "numbers") == [.signed(1), .signed(2)])
            #expect(recording.count(.completed) == 1 && recording.count(.subscriptionEnded) == 1)
        }

        @Test func `A failure is reported, and thrown`() async throws {
            let recording = try await recordTask {
                await #expect(throws: Offline.self) {
                    for try await _ in numbers(1, failing: true).traced("numbers") {}
                }
            }
            #expect(recording.count(.failed) == 1 && recording.count(.completed) == 0)
        }

        @Test func `Leaving the loop disposes`() async throws {
            let recording = try await recordTask {
                for try await _ in numbers(1, 2, 3).traced("numbers") { break }
            }
            #expect(recording.emissions(of: "numbers").count == 1)
            #expect(recording.events.compactMap(\.endReason) == [.disposed])
        }

        @Test func `Cancelling the task disposes`() async throws {
            let recording = try await recordTask {
                let (stream, continuation) = AsyncStream<Int>.makeStream()
                let task = Task { for await _ in stream.traced("numbers") {} }
                task.cancel()
                await task.value
                continuation.finish()
            }
            #expect(recording.events.compactMap(\.endReason) == [.disposed])
        }

        @Test func `An element is the cause of its body, also after an await`() async throws {
            let recording = try await recordTask {
                try await numbers(1, 2).traced("numbers").forEach { number in
                    await Task.yield()
                    withTracing("show", number) {}
                }
            }
            // Outside of the loop there is no trace of it.
            let emissions = recording.events.filter { $0.kind == .emitted }
            let elements = emissions.filter { recording.name($0.subject) == "numbers" }
            let hops = recording.events.filter { $0.kind == .hopBegan }
            #expect(hops.map(\.cause) == elements.map(\.id))
            let shown = emissions.filter { recording.name($0.subject) == "show" }
            #expect(shown.map(\.cause) == hops.map(\.id) && shown.count == 2)
        }

        @Test func `A task goes on with the cause of who started it`() async throws {
            let recording = try await recordTask {
                let task = Trace.stimulus("tap") {
                    Trace.task {
                        await Task.yield()
                        withTracing("results arrived") {}
                    }
                }
                await task.value
            }
            let tap = recording.events.first { $0.kind == .stimulusBegan }
            let hop = recording.events.first { $0.kind == .hopBegan }
            #expect(tap != nil && hop?.cause == tap?.id)
        }

        /// The labels of the emissions that lead to the last one of `label`, itself first, without hops.
        private func chain(_ recording: Recording, to label: String) -> [String] {
            var chain: [String] = []
            var next = recording.events.last { $0.kind == .emitted && recording.name($0.subject) == label }
            while let event = next {
                switch event.kind {
                case .stimulusBegan: chain.append("'\(event.text)'")
                case .hopBegan: break
                default: chain.append(recording.name(event.subject))
                }
                next = event.cause.flatMap { cause in recording.events.first { $0.id == cause } }
            }
            return chain
        }

        private final class Model: Sendable {
            let result = Observable(0)
            let tapped = Emitter<Int>()
            let twice: Signal<Int>
            init() {
                twice = result.map { $0 * 2 }
                Trace.adopt(self)
            }
        }

        @Test func `What an observable emits after an await is caused by what started the task`() async throws {
            let model = Model()
            let recording = try await recordTask {
                let started = Locked<Task<Void, Never>?>(nil)
                model.tapped.subscribe { number in
                    let task = Trace.task {
                        await Task.yield()
                        model.result.value = number
                        model.result.value = number
                        batch { model.result.value = number + 1 }
                        model.tapped.complete()
                    }
                    started.change { $0 = task }
                }
                Trace.stimulus("tap") { model.tapped.emit(1) }
                await started.value?.value
            }
            #expect(chain(recording, to: "Model.result") == ["Model.result", "Model.tapped", "'tap'"])
            let tapped = recording.events.first { $0.kind == .emitted && recording.name($0.subject) == "Model.tapped" }
            let hops = recording.events.filter { $0.kind == .hopBegan }
            // The write, the equal write, the batch, the end.
            #expect(hops.count == 4 && hops.allSatisfy { $0.cause == tapped?.id })
            #expect(recording.count(.hopEnded) == 4)
            let equal = recording.events.first { $0.suppressionReason == .equal }
            #expect(hops.map(\.id).contains(try #require(equal?.cause)))
            #expect(recording.damage.isEmpty)
        }

        private actor Counter {
            func show(_ number: Int, in model: Model) { model.result.value = number }
        }

        @Test(arguments: ["group", "async let", "actor", "main actor", "child task", "detached"])
        func `The cause is carried into all tasks but detached ones`(way: String) async throws {
            let model = Model()
            let recording = try await recordTask {
                let task = Trace.stimulus("tap") {
                    Trace.task {
                        await Task.yield()
                        switch way {
                        case "group":
                            await withTaskGroup(of: Void.self) { $0.addTask { model.result.value = 1 } }
                        case "async let":
                            async let done: Void = Counter().show(1, in: model)
                            await done
                        case "actor": await Counter().show(1, in: model)
                        case "main actor": await MainActor.run { model.result.value = 1 }
                        case "child task": await Task { model.result.value = 1 }.value
                        default: await Task.detached { model.result.value = 1 }.value
                        }
                    }
                }
                await task.value
                model.twice.subscribe { _ in }
                model.result.value = 5
            }
            let emissions = recording.events.filter {
                $0.kind == .emitted && recording.name($0.subject) == "Model.result"
            }
            #expect(emissions.count == 2)
            #expect((emissions[0].cause == nil) == (way == "detached"))
            // A write after the task, outside of it, is a stimulus.
            #expect(emissions[1].cause == nil)
        }

        @Test func `A cancelled task is caused as any other, and what it throws is handed on`() async throws {
            let recording = try await recordTask {
                let task = Trace.stimulus("tap") {
                    Trace.task {
                        try? await Task.sleep(nanoseconds: 10_000_000_000)
                        withTracing("cancelled") {}
                        throw Offline()
                    }
                }
                task.cancel()
                await #expect(throws: Offline.self) { try await task.value }
            }
            #expect(chain(recording, to: "cancelled") == ["cancelled", "'tap'"])
        }

        @Test func `A cause of an earlier recording causes nothing in a later one`() async throws {
            let model = Model()
            let (gate, opener) = AsyncStream<Void>.makeStream()
            let task = Locked<Task<Void, Never>?>(nil)
            _ = try await recordTask {
                Trace.stimulus("tap") {
                    let new = Trace.task {
                        for await _ in gate { break }
                        model.result.value = 1
                    }
                    task.change { $0 = new }
                }
            }
            let recording = try await recordTask {
                opener.yield()
                await task.value?.value
            }
            #expect(recording.emissions(of: "Model.result") == [.signed(1)])
            #expect(recording.count(.hopBegan) == 0)
        }

        @Test func `Nothing recorded, a task is a task`() async throws {
            let model = Model()
            await Trace.task { model.result.value = 1 }.value
            #expect(model.result.value == 1)
            #expect(try await Trace.task { () async throws -> Int in 7 }.value == 7)
        }

        @MainActor private final class Screen {
            var text = ""
            func load() -> Task<Void, Never> {
                Trace.task {
                    await Task.yield()
                    text = "loaded"
                }
            }
        }

        @Test @MainActor func `A task of the main actor stays there, and holds what is not sendable`() async {
            let screen = Screen()
            await screen.load().value
            #expect(screen.text == "loaded")
        }

        @Test @MainActor func `A loop on the main actor keeps to it`() async throws {
            var heard: [Int] = []
            try await numbers(1, 2).traced("numbers").forEach { number in
                MainActor.assertIsolated()
                heard.append(number)
            }
            #expect(heard == [1, 2])
        }
    }
}
