import Testing
import Weir
import WeirTesting

extension Everything {
    /// The rows of 'Operators on several signals', in Migration.md: a test has the title of its row.
    @MainActor @Suite struct SeveralSignalsRows {
        /// The values of a signal made from two observables with the values 1 and 10, then 2 and 10, then 2 and 20.
        private func changes<Value>(_ make: (Observable<Int>, Observable<Int>) -> Signal<Value>) -> String {
            let (a, b) = (Observable(1), Observable(10))
            let log = Log()
            log.hear(make(a, b))
            a.value = 2
            b.value = 20
            return log.text
        }

        @Test func `The latest of each, when one emits`() {
            #expect(changes { $0.combineLatest($1) { $0 + $1 } } == "22")
            #expect(changes { $0.current.combineLatest($1.current) { $0 + $1 } } == "11 12 22")
            #expect(changes { Observable.combine($0, $1) { $0 + $1 }.current } == "11 12 22")
            #expect(
                changes { a, b in
                    let all = [a.current, b.current]
                    return Signal<Int>.combineLatest(all)
                } == "[1, 10] [2, 10] [2, 20]")
        }

        @Test func `Which updates to answer`() {
            func answers(_ strategy: CombineStrategy) -> String {
                changes { Observable.combine($0, $1, initial: 0, strategy: strategy) { $0 + $1 } }
            }
            #expect([answers(.first), answers(.all), answers(.every)] == ["12", "22", "12 22"])
        }

        @Test func `All true, one true`() {
            let (a, b) = (Observable(true), Observable(false))
            let (both, one) = (Observable.combine(a, b) { $0 && $1 }, Observable.combine(a, b) { $0 || $1 })
            #expect(!both.value && one.value)
            b.value = true
            #expect(both.value)
        }

        @Test func `Missing values as nil`() {
            let (name, age) = (Observable<String?>(nil), Observable(0))
            #expect(Observable.combine(name, age) { "\($0 ?? "?") \($1)" }.value == "? 0")
        }

        @Test func `Once a turn, without glitches`() {
            let count = Observable(1)
            let (net, tax) = (Observable.combine(count) { $0 * 100 }, Observable.combine(count) { $0 * 7 })
            let total = Observable.combine(net, tax, strategy: .settled) { $0 + $1 }
            let log = Log()
            log.hear(total)
            count.value = 2
            batch {
                count.value = 3
                count.value = 4
            }
            #expect(log.text == "214 428")
        }

        @Test func `Pairs in order`() {
            #expect(changes { $0.zip($1).map { $0.0 + $0.1 } } == "22")
            #expect(changes { $0.current.zip($1.current).map { $0.0 + $0.1 } } == "11 22")
            let all = [Signal([1, 2]), Signal([3, 4]), Signal([5])]
            #expect(Log.of(Signal<Int>.zip(all)) == "[1, 3, 5] |")
        }

        @Test func `All values as they come`() {
            #expect(changes { $0.merge($1) } == "2 20")
            #expect(changes { $0.current.merge($1.current) } == "1 10 2 20")
            let all = [Signal([1, 2]), Signal([3])]
            #expect(Log.of(Signal<Int>.merge(all)) == "1 2 3 |")
        }

        @Test func `One after another`() {
            let all = [Signal([1, 2]), Signal([3])]
            #expect(Log.of(all[0].concat(all[1])) == "1 2 3 |" && Log.of(Signal<Int>.concat(all)) == "1 2 3 |")
            #expect(
                changes { a, _ in Signal([0]).concat(a) } == "0 2"
                    && changes { a, _ in Signal([0]).concat(a.current) } == "0 1 2")
        }

        @Test func `The end of one, then another`() {
            #expect(Log.of(Signal([1, 2]).compactMap { _ in nil as String? }.concat(.just("x"))) == "x |")
        }

        @Test func `A value with the latest of another`() {
            #expect(changes { a, other in a.withLatest(from: other) { $0 + $1 } } == "")
            #expect(changes { a, other in a.withLatest(from: other.current) { $0 + $1 } } == "12")
        }

        /// ReactiveSwift's `sample(with:)` completes when both have completed.
        @Test func `The latest value at the values of another, with these`() throws {
            try marbles { m in
                let (source, beats) = (m.hot("-1--2----|"), m.hot("--7--8-9-|"))
                let pairs = beats.withLatest(from: source) { ($1, $0) }
                m.expect(pairs.map { $0.0 * 10 + $0.1 }, "--a--b-c-|", ["a": 17, "b": 28, "c": 29])
            }
        }

        /// ReactiveSwift emits the latest at each beat, again and again; RxSwift what waits at the first beat after the end.
        @Test func `The latest at the beats of another`() throws {
            try marbles { m in
                let (source, beats) = (m.hot("-1--2-3|"), m.hot("--7-7-7-7-7|"))
                m.expect(source.sample(on: beats), "       --1-2-3|")
                m.expect(beats.withLatest(from: source) { $1 }, "--1-2-3-3-3|")
                m.expect(m.hot("-1|").sample(on: m.hot("---7")), "  --|")
                let level = Observable(9)
                m.expect(level.current.sample(on: m.hot("--7-7")), "--9")
            }
        }

        @Test func `Values become signals, all are heard`() {
            #expect(changes { a, _ in a.flatMap(.merge) { Signal([$0, -$0]) } } == "2 -2")
            #expect(changes { a, _ in a.current.flatMap(.merge) { Signal([$0, -$0]) } } == "1 -1 2 -2")
        }

        @Test func `… only the latest is heard`() {
            #expect(changes { a, b in a.current.flatMap(.latest) { a in b.current.map { a + $0 } } } == "11 12 22")
            #expect(changes { a, b in a.flatMap(.latest) { a in b.map { a + $0 } } } == "22")
        }

        @Test func `… one after another`() {
            #expect(
                changes { a, b in a.current.flatMap(.concat) { a in b.current.map { a + $0 }.take(2) } } == "11 21 22")
            #expect(changes { a, _ in a.flatMap(.concat) { .just($0) } } == "2")
        }

        /// RxSwift's `flatMapFirst`, ReactiveSwift's strategy `.throttle`.
        @Test func `… new ones are ignored until it ends`() throws {
            #expect(changes { a, b in a.current.flatMap(.first) { a in b.map { a + $0 } } } == "21")
            let never = Signal<Int>.never()
            let command = Command<Int, Int> { _ in never }
            command.execute(1)
            #expect(Log.of(command.execute(2)) == "#")
            try marbles { m in
                let load = m.cold("                              --7--8|")
                m.expect(m.hot("                    -1-2-----3---|").flatMap(.first) { _ in load }, "---7--8----7--8|")
            }
        }

        @Test func `Signals of signals`() {
            #expect(changes { a, b in a.map { _ in b }.flatten(.merge) } == "20")
            #expect(changes { a, b in a.current.map { _ in b.current }.flatten(.latest) } == "10 10 20")
            let chosen = Observable(Observable(1))
            #expect(Log.of(chosen.current.flatten(.latest)) == "")
        }

        /// RxSwift's `amb` of no sequence never ends.
        @Test func `The first that emits wins`() throws {
            try marbles { m in
                let (slow, fast) = (m.hot("---1-2|"), m.hot("--7--8|"))
                m.expect(slow.race(fast), "         --7--8|")
                let all = [slow, fast, m.hot("-|")]
                m.expect(Signal<Int>.race(all), "   -|")
                m.expect(Signal<Int>.race([]), "    |")
            }
        }

        @Test func `A selector called with several signals`() {
            let (width, height) = (Observable(2), Observable(3))
            let log = Log()
            func layOut(_ width: Int, _ height: Int) { log.note(width * height) }
            width.current.combineLatest(height.current).subscribe { layOut($0, $1) }
            height.value = 4
            #expect(log.text == "6 8")
        }
    }
}
