import Dispatch
import Testing
import Weir
import WeirTesting
import WeirTrace

extension Everything {
    /// The rows of 'Errors', in Migration.md: a test has the title of its row.
    @MainActor @Suite struct ErrorRows {
        struct Other: Error, Equatable {
            let cause: String
            init(_ cause: any Error) { self.cause = "\(cause)" }
        }

        /// A source that fails some times, then emits the number of its run.
        private func load(failures: Int) -> (signal: Signal<Int>, runs: Locked<Int>) {
            let runs = Locked(0)
            let signal = Signal<Int> { subscriber in
                let run = runs.change {
                    $0 += 1; return $0
                }
                if run <= failures { subscriber.fail(NoNetwork()) }
                subscriber.next(run)
                subscriber.complete()
                return nil
            }
            return (signal, runs)
        }

        @Test func `Go on with another signal`() {
            #expect(Log.of(load(failures: 1).signal.catch { _ in Signal([7, 8]) }) == "7 8 |")
        }

        @Test func `Go on with a value`() {
            let value = 7
            #expect(Log.of(load(failures: 1).signal.catch { _ in .just(value) }) == "7 |")
        }

        @Test func `Another error`() {
            var heard: [Event<Int>] = []
            load(failures: 1).signal.catch { throw Other($0) }.subscribeEvents { heard.append($0) }
            #expect(heard == [.failed(Other(NoNetwork()))])
        }

        /// RxSwift's `retry(3)` makes three attempts; Combine's `retry(3)` and ReactiveSwift's `retry(upTo: 3)` four.
        @Test func `Subscribe again`() {
            let (twice, always) = (load(failures: 3), load(failures: 9))
            #expect(Log.of(twice.signal.retry(2)) == "#" && twice.runs.value == 3)
            #expect(Log.of(always.signal.retry()) == "10 |")
        }

        /// RxSwift's `retry(when:)` ends with an error that its notifier passes on.
        @Test func `… after some errors only`() {
            let (three, one) = (load(failures: 3), load(failures: 1))
            #expect(Log.of(three.signal.retry(5, if: { $0 is NoNetwork })) == "4 |")
            #expect(Log.of(one.signal.retry(if: { !($0 is NoNetwork) })) == "#" && one.runs.value == 1)
        }

        /// ReactiveSwift's `retry(upTo:interval:on:)` waits the same time before each attempt.
        @Test func `… after a time`() throws {
            try marbles { m in
                let (time, load) = (m.scheduler, m.cold("-#"))
                let (step, most) = (Backoff.constant(.milliseconds(2)), DispatchTimeInterval.milliseconds(3))
                m.expect(load.retry(2, after: step, on: time), "------- #")
                m.expect(subscriptionsOf: load, "^!", "---^!", "------^!")
                let other = m.cold("#")
                m.expect(other.retry(3, after: .exponential(from: .milliseconds(1), upTo: most), on: time), "------#")
                m.expect(subscriptionsOf: other, "(^!)", "-(^!)", "---(^!)", "------(^!)")
                m.expect(m.cold("#").retry(2, after: Backoff { .milliseconds($0) }, on: time), "---#")
            }
        }

        /// ReactiveSwift's `repeat(3)` starts its producer three times, too.
        @Test func `Again after completion`() {
            let load = load(failures: 0).signal
            let thrice = Signal(repeatElement(load, count: 3)).flatten(.concat)
            #expect(Log.of(thrice) == "1 2 3 |")
        }

        @Test func `No failure can come`() throws {
            let recording = try record { Signal<Int>.failed(NoNetwork()).subscribe { _ in } }
            #expect(recording.count(.failed) == 1)
        }

        @Test func `A closure that throws`() {
            let one = Signal([1])
            let fails: @Sendable (Int) throws -> Bool = { _ in throw NoNetwork() }
            let signals: [Signal<Bool>] = [
                one.map(fails), one.filter(fails).map { $0 > 0 }, one.compactMap { try fails($0) },
                one.scan(true) { try fails($1) && $0 }, one.flatMap(.merge) { .just(try fails($0)) },
                one.zip(one) { a, _ in try fails(a) }, one.combineLatest(one) { a, _ in try fails(a) },
                one.withLatest(from: one) { a, _ in try fails(a) },
            ]
            for signal in signals { #expect(Log.of(signal) == "#") }
        }
    }

    /// The rows of 'Sharing', in Migration.md: a test has the title of its row.
    @MainActor @Suite struct SharingRows {
        struct Over: Error {}

        private func load(_ runs: Locked<Int>) -> Signal<Int> {
            Signal { subscriber in
                subscriber.next(
                    runs.change {
                        $0 += 1; return $0
                    })
                subscriber.complete()
                return nil
            }
        }

        @Test func `Once for each subscriber`() {
            let runs = Locked(0)
            let load: Signal<Int> = load(runs)
            #expect(Log.of(load) == "1 |" && Log.of(load) == "2 |")
            let subject: Subject<Int> = Observable(7)
            Log().hear(subject)
            #expect(runs.value == 2)
        }

        /// RxSwift's `share` starts anew, too. Combine's `share` is a `PassthroughSubject` that stays ended.
        @Test func `Once for all`() {
            let runs = Locked(0)
            let load = load(runs)
            let numbers = Emitter<Int>()
            let common = numbers.onEvent(subscribed: { runs.change { $0 += 1 } }) { _ in }.share()
            let log = Log()
            for _ in 1...2 { log.hear(common) }
            numbers.emit(7)
            #expect(log.text == "7 7" && runs.value == 1)
            let anew = load.share()
            #expect(Log.of(anew) == "2 |" && Log.of(anew) == "3 |")

            let bag = DisposeBag()
            let heard = Log()
            func show(_ value: Int) { heard.note(value) }
            let shared = load.multicast(through: Emitter())
            shared.subscribe { show($0) }.disposed(by: bag)
            shared.connect().disposed(by: bag)
            #expect(heard.text == "4" && Log.of(shared) == "|" && runs.value == 4)

            let level = Observable(1)
            let first = level.current.share()
            #expect(Log.of(level.share()) == "")
            log.hear(first)
            #expect(Log.of(first) == "" && log.text == "7 7 1")
        }

        /// ReactiveSwift's `replayLazily` keeps its values. RxSwift's `share(replay: 1)` starts anew, unless `.forever`.
        @Test func `… and the latest for those who come later`() {
            let runs = Locked(0)
            let load = load(runs)
            let kept = load.replay(1)
            #expect(Log.of(kept) == "1 |" && Log.of(kept) == "1 |")
            let restarting = load.concat(.failed(Over())).replay(1).catch {
                if $0 is Over { .empty() } else { .failed($0) }
            }
            #expect(Log.of(restarting) == "2 |" && Log.of(restarting) == "3 |")
        }

        /// Combine's `multicast(subject:)`, RxSwift's `multicast(_:)` and `publish`, and their `connect`.
        @Test func `Begun by hand`() {
            let runs = Locked(0)
            let shared = load(runs).multicast(through: Emitter())
            let log = Log()
            for _ in 1...2 { log.hear(shared) }
            #expect(runs.value == 0)
            shared.connect()
            #expect(log.text == "1 1 | |" && runs.value == 1)
            let command = Command<Int, Int> { _ in
                .just(
                    runs.change {
                        $0 += 1; return $0
                    })
            }
            let execution = command.execute(0)
            #expect(Log.of(execution) == "2 |" && Log.of(execution) == "2 |" && runs.value == 2)
        }
    }
}
