import Testing
import Weir
import WeirTrace

extension Everything {
    @Suite struct TracedStreamTests {
        private final class Field {
            var onChange: ((String) -> Void)?
            var onEnd: (() -> Void)?
        }

        private final class Form {
            @Traced var name = ""
        }

        @Test func `An element is caused by what yielded it, and causes the body of the loop`() async throws {
            let (field, form) = (Field(), Form())
            let recording = try await recordTask {
                Trace.adopt(form)
                let names = AsyncStream<String>.traced("names") { continuation in
                    field.onChange = { text in continuation.yield(text) }
                    field.onEnd = { continuation.finish() }
                }
                Trace.stimulus("type") { field.onChange?("Maruko") }
                field.onEnd?()
                await names.forEach { name in
                    await Task.yield()
                    form.name = name
                }
            }
            #expect(form.name == "Maruko")
            func emission(_ label: String) -> TraceEvent? {
                recording.events.first { $0.kind == .emitted && recording.name($0.subject) == label }
            }
            func cause(_ event: TraceEvent?) -> TraceEvent? {
                event?.cause.flatMap { cause in recording.events.first { $0.id == cause } }
            }
            let element = try #require(emission("names"))
            #expect(cause(element)?.kind == .hopBegan)
            #expect(cause(cause(element))?.kind == .stimulusBegan)
            #expect(cause(cause(emission("Form.name")))?.id == element.id)
            #expect(recording.count(.completed) == 1 && recording.damage.isEmpty)
        }

        @Test func `What the buffer drops is told, with its reason`() async throws {
            func reasons(_ policy: AsyncStream<Int>.Continuation.BufferingPolicy) async throws -> (
                [SuppressionReason?], [TraceValue]
            ) {
                let recording = try await recordTask {
                    let (stream, continuation) = AsyncStream<Int>.makeTracedStream("numbers", bufferingPolicy: policy)
                    for number in 1...3 { continuation.yield(number) }
                    continuation.finish()
                    guard case .terminated = continuation.yield(4) else {
                        Issue.record("yielded after the end")
                        return
                    }
                    await stream.forEach { _ in }
                }
                return (
                    recording.events.filter { $0.kind == .suppressed }.map(\.suppressionReason),
                    recording.emissions(of: "numbers")
                )
            }
            let newest = try await reasons(.bufferingNewest(2))
            #expect(newest.0 == [.superseded, .afterCompletion] && newest.1 == [.signed(2), .signed(3)])
            let oldest = try await reasons(.bufferingOldest(2))
            #expect(oldest.0 == [.filtered, .afterCompletion] && oldest.1 == [.signed(1), .signed(2)])
            let all = try await reasons(.unbounded)
            #expect(all.0 == [.afterCompletion] && all.1.count == 3)
        }

        @Test func `A cancelled loop disposes, and the producer is told`() async throws {
            let told = Locked<[String]>([])
            let recording = try await recordTask {
                let (stream, continuation) = AsyncStream<Int>.makeTracedStream("numbers")
                continuation.onTermination = { end in told.change { $0.append("\(end)") } }
                let task = Task { await stream.forEach { _ in } }
                task.cancel()
                await task.value
                continuation.onTermination?(.finished)
            }
            #expect(told.value.first == "cancelled")
            #expect(recording.events.compactMap(\.endReason) == [.disposed])
        }

        @Test func `A private stream tells no element, and one without a recording is a stream`() async throws {
            let recording = try await recordTask {
                let stream = AsyncStream<String>.traced("secret", privacy: .private) {
                    $0.yield("swordfish")
                    $0.finish()
                }
                for await _ in stream {}
            }
            #expect(recording.emissions(of: "secret") == [.withheld])
            var ticks = 0
            for await _ in AsyncStream<Void>.traced(
                "ticks",
                { continuation in
                    continuation.yield()
                    continuation.finish()
                })
            { ticks += 1 }
            #expect(ticks == 1)
        }
    }
}
