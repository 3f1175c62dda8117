import Testing
import Weir
import WeirTesting

extension Everything {
    /// The rows of 'Values over time', in Migration.md: a test has the title of its row.
    @MainActor @Suite struct ValuesOverTimeRows {
        @Test func `Values over time, then perhaps an end`() {
            let numbers: Signal<Int> = Signal([1, 2])
            #expect(Log.of(numbers) == "1 2 |")
        }

        @Test func `Hiding how it was made`() {
            let observable: Signal<Int> = Observable(1)
            let emitter: Signal<Int> = Emitter<Int>()
            let combiner: Signal<Int> = Observable.combine(Observable(1)) { $0 }
            let chain: Signal<Int> = Emitter<Int>().map { $0 }.filter { $0 > 0 }.share()
            let signals: [Signal<Int>] = [observable, emitter, combiner, chain]
            #expect(signals.count == 4)
        }

        @Test func `A value that changes`() {
            let level = Observable(1)
            let (changes, all) = (Log(), Log())
            changes.hear(level)
            all.hear(level.current)
            level.value = 2
            #expect(level.value == 2 && changes.text == "2" && all.text == "1 2")
        }

        @Test func `An equal write goes no further`() {
            let level = Observable(1)
            let log = Log()
            log.hear(level)
            for next in [1, 2, 2] { level.value = next }
            #expect(log.text == "2")
            #expect(Log.of(Signal([1, 2, 2]).removeDuplicates()) == "1 2 |")
        }

        private final class Account {
            private let balance = Observable(0)
            lazy var shown: Signal<Int> = balance.current
            func pay(_ amount: Int) { balance.value += amount }
        }

        @Test func `A value that only its model writes`() {
            let account = Account()
            let log = Log()
            log.hear(account.shown)
            account.pay(5)
            #expect(log.text == "0 5")
        }

        @Test func `A computed value`() {
            let (net, tax) = (Observable(100), Observable(7))
            let total: Combiner<Int> = Observable.combine(net, tax) { $0 + $1 }
            #expect(total.value == 107)
            tax.value = 8
            #expect(total.value == 108)
        }

        @Test func `Events without a current value`() {
            let taps = Emitter<Int>()
            let log = Log()
            log.hear(taps)
            taps.emit(1)
            taps.emit(1)
            #expect(log.text == "1 1")
        }

        @Test func `What the last two have in common`() {
            let subjects: [Subject<Int>] = [Observable(0), Emitter<Int>()]
            let log = Log()
            for subject in subjects { log.hear(subject) }
            (subjects[0] as? Observable<Int>)?.value = 1
            (subjects[1] as? Emitter<Int>)?.emit(2)
            #expect(log.text == "1 2")
        }

        @Test func `A value, a failure, a completion`() {
            let events: [Event<Int>] = [.next(1), .failed(NoNetwork()), .completed]
            #expect(events == [Event.next(1), Event.failed(NoNetwork()), Event.completed])
        }

        @Test func `The type of failures`() {
            struct Other: Error {}
            #expect(Log.of(Signal<Int>.failed(NoNetwork()).concat(.failed(Other()))) == "#")
            var caught: (any Error)?
            Signal<Int>.failed(Other()).subscribeEvents { if case .failed(let error) = $0 { caught = error } }
            #expect(caught is Other)
        }

        @Test func `Ended from outside`() {
            let log = Log()
            let numbers = Emitter<Int>()
            let disposed = Locked(0)
            let subscription = log.hear(numbers.onEvent(disposed: { disposed.change { $0 += 1 } }) { _ in })
            subscription.dispose()
            numbers.emit(1)
            #expect(log.text == "" && disposed.value == 1)
        }

        @Test func `Latest event for late subscribers`() {
            let level = Observable(1)
            level.value = 2
            #expect(Log.of(level.current) == "2")
            let numbers = Emitter<Int>()
            let remembered = numbers.replay(1)
            numbers.emit(7)
            Log().hear(remembered)
            let first = Log()
            first.hear(remembered)
            numbers.emit(8)
            numbers.emit(9)
            #expect(first.text == "8 9" && Log.of(remembered) == "9")
            numbers.complete()
            #expect(Log.of(remembered) == "9 |")
        }

        /// A `ReplaySubject` of RxSwift replays what it remembers also after a failure, and that.
        @Test func `Several events for late subscribers`() {
            let numbers = Emitter<Int>()
            let replayed = numbers.replay(2)
            let bag = DisposeBag()
            let events = numbers.materialize().replay(3)
            events.subscribe { _ in }.disposed(by: bag)
            let remembered = events.dematerialize()
            let log = Log()
            log.hear(replayed)
            for number in 1...3 { numbers.emit(number) }
            #expect(Log.of(replayed) == "2 3")
            numbers.fail(NoNetwork())
            #expect([Log.of(replayed), Log.of(remembered)] == ["#", "2 3 #"])
        }

        /// RxSwift's `AsyncSubject` gives the last value to those who subscribe after the end, too.
        @Test func `Only the last value, at the end`() {
            #expect(Log.of(Signal([1, 2, 3]).last()) == "3 |")
            let numbers = Emitter<Int>()
            let asynchronous = numbers.last().replay(1)
            let log = Log()
            log.hear(asynchronous)
            numbers.emit(1)
            numbers.emit(2)
            #expect(log.text == "")
            numbers.complete()
            #expect(log.text == "2 |" && Log.of(asynchronous) == "2 |")
        }

        /// A `Future` of Combine runs its closure once, when it is made.
        @Test func `One value, later`() async throws {
            let loads = Locked(0)
            let load: @Sendable () async throws -> Int = {
                loads.change {
                    $0 += 1; return $0
                }
            }
            let signal = Signal { try await load() }
            let (first, second) = (try await signal.first, try await signal.first)
            #expect([first, second] == [1, 2])
            let task = Task { try await load() }
            let future = Signal { try await task.value }
            let (third, fourth) = (try await future.first, try await future.first)
            #expect([third, fourth] == [3, 3] && loads.value == 3)
        }

        /// RxCocoa's `Driver` is shared, replays its latest value, arrives on the main thread and cannot fail; its `Signal` is the
        /// same without the replay.
        @Test func `Made for views: main thread, cannot fail`() {
            let loads = Emitter<[Int]>()
            let runs = Locked(0)
            let results = loads.onEvent(subscribed: { runs.change { $0 += 1 } }) { _ in }
            let driver = results.catch { _ in .just([]) }.deliver(on: .main).replay(1)
            let signal = results.catch { _ in .empty() }.deliver(on: .main).share()
            let (shown, events) = (Log(), Log())
            shown.hear(driver)
            events.hear(signal)
            loads.emit([1])
            shown.hear(driver)
            events.hear(signal)
            loads.fail(NoNetwork())
            #expect(shown.text == "[1] [1] [] [] | |")
            #expect(events.text == "[1] | |")
            #expect(runs.value == 2)
        }

        @Test func `Hot and cold`() {
            let runs = Locked(0)
            let cold = Signal<Int>.just(1).onEvent(subscribed: { runs.change { $0 += 1 } }) { _ in }
            let hot: Subject<Int> = Emitter<Int>()
            for signal in [cold, cold, hot] { Log().hear(signal) }
            #expect(runs.value == 2)
        }

        private final class Person {
            let name = Observable("")
            let age = Observable(0)
        }

        @Test func `That something of a model changed, for SwiftUI`() {
            let model = Person()
            let changed = model.name.map { _ in }.merge(model.age.map { _ in })
            let log = Log()
            log.hear(changed)
            model.name.value = "Maruko"
            model.age.value = 9
            #expect(log.text == "() ()")
        }
    }
}
