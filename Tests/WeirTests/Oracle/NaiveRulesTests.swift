import Foundation
import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// The naive rules on programs small enough to be judged by hand.
    @Suite struct NaiveRulesTests {
        /// A screen that owns its subscriptions.
        private final class Screen {
            let shown = Observer<Int> { _ in }
        }

        /// The counts of the rules: "glitch combiner 1, redundant 1", and the totals.
        private func findings(
            frame: UInt64 = 10_000_000_000, values: TraceValues = .scalars, without ignored: Set<RedundancyRule> = [],
            _ body: () throws -> Void
        ) throws -> [String] {
            var options = RedundancyOptions()
            options.frame = frame
            options.rules.subtract(ignored)
            let recording = try record(values: values, body)
            let rules = NaiveRules(
                NaiveInterpreter(recording.events, recording.definitions),
                ticksPerSecond: recording.header.ticksPerSecond, options: options)
            let counts = rules.tallies.map { subject, tally in
                "\(subject.rule.rawValue) \(rules.kind(subject.node)?.name ?? "?") \(tally.count)"
                    + (tally.refreshes > 0 ? ", redundant \(tally.refreshes)" : "")
            }
            let limitations = rules.unjudged.map { limitation, count in
                "\(limitation.rule.rawValue) not judged \(count): \(limitation.reason.rawValue)"
            }
            let totals = rules.totals
            return counts.sorted() + limitations.sorted() + [
                "\(totals.redundantRefreshes) of \(totals.refreshes); \(totals.noopEvaluations) of \(totals.evaluations)"
            ]
        }

        /// Four combiners: two flows from `origin` join and continue.
        private func diamond(_ origin: Observable<Int>, _ strategy: CombineStrategy) -> [ReadOnlyObservable<Int>] {
            let left: ReadOnlyObservable<Int> = .combine(origin) { $0 + 1 }
            let right: ReadOnlyObservable<Int> = .combine(origin) { $0 * 2 }
            let joined: ReadOnlyObservable<Int> = .combine(left, right, strategy: strategy) { $0 + $1 }
            let further: ReadOnlyObservable<Int> = .combine(joined) { $0 * 10 }
            return [left, right, joined, further]
        }

        @Test func `where two flows join is one glitch, with what it made further on`() throws {
            let found = try findings {
                let origin = Observable(0)
                let made = diamond(origin, .every)
                for node in made[2...] { node.subscribe { _ in } }
                origin.value = 1
                withExtendedLifetime(made) {}
            }
            // Evaluated: left, joined, further, right, joined, further.
            #expect(found == ["glitch combiner 1, redundant 2", "2 of 4; 0 of 6"])
        }

        @Test func `joined once the turn has settled, it is none`() throws {
            let found = try findings {
                let origin = Observable(0)
                let made = diamond(origin, .settled)
                for node in made[2...] { node.subscribe { _ in } }
                origin.value = 1
                withExtendedLifetime(made) {}
            }
            #expect(found == ["0 of 2; 0 of 4"])
        }

        @Test func `what a batch writes joins like what one emission makes, but for what is settled`() throws {
            func count(_ strategy: CombineStrategy) throws -> [String] {
                try findings {
                    let number = Observable(0), other = Observable(0)
                    let next: ReadOnlyObservable<Int> = .combine(number) { $0 + 1 }
                    let sum: ReadOnlyObservable<Int> = .combine(next, other, strategy: strategy) { 10 * $0 + $1 }
                    sum.map { $0 + 1 }.subscribe { _ in }
                    batch {
                        other.value = 2
                        number.value = 1
                    }
                    withExtendedLifetime(sum) {}
                }
            }
            // For values that a map passes on, the finding belongs to the join.
            #expect(try count(.every) == ["glitch combiner 1, redundant 1", "1 of 2; 0 of 5"])
            // A trace does not show the evaluation of a combiner at the end of a batch.
            #expect(try count(.settled) == ["0 of 1; 0 of 2"])
        }

        @Test func `a value that comes again is repeated, but not where each is an event`() throws {
            let found = try findings(without: [.burst]) {
                let touches = Emitter<Int>()
                touches.map { $0 > 1 }.subscribe { _ in }
                touches.subscribe { _ in }
                touches.map { _ in () }.subscribe { _ in }
                for number in [2, 3, 3] { touches.emit(number) }
            }
            #expect(found == ["noop-evaluation map 2", "repeated-value map 2, redundant 2", "2 of 9; 2 of 6"])
        }

        @Test func `a condition that becomes true again is none, a number that comes again is`() throws {
            let found = try findings(without: [.burst]) {
                let number = Observable(0)
                let isEven = Observable.combine(number) { $0 % 2 == 0 }
                isEven.filter { $0 }.subscribe { _ in }
                isEven.compactMap { $0 ? $0 : nil }.deliver(on: .immediate).subscribe { _ in }
                for value in [5, 0, 5, 0] { number.value = value }
                number.filter { $0 > 4 }.subscribe { _ in }
                for value in [5, 0, 5] { number.value = value }
                // Nothing is held back in between.
                let text = Observable("")
                text.map { $0.count > 1 }.filter { $0 }.subscribe { _ in }
                for value in ["ab", "abc"] { text.value = value }
            }
            #expect(
                found.filter { $0.hasPrefix("repeated-value") } == [
                    "repeated-value filter 1, redundant 1", "repeated-value filter 1, redundant 1",
                ], "\(found)")
        }

        @Test func `what the trace hides is not judged`() throws {
            let hidden = try findings(without: [.burst]) {
                let word = Emitter<Int>()
                word.map { $0 }.subscribe { _ in }
                let secret = Observable(0, privacy: .private)
                secret.subscribe { _ in }
                for number in [1, 2] { secret.value = number }
            }
            #expect(hidden == ["repeated-value not judged 1: withheld", "0 of 2; 0 of 0"])
            struct Path { var points = [0] }
            for (values, reason) in [
                (TraceValues.scalars, "unrecordable"), (.none, "notRecorded"), (.described(), "sameDescription"),
            ] {
                let found = try findings(values: values, without: [.burst]) {
                    let path = Observable(Path())
                    path.subscribe { _ in }
                    for _ in 0..<3 { path.value = Path() }
                }
                #expect(found == ["repeated-value not judged 2: \(reason)", "0 of 3; 0 of 0"])
            }
        }

        @Test func `turns within one frame are a burst: of marks if there are any, else of time`() throws {
            func count(_ frame: UInt64, mark: Bool) throws -> [String] {
                try findings(frame: frame) {
                    let number = Observable(0)
                    number.subscribe { _ in }
                    for value in 1...6 {
                        number.value = value
                        if mark, value % 3 == 0 { Trace.frame() }
                    }
                }
            }
            #expect(try count(10_000_000_000, mark: false) == ["burst observable 5, redundant 5", "5 of 6; 0 of 0"])
            #expect(try count(10_000_000_000, mark: true) == ["burst observable 4, redundant 4", "4 of 6; 0 of 0"])
            // A turn takes two readings of the clock, 1000 ns each: three turns begin within 4000 ns.
            #expect(try count(4000, mark: false) == ["burst observable 4, redundant 4", "4 of 6; 0 of 0"])
            #expect(try count(3999, mark: false) == ["burst observable 3, redundant 3", "3 of 6; 0 of 0"])
            #expect(try count(1999, mark: false) == ["0 of 6; 0 of 0"])
        }

        @Test func `an evaluation is unobserved where no subscription leads to a handler`() throws {
            let found = try findings(without: [.burst]) {
                let number = Observable(0)
                let sum: ReadOnlyObservable<Int> = .combine(number) { $0 + 1 }
                let twice: ReadOnlyObservable<Int> = .combine(sum) { $0 * 2 }
                number.value = 1
                let handler = twice.subscribe { _ in }
                number.value = 2
                handler.dispose()
                number.value = 3
                withExtendedLifetime(twice) {}
            }
            #expect(found == ["unobserved combiner 2", "unobserved combiner 2", "0 of 1; 0 of 6"])
        }

        @Test func `a node older than the recording is not judged to be unobserved`() throws {
            let number = Observable(0)
            let sum: ReadOnlyObservable<Int> = .combine(number) { $0 + 1 }
            sum.map { $0 }.subscribe { _ in }
            let found = try findings { number.value = 1 }
            let limitation = "unobserved not judged 1: madeBefore"
            #expect(found == [limitation, limitation, "0 of 1; 0 of 2"])
            withExtendedLifetime(sum) {}
        }

        @Test func `a loop feeds back until it gives an equal value`() throws {
            let found = try findings {
                let number = Observable(0)
                let low = Combiner(0), high = Combiner(0)
                low.combine(number, high) { max($0, $1) }
                high.combine(low) { min($0 + 1, 2) }
                low.subscribe { _ in }
                number.value = 1
                withExtendedLifetime((low, high)) {}
            }
            // low = 1, in it high = 2, in it low = 2, in it high is 2 already.
            #expect(
                found == ["feedback combiner 1", "feedback combiner 1", "noop-evaluation combiner 1", "0 of 1; 1 of 4"])
        }

        @Test func `a cold source that runs twice at a time is resubscribed, a shared one is not`() throws {
            func count(_ change: (Signal<Int>) -> Signal<Int>) throws -> [String] {
                try findings {
                    let source = change(Signal<Int> { _ in Disposable {} })
                    let first = source.subscribe { _ in }
                    let second = source.subscribe { _ in }
                    first.dispose()
                    second.dispose()
                    source.subscribe { _ in }
                }
            }
            #expect(try count { $0 } == ["resubscribed-source source 1", "0 of 0; 0 of 0"])
            #expect(try count { $0.share() } == ["0 of 0; 0 of 0"])
        }

        @Test func `what refreshes a released owner is a zombie, and what takes too long is slow`() throws {
            let found = try findings(frame: 1999) {
                let number = Observable(0)
                var screen: Screen? = Screen()
                Trace.adopt(screen!)
                screen?.shown.subscribe(to: number)
                number.value = 1
                screen = nil
                Trace.checkpoint("left")
                number.value = 2
                number.subscribe { _ in VirtualClock().advance(nanoseconds: 5000) }
                number.value = 3
            }
            #expect(
                found == ["slow-refresh observable 1", "zombie-refresh observable 2, redundant 2", "2 of 4; 0 of 0"])
        }

        @Test func `a node that two threads write is driven across threads, unless by hops`() throws {
            let found = try findings(frame: 0) {
                let number = Observable(0)
                let scheduler = ManualScheduler()
                number.value = 1
                let hops = Emitter<Int>()
                hops.deliver(on: scheduler).bind(to: number)
                hops.emit(2)
                let done = DispatchSemaphore(value: 0)
                let thread = Thread {
                    for value in 3...5 { number.value = value }
                    scheduler.advance(by: 1)
                    done.signal()
                }
                thread.start()
                done.wait()
            }
            #expect(found == ["cross-thread observable 3", "0 of 0; 0 of 0"])
        }
    }
}
