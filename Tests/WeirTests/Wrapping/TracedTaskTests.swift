import Testing
import Weir
import WeirTrace

extension Everything {
    @Suite struct TracedTaskTests {
        private struct Offline: Error {}

        /// Records what `body` does, also after it has awaited.
        private func recordTask(_ body: () async throws -> Void) async throws -> Recording {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            do {
                defer { Trace.stop() }
                try await body()
            }
            return try Recording(reading: file.path)
        }

        private func numbers(_ values: Int..., failing: Bool = false) -> AsyncThrowingStream<Int, any Error> {
            AsyncThrowingStream { continuation in
                for value in values { continuation.yield(value) }
                continuation.finish(throwing: failing ? Offline() : nil)
            }
        }

        @Test func `Elements are emissions of a node, and the end is told`() async throws {
            var heard: [Int] = []
            let recording = try await recordTask {
                for try await number in numbers(1, 2).traced("numbers") { heard.append(number) }
            }
            #expect(heard == [1, 2])
            #expect(recording.emissions(of: "numbers") == [.signed(1), .signed(2)])
            #expect(recording.count(.completed) == 1 && recording.count(.subscriptionEnded) == 1)
        }

        @Test func `A failure is told, and thrown`() async throws {
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
                try await task.value
            }
            let tap = recording.events.first { $0.kind == .stimulusBegan }
            let hop = recording.events.first { $0.kind == .hopBegan }
            #expect(tap != nil && hop?.cause == tap?.id)
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
