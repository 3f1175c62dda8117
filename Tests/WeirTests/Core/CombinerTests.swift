import Foundation
import Testing
import Weir

extension Everything {
    @MainActor @Suite struct CombinerTests {
        /// The updates on which the transform runs, as the article defines the strategies.
        private func runs(_ strategy: CombineStrategy) -> [String] {
            let first = Observable(0)
            let second = Observable("")
            nonisolated(unsafe) var runs: [String] = []
            let combined = Observable.combine(first, second, initial: "-", strategy: strategy) { number, text in
                runs.append("\(number)\(text)")
                return "\(number)\(text)"
            }
            first.value = 1
            first.value = 2
            second.value = "a"
            first.value = 3
            withExtendedLifetime(combined) {}
            return runs
        }

        @Test func `A transform that writes its own input does not replace the result for what it wrote`() {
            let number = Observable(0)
            let combined = Observable.combine(number) { value in
                if value == 1 { number.value = 2 }
                return value
            }
            let heard = Locked<[Int]>([])
            combined.subscribe { value in heard.change { $0.append(value) } }
            number.value = 1
            #expect(combined.value == 2 && heard.value == [2])
        }

        @Test func `first answers the first update of any input only`() {
            #expect(runs(.first) == ["1"])
        }

        @Test func `all answers once every input has updated, and from then on every update`() {
            #expect(runs(.all) == ["2a", "3a"])
        }

        @Test func `every answers every update`() {
            #expect(runs(.every) == ["1", "2", "2a", "3a"])
        }

        @Test func `Without an initial value the transform gives it`() {
            let number = Observable(20)
            let doubled = Observable.combine(number) { $0 * 2 }
            #expect(doubled.value == 40)
            number.value = 21
            #expect(doubled.value == 42)
        }

        @Test func `Any number of inputs of any types`() {
            let (a, b, c, d, e) = (Observable(1), Observable("x"), Observable(true), Observable(2.5), Observable([7]))
            let all = Observable.combine(a, b, c, d, e) { "\($0) \($1) \($2) \($3) \($4)" }
            #expect(all.value == "1 x true 2.5 [7]")
            e.value = []
            c.value = false
            #expect(all.value == "1 x false 2.5 []")
        }

        @Test func `Combiners chain`() {
            let number = Observable(1)
            let doubled = Observable.combine(number) { $0 * 2 }
            let text = Observable.combine(doubled, number) { "\($0)/\($1)" }
            var heard: [String] = []
            text.subscribe { heard.append($0) }
            number.value = 2
            // A diamond: the first run already sees the second input's value.
            #expect(heard == ["4/2"])
            #expect(text.value == "4/2")
        }

        @Test func `Combiners that depend on each other settle, and leak nothing`() {
            weak var weakFirst: Combiner<Int>?
            weak var weakSecond: Combiner<Int>?
            do {
                let seed = Observable(0)
                let first = Combiner(0)
                let second = Combiner(0)
                first.combine(seed, second) { max($0, $1) }
                second.combine(first, seed) { first, _ in min(first + 1, 5) }
                seed.value = 2
                #expect(first.value == 5)
                #expect(second.value == 5)
                weakFirst = first
                weakSecond = second
            }
            #expect(weakFirst == nil)
            #expect(weakSecond == nil)
        }

        @Test func `A combiner that depends on itself leaks nothing`() {
            weak var gone: Combiner<Int>?
            do {
                let step = Observable(0)
                let total = Combiner(0)
                total.combine(step, total) { step, total in step > total ? step : total }
                step.value = 3
                #expect(total.value == 3)
                gone = total
            }
            #expect(gone == nil)
        }

        @Test func `Inputs do not hold the combiner, the combiner holds its inputs`() {
            let input = Observable(0)
            weak var combined: Combiner<Int>?
            weak var inner: Combiner<Int>?
            do {
                let middle = Observable.combine(input) { $0 + 1 }
                let last = Observable.combine(middle) { $0 + 1 }
                inner = middle
                combined = last
                withExtendedLifetime(last) { #expect(inner != nil) }
            }
            #expect(combined == nil)
            #expect(inner == nil)
            input.value = 1
            input.checkInvariants()
        }

        @Test func `Combining again replaces the inputs`() {
            let (old, new) = (Observable(1), Observable(10))
            let combined = Combiner(0)
            combined.combine(old) { $0 }
            combined.combine(new) { $0 }
            old.value = 2
            #expect(combined.value == 0)
            new.value = 20
            #expect(combined.value == 20)
        }

        @Test func `A combiner made during another thread's batch is right when the batch restores the value`() {
            let (input, combined) = (Observable(1), Locked<Combiner<Int>?>(nil))
            batch {
                input.value = 2
                DispatchQueue.global().sync { combined.change { $0 = Observable.combine(input) { $0 } } }
                input.value = 1
            }
            #expect(combined.value?.value == 1)
        }

        @Test func `So is one that another thread evaluates during the batch`() {
            let (input, other) = (Observable(0), Observable(0))
            let sum = Observable.combine(input, other) { $0 + $1 }
            let isWritten = DispatchSemaphore(value: 0)
            batch {
                input.value = 2
                Thread {
                    other.value = 10
                    isWritten.signal()
                }.start()
                isWritten.wait()
                input.value = 0
            }
            #expect(sum.value == 10)
        }

        @Test func `So is one that has read the value before the batch ends and subscribes after that`() {
            let (input, combined) = (Observable(1), Locked<Combiner<Int>?>(nil))
            let isFirst = Locked(true)
            let (hasRead, isOver, isMade) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            batch {
                input.value = 2
                Thread {
                    let made = Observable.combine(input) { value in
                        if isFirst.value {
                            isFirst.change { $0 = false }
                            hasRead.signal()
                            isOver.wait()
                        }
                        return value
                    }
                    combined.change { $0 = made }
                    isMade.signal()
                }.start()
                hasRead.wait()
            }
            isOver.signal()
            isMade.wait()
            #expect(combined.value?.value == 2)
        }
    }
}
