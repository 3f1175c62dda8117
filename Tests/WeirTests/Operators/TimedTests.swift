import Dispatch
import Testing
import Weir
import WeirTesting
import WeirTrace

/// The operators that take a scheduler.
extension Everything {
    @MainActor @Suite struct TimedTests {
        @Test func `deliver(on:) passes everything on, in order`() throws {
            try marbles { m in
                m.expect(m.hot("--1--(23)--|").deliver(on: m.scheduler), "--1--(23)--|")
                m.expect(m.hot("--1--#").deliver(on: m.scheduler), "      --1--#")
                m.expect(m.hot("-12-").deliver(on: .immediate), "         -12-")
            }
        }

        @Test func `timeout(_:on:) notices a callback that never comes, but no source that is gone`() throws {
            func events(of source: (VirtualScheduler) -> Signal<Int>) -> [String] {
                let (time, events) = (VirtualScheduler(), Locked<[String]>([]))
                source(time).subscribeEvents { event in events.change { $0.append("\(event)") } }
                time.advance(by: .milliseconds(50))
                return events.value
            }
            let interval = DispatchTimeInterval.milliseconds(5)
            let failure = ["failed(\(SignalTimeout(nanoseconds: 5_000_000)))"]
            let lost = Signal<Int> { _ in Disposable {} }
            #expect(events { lost.timeout(interval, on: $0) } == failure)
            #expect(events { Signal.never().map { $0 + 1 }.timeout(interval, on: $0) } == failure)
            #expect(events { lost.timeout(interval, on: $0) { .just(7) } } == ["next(7)", "completed"])
            let twice = events { lost.startWith(1).timeout(interval, on: $0).retry(1) }
            #expect(twice == ["next(1)", "next(1)"] + failure)
            #expect(events { Emitter<Int>().timeout(interval, on: $0) } == [])
            #expect(events { lost.timeout(.never, on: $0) } == [])
        }

        @Test func `never() does not end, though nothing holds its subscription`() throws {
            let (source, ends) = (Emitter<Int>(), Locked<[String]>([]))
            func hear(_ strategy: FlattenStrategy) {
                source.flatMap(strategy) { $0 == 1 ? .never() : .just($0) }.subscribeEvents { event in
                    ends.change { $0.append("\(strategy) \(event)") }
                }
            }
            hear(.first)
            hear(.concat)
            hear(.latest)
            source.emit(1)
            source.emit(2)
            source.complete()
            #expect(ends.value == ["latest next(2)", "latest completed"])
            let recording = try record { Signal<Int>.never().subscribe { _ in }.dispose() }
            #expect(recording.events.compactMap(\.endReason) == [.disposed])
        }

        @Test func `A timeout cleans a lost request up once`() {
            let (time, cleanups) = (VirtualScheduler(), Locked(0))
            let lost = Signal<Int> { _ in Disposable { cleanups.change { $0 += 1 } } }
            lost.timeout(.milliseconds(5), on: time).subscribe { _ in }
            time.advance(by: .milliseconds(50))
            #expect(cleanups.value == 1 && time.isIdle)
        }

        @Test func `A timer inside flatMap has a cause, any other is a stimulus of its own`() throws {
            let (tap, time) = (Emitter<Int>(), VirtualScheduler())
            let recording = try record {
                tap.flatMap(.latest) { _ in Signal.timer(.milliseconds(3), on: time) }.subscribe { _ in }
                Signal.timer(.milliseconds(5), on: time).subscribe { _ in }
                Trace.stimulus("tap") { tap.emit(1) }
                time.advance(by: .milliseconds(9))
            }
            let known = Dictionary(uniqueKeysWithValues: recording.events.map { ($0.id, $0) })
            let causes = recording.events.filter { $0.kind == .hopBegan }.map { $0.cause.flatMap { known[$0]?.kind } }
            #expect(causes == [.emitted, nil])
        }

        @Test func `subscribe(on:) subscribes later, and not at all when disposed before`() throws {
            let time = VirtualScheduler()
            try marbles { m in
                let source = m.cold("1--2|")
                m.expect(source.subscribe(on: m.scheduler), "1--2|")
                m.expect(subscriptionsOf: source, "          ^---!")
                let other = m.cold("1")
                other.subscribe(on: time).subscribe { _ in }.dispose()
                time.runUntilIdle()
                m.expect(subscriptionsOf: other)
            }
        }

        @Test func `delay(_:on:) delays values and completion, not failure`() throws {
            try marbles { m in
                func delayed(_ diagram: String) -> Signal<Int> {
                    m.hot(diagram).delay(.milliseconds(3), on: m.scheduler)
                }
                m.expect(delayed("1-(23)--|   "), "---1-(23)--|")
                m.expect(delayed("1--2-#      "), "---1-#")
                m.expect(delayed("1-2-|       "), "---1-!")
                m.expect(m.hot("-12-|").delay(.milliseconds(-5), on: m.scheduler), "-12-|")
                m.expect(m.hot("-12-|").delay(.never, on: m.scheduler), "-----")
            }
        }

        @Test func `debounce(_:on:) waits for silence`() throws {
            try marbles { m in
                func debounced(_ diagram: String) -> Signal<Int> {
                    m.hot(diagram).debounce(.milliseconds(3), on: m.scheduler)
                }
                m.expect(debounced("--1-2-----3|"), " -------2---(3|)")
                m.expect(debounced("1---2-34-----"), " ---1------4")
                m.expect(debounced("--1-#       "), " ----#")
                m.expect(m.hot("-12-|").debounce(.never, on: m.scheduler), "----(2|)")
                m.expect(m.hot("-12-|").debounce(.seconds(-1), on: m.scheduler), "-12-|")
            }
        }

        @Test func `throttle(_:latest:on:) lets one value through, then the latest`() throws {
            try marbles { m in
                func throttled(_ diagram: String, latest: Bool = true) -> Signal<Int> {
                    m.hot(diagram).throttle(.milliseconds(4), latest: latest, on: m.scheduler)
                }
                m.expect(throttled("-1-23-------4-|"), "               -1---3------4-|")
                m.expect(throttled("-123--4-5---6--|"), "              -1---3---5---6-|")
                m.expect(throttled("-123--4-5---6--|", latest: false), "-1----4-----6--|")
                m.expect(throttled("-12-#"), "                         -1--#")
            }
        }

        @Test func `timeout(_:on:) fails after silence, or goes on with a substitute`() throws {
            try marbles { m in
                func timed(_ diagram: String) -> Signal<Int> {
                    m.hot(diagram).timeout(.milliseconds(4), on: m.scheduler)
                }
                m.expect(timed("--1--2------3--|"), "--1--2---#")
                m.expect(timed("-----1|"), "         ----#")
                m.expect(timed("-1--2-|"), "         -1--2-|")
                m.expect(timed("-1-#"), "            -1-#")
                let source = m.hot("--1-------2|")
                let substitute = m.cold("    7--8|")
                m.expect(
                    source.timeout(.milliseconds(4), on: m.scheduler) { substitute }, "--1---7--8|")
                m.expect(subscriptionsOf: source, "^-----!")
                m.expect(
                    m.hot("--").timeout(.milliseconds(4), on: m.scheduler), "----#",
                    error: SignalTimeout(nanoseconds: 4_000_000))
            }
        }

        @Test func `buffer(time:count:on:) gathers what comes within a time of the first value`() throws {
            try marbles { m in
                func buffered(_ diagram: String, time: Int = 3, count: Int = .max) -> Signal<[Int]> {
                    m.hot(diagram).buffer(time: .milliseconds(time), count: count, on: m.scheduler)
                }
                m.expect(buffered("-1-2-----3-|"), "                   ----a------(b|)", ["a": [1, 2], "b": [3]])
                m.expect(
                    buffered("-123456--|", count: 2), "            --a-b-c--|",
                    ["a": [1, 2], "b": [3, 4], "c": [5, 6]])
                m.expect(buffered("-12-3---|", count: 2), "             --a----b|", ["a": [1, 2], "b": [3]])
                m.expect(
                    buffered("-(12)-(34)5-|", time: 0), "          -a-bc-|", ["a": [1, 2], "b": [3, 4], "c": [5]])
                m.expect(buffered("-12-#"), "                           ----#", [:])
            }
        }

        @Test func `sample(every:on:) delivers the latest at each beat`() throws {
            try marbles { m in
                func sampled(_ diagram: String) -> Signal<Int> {
                    m.hot(diagram).sample(every: .milliseconds(4), on: m.scheduler)
                }
                m.expect(sampled("-1-2---3-4-5---6-|"), "----2---3---5---6|")
                m.expect(sampled("-1-#"), "              ---#")
            }
        }

        @Test func `Timers and intervals`() throws {
            try marbles { m in
                m.expect(Signal.timer(.milliseconds(3), on: m.scheduler).map { 1 }, "---(1|)")
                m.expect(Signal.timer(.never, on: m.scheduler).map { 1 }, "          ----")
                m.expect(Signal.interval(.milliseconds(3), on: m.scheduler), "       ---0--1--2--!")
                m.expect(Signal.interval(.milliseconds(3), on: m.scheduler).take(2), "---0--(1|)")
            }
        }

        // MARK: Refusal

        @Test func `A scheduler that refuses work fails the signal`() throws {
            let stopped = VirtualScheduler()
            stopped.stop()
            try marbles { m in
                func fails(_ signal: Signal<Int>, _ diagram: String, line: UInt = #line) {
                    m.expect(signal, diagram, error: SchedulerError.stopped, line: line)
                }
                let source = m.hot("--12|")
                let short = DispatchTimeInterval.milliseconds(1)
                fails(source.deliver(on: stopped), "--#")
                fails(source.subscribe(on: stopped), "#")
                fails(source.delay(short, on: stopped), "--#")
                fails(source.debounce(short, on: stopped), "--#")
                fails(source.throttle(short, on: stopped), "--#")
                fails(source.timeout(short, on: stopped), "#")
                fails(source.buffer(time: short, on: stopped).map(\.count), "--#")
                fails(source.sample(every: short, on: stopped), "--#")
                fails(Signal.timer(short, on: stopped).map { 1 }, "#")
                fails(Signal.interval(short, on: stopped), "#")
                m.expect(source.debounce(short, on: .immediate), "--#", error: SchedulerError.cannotWait)
            }
        }

        @Test func `A handler may emit again into a signal that is delayed by nothing`() {
            let number = Emitter<Int>()
            var heard: [Int] = []
            number.delay(.seconds(0), on: .immediate).subscribe {
                heard.append($0)
                if $0 < 3 { number.emit($0 + 1) }
            }
            number.emit(1)
            #expect(heard == [1, 2, 3])
        }

        // MARK: Traces

        @Test func `A hop names the emission that caused it`() throws {
            let recording = try record {
                let time = VirtualScheduler()
                let number = Emitter<Int>()
                number.deliver(on: time).subscribe { _ in }
                number.emit(1)
                number.emit(2)
                time.runUntilIdle()
            }
            let causes = recording.events.filter { $0.kind == .hopBegan }.map { hop in
                recording.events.first { $0.id == hop.cause }
            }
            #expect(causes.map(\.?.kind) == [.emitted, .emitted])
            #expect(causes.map(\.?.value) == [.signed(1), .signed(2)])
            #expect(recording.count(.hopEnded) == 2)
            let hops = recording.story.drop { !$0.hasPrefix("hopBegan") }
            #expect(
                hops.prefix(5).map { $0.contains(" = ") ? String($0.suffix(3)) : $0 }
                    == [
                        "hopBegan", "= 1", "    to closure", "    done", "hopEnded",
                    ].map { $0 })
        }

        @Test func `What is delivered at once has not hopped`() throws {
            let recording = try record {
                let number = Emitter<Int>()
                number.deliver(on: .immediate).subscribe { _ in }
                number.emit(1)
            }
            #expect(recording.count(.hopBegan) == 0)
            #expect(recording.count(.emitted) == 2)
        }

        @Test func `Each timed operator hops with its cause, and says what it drops`() throws {
            let short = DispatchTimeInterval.milliseconds(1)
            let operators: [(String, (Signal<Int>, VirtualScheduler) -> Signal<Int>, cause: Int, [SuppressionReason])] =
                [
                    ("delay", { $0.delay(short, on: $1) }, 1, []),
                    ("debounce", { $0.debounce(short, on: $1) }, 3, [.superseded, .superseded]),
                    ("throttle", { $0.throttle(short, on: $1) }, 1, [.superseded]),
                    ("throttle, first", { $0.throttle(short, latest: false, on: $1) }, 1, [.filtered, .filtered]),
                    ("timeout", { $0.timeout(short, on: $1) }, 3, []),
                    ("buffer", { $0.buffer(time: short, on: $1).map(\.count) }, 1, []),
                    ("sample", { $0.sample(every: short, on: $1) }, 3, [.superseded, .superseded]),
                ]
            for (name, apply, cause, reasons) in operators {
                let recording = try record {
                    let time = VirtualScheduler()
                    let number = Emitter<Int>()
                    apply(number, time).subscribe { _ in }
                    for value in 1...3 { number.emit(value) }
                    time.runUntilIdle()
                }
                let hop = recording.events.first { $0.kind == .hopBegan }
                let found = recording.events.first { $0.id == hop?.cause }
                #expect(found?.value == .signed(Int64(cause)), "\(name)")
                #expect(recording.count(.hopBegan) == recording.count(.hopEnded))
                #expect(recording.events.compactMap(\.suppressionReason) == reasons, "\(name)")
            }
        }

        @Test func `A hop is a turn: what it writes settles once`() {
            let time = VirtualScheduler()
            let number = Emitter<Int>()
            let left = Observable(0), right = Observable(0)
            let sum = Observable.combine(left, right, strategy: .settled) { $0 + $1 }
            var sums: [Int] = []
            sum.subscribe { sums.append($0) }
            number.deliver(on: time).subscribe {
                left.value = $0
                right.value = $0
            }
            number.emit(1)
            number.emit(2)
            time.runUntilIdle()
            #expect(sums == [2, 4])
        }
    }
}
