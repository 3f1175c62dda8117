import Dispatch
import Testing
import Weir
import WeirTesting

extension Everything {
    /// Operators with one source that change, choose or watch values.
    @MainActor @Suite struct TransformTests {
        struct Refusal: Error {}

        @Test func `removeDuplicates passes on what differs from the value before`() throws {
            try marbles { m in
                let source = m.hot("       --1--1--2--2--1--|")
                m.expect(source.removeDuplicates(), "--1-----2-----1--|")
                m.expect(source.removeDuplicates(by: { $0 % 2 == $1 % 2 }), "--1-----2-----1--|")
                m.expect(m.hot("                  --1--3--2--4--|").removeDuplicates(by: { $0 % 2 }), "--1-----2-----|")
                m.expect(m.hot("--1--2--#").removeDuplicates(), "--1--2--#")
            }
        }

        @Test func `removeDuplicates by a comparison keeps the value that was emitted last`() {
            var heard: [Int] = []
            Signal([1, 2, 3, 4, 5, 6]).removeDuplicates(by: { $1 - $0 < 3 }).subscribe { heard.append($0) }
            #expect(heard == [1, 4])
        }

        @Test func `removeDuplicates by a key keeps the key, not the object`() {
            final class User { var name = "a" }
            let user = User()
            let users = Emitter<User>()
            var heard: [String] = []
            users.removeDuplicates(by: \.name).subscribe { heard.append($0.name) }
            users.emit(user)
            users.emit(user)
            user.name = "b"
            users.emit(user)
            #expect(heard == ["a", "b"])
        }

        @Test func `removeDuplicates by a comparison may use an operator function`() {
            var heard: [Int] = []
            Signal([1, 1, 2]).removeDuplicates(by: ==).subscribe { heard.append($0) }
            #expect(heard == [1, 2])
        }

        @Test func `skip leaves out the first values`() throws {
            try marbles { m in
                let source = m.hot("      --1--2--3--|")
                m.expect(source.skip(1), "-----2--3--|")
                m.expect(source.skip(0), "--1--2--3--|")
                m.expect(source.skip(9), "-----------|")
                m.expect(m.hot("--1--#").skip(1), "-----#")
            }
        }

        @Test func `startWith begins with its value`() throws {
            try marbles { m in
                let source = m.hot("           --1--2--|")
                m.expect(source.startWith(0), "0-1--2--|")
                m.expect(source.startWith(0), "---(^0)-2--|")
            }
        }

        @Test func `startWith does not subscribe to its source when nobody listens after its value`() throws {
            try marbles { m in
                let source = m.hot("--1--|")
                m.expect(source.startWith(0).map { $0 }.take(1), "(0|)")
                m.expect(subscriptionsOf: source)
            }
        }

        @Test func `materialize makes events values, and dematerialize values events`() throws {
            let names: [Character: Event<Int>] = ["a": .next(1), "f": .failed(Refusal()), "c": .completed]
            try marbles { m in
                let failing = m.hot("   --1--#", error: Refusal())
                let completing = m.hot("--1--|")
                m.expect(failing.materialize(), "   --a--(f|)", names)
                m.expect(completing.materialize(), "--a--(c|)", names)
                m.expect(failing.materialize().dematerialize(), "   --1--#", error: Refusal())
                m.expect(completing.materialize().dematerialize(), "--1--|")
                let events = m.hot("--a-c-a--|", names)
                m.expect(events.dematerialize(), "--1-|")
                m.expect(subscriptionsOf: events, "^---!")
            }
        }

        @Test func `buffer gives arrays of as many values, and the rest at completion`() throws {
            let names: [Character: [Int]] = ["a": [1, 2], "b": [3, 4], "c": [5]]
            try marbles { m in
                m.expect(m.hot("--1--2--3--4-5--|").buffer(count: 2), "-----a-----b----(c|)", names)
                m.expect(m.hot("--1--2--3--4-|").buffer(count: 2), "-----a-----b-|", names)
                m.expect(m.hot("--1--2--3--#").buffer(count: 2), "-----a-----#", names)
                m.expect(m.hot("-5|").buffer(count: 1), "-c|", names)
            }
        }

        @Test func `A released source gives no rest`() {
            var emitter: Emitter<Int>? = Emitter()
            var heard: [[Int]] = []
            emitter?.buffer(count: 2).subscribe { heard.append($0) }
            emitter?.emit(1)
            emitter = nil
            #expect(heard.isEmpty)
        }

        @Test func `onEvent hears of everything, before who subscribes`() {
            nonisolated(unsafe) var log: [String] = []
            func watched(_ source: Signal<Int>) -> Signal<Int> {
                source.onEvent(subscribed: { log.append("subscribed") }, disposed: { log.append("disposed") }) {
                    log.append("\($0)")
                }
            }
            let numbers = Emitter<Int>()
            let subscription = watched(numbers).subscribe { log.append("heard \($0)") }
            numbers.emit(1)
            subscription.dispose()
            numbers.emit(2)
            #expect(log == ["subscribed", "next(1)", "heard 1", "disposed"])
            log = []
            watched(numbers).take(1).subscribe { log.append("heard \($0)") }
            numbers.emit(3)
            #expect(log == ["subscribed", "next(3)", "heard 3", "disposed"])
            log = []
            watched(.just(4)).subscribe { log.append("heard \($0)") }
            #expect(log == ["subscribed", "next(4)", "heard 4", "completed"])
            log = []
            do {
                let brief = Emitter<Int>()
                watched(brief).subscribe { _ in }
            }
            #expect(log == ["subscribed", "disposed"])
        }

        @Test func `disclosed values stand in a trace, those of a private source do not`() throws {
            let recording = try record {
                let secret = Observable("", privacy: .private)
                let count = secret.map(\.count)
                count.subscribe { _ in }
                count.disclosed().subscribe { _ in }
                secret.value = "secret"
            }
            let values = recording.events.filter { $0.kind == .emitted }.map { ($0.subject, $0.value) }
            let kinds = values.map { (recording.definitions.nodes[$0.0]?.kind, $0.1) }
            #expect(kinds.filter { $0.0 == .disclose }.map(\.1) == [.signed(6)])
            #expect(kinds.filter { $0.0 != .disclose }.allSatisfy { $0.1 == .withheld })
            #expect(kinds.filter { $0.0 == .map }.count == 2)
        }

        // MARK: Throwing

        @Test func `What a closure throws fails the signal and ends its subscription`() throws {
            @Sendable func odd(_ number: Int) throws -> Bool {
                if number == 4 { throw Refusal() }
                return number % 2 == 1
            }
            try marbles { m in
                let source = m.hot("--1--2--3--4--5--|")
                m.expect(source.filter(odd), "--1-----3--#", error: Refusal())
                m.expect(source.compactMap { try odd($0) ? $0 * 2 : nil }, "--2-----6--#", error: Refusal())
                m.expect(source.map { try odd($0) ? $0 : 0 }, "--1--0--3--#", error: Refusal())
                m.expect(source.scan(0) { try odd($1) ? $0 + $1 : $0 }, "--1--1--4--#", error: Refusal())
                let ends = "^----------!"
                m.expect(subscriptionsOf: source, ends, ends, ends, ends)
            }
        }

        @Test func `Plain closures and key paths need no annotation`() throws {
            let words = Signal(["a", "bb"])
            let lengths = words.map(\.count)
            let sums = lengths.map { $0 + 1 }
            let firsts = words.compactMap(\.first)
            let full = words.filter { !$0.isEmpty }
            let empty = words.filter(\.isEmpty)
            let total = lengths.scan(0, +)
            let text = words.scan("") { $0 + $1 }
            let numbers = words.compactMap { Int($0) }
            let names = sums.map(String.init)
            var heard: [String] = []
            sums.subscribe { heard.append("\($0)") }
            firsts.subscribe { heard.append("\($0)") }
            full.subscribe { heard.append($0) }
            empty.subscribe { heard.append($0) }
            total.subscribe { heard.append("\($0)") }
            text.subscribe { heard.append($0) }
            numbers.subscribe { heard.append("\($0)") }
            names.subscribe { heard.append($0) }
            #expect(heard == ["2", "3", "a", "b", "a", "bb", "1", "3", "a", "abb", "2", "3"])
        }

        // MARK: Re-entrance and threads

        @Test func `removeDuplicates is right when a handler emits again`() {
            let numbers = Emitter<Int>()
            var heard: [Int] = []
            numbers.removeDuplicates().subscribe {
                heard.append($0)
                if $0 == 1 { numbers.emit(2) }
            }
            numbers.emit(1)
            numbers.emit(2)
            numbers.emit(1)
            #expect(heard == [1, 2, 1, 2])
        }

        @Test func `A subscriber that disposes at the last value does not receive the end`() {
            func heard<Value>(_ derived: (Emitter<Int>) -> Signal<Value>) -> [String] {
                let numbers = Emitter<Int>()
                var heard: [String] = []
                var subscription: Disposable?
                subscription = derived(numbers).subscribeEvents {
                    heard.append("\($0)")
                    subscription?.dispose()
                }
                numbers.emit(1)
                numbers.complete()
                return heard
            }
            #expect(heard { $0.buffer(count: 2) } == ["next([1])"])
            #expect(heard { $0.collect() } == ["next([1])"])
            #expect(heard { $0.last() } == ["next(1)"])
            #expect(heard { $0.reduce(0) { $0 + $1 } } == ["next(1)"])
            #expect(heard { $0.skip(1).materialize() } == ["next(Weir.Event<Swift.Int>.completed)"])
            #expect(heard { $0.concat(Signal([2])).skip(1) } == ["next(2)"])
        }

        @Test nonisolated func `skip and buffer lose and repeat nothing on several threads`() {
            let numbers = Emitter<Int>()
            let arrays = Locked<[[Int]]>([]), skipped = Locked(0)
            numbers.buffer(count: 10).subscribe { array in arrays.change { $0.append(array) } }
            numbers.skip(100).subscribe { _ in skipped.change { $0 += 1 } }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 0..<1000 { numbers.emit(thread * 1000 + number) }
            }
            #expect(arrays.value.joined().sorted() == Array(0..<4000))
            #expect(arrays.value.count == 400 && arrays.value.allSatisfy { $0.count == 10 })
            #expect(skipped.value == 3900)
        }

        @Test nonisolated func `removeDuplicates never emits two equal values in a row, whatever several threads emit`()
        {
            let numbers = Emitter<Int>()
            let heard = Locked(0)
            numbers.removeDuplicates().subscribe { _ in heard.change { $0 += 1 } }
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for _ in 0..<1000 { numbers.emit(1) }
            }
            #expect(heard.value == 1)
        }
    }
}
