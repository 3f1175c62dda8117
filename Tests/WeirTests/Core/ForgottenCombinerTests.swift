import Dispatch
import Testing
import Weir
import WeirTrace

extension Everything {
    /// A combiner that has subscribers, but no other owner.
    @Suite struct ForgottenCombinerTests {
        private final class Token: Sendable {}

        @Test(arguments: [CombineStrategy.every, .settled, .all])
        func `Its subscribers hear every update`(strategy: CombineStrategy) {
            let (price, count, heard) = (Observable(1), Observable(1), Locked<[Int]>([]))
            Observable.combine(price, count, strategy: strategy) { $0 * $1 }.subscribe { total in
                heard.change { $0.append(total) }
            }
            batch {
                count.value = 2
                price.value = 3
            }
            #expect(heard.value.last == 6)
            batch {
                count.value = 4
                price.value = 5
            }
            #expect(heard.value.last == 20)
        }

        @Test func `Operators, bindings and other combiners hear it, too`() {
            let (price, shown) = (Observable(1), Observable(""))
            let heard = Locked<[Int]>([])
            do {
                let double = Observable.combine(price) { $0 * 2 }
                Observable.combine(Observable.combine(double) { $0 + 1 }, price) { $0 + $1 }.map { "\($0)" }.bind(
                    to: shown)
                double.removeDuplicates().take(2).subscribe { value in heard.change { $0.append(value) } }
            }
            for value in 2...4 { price.value = value }
            #expect(shown.value == "13")
            #expect(heard.value == [4, 6])
        }

        @Test func `A writable one lives on, too, and what was written stays until the next update`() {
            let (name, heard) = (Observable("a"), Locked<[String]>([]))
            do {
                let title = WritableCombiner("")
                title.combine(name) { $0 + "!" }
                title.value = "written"
                title.subscribe(initial: true) { title in heard.change { $0.append(title) } }
            }
            name.value = "b"
            #expect(heard.value == ["written", "b!"])
        }

        @Test func `It goes with its inputs, and with its subscribers`() {
            weak var first: Token?
            weak var second: Token?
            let kept = Observable(0)
            do {
                let (one, two, input) = (Token(), Token(), Observable(0))
                (first, second) = (one, two)
                Observable.combine(input) { $0 }.subscribe { _ in _ = one }
                Observable.combine(kept, input) { $0 + $1 }.take(1).subscribe { _ in _ = two }
                input.value = 1
                #expect(first != nil)
            }
            #expect(first == nil)
            #expect(second == nil)
            kept.checkInvariants()
        }

        @Test func `A subscription that is disposed ends it`() {
            weak var released: Token?
            let price = Observable(1)
            do {
                let token = Token()
                released = token
                Observable.combine(price) { $0 }.map { $0 }.subscribe { _ in _ = token }.dispose()
            }
            #expect(released == nil)
            price.checkInvariants()
        }

        @Test func `An input that is gone counts with its last value`() {
            let (kept, heard) = (Observable(1), Locked<[Int]>([]))
            do {
                let gone = Observable(10)
                Observable.combine(kept, gone) { $0 + $1 }.subscribe { sum in heard.change { $0.append(sum) } }
                gone.value = 20
            }
            kept.value = 2
            #expect(heard.value == [21, 22])
        }

        @Test func `It is dropped while other threads write, and the last value is heard`() {
            for _ in 0..<200 {
                let (number, heard) = (Observable(0), Locked(0))
                let kept = Locked<ReadOnlyObservable<Int>?>(Observable.combine(number) { $0 })
                kept.value?.subscribe { value in heard.change { $0 = value } }
                DispatchQueue.concurrentPerform(iterations: 3) { thread in
                    if thread == 0 {
                        kept.change { $0 = nil }
                    } else {
                        for step in 1...20 { number.value = thread * 100 + step }
                    }
                }
                #expect(heard.value == number.value)
            }
        }

        @Test func `A trace shows one node, which is not released before its inputs`() throws {
            let recording = try record {
                let price = Observable(1)
                do { Observable.combine(price, file: "Cart.swift", line: 7) { $0 * 2 }.subscribe { _ in } }
                price.value = 2
            }
            let combiners = recording.definitions.nodes.filter { $0.value.kind == .combiner }
            #expect(combiners.count == 1)
            let events = recording.events.filter { $0.subject == combiners.first?.key }.map(\.kind)
                .filter { [.nodeCreated, .emitted, .nodeReleased].contains($0) }
            #expect(events == [.nodeCreated, .emitted, .nodeReleased])
        }
    }
}
