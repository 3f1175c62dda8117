import Dispatch
import Testing
import Weir
import WeirTesting

extension Everything {
    /// `share`, `replay` and `current`: several subscribers, including late ones.
    @MainActor @Suite struct ShareTests {
        struct Refusal: Error {}
        final class Token: Sendable {}

        @Test func `share subscribes once for all, from the first to the last`() throws {
            try marbles { m in
                let source = m.cold("       -1-2-3-4-|")
                let shared = source.share()
                m.expect(shared, "          -1-2!")
                m.expect(shared, "          --^2-3!")
                m.expect(subscriptionsOf: source, "^-----!")
            }
        }

        @Test func `Who comes after the last has gone starts the source anew`() throws {
            try marbles { m in
                let source = m.cold("-1-2-|")
                let shared = source.share()
                m.expect(shared, "-1!")
                m.expect(shared, "----^1-2-|")
                m.expect(shared, "-----------^1-2-|")
                m.expect(subscriptionsOf: source, "^-!", "----^----!", "-----------^----!")
            }
        }

        @Test func `The ends of a shared source reach all`() throws {
            try marbles { m in
                let source = m.cold("-1-#")
                let shared = source.share()
                m.expect(shared, "   -1-#")
                m.expect(shared, "   --^#")
                m.expect(shared.retry(1), "-1--1-#")
                m.expect(subscriptionsOf: source, "^--!", "---^--!")
            }
        }

        @Test func `replay gives late subscribers the last values, and the completion`() throws {
            try marbles { m in
                let source = m.cold("          -1-2-3-|")
                let shared = source.replay(2)
                m.expect(shared, "             -1-2-3-|")
                m.expect(shared, "             ----(^12)3-|")
                m.expect(shared, "             ---------(^23|)")
                m.expect(subscriptionsOf: source, "^------!")
            }
        }

        @Test func `A failure makes replay forget, and the source start anew`() throws {
            try marbles { m in
                let source = m.cold("  -1-#")
                let shared = source.replay(1)
                m.expect(shared, "     -1-#")
                m.expect(shared, "     -----^1-#")
                m.expect(subscriptionsOf: source, "^--!", "-----^--!")
            }
        }

        @Test func `The last disposal makes replay forget`() throws {
            try marbles { m in
                let shared = m.cold("-1-2-|").replay(1)
                m.expect(shared, "-1!")
                m.expect(shared, "---^1-2-|")
            }
        }

        @Test func `A source that delivers while it is subscribed to is shared too`() {
            var heard: [String] = []
            let shared = Signal([1, 2, 3]).replay(2)
            shared.subscribe { heard.append("a\($0)") }
            shared.subscribe { heard.append("b\($0)") }
            #expect(heard == ["a1", "a2", "a3", "b2", "b3"])
            let anew = Signal([1, 2]).share()
            anew.take(1).subscribe { heard.append("c\($0)") }
            anew.subscribe { heard.append("d\($0)") }
            #expect(heard.suffix(3) == ["c1", "d1", "d2"])
        }

        @Test func `take of replayed values ends the subscription`() {
            nonisolated(unsafe) var disposed = 0
            let numbers = Emitter<Int>()
            let shared = numbers.onEvent(disposed: { disposed += 1 }) { _ in }.replay(3)
            let first = shared.subscribe { _ in }
            [1, 2, 3, 4].forEach { numbers.emit($0) }
            var heard: [Int] = []
            shared.take(2).subscribe { heard.append($0) }
            #expect(heard == [2, 3])
            #expect(disposed == 0)
            first.dispose()
            #expect(disposed == 1)
        }

        @Test func `Handlers may subscribe and dispose while a shared value is delivered`() {
            let numbers = Emitter<Int>()
            let shared = numbers.replay(1)
            var heard: [String] = []
            let bag = DisposeBag()
            shared.subscribe { number in
                heard.append("a\(number)")
                if number == 1 { shared.subscribe { heard.append("b\($0)") }.disposed(by: bag) }
                if number == 2 { bag.dispose() }
            }.disposed(by: bag)
            numbers.emit(1)
            numbers.emit(2)
            numbers.emit(3)
            #expect(heard == ["a1", "b1", "a2"])
        }

        @Test func `A trace shows one subscription to the source and one emission for all`() throws {
            let numbers = Emitter<Int>()
            let recording = try record {
                let shared = numbers.share()
                shared.subscribe { _ in }
                shared.subscribe { _ in }
                numbers.emit(1)
            }
            let kinds = recording.events.filter { $0.kind == .emitted }.map {
                recording.definitions.nodes[$0.subject]?.kind
            }
            #expect(kinds == [.emitter, .share])
            #expect(recording.count(.deliveryNext) == 1)
        }

        @Test func `What becomes private upstream is private when shared`() throws {
            let secret = Observable(1, privacy: .private)
            let recording = try record {
                let shared = Signal.just(()).flatMap(.merge) { _ in secret }.share()
                shared.map { $0 + 1 }.subscribe { _ in }
                shared.subscribe { _ in }
                shared.map { $0 + 2 }.subscribe { _ in }
                secret.value = 2
            }
            let values = recording.events.filter { $0.kind == .emitted && $0.value != .void }.map(\.value)
            #expect(values.count >= 4)
            #expect(values.allSatisfy { $0 == .withheld })
        }

        // MARK: Ownership

        @Test func `Nothing leaks when a shared chain is dropped without disposing`() {
            weak var source: Emitter<Int>?
            weak var captured: Token?
            do {
                let numbers = Emitter<Int>()
                let token = Token()
                (source, captured) = (numbers, token)
                let shared = numbers.map { $0 + 1 }.replay(2)
                shared.subscribe { _ in withExtendedLifetime(token) {} }
                shared.take(5).subscribe { _ in withExtendedLifetime(token) {} }
                numbers.emit(1)
            }
            #expect(source == nil)
            #expect(captured == nil)
        }

        @Test func `A shared chain lives on without its signal and Disposables, and can be ended by an operator`() {
            let numbers = Emitter<Int>()
            nonisolated(unsafe) var disposed = 0
            var heard: [Int] = []
            numbers.onEvent(disposed: { disposed += 1 }) { _ in }.share().take(2).subscribe { heard.append($0) }
            [1, 2, 3].forEach { numbers.emit($0) }
            #expect(heard == [1, 2])
            #expect(disposed == 1)
        }

        @Test func `A Disposable of a shared chain holds the source; disposing lets go of all`() {
            weak var source: Emitter<Int>?
            weak var captured: Token?
            let subscription: Disposable
            do {
                let numbers = Emitter<Int>()
                let token = Token()
                (source, captured) = (numbers, token)
                subscription = numbers.share().subscribe { _ in withExtendedLifetime(token) {} }
            }
            #expect(source != nil)
            subscription.dispose()
            #expect(source == nil)
            #expect(captured == nil)
        }

        @Test func `Replayed values are released with the last subscriber`() {
            weak var value: Token?
            let tokens = Emitter<Token>()
            let shared = tokens.replay(1)
            let subscription = shared.subscribe { _ in }
            do {
                let token = Token()
                value = token
                tokens.emit(token)
            }
            #expect(value != nil)
            subscription.dispose()
            #expect(value == nil)
        }

        // MARK: current

        @Test func `current begins with the value and goes on with the changes`() {
            let number = Observable(1)
            var heard: [Int] = []
            let subscription = number.current.map { $0 * 10 }.subscribe { heard.append($0) }
            number.value = 2
            number.value = 2
            number.current.take(1).subscribe { heard.append(-$0) }
            subscription.dispose()
            number.value = 3
            #expect(heard == [10, 20, -2])
        }

        @Test func `A change that the handler of the current value makes comes after it`() {
            let number = Observable(1)
            var heard: [Int] = []
            number.current.subscribe {
                heard.append($0)
                if $0 == 1 { number.value = 2 }
            }
            #expect(heard == [1, 2])
        }

        @Test func `The story of a current value`() throws {
            let recording = try record {
                let number = Observable(1)
                number.current.subscribe { _ in }
            }
            let emitted = recording.events.filter { $0.kind == .emitted }
            #expect(emitted.map { recording.definitions.nodes[$0.subject]?.kind } == [.observable, .current])
            #expect(emitted.map(\.isReplayed) == [true, false])
            #expect(emitted.map(\.value) == [.signed(1), .signed(1)])
        }

        private nonisolated func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                body()
                done.signal()
            }
            done.wait()
        }

        @Test nonisolated func `What another thread changes while the current value is delivered comes after it`() {
            let number = Observable(1)
            let heard = Locked<[Int]>([])
            number.current.subscribe { value in
                if value == 1 { onAnotherThread { number.value = 2 } }
                heard.change { $0.append(value) }
            }
            number.value = 3
            #expect(heard.value == [1, 2, 3])
        }

        @Test nonisolated func `What another thread emits, and its end, come after the values that are replayed`() {
            let numbers = Emitter<Int>()
            let replayed = numbers.replay(2)
            replayed.subscribe { _ in }
            [1, 2, 3].forEach { numbers.emit($0) }
            let heard = Locked<[Event<Int>]>([])
            replayed.subscribeEvents { event in
                if event == .next(2) {
                    onAnotherThread {
                        numbers.emit(4)
                        numbers.complete()
                    }
                }
                heard.change { $0.append(event) }
            }
            #expect(heard.value == [.next(2), .next(3), .next(4), .completed])
        }

        @Test func `What a handler emits while it is given a missed value comes after the missed values`() {
            let numbers = Emitter<Int>()
            let shared = numbers.replay(2)
            shared.subscribe { _ in }
            numbers.emit(1)
            numbers.emit(2)
            var heard: [Int] = []
            shared.subscribe { value in
                heard.append(value)
                if value == 1 { numbers.emit(3) }
                if value == 3 { numbers.complete() }
            }
            #expect(heard == [1, 2, 3])
            numbers.checkInvariants()
        }

        @Test nonisolated func `Who subscribes to current or replay while another thread writes hears all in order`() {
            for round in 0..<300 {
                let number = Observable(0)
                let emitter = Emitter<Int>()
                let replayed = emitter.replay(1000)
                let first = replayed.subscribe { _ in }
                emitter.emit(0)
                let current = Locked<[Int]>([]), late = Locked<[Int]>([])
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    if thread == 0 {
                        for next in 1...50 {
                            number.value = next
                            emitter.emit(next)
                        }
                    } else {
                        for _ in 0..<(round % 7) { _ = number.value }
                        number.current.subscribe { value in current.change { $0.append(value) } }
                        replayed.subscribe { value in late.change { $0.append(value) } }
                    }
                }
                let heard = current.value
                // Superseded states may be left out.
                #expect(heard.last == 50 && heard == heard.sorted(), "round \(round)")
                #expect(late.value == Array(0...50), "round \(round)")
                first.dispose()
            }
        }

        @Test nonisolated func `Subscribing, disposing and emitting at once on several threads leaves nothing behind`()
        {
            let numbers = Emitter<Int>()
            let subscriptions = Locked(0)
            let shared = numbers.onEvent(
                subscribed: { subscriptions.change { $0 += 1 } }, disposed: { subscriptions.change { $0 -= 1 } }
            ) { _ in }.replay(2)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for round in 0..<500 {
                    let subscription = shared.subscribe { _ in }
                    numbers.emit(thread * 1000 + round)
                    subscription.dispose()
                }
            }
            #expect(subscriptions.value == 0)
            let heard = Locked<[Int]>([])
            shared.subscribe { value in heard.change { $0.append(value) } }
            numbers.emit(7)
            #expect(heard.value == [7])
            numbers.checkInvariants()
        }
    }
}
