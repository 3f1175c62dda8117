import CWeirTesting
import Observation
import Testing
import Weir
import WeirTesting

/// The exact cost of an event with each technique, as counts: change them only knowingly, and give the reason.
extension Everything {
    @Suite struct WrappingCostTests {
        /// The cost per event, after the first ones.
        struct Cost: Equatable {
            /// Bytes in the trace.
            var bytes: Int
            /// Objects that are allocated while recording, and while nothing is recorded.
            var objects: Int
            var objectsOff: Int
        }

        /// The cost of the model that `make` makes; its argument is the number of events.
        private func cost(_ make: () -> (Int) async throws -> Void) async throws -> Cost {
            func share(_ total: Int) -> Int {
                // The beginning and end of a loop, and a new part of the file.
                #expect(total % 1000 < 50)
                return total / 1000
            }
            func objects(_ run: (Int) async throws -> Void) async throws -> Int {
                let before = weir_allocations_count()
                try await run(1000)
                return share(Int(weir_allocations_count() - before))
            }
            let off = make()
            try await off(100)
            let objectsOff = try await objects(off)
            let run = make()
            var objectsOn = 0
            let bytes = try await recordedBytes {
                try await run(100)
                objectsOn = try await objects(run)
            }
            let few = make()
            let bytesOfFew = try await recordedBytes { try await few(100) }
            return Cost(bytes: share(bytes - bytesOfFew), objects: objectsOn, objectsOff: objectsOff)
        }

        private final class Plain {
            @Traced var value = 0
        }

        @Test func `A write of a traced property`() async throws {
            let found = try await cost {
                let model = Plain()
                return { count in for index in 0..<count { model.value = index & 63 } }
            }
            #expect(found == Cost(bytes: 5, objects: 0, objectsOff: 0))
        }

        @Test func `A callback`() async throws {
            let found = try await cost {
                { count in for index in 0..<count { withTracing("touch", index & 63) {} } }
            }
            #expect(found == Cost(bytes: 9, objects: 0, objectsOff: 0))
        }

        @Test func `An emission of a probe`() async throws {
            let found = try await cost {
                let subscription = TraceProbe("feed").subscribed()
                return { count in for index in 0..<count { subscription.emitted(index & 63) {} } }
            }
            #expect(found == Cost(bytes: 9, objects: 0, objectsOff: 0))
        }

        /// Numbers that are available without waiting.
        private struct Numbers: AsyncSequence, AsyncIteratorProtocol {
            var rest: Int

            func makeAsyncIterator() -> Numbers { self }
            mutating func next() async -> Int? {
                guard rest > 0 else { return nil }
                rest -= 1
                return rest & 63
            }
        }

        @Test func `An element of an async sequence, and one that causes what is done with it`() async throws {
            let element = try await cost {
                { count in for await _ in Numbers(rest: count).traced("numbers") {} }
            }
            #expect(element == Cost(bytes: 9, objects: 0, objectsOff: 0))
            let cause = try await cost {
                { count in await Numbers(rest: count).traced("numbers").forEach { _ in } }
            }
            #expect(cause == Cost(bytes: 9, objects: 0, objectsOff: 0))
        }

        @Test func `An element of a stream, which carries its cause`() async throws {
            let found = try await cost {
                { count in
                    let (stream, continuation) = AsyncStream<Int>.makeTracedStream("numbers")
                    Trace.stimulus("feed") { for index in 0..<count { continuation.yield(index & 63) } }
                    continuation.finish()
                    for await _ in stream {}
                }
            }
            // None without optimization; with optimization the loop makes two or three.
            #expect(found.bytes == 21 && found.objects <= 3 && found.objectsOff == 0, "\(found)")
        }

        @available(macOS 14, *)
        @Observable
        fileprivate final class Model {
            var number = 0
        }

        @available(macOS 14, *)
        @Test func `A write and a read of an observable model through a view of it`() async throws {
            let write = try await cost {
                let model = Trace.wrap(Model())
                return { count in for index in 0..<count { model.number = index & 63 } }
            }
            #expect(write == Cost(bytes: 8, objects: 0, objectsOff: 0))
            let read = try await cost {
                let model = Trace.wrap(Model())
                return { count in for _ in 0..<count { _ = model.number } }
            }
            #expect(read == Cost(bytes: 0, objects: 0, objectsOff: 0))
        }

        @available(macOS 14, *)
        @Test func `A write of an observed model; not recorded, it allocates nothing`() async throws {
            let write = try await cost {
                let (model, time) = (Model(), VirtualScheduler())
                Trace.observe(model, \.number, on: time)
                return { count in for index in 0..<count { model.number = index & 63 } }
            }
            // Mostly those of the Observation module; optimized code has fewer of ours.
            #expect(write.bytes == 8 && write.objects <= 5 && write.objectsOff == 0)
        }
    }
}
