import Dispatch
import Testing
import Weir
import WeirTesting
import WeirTrace

extension Everything {
    /// The rows of 'Time and threads', in Migration.md: a test has the title of its row.
    @MainActor @Suite struct TimeRows {
        private let column = DispatchTimeInterval.milliseconds(1)

        @Test func `Where values arrive`() throws {
            try marbles { m in
                let level = Observable(1)
                m.expect(level.deliver(on: m.scheduler), "-2")
                m.expect(level.current.deliver(on: m.scheduler), "12")
                m.at(1) { level.value = 2 }
            }
        }

        @Test func `Where the source begins`() {
            let scheduler = VirtualScheduler()
            let events = Locked<[String]>([])
            let numbers = Emitter<Int>()
            let source = numbers.onEvent(
                subscribed: { events.change { $0.append("began") } },
                disposed: { events.change { $0.append("ended") } }
            ) { _ in }
            let subscription = source.subscribe(on: scheduler).subscribe { _ in }
            #expect(events.value == [])
            scheduler.runUntilIdle()
            #expect(events.value == ["began"])
            subscription.dispose()
            #expect(events.value == ["began", "ended"])
        }

        @Test func `Who decides when and where`() throws {
            let scheduler: any Scheduler = VirtualScheduler()
            let log = Log()
            let note: @MainActor @Sendable () -> Void = { log.note("ran") }
            _ = try scheduler.schedule { MainActor.assumeIsolated { note() } }
            (scheduler as? VirtualScheduler)?.runUntilIdle()
            #expect(log.text == "ran")
        }

        @Test func `At once`() {
            #expect(Log.of(Signal([1, 2]).deliver(on: .immediate)) == "1 2 |")
        }

        /// RxSwift's `CurrentThreadScheduler` runs nested work after the work that scheduled it.
        @Test func `On this thread, nested work after the work that scheduled it`() async throws {
            func order(_ scheduler: some Scheduler) async throws -> [String] {
                let events = Locked<[String]>([])
                _ = try scheduler.schedule {
                    events.change { $0.append("outer") }
                    _ = try? scheduler.schedule { events.change { $0.append("inner") } }
                    events.change { $0.append("outer ends") }
                }
                while events.value.count < 3 { await Task.yield() }
                return events.value
            }
            let atOnce = try await order(.immediate), later = try await order(.queue(.main))
            #expect(atOnce == ["outer", "inner", "outer ends"] && later == ["outer", "outer ends", "inner"])
        }

        @Test func `Main thread, at once when already there`() {
            #expect(Log.of(Signal([1]).deliver(on: .main)) == "1 |")
        }

        @Test func `Main thread, always later`() async {
            let log = Log()
            log.hear(Signal([1]).deliver(on: .queue(.main)))
            #expect(log.text == "")
            while log.text != "1 |" { await Task.yield() }
        }

        @Test func `A queue`() async throws {
            let queue = DispatchQueue(label: "migration")
            queue.setSpecific(key: Self.key, value: true)
            let isThere = try await Signal([1]).deliver(on: .queue(queue)).map { _ in
                DispatchQueue.getSpecific(key: Self.key) == true
            }.first
            #expect(isThere == true)
        }

        private nonisolated static let key = DispatchSpecificKey<Bool>()

        /// RxSwift and ReactiveSwift do not delay failures.
        @Test func `Later`() throws {
            try marbles { m in
                m.expect(m.hot("-1-2|").delay(column * 2, on: m.scheduler), "---1-2|")
                m.expect(m.hot("-1-#").delay(column * 2, on: m.scheduler), " ---#")
                let level = Observable(9)
                m.expect(level.current.delay(column * 2, on: m.scheduler), "--9")
            }
        }

        @Test func `Subscribe later`() throws {
            try marbles(column: .seconds(1)) { m in
                let (scheduler, load) = (m.scheduler, m.cold("-1|"))
                let later = Signal.timer(.seconds(1), on: scheduler).flatMap(.concat) { load }
                m.expect(later, "--1|")
                m.expect(subscriptionsOf: load, "-^-!")
            }
        }

        /// Combine cancels what waits at completion, ReactiveSwift discards it by default; RxSwift emits it.
        @Test func `When it has become silent`() throws {
            try marbles { m in
                let (scheduler, typed) = (m.scheduler, m.hot("-12----3|"))
                m.expect(typed.debounce(column * 3, on: scheduler), "-----2--(3|)")
                let settled = typed.materialize().flatMap(.latest) { event in
                    if case .next = event {
                        Signal.timer(.milliseconds(3), on: scheduler).map { event }
                    } else {
                        .just(event)
                    }
                }.dematerialize()
                m.expect(settled, "-----2--|")
                let level = Observable(9)
                m.expect(level.current.debounce(column * 3, on: scheduler), "---9")
            }
        }

        /// Combine and RxSwift emit what waits when its time has come, and complete then; ReactiveSwift drops it.
        @Test func `At most one within a time`() throws {
            try marbles { m in
                m.expect(m.hot("-12345|").throttle(column * 3, on: m.scheduler), "-1--4-(5|)")
                let level = Observable(9)
                m.expect(level.current.throttle(column * 3, on: m.scheduler), "9")
            }
        }

        @Test func `The latest, at a beat`() throws {
            try marbles { m in
                m.expect(m.hot("-12---34|").sample(every: column * 4, on: m.scheduler), "----2---|")
            }
        }

        /// Combine's `timeout` completes without a `customError`; RxSwift's fails.
        @Test func `Fail after silence`() throws {
            try marbles { m in
                let source = m.hot("-1--2------3|")
                let failing = source.timeout(column * 4, on: m.scheduler)
                m.expect(failing, "-1--2---#", error: SignalTimeout(nanoseconds: 4_000_000))
                m.expect(source.timeout(column * 4, on: m.scheduler) { .empty() }, "-1--2---|")
                let level = Observable(9)
                m.expect(level.current.timeout(column * 4, on: m.scheduler) { .empty() }, "9---|")
                m.at(9) { #expect(level.value == 9) }
            }
        }

        /// ReactiveSwift's `timeout(after:raising:on:)` fails what has not completed by then, however much it emits.
        @Test func `Fail where it has not completed by then`() throws {
            struct TooLate: Error {}
            try marbles { m in
                let scheduler = m.scheduler
                for (diagram, result) in [("-1-2-3-4|", "-1-2#"), ("-1-|", "-1-|"), ("-#", "-#")] {
                    let source = m.hot(diagram)
                    let punctual = source.takeUntil(
                        Signal.timer(.milliseconds(4), on: scheduler).map { throw TooLate() })
                    m.expect(punctual, result)
                }
            }
        }

        @Test func `Measure intervals`() throws {
            let clock = VirtualClock(step: 0)
            let file = try TemporaryTrace()
            let taps = Emitter<Int>()
            taps.subscribe { _ in }
            try Trace.start(writingTo: file.path, clock: clock)
            Trace.stimulus("first") { taps.emit(1) }
            clock.advance(nanoseconds: 5_000_000)
            Trace.stimulus("second") { taps.emit(2) }
            Trace.stop()
            let recording = try Recording(reading: file.path)
            let ticks = recording.events.filter { $0.kind == .stimulusBegan }.map(\.ticks)
            #expect(ticks.count == 2 && ticks[1] - ticks[0] == 5_000_000)
        }
    }
}

private func * (interval: DispatchTimeInterval, count: Int) -> DispatchTimeInterval {
    if case .milliseconds(let milliseconds) = interval { .milliseconds(milliseconds * count) } else { .never }
}
