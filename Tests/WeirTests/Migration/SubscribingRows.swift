import Testing
import Weir
import WeirTesting

extension Everything {
    /// The rows of 'Subscribing', in Migration.md: a test has the title of its row.
    @MainActor @Suite struct SubscribingRows {
        @Test func `Hearing values`() {
            var heard: [Int] = []
            Signal([1, 2]).subscribe { heard.append($0) }
            #expect(heard == [1, 2])
        }

        @Test func `The current value first`() {
            let level = Observable(1)
            var heard: [Int] = []
            level.subscribe(initial: true) { heard.append($0) }
            level.current.subscribe { heard.append(-$0) }
            level.value = 2
            #expect(heard == [1, -1, 2, -2])
        }

        @Test func `Hearing the end too`() {
            var heard: [Event<Int>] = []
            Signal([1]).subscribeEvents { heard.append($0) }
            Observable(7).current.subscribeEvents { heard.append($0) }
            #expect(heard == [.next(1), .completed, .next(7)])
        }

        @Test func `A handler made before there is a source`() {
            let log = Log()
            let observer = Observer<Int> { log.note($0) }
            let (a, b) = (Emitter<Int>(), Emitter<Int>())
            observer.subscribe(to: a)
            observer.subscribe(to: b)
            a.emit(1)
            b.emit(2)
            #expect(log.text == "1 2")
        }

        @Test func `Awaiting values`() async throws {
            let level = Observable(1)
            let (changes, all) = (level.values, level.current.values)
            let latest = level.values(bufferingPolicy: .bufferingNewest(1))
            level.value = 2
            level.value = 3
            for try await value in changes {
                #expect(value == 2)
                break
            }
            for try await value in all {
                #expect(value == 1)
                break
            }
            for try await value in latest {
                #expect(value == 3)
                break
            }
            let first = try await Signal([4, 5]).first
            #expect(first == 4)
        }

        @Test func `Waiting for a value in a test`() async throws {
            let observable = Observable(1)
            let signal = Signal([5, 6])
            let value = try await signal.first
            let current = try await observable.current.first
            let none = try await Signal<Int>.empty().first
            #expect(value == 5 && current == 1 && none == nil)
        }

        @Test func `How many values are wanted`() throws {
            try marbles { m in
                let fast = m.hot("                                        12345678|")
                m.expect(fast.throttle(.milliseconds(4), on: m.scheduler), "1---5---(8|)")
                m.expect(fast.sample(on: m.hot("---1---1-")), "           ---4---8|")
                m.expect(fast.buffer(count: 4).map(\.count), "              ---4---4|")
            }
        }

        @Test func `Ending a subscription`() {
            let numbers = Emitter<Int>()
            let log = Log()
            let subscription: Disposable = log.hear(numbers)
            numbers.emit(1)
            subscription.dispose()
            subscription.dispose()
            numbers.emit(2)
            #expect(log.text == "1")
        }

        @Test func `A disposable that runs code`() {
            let runs = Locked(0)
            let cleanup = Disposable { runs.change { $0 += 1 } }
            cleanup.dispose()
            cleanup.dispose()
            #expect(runs.value == 1)
        }

        @Test func `Many at once`() {
            let numbers = Emitter<Int>()
            let log = Log()
            let bag = DisposeBag()
            numbers.subscribe { log.note($0) }.disposed(by: bag)
            numbers.map { -$0 }.subscribe { log.note($0) }.disposed(by: bag)
            numbers.emit(1)
            bag.dispose()
            numbers.emit(2)
            #expect(log.text == "1 -1")
        }

        @Test func `One that replaces another`() {
            let (a, b) = (Emitter<Int>(), Emitter<Int>())
            let chosen = Observable(a)
            let log = Log()
            log.hear(chosen.current.flatMap(.latest) { $0 })
            var bag = DisposeBag()
            a.subscribe { log.note(-$0) }.disposed(by: bag)
            a.emit(1)
            chosen.value = b
            bag = DisposeBag()
            b.subscribe { log.note(-$0) }.disposed(by: bag)
            a.emit(2)
            b.emit(3)
            #expect(log.text == "1 -1 3 -3")
        }

        private final class Screen {
            let bag = DisposeBag()
            let closed = Emitter<Void>()
        }

        @Test func `As long as an object lives`() {
            let numbers = Emitter<Int>()
            let log = Log()
            var screen: Screen? = Screen()
            if let screen {
                numbers.subscribe { log.note($0) }.disposed(by: screen.bag)
                log.hear(numbers.takeUntil(screen.closed))
            }
            numbers.emit(1)
            screen?.closed.emit()
            screen = nil
            numbers.emit(2)
            #expect(log.text == "1 1 |")
        }

        @MainActor private final class Model {
            var count = 0
            let numbers = Emitter<Int>()
            let made: Signal<Int>
            init() {
                // There is no signal yet that the closure could hold: all it has is its subscriber.
                made = Signal { (subscriber: Subscriber<Int>) in
                    subscriber.next(1)
                    return nil
                }
                numbers.subscribe { [weak self] in self?.count += $0 }
                made.subscribe { [weak self] in self?.count += $0 }
            }
        }

        @Test func `Not holding the model`() {
            weak var former: Model?
            do {
                let model = Model()
                former = model
                model.numbers.emit(2)
                #expect(model.count == 3)
            }
            #expect(former == nil)
        }
    }
}
