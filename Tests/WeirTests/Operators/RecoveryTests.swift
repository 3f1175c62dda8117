import Testing
import Weir
import WeirTesting

extension Everything {
    /// `catch` and `retry`.
    @MainActor @Suite struct RecoveryTests {
        struct Refusal: Error {}
        final class Token: Sendable {}

        @Test func `catch goes on with another signal after a failure`() throws {
            try marbles { m in
                let source = m.hot("                  --1--#")
                let other = m.cold("                       --7--|")
                m.expect(source.catch { _ in other }, "--1----7--|")
                m.expect(subscriptionsOf: source, "    ^----!")
                m.expect(subscriptionsOf: other, "     -----^----!")
            }
        }

        @Test func `catch leaves a signal alone that does not fail, and passes on what its substitute does`() throws {
            try marbles { m in
                m.expect(m.hot("--1--|").catch { _ in .just(7) }, "--1--|")
                m.expect(m.hot("--1--#").catch { _ in .just(7) }, "--1--(7|)")
                m.expect(m.hot("--1--#").catch { throw $0 }, "--1--#")
                m.expect(m.hot("--1--#").catch { .failed($0) }, "--1--#")
            }
        }

        @Test func `Disposal ends what catch has gone on with`() throws {
            try marbles { m in
                let other = m.cold("-----1--|")
                m.expect(m.cold("--#").catch { _ in other }, "-----!")
                m.expect(subscriptionsOf: other, "--^--!")
            }
        }

        @Test func `What catch goes on with may be private`() throws {
            let secret = Observable(1, privacy: .private)
            let recording = try record {
                Signal<Int>.failed(Refusal()).catch { _ in secret.current }.subscribe { _ in }
                secret.value = 2
            }
            #expect(recording.events.filter { $0.kind == .emitted }.allSatisfy { $0.value == .withheld })
            #expect(recording.count(.emitted) > 1)
        }

        // MARK: retry

        @Test func `retry subscribes again as many times as requested`() throws {
            try marbles { m in
                let source = m.cold("      -1-#")
                m.expect(source.retry(2), "-1--1--1-#")
                m.expect(subscriptionsOf: source, "^--!", "---^--!", "------^--!")
                m.expect(m.cold("-1-|").retry(2), "-1-|")
                let endless = m.cold("   -1#")
                m.expect(endless.retry(), "-1-1-1-1-!")
            }
        }

        /// Fails until it has been subscribed to `times` times.
        func failing(_ times: Int, _ subscriptions: Observable<Int>) -> Signal<Int> {
            Signal { subscriber in
                subscriptions.value += 1
                if subscriptions.value > times {
                    subscriber.next(subscriptions.value)
                    subscriber.complete()
                } else {
                    subscriber.fail(Refusal())
                }
                return nil
            }
        }

        @Test func `A source that fails while it is subscribed to is retried without a deep stack`() {
            let subscriptions = Observable(0)
            var events: [Event<Int>] = []
            failing(100_000, subscriptions).retry(100_000).subscribeEvents { events.append($0) }
            #expect(events == [.next(100_001), .completed])
        }

        @Test func `Unbounded retry gives a source up that fails a thousand times in a row at once`() {
            let subscriptions = Observable(0)
            var events: [Event<Int>] = []
            failing(.max, subscriptions).retry().subscribeEvents { events.append($0) }
            #expect(events == [.failed(Refusal())])
            #expect(subscriptions.value == 1000)
        }

        @Test func `A value shows that the source has not failed in vain`() {
            nonisolated(unsafe) var runs = 0
            var heard = 0
            Signal<Int> { subscriber in
                runs += 1
                subscriber.next(runs)
                subscriber.fail(Refusal())
                return nil
            }.retry().take(3000).subscribe { _ in heard += 1 }
            #expect(heard == 3000)
            #expect(runs == 3000)
        }

        @Test func `retry stops when nobody listens any more`() {
            let subscriptions = Observable(0)
            let stop = Emitter<Void>()
            subscriptions.subscribe { if $0 == 5 { stop.emit() } }
            failing(.max, subscriptions).retry(1_000_000).map { $0 }.takeUntil(stop).subscribe { _ in }
            #expect(subscriptions.value == 5)
        }

        @Test func `retry hears a hot source on after its chain has failed, though the Disposable was dropped`() {
            let numbers = Emitter<Int>()
            var heard: [Int] = []
            numbers.map { number -> Int in
                if number == 0 { throw Refusal() }
                return number
            }.retry().subscribe { heard.append($0) }
            [1, 0, 2, 0, 3].forEach { numbers.emit($0) }
            #expect(heard == [1, 2, 3])
        }

        @Test func `retry of a flatMap asks again, though the Disposable was dropped`() {
            let queries = Emitter<Int>()
            var heard: [Int] = []
            queries.flatMap(.latest) { $0 == 0 ? .failed(Refusal()) : Signal.just($0) }
                .retry().subscribe { heard.append($0) }
            [1, 0, 2].forEach { queries.emit($0) }
            #expect(heard == [1, 2])
        }

        @Test func `A cold source is retried though the Disposable was dropped`() {
            nonisolated(unsafe) var fail: [() -> Void] = []
            nonisolated(unsafe) var runs = 0
            Signal<Int> { subscriber in
                runs += 1
                fail.append { subscriber.fail(Refusal()) }
                return nil
            }.retry(2).subscribe { _ in }
            for _ in 0..<3 { fail.last?() }
            #expect(runs == 3)
        }

        @Test func `retry keeps no hot source alive, nor what its chain captures`() {
            weak var source: Emitter<Int>?
            weak var captured: Token?
            do {
                let numbers = Emitter<Int>()
                let token = Token()
                (source, captured) = (numbers, token)
                numbers.map { number -> Int in
                    withExtendedLifetime(token) {}
                    if number == 0 { throw Refusal() }
                    return number
                }.filter { $0 > 0 }.retry().subscribe { _ in }
                [1, 0, 2].forEach { numbers.emit($0) }
            }
            #expect(source == nil)
            #expect(captured == nil)
        }

        @Test func `The source of a retry is held by who holds its Disposable`() {
            weak var source: Emitter<Int>?
            var heard: [Int] = []
            var subscription: Disposable?
            do {
                let numbers = Emitter<Int>()
                source = numbers
                subscription =
                    numbers.map { number -> Int in
                        if number == 0 { throw Refusal() }
                        return number
                    }.retry().subscribe { heard.append($0) }
            }
            [1, 0, 2].forEach { source?.emit($0) }
            #expect(heard == [1, 2])
            subscription?.dispose()
            #expect(source == nil)
        }

        @Test func `A failed emitter cannot be retried: its failure is passed on`() {
            let numbers = Emitter<Int>()
            var events: [Event<Int>] = []
            numbers.retry().subscribeEvents { events.append($0) }
            numbers.emit(1)
            numbers.fail(Refusal())
            #expect(events == [.next(1), .failed(Refusal())])
        }

        @Test func `The trace shows each attempt as a subscription to the same node`() throws {
            let subscriptions = Observable(0)
            let recording = try record {
                failing(2, subscriptions).map { $0 }.retry(2).subscribe { _ in }
            }
            let started = recording.events.filter { $0.kind == .subscriptionStarted }
            let sources = started.compactMap { recording.definitions.subscriptions[$0.subject]?.source }
            let maps = sources.filter { recording.definitions.nodes[$0]?.kind == .map }
            #expect(maps.count == 3)
            #expect(Set(maps).count == 1)
        }
    }
}
