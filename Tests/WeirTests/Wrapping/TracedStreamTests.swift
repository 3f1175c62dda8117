import Foundation
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
            #expect(recording.causes(ofLastEmission: "Form.name") == ["Form.name", "hop", "names", "hop", "type"])
            #expect(recording.count(.completed) == 1 && recording.damage.isEmpty)
        }

        @Test func `What the buffer drops is reported, with its reason`() async throws {
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

        /// The remedy for a burst of elements.
        @Test func `A loop over a throttled signal of a stream receives few elements, and the last one`() async throws {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            for number in 1...8 { continuation.yield(number) }
            continuation.finish()
            var shown: [Int] = []
            for try await number in Signal(stream).throttle(.milliseconds(1000), on: .main).values {
                shown.append(number)
            }
            #expect(shown == [1, 8])
        }

        @Test func `A cancelled loop disposes, and the producer is notified`() async throws {
            let reported = Locked<[String]>([])
            let recording = try await recordTask {
                let (stream, continuation) = AsyncStream<Int>.makeTracedStream("numbers")
                continuation.onTermination = { end in reported.change { $0.append("\(end)") } }
                let task = Task { await stream.forEach { _ in } }
                task.cancel()
                await task.value
                continuation.onTermination?(.finished)
            }
            #expect(reported.value.first == "cancelled")
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

        private enum Broken: Error { case line }

        @Test func `A stream that fails carries causes, and its failure is recorded as one`() async throws {
            let (field, form) = (Field(), Form())
            var failure: (any Error)?
            let recording = try await recordTask {
                Trace.adopt(form)
                let names = AsyncThrowingStream<String, any Error>.traced("names") { continuation in
                    field.onChange = { text in continuation.yield(text) }
                    field.onEnd = { continuation.finish(throwing: Broken.line) }
                }
                Trace.stimulus("type") { field.onChange?("Maruko") }
                field.onEnd?()
                do {
                    try await names.forEach { name in
                        await Task.yield()
                        form.name = name
                    }
                } catch { failure = error }
            }
            #expect(failure as? Broken == .line && form.name == "Maruko")
            let causes = recording.causes(ofLastEmission: "Form.name")
            #expect(causes == ["Form.name", "hop", "names", "hop", "type"])
            let story = recording.story.map { $0.drop { $0 == " " } }
            #expect(story.contains { $0.hasPrefix("names failed: ") }, "\(story)")
            #expect(recording.count(.completed) == 0 && recording.damage.isEmpty)
            // Findings about it mention loops, and its bursts are notes.
            let techniques = recording.definitions.nodes.values.filter { $0.name == "names" }.map(\.technique)
            #expect(techniques == [.asyncSequence])
            #expect(recording.events.compactMap(\.endReason) == [.failed])
        }

        @Test func `A stream that may fail yields, ends, is cancelled and hides as one that may not`() async throws {
            let reported = Locked<[String]>([])
            let recording = try await recordTask {
                let (newest, continuation) = AsyncThrowingStream<Int, any Error>.makeTracedStream(
                    "newest", bufferingPolicy: .bufferingNewest(1))
                continuation.onTermination = { end in reported.change { $0.append("\(end)") } }
                guard case .enqueued(remaining: 0) = continuation.yield(1),
                    case .dropped(1) = continuation.yield(2)
                else {
                    Issue.record("yielded otherwise")
                    return
                }
                continuation.finish()
                guard case .terminated = continuation.yield(3) else {
                    Issue.record("yielded after the end")
                    return
                }
                for try await number in newest { #expect(number == 2) }

                let secret = AsyncThrowingStream<String, any Error>.traced("secret", privacy: .private) {
                    $0.yield("swordfish")
                    $0.finish(throwing: CocoaError(.userCancelled, userInfo: ["word": "swordfish"]))
                }
                await #expect(throws: CocoaError.self) { for try await _ in secret {} }

                let (endless, source) = AsyncThrowingStream<Int, any Error>.makeTracedStream("endless")
                source.onTermination = { end in reported.change { $0.append("\(end)") } }
                let task = Task { try await endless.forEach { _ in } }
                task.cancel()
                try await task.value
            }
            #expect(reported.value == ["finished(nil)", "cancelled"])
            #expect(
                recording.events.compactMap(\.suppressionReason) == [.superseded, .afterCompletion])
            #expect(recording.emissions(of: "newest") == [.signed(2)])
            #expect(recording.emissions(of: "secret") == [.withheld])
            #expect(!recording.story.joined().contains("swordfish"))
            #expect(recording.events.compactMap(\.endReason) == [.completed, .failed, .disposed])
        }
    }
}
