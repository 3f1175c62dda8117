import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// The effect of `.removeDuplicates()` before handlers, predicted and measured.
    @MainActor @Suite struct RemoveDuplicatesWhatIfTests {
        /// The signal, with the remedy if it is to be cured.
        private func heard<Value: Equatable & Sendable>(_ signal: Signal<Value>, _ isCured: Bool) -> Signal<Value> {
            isCured ? signal.removeDuplicates() : signal
        }

        @Test func `events that repeat themselves`() throws {
            try WhatIfExperiment([.removeDuplicates("emitter")]) { isCured, screen in
                let keys = Emitter<Int>()
                heard(keys, isCured).subscribe { _ in screen.show() }
                heard(keys, isCured).subscribe { _ in screen.show(3) }
                for key in [1, 1, 2, 2, 2, 1, 3, 3] { keys.emit(key) }
            }.expectExact()
        }

        @Test func `a map that often gives the same, and an input that changes twice in a turn`() throws {
            try WhatIfExperiment([.removeDuplicates("map")]) { isCured, screen in
                let count = Observable(0)
                let tap = Emitter<Int>()
                let isLarge = heard(count.map { $0 > 10 }, isCured).subscribe { _ in screen.show() }
                tap.subscribe {
                    screen.show(2)
                    count.value = $0
                    count.value = $0 * 10
                }
                for number in [1, 2, 3, 0, 0] { tap.emit(number) }
                isLarge.dispose()
            }.expectExact()
        }

        @Test func `handlers that write what feeds combiners, and events that others hear`() throws {
            try WhatIfExperiment([.removeDuplicates("map")]) { isCured, screen in
                let number = Observable(0)
                let copy = Observable(0)
                let noted = Emitter<Int>()
                let sum = Observable.combine(copy, number) { $0 + $1 }
                let half = heard(number.map { $0 / 2 }, isCured).subscribe { value in
                    screen.show()
                    copy.value = value
                    noted.emit(value)
                }
                noted.subscribe { _ in screen.show(3) }
                sum.subscribe { _ in screen.show(4) }
                for value in 1...9 { number.value = value }
                half.dispose()
            }.expectExact()
        }

        @Test func `two handlers, one of whom comes and goes`() throws {
            try WhatIfExperiment([.removeDuplicates("map")]) { isCured, screen in
                let number = Observable(0)
                let half = number.map { $0 / 2 }
                let first = heard(half, isCured).subscribe { _ in screen.show() }
                number.value = 1
                var guest = heard(half, isCured).subscribe { _ in screen.show(3) }
                number.value = 2
                number.value = 3
                guest.dispose()
                guest = heard(half, isCured).subscribe { _ in screen.show(5) }
                number.value = 2
                number.value = 3
                guest.dispose()
                first.dispose()
            }.expectExact()
        }

        @Test func `what a repeated value scheduled falls away with it`() throws {
            try WhatIfExperiment([.removeDuplicates("map")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let number = Observable(0)
                let request = Emitter<Int>()
                let answer = Observable(0)
                let asking = heard(number.map { $0 / 2 }, isCured).subscribe {
                    screen.show()
                    request.emit($0)
                }
                let delayed = request.delay(.nanoseconds(5), on: scheduler).subscribe {
                    screen.show(3)
                    answer.value = $0
                }
                answer.subscribe { _ in screen.show(4) }
                for value in [1, 2, 3, 4, 5, 4, 2] {
                    number.value = value
                    scheduler.advance(by: 2)
                }
                scheduler.advance(by: 20)
                asking.dispose()
                delayed.dispose()
            }.expectExact()
        }

        @Test func `together with a settled join`() throws {
            final class Model {
                let source = Observable(1)
                let negative: Combiner<Int>
                let sum: Combiner<Int>

                init(_ strategy: CombineStrategy) {
                    negative = .combine(source) { -$0 }
                    sum = .combine(source, negative, strategy: strategy) { $0 * 3 + $1 }
                    Trace.adopt(self)
                }
            }
            let both: [WhatIfExperiment.Cure] = [.removeDuplicates("map"), .settled("Model.sum")]
            try WhatIfExperiment(both) { isCured, screen in
                let model = Model(isCured ? .settled : .every)
                let third = heard(model.sum.map { $0 / 5 }, isCured).subscribe { _ in screen.show() }
                model.sum.subscribe { _ in screen.show(2) }
                for value in 2...12 { model.source.value = value }
                third.dispose()
            }.expectExact()
        }

        @Test func `private events are not known to repeat themselves`() throws {
            try WhatIfExperiment([.removeDuplicates("emitter")]) { isCured, screen in
                let keys = Emitter<Int>(privacy: .private)
                heard(keys, isCured).subscribe { _ in screen.show() }
                for key in [1, 1, 2] { keys.emit(key) }
            }.expectUncomputed(.unknownEquality)
        }

        @Test func `private values of an observable differ, or they were not emitted`() throws {
            try WhatIfExperiment([.removeDuplicates("observable")]) { isCured, screen in
                let secret = Observable("", privacy: .private)
                heard(secret, isCured).subscribe { _ in screen.show() }
                for text in ["a", "a", "ab", "a"] { secret.value = text }
            }.expectExact(saves: false)
        }

        @Test func `descriptions that agree may be of different values`() throws {
            struct Point: Equatable, CustomStringConvertible {
                var x: Int
                var description: String { "a point" }
            }
            try WhatIfExperiment([.removeDuplicates("emitter")], values: .described()) { isCured, screen in
                let points = Emitter<Point>()
                heard(points, isCured).subscribe { _ in screen.show() }
                points.emit(Point(x: 1))
                points.emit(Point(x: 2))
            }.expectUncomputed(.unknownEquality)
        }

        @Test func `a handler that subscribes anew for each value`() throws {
            try WhatIfExperiment([.removeDuplicates("emitter")]) { isCured, screen in
                let keys = Emitter<Int>()
                let other = Observable(0)
                heard(keys, isCured).subscribe { _ in
                    screen.show()
                    other.subscribe { _ in screen.show(2) }
                }
                keys.emit(1)
                keys.emit(1)
                other.value = 1
            }.expectExact()
        }

        @Test func `a handler that replaces its subscription for each value cannot be computed`() throws {
            try WhatIfExperiment([.removeDuplicates("emitter")]) { isCured, screen in
                let keys = Emitter<Int>()
                let other = Observable(0)
                let bag = DisposeBag()
                heard(keys, isCured).subscribe { _ in
                    screen.show()
                    bag.dispose()
                    other.subscribe { _ in screen.show(2) }.disposed(by: bag)
                }
                keys.emit(1)
                keys.emit(1)
                other.value = 1
            }.expectUncomputed(.structure)
        }
    }
}
