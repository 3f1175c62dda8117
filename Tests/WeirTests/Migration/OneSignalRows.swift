import Testing
import Weir
import WeirTesting

extension Everything {
    /// The rows of 'Operators on one signal', in Migration.md: a test has the title of its row.
    ///
    /// The peers' subjects and properties begin with their current value; so does `current`.
    @MainActor @Suite struct OneSignalRows {
        /// The events of two signals made from an observable with the value 1, then 2, 3, 4: "2 3 4", "1 2 3 4".
        private func changes<A, B>(
            _ bare: (Observable<Int>) -> Signal<A>, _ current: (Observable<Int>) -> Signal<B>
        ) -> [String] {
            let level = Observable(1)
            let logs = [Log(), Log()]
            logs[0].hear(bare(level))
            logs[1].hear(current(level))
            for next in 2...4 { level.value = next }
            return logs.map(\.text)
        }

        @Test func `Transform each value`() {
            #expect(changes({ $0.map { $0 * 10 } }, { $0.current.map { $0 * 10 } }) == ["20 30 40", "10 20 30 40"])
        }

        @Test func `Transform, leave out nil`() {
            let odd: @Sendable (Int) -> Int? = { $0 % 2 == 1 ? -$0 : nil }
            #expect(changes({ $0.compactMap(odd) }, { $0.current.compactMap(odd) }) == ["-3", "-1 -3"])
        }

        @Test func `Leave values out`() {
            #expect(changes({ $0.filter { $0 != 3 } }, { $0.current.filter { $0 != 3 } }) == ["2 4", "1 2 4"])
        }

        @Test func `Leave all values out`() { #expect(Log.of(Signal([1, 2]).filter { _ in false }) == "|") }

        @Test func `Leave out equal neighbours`() {
            #expect(Log.of(Signal([1, 1, 2, 1]).removeDuplicates()) == "1 2 1 |")
            #expect(Log.of(Signal([1, 3, 2, 4]).removeDuplicates(by: { $0 % 2 })) == "1 2 |")
        }

        @Test func `Leave out everything seen before`() {
            let numbers = Signal([1, 2, 1, 3, 2])
            let unique = numbers.scan((Set<Int>(), Int?.none)) { seen, new in
                (seen.0.union([new]), seen.0.contains(new) ? nil : new)
            }
            .compactMap(\.1)
            #expect(Log.of(unique) == "1 2 3 |")
        }

        @Test func `Accumulate`() {
            #expect(changes({ $0.scan(0, +) }, { $0.current.scan(0, +) }) == ["2 5 9", "1 3 6 10"])
        }

        /// Combine's `max` of nothing completes, too; its `count` and `reduce`, as RxSwift's and ReactiveSwift's, give a value.
        @Test func `Accumulate, one value at the end`() {
            for (numbers, sum, count, max) in [([1, 5, 2], "8 |", "3 |", "5 |"), ([], "0 |", "0 |", "|")] {
                #expect(Log.of(Signal(numbers).reduce(0, +)) == sum)
                #expect(Log.of(Signal(numbers).reduce(0) { count, _ in count + 1 }) == count)
                #expect(Log.of(Signal(numbers).collect().compactMap { $0.max() }) == max)
            }
        }

        @Test func `All values as one array`() {
            #expect(Log.of(Signal([1, 2]).collect()) == "[1, 2] |")
            #expect(Log.of(Signal<Int>.empty().collect()) == "[] |")
        }

        /// Combine answers as soon as the answer is known, and of nothing `false` and `true`.
        @Test func `Is there one that …; are all`() {
            func answers(_ numbers: Signal<Int>) -> [String] {
                let hasBig = numbers.filter { $0 > 5 }.map { _ in true }.take(1).last(default: false)
                let areAllEven = numbers.filter { $0 % 2 != 0 }.map { _ in false }.take(1).last(default: true)
                return [Log.of(hasBig), Log.of(areAllEven)]
            }
            #expect(answers(Signal([4, 6])) == ["true |", "true |"])
            #expect(answers(Signal([4, 5])) == ["false |", "false |"])
            #expect(answers(.empty()) == ["false |", "true |"])
            #expect(answers(Signal([7]).concat(.never())) == ["true |", "false |"])
        }

        /// RxSwift fails without a value, and at the second one.
        @Test func `Exactly one, else an error`() {
            struct NotOne: Error {}
            func single(_ numbers: Signal<Int>) -> String {
                let single = numbers.take(2).collect().map { if $0.count == 1 { $0[0] } else { throw NotOne() } }
                return Log.of(single)
            }
            #expect(single(.just(1)) == "1 |" && single(.empty()) == "#")
            #expect(single(Signal([1, 2]).concat(.never())) == "#")
        }

        @Test func `Each value and the one before`() {
            let level = Observable(1)
            let log = Log()
            let steps = level.current.scan((0, 0)) { ($0.1, $1) }.skip(1)
            log.hear(steps.map { "\($0.0)→\($0.1)" })
            level.value = 2
            level.value = 5
            #expect(log.text == "1→2 2→5")
        }

        @Test func `Number the values`() {
            let numbered = Signal([7, 8]).scan((-1, 0)) { ($0.0 + 1, $1) }
            #expect(Log.of(numbered.map { "\($0.0):\($0.1)" }) == "0:7 1:8 |")
        }

        @Test func `The first ones`() {
            #expect(changes({ $0.take(2) }, { $0.current.take(2) }) == ["2 3 |", "1 2 |"])
            #expect(Log.of(Signal([1, 2, 3]).filter { $0 > 1 }.take(1)) == "2 |")
        }

        @Test func `As long as`() {
            #expect(
                changes({ $0.take(while: { $0 < 3 }) }, { $0.current.take(while: { $0 < 3 }) }) == ["2 |", "1 2 |"])
        }

        /// ReactiveSwift's trigger ends it with its completion, too; Combine's and RxSwift's do not.
        @Test func `Until another signal emits`() throws {
            try marbles { m in
                let source = m.hot("                                       -1-2-3-|")
                m.expect(source.takeUntil(m.hot("                          ----0")), "-1-2|")
                let other = m.hot("                                        --|")
                m.expect(source.takeUntil(other), "                        -1-2-3-|")
                m.expect(source.takeUntil(other.materialize()), "          -1|")
                m.expect(source.takeUntil(m.hot("--#").materialize()), "   -1|")
                let level = Observable(9)
                m.expect(level.current.takeUntil(m.hot("--0")), "          9-|")
            }
        }

        @Test func `The last ones`() {
            let numbers = Signal([1, 2, 3])
            #expect(Log.of(numbers.last()) == "3 |")
            #expect(Log.of(numbers.collect().flatMap(.concat) { Signal($0.suffix(2)) }) == "2 3 |")
        }

        @Test func `The one at an index`() {
            #expect(Log.of(Signal([1, 2, 3]).skip(1).take(1)) == "2 |")
            #expect(Log.of(Signal([1]).skip(1).take(1)) == "|")
        }

        @Test func `For some time; after some time`() throws {
            try marbles { m in
                let source = m.hot("                         -1-2-3-|")
                let timer = Signal.timer(.milliseconds(4), on: m.scheduler)
                m.expect(source.takeUntil(timer), "          -1-2|")
                m.expect(source.skipUntil(timer), "          -----3-|")
            }
        }

        /// Of ReactiveSwift's `take(untilReplacement:)`: any event of the replacement counts, and the end of the source does not.
        @Test func `Until another emits, then that one`() throws {
            try marbles { m in
                for (first, second, result) in [
                    ("-1-2-3-|", "----7--8|", "-1-27--8|"), ("-1-|", "-----7-|", "-1---7-|"),
                    ("-1-2-3-|", "---|", "-1-|"), ("-1-2-3-|", "----#", "-1-2#"), ("-1-2-", "(78|)", "(78|)"),
                ] {
                    let (source, other) = (m.hot(first), m.cold(second))
                    let replacement = other.replay(1)
                    let replaced = replacement.merge(source.takeUntil(replacement.materialize()))
                    m.expect(replaced, result)
                }
                let other = m.cold("--1|")
                let replacement = other.replay(1)
                m.expect(replacement.merge(m.hot("-2-3").takeUntil(replacement.materialize())), "-21|")
                m.expect(subscriptionsOf: other, "^--!")
            }
        }

        @Test func `Without the first`() {
            #expect(Log.of(Signal([1, 2, 3]).skip(1)) == "2 3 |")
            let bare: (Observable<Int>) -> Signal<Int> = { $0 }
            #expect(changes(bare, { $0.current.skip(1) }) == ["2 3 4", "2 3 4"])
        }

        @Test func `Without those as long as`() {
            let skipped = changes({ $0.skip(while: { $0 == 2 }) }, { $0.current.skip(while: { $0 == 2 }) })
            #expect(skipped == ["3 4", "1 2 3 4"])
        }

        /// ReactiveSwift's trigger opens with its completion, too; Combine's ends the signal with it.
        @Test func `Not before another signal emits`() throws {
            try marbles { m in
                let source = m.hot("                                       -1-2-3-|")
                m.expect(source.skipUntil(m.hot("                          --0")), "---2-3-|")
                let other = m.hot("                                        --|")
                m.expect(source.skipUntil(other), "                        -------|")
                m.expect(source.skipUntil(other.materialize()), "          ---2-3-|")
            }
        }

        @Test func `Values before the first`() {
            let source = Signal([2])
            #expect(Log.of(source.startWith(1)) == "1 2 |")
            #expect(Log.of(Signal([0, 1]).concat(source)) == "0 1 2 |")
        }

        @Test func `Values after the last`() {
            let source = Signal([2])
            #expect(Log.of(source.concat(.just(3))) == "2 3 |")
            #expect(Log.of(source.concat(Signal([8, 9]))) == "2 8 9 |")
        }

        /// Combine's `replaceEmpty` and RxSwift's `ifEmpty` pass values on as they come.
        @Test func `Something instead of nothing`() throws {
            func filled(_ numbers: Signal<Int>) -> Signal<Int> {
                let filled = numbers.materialize().scan((isEmpty: true, events: [Event<Int>]())) { before, event in
                    if case .completed = event, before.isEmpty { (true, [.next(0), event]) } else { (false, [event]) }
                }.flatMap(.concat) { Signal($0.events) }.dematerialize()
                return filled
            }
            try marbles { m in
                for (source, result) in [("-1-2-|", "-1-2-|"), ("--|", "--(0|)"), ("--#", "--#"), ("|", "(0|)")] {
                    m.expect(filled(m.cold(source)), result)
                }
            }
        }

        @Test func `Arrays of so many`() {
            #expect(changes({ $0.buffer(count: 2) }, { $0.current.buffer(count: 2) }) == ["[2, 3]", "[1, 2] [3, 4]"])
            #expect(Log.of(Signal([1, 2, 3]).buffer(count: 2)) == "[1, 2] [3] |")
        }

        /// RxSwift and ReactiveSwift count the time from the subscription on, and emit empty arrays.
        @Test func `Arrays of what comes within a time`() throws {
            try marbles { m in
                let time = m.scheduler
                let source = m.hot("-12-----3-|")
                m.expect(source.buffer(time: .milliseconds(3), on: time).map(\.count), "----2-----(1|)")
                m.expect(source.buffer(time: .milliseconds(3), count: 2, on: time).map(\.count), "--2-------(1|)")
                let level = Observable(1)
                m.expect(level.current.buffer(time: .milliseconds(3), on: time).map(\.count), "---1")
            }
        }

        @Test func `Signals of so many; by a key`() {
            let numbers = Signal([1, 2, 3, 4])
            #expect(Log.of(numbers.buffer(count: 3)) == "[1, 2, 3] [4] |")
            #expect(Log.of(numbers.filter { $0 % 2 == 0 }) == "2 4 |")
        }

        @Test func `Events as values, and back`() {
            #expect(Log.of(Signal([1]).materialize()) == "next(1) completed |")
            #expect(Log.of(Signal([1]).materialize().dematerialize()) == "1 |")
            #expect(Log.of(Observable(1).current.materialize()) == "next(1)")
        }

        @Test func `Side effects on the way`() {
            let seen = Locked<[String]>([])
            let note: @Sendable (Event<Int>) -> Void = { event in seen.change { $0.append("\(event)") } }
            let level = Observable(1)
            #expect(Log.of(Signal([1]).onEvent(note)) == "1 |")
            #expect(Log.of(level.onEvent(note)) == "" && Log.of(level.current.onEvent(note)) == "1")
            #expect(seen.value == ["next(1)", "completed", "next(1)"])
        }

        @Test func `Encode, decode`() {
            let decode: @Sendable (String) throws -> Int = {
                guard let number = Int($0) else { throw NoNetwork() }
                return number
            }
            #expect(Log.of(Signal(["1", "x"]).map { try decode($0) }) == "1 #")
        }
    }
}
