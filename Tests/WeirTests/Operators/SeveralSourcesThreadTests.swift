import Dispatch
import Testing
import Weir

extension Everything {
    /// Operators with several sources, driven by two threads at once; also run under the thread sanitizer.
    @Suite struct SeveralSourcesThreadTests {
        /// Notes from several threads.
        final class Notes<Value>: @unchecked Sendable {
            private let lock = DispatchSemaphore(value: 1)
            private var values: [Value] = []

            func add(_ value: Value) {
                lock.wait()
                values.append(value)
                lock.signal()
            }

            var all: [Value] {
                lock.wait()
                defer { lock.signal() }
                return values
            }
        }

        func onTwoThreads(_ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void) {
            DispatchQueue.concurrentPerform(iterations: 2) { $0 == 0 ? first() : second() }
        }

        @Test func `zip loses no value, uses none twice, and completes after the last pair`() {
            for round in 0..<20 {
                let count = 1000
                let (a, b) = (Emitter<Int>(), Emitter<Int>())
                let heard = Notes<Event<Int>>()
                a.zip(b) { $0 == $1 ? $0 : -1 }.subscribeEvents { heard.add($0) }
                onTwoThreads {
                    for number in 0..<count { a.emit(number) }
                    if round % 2 == 0 { a.complete() }
                } _: {
                    for number in 0..<count { b.emit(number) }
                    b.complete()
                }
                let events = heard.all
                let pairs = events.compactMap { if case .next(let value) = $0 { value } else { nil } }
                #expect(pairs.sorted() == Array(0..<count))
                #expect(events.last == .completed)
                if pairs.count != count { return }
            }
        }

        @Test func `race hears one source only, and ends the subscription to the other once`() {
            for _ in 0..<300 {
                let (a, b) = (Emitter<Int>(), Emitter<Int>())
                let (heard, ended) = (Notes<Int>(), Notes<Int>())
                let token = Signal<Int>.race([
                    a.onEvent(disposed: { ended.add(1) }) { _ in }, b.onEvent(disposed: { ended.add(2) }) { _ in },
                ]).subscribe { heard.add($0) }
                onTwoThreads {
                    for _ in 0..<20 { a.emit(1) }
                } _: {
                    for _ in 0..<20 { b.emit(2) }
                }
                let winner = heard.all.first ?? 0
                #expect(heard.all == Array(repeating: winner, count: heard.all.count) && ended.all == [3 - winner])
                token.dispose()
                #expect(ended.all == [3 - winner, winner])
            }
        }

        @Test func `flatMap(first) begins one signal, whatever two threads emit`() {
            for _ in 0..<300 {
                let source = Emitter<Int>()
                let runs = Notes<Int>()
                let never = Signal<Int>.never()
                let token = source.flatMap(.first) { value in
                    runs.add(value)
                    return never
                }.subscribe { _ in }
                onTwoThreads {
                    for _ in 0..<20 { source.emit(1) }
                } _: {
                    for _ in 0..<20 { source.emit(2) }
                }
                #expect(runs.all.count == 1)
                token.dispose()
            }
        }

        @Test func `Two threads that connect make one connection`() {
            for _ in 0..<300 {
                let (source, begun) = (Emitter<Int>(), Notes<Int>())
                let shared = source.onEvent(subscribed: { begun.add(1) }) { _ in }.multicast(through: Emitter())
                let heard = Notes<Int>()
                shared.subscribe { heard.add($0) }
                onTwoThreads {
                    shared.connect()
                } _: {
                    shared.connect()
                }
                source.emit(7)
                #expect(begun.all == [1] && heard.all == [7])
            }
        }

        @Test func `zip completes after a pair that another thread is still transforming`() {
            let (a, b) = (Emitter<Int>(), Emitter<Int>())
            let heard = Notes<Event<Int>>()
            let (isTransforming, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            a.zip(b) { first, _ in
                if first == 1 {
                    isTransforming.signal()
                    mayGoOn.wait()
                }
                return first
            }.subscribeEvents { heard.add($0) }
            onTwoThreads {
                b.emit(1)
                a.emit(1)
            } _: {
                isTransforming.wait()
                a.emit(2)
                b.emit(2)
                a.complete()
                mayGoOn.signal()
            }
            #expect(heard.all == [.next(1), .next(2), .completed])
        }

        @Test func `combineLatest has seen both last values when two threads are done`() {
            for _ in 0..<20 {
                let count = 500
                let (a, b) = (Emitter<Int>(), Emitter<Int>())
                let heard = Notes<Event<[Int]>>()
                a.combineLatest(b) { [$0, $1] }.subscribeEvents { heard.add($0) }
                onTwoThreads {
                    for number in 1...count { a.emit(number) }
                    a.complete()
                } _: {
                    for number in 1...count { b.emit(number) }
                    b.complete()
                }
                let events = heard.all
                #expect(events.contains(.next([count, count])))
                #expect(events.last == .completed)
                // Each value except those before the other's first makes one row.
                #expect(events.count > count && events.count <= 2 * count)
            }
        }

        @Test func `merge delivers what both threads emit, then one completion`() {
            for _ in 0..<20 {
                let count = 1000
                let (a, b) = (Emitter<Int>(), Emitter<Int>())
                let heard = Notes<Event<Int>>()
                a.merge(b).subscribeEvents { heard.add($0) }
                onTwoThreads {
                    for number in 0..<count { a.emit(number) }
                    a.complete()
                } _: {
                    for number in count..<2 * count { b.emit(number) }
                    b.complete()
                }
                let events = heard.all
                #expect(events.last == .completed && events.count == 2 * count + 1)
                let values = events.compactMap { if case .next(let value) = $0 { value } else { nil } }
                #expect(values.sorted() == Array(0..<2 * count))
            }
        }

        @Test func `flatMap(concat) runs one signal at a time, whoever emits`() {
            for _ in 0..<10 {
                let count = 300
                let source = Emitter<Int>()
                let running = Notes<Int>()
                let heard = Notes<Int>()
                source.flatMap(.concat) { value in
                    Signal<Int> { subscriber in
                        running.add(1)
                        subscriber.next(value)
                        running.add(-1)
                        subscriber.complete()
                        return nil
                    }
                }.subscribe { heard.add($0) }
                onTwoThreads {
                    for number in 0..<count { source.emit(number) }
                } _: {
                    for number in count..<2 * count { source.emit(number) }
                }
                #expect(heard.all.sorted() == Array(0..<2 * count))
                #expect(running.all == (0..<2 * count).flatMap { _ in [1, -1] })
                source.checkInvariants()
            }
        }

        @Test func `flatMap(latest) listens to one signal only when two threads have switched it`() {
            for _ in 0..<1000 {
                let source = Emitter<Int>()
                let signals = (0..<20).map { _ in Emitter<Int>() }
                let heard = Notes<Int>()
                source.flatMap(.latest) { signals[$0] }.subscribe { heard.add($0) }
                onTwoThreads {
                    for number in 0..<10 { source.emit(number) }
                } _: {
                    for number in 10..<20 { source.emit(number) }
                }
                for (number, signal) in signals.enumerated() {
                    signal.emit(number)
                    signal.checkInvariants()
                }
                #expect(heard.all.count == 1)
                #expect([9, 19].contains(heard.all.first))
            }
        }

        @Test func `An operator that ends on one thread while another emits and a third disposes does no harm`() {
            let makers: [@Sendable (Emitter<Int>, Emitter<Int>) -> Signal<Int>] = [
                { $0.takeUntil($1.skip { $0 < 40 }) },
                { $0.skipUntil($1.skip { $0 < 40 }) },
                { $0.sample(on: $1) },
                { $0.withLatest(from: $1) { $0 + $1 } },
                { $0.concat($1) },
                { $0.zip($1) { $0 + $1 } },
                { a, b in a.flatMap(.latest) { _ in b } },
                { a, b in a.flatMap(.merge) { _ in b.take { $0 % 7 != 0 } } },
            ]
            for make in makers {
                for round in 0..<30 {
                    let (a, b) = (Emitter<Int>(), Emitter<Int>())
                    let isOver = Notes<Int>()
                    let late = Notes<Int>()
                    let token = make(a, b).subscribe { _ in if !isOver.all.isEmpty { late.add(1) } }
                    DispatchQueue.concurrentPerform(iterations: 3) { thread in
                        switch thread {
                        case 0: for number in 0..<80 { a.emit(number) }
                        case 1: for number in 0..<80 { b.emit(number) }
                        default: if round % 2 == 0 { token.dispose() } else { a.complete() }
                        }
                    }
                    token.dispose()
                    isOver.add(1)
                    a.emit(1)
                    b.emit(100)
                    #expect(late.all.isEmpty)
                    a.checkInvariants()
                    b.checkInvariants()
                }
            }
        }

        @Test func `concat goes on when its source completes on another thread while it is being subscribed to`() {
            for _ in 0..<200 {
                let signals = (0..<4).map { _ in Emitter<Int>() }
                let heard = Notes<Event<Int>>()
                let concat = Signal<Int>.concat(signals)
                nonisolated(unsafe) var token: Disposable?
                onTwoThreads {
                    token = concat.subscribeEvents { heard.add($0) }
                } _: {
                    for signal in signals { signal.complete() }
                }
                #expect(heard.all == [.completed])
                withExtendedLifetime(token) {}
            }
        }
    }
}
