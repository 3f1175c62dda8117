import Testing
import Weir
import WeirTesting

extension Everything {
    /// Signals made from values, sequences, results and tasks; and awaiting signals.
    @MainActor @Suite struct SourceTests {
        struct Refusal: Error {}

        @Test func `just, empty, failed and never`() throws {
            try marbles { m in
                m.expect(Signal.just(1), "(1|)")
                m.expect(Signal<Int>.empty(), "|")
                m.expect(Signal<Int>.failed(Refusal()), "#", error: Refusal())
                m.expect(Signal<Int>.never(), "-----")
                m.expect(Signal(Result<Int, Refusal>.success(2)), "(2|)")
                m.expect(Signal(Result<Int, Refusal>.failure(Refusal())), "#", error: Refusal())
            }
        }

        @Test func `A sequence is iterated anew for each subscription`() throws {
            let digits = Signal([1, 2, 3])
            try marbles { m in
                m.expect(digits, "(123|)")
                m.expect(digits, "--(^123|)")
            }
        }

        /// Counts its iterations; never ends.
        final class Counting: Sequence, IteratorProtocol, @unchecked Sendable {  // For one thread.
            var count = 0
            func next() -> Int? {
                count += 1
                return count
            }
        }

        @Test func `An endless sequence stops when nobody listens any more`() {
            let numbers = Counting()
            var heard: [Int] = []
            Signal(numbers).take(2).subscribe { heard.append($0) }
            #expect(heard == [1, 2])
            #expect(numbers.count == 3)
            Signal(numbers).map { $0 * 10 }.filter { $0 > 40 }.removeDuplicates().take(1).subscribe { heard.append($0) }
            #expect(heard == [1, 2, 50])
            Signal(numbers).share().map { $0 }.take(1).subscribe { heard.append($0) }
            Signal(numbers).startWith(0).map { $0 }.take(1).subscribe { heard.append($0) }
            #expect(heard == [1, 2, 50, 7, 0])
            #expect(numbers.count == 8)
        }

        @Test func `A subscriber can see that nobody listens further down`() {
            nonisolated(unsafe) var isDisposed: [Bool] = []
            Signal<Int> { subscriber in
                isDisposed.append(subscriber.isDisposed)
                subscriber.next(1)
                isDisposed.append(subscriber.isDisposed)
                return nil
            }.map { $0 }.take(1).subscribe { _ in }
            #expect(isDisposed == [false, true])
        }

        @Test func `An endless source that is cut while it is being subscribed to delivers nothing more`() {
            let stop = Emitter<Void>()
            var heard: [Int] = []
            Signal(Counting()).onEvent { if case .next(3) = $0 { stop.emit() } }
                .takeUntil(stop).subscribe { heard.append($0) }
            #expect(heard == [1, 2])
        }

        @Test func `A source that is replaced while it is being subscribed to delivers nothing more`() {
            let choice = Emitter<Int>()
            let numbers = Counting()
            var heard: [Int] = []
            choice.flatMap(.latest) { $0 == 1 ? Signal(numbers.prefix(1000)) : Signal.just(-1) }.subscribe {
                heard.append($0)
                if $0 == 3 { choice.emit(2) }
            }
            choice.emit(1)
            #expect(heard == [1, 2, 3, -1])
            #expect(numbers.count == 4)
        }

        // MARK: Tasks

        @Test func `An async function runs once for each subscription`() async throws {
            let runs = Observable(0)
            let answer = Signal { () async throws -> Int in
                runs.value += 1
                return 42
            }
            #expect(runs.value == 0)
            #expect(try await answer.first == 42)
            #expect(try await answer.first == 42)
            #expect(runs.value == 2)
        }

        @Test func `An async function's value is followed by completion, its error is the failure`() async throws {
            var events: [Event<Int>] = []
            let one = Signal { 1 }
            for try await event in one.materialize().values { events.append(event) }
            #expect(events == [.next(1), .completed])
            await #expect(throws: Refusal.self) { try await Signal<Int> { throw Refusal() }.first }
        }

        @Test func `Disposing cancels the task, whose error is not heard`() async throws {
            let (stream, cancelled) = AsyncStream<Void>.makeStream()
            let (began, begin) = AsyncStream<Void>.makeStream()
            let ends = Observable(0)
            let subscription = Signal<Int> {
                begin.finish()
                return try await withTaskCancellationHandler {
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    throw CancellationError()
                } onCancel: {
                    cancelled.finish()
                }
            }.subscribeEvents { _ in ends.value += 1 }
            for await _ in began {}
            subscription.dispose()
            for await _ in stream {}
            #expect(ends.value == 0)
        }

        @Test func `A result shows in a trace as a hop with its cause`() async throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            let query = Emitter<Int>()
            let (done, finish) = AsyncStream<Void>.makeStream()
            query.flatMap(.merge) { number in Signal { number * 2 } }.subscribe { _ in finish.finish() }
            query.emit(21)
            for await _ in done {}
            Trace.stop()
            let recording = try Recording(reading: file.path)
            let hop = try #require(recording.events.first { $0.kind == .hopBegan })
            #expect(hop.cause != nil)
            #expect(recording.events.contains { $0.kind == .emitted && $0.value == .signed(42) })
        }

        @Test func `An async sequence is delivered to its end`() async throws {
            func numbers(failing: Bool) -> AsyncThrowingStream<Int, any Error> {
                AsyncThrowingStream { stream in
                    (1...3).forEach { stream.yield($0) }
                    stream.finish(throwing: failing ? Refusal() : nil)
                }
            }
            var events: [Event<Int>] = []
            for try await event in Signal(numbers(failing: false)).materialize().values { events.append(event) }
            for try await event in Signal(numbers(failing: true)).materialize().values { events.append(event) }
            #expect(
                events == [.next(1), .next(2), .next(3), .completed, .next(1), .next(2), .next(3), .failed(Refusal())])
        }

        @Test func `Disposing ends the iteration of an async sequence`() async throws {
            let (stream, source) = AsyncStream<Int>.makeStream()
            let (ended, end) = AsyncStream<Void>.makeStream()
            source.onTermination = { _ in end.finish() }
            let (heard, hear) = AsyncStream<Int>.makeStream()
            let subscription = Signal(stream).subscribe { hear.yield($0) }
            source.yield(1)
            for await number in heard {
                #expect(number == 1)
                break
            }
            subscription.dispose()
            for await _ in ended {}
        }

        // MARK: Awaiting

        @Test func `values gives what was emitted since, to the completion`() async throws {
            let numbers = Emitter<Int>()
            let values = numbers.values
            (1...3).forEach { numbers.emit($0) }
            numbers.complete()
            var heard: [Int] = []
            for try await number in values { heard.append(number) }
            #expect(heard == [1, 2, 3])
        }

        @Test func `values keeps as many as the policy says`() async throws {
            let numbers = Emitter<Int>()
            let values = numbers.values(bufferingPolicy: .bufferingNewest(1))
            (1...3).forEach { numbers.emit($0) }
            numbers.complete()
            var heard: [Int] = []
            for try await number in values { heard.append(number) }
            #expect(heard == [3])
        }

        @Test func `values throws the failure`() async {
            let numbers = Emitter<Int>()
            let values = numbers.values
            numbers.emit(1)
            numbers.fail(Refusal())
            await #expect(throws: Refusal.self) { for try await _ in values {} }
        }

        @Test func `Two loops that wait at once share the values, and both receive the failure`() async {
            let numbers = Emitter<Int>()
            let values = numbers.values
            let loops = (1...2).map { _ in
                Task<[Int], any Error> {
                    var heard: [Int] = []
                    do { for try await number in values { heard.append(number) } } catch is Refusal {
                        return heard + [0]
                    }
                    return heard
                }
            }
            // Until both wait; if one does not, the test only proves less.
            for _ in 1...1000 { await Task.yield() }
            (1...6).forEach { numbers.emit($0) }
            numbers.fail(Refusal())
            var heard: [Int] = []
            for loop in loops { heard += (try? await loop.value) ?? [] }
            #expect(heard.sorted() == [0, 0, 1, 2, 3, 4, 5, 6])
        }

        @Test func `A second loop over values goes on after the first one`() async throws {
            let numbers = Emitter<Int>()
            let values = numbers.values
            (1...3).forEach { numbers.emit($0) }
            numbers.complete()
            var heard: [Int] = []
            for try await number in values {
                heard.append(number)
                break
            }
            for try await number in values { heard.append(number) }
            #expect(heard == [1, 2, 3])
        }

        @Test func `values ends with the release of its source, which it does not hold`() async throws {
            var numbers: Emitter<Int>? = Emitter()
            weak let gone = numbers
            let values = try #require(numbers?.map { $0 + 1 }.values)
            numbers?.emit(1)
            numbers = nil
            #expect(gone == nil)
            var heard: [Int] = []
            for try await number in values { heard.append(number) }
            #expect(heard == [2])
        }

        @Test func `Dropping the values disposes the subscription`() {
            nonisolated(unsafe) var isDisposed = false
            let numbers = Emitter<Int>()
            _ = numbers.onEvent(disposed: { isDisposed = true }) { _ in }.values
            #expect(isDisposed)
        }

        @Test func `Cancelling the task disposes the subscription`() async throws {
            let numbers = Emitter<Int>()
            let (disposed, dispose) = AsyncStream<Void>.makeStream()
            let (began, begin) = AsyncStream<Void>.makeStream()
            let watched = numbers.onEvent(subscribed: { begin.finish() }, disposed: { dispose.finish() }) { _ in }
            let task = Task { try await watched.first }
            for await _ in began {}
            task.cancel()
            for await _ in disposed {}
            await #expect(throws: CancellationError.self) { try await task.value }
        }

        @Test func `first is the first value, or nil when there is none`() async throws {
            #expect(try await Signal([1, 2]).first == 1)
            #expect(try await Signal<Int>.empty().first == nil)
            #expect(try await Observable(7).current.first == 7)
            await #expect(throws: Refusal.self) { try await Signal<Int>.failed(Refusal()).first }
        }
    }
}
