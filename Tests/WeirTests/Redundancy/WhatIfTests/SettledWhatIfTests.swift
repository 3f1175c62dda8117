import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// The effect of `.settled`, predicted and measured.
    @MainActor @Suite struct SettledWhatIfTests {
        private func strategy(_ isCured: Bool) -> CombineStrategy { isCured ? .settled : .every }

        private final class Diamond {
            let source = Observable(1)
            let left: Combiner<Int>
            let right: Combiner<Int>
            let sum: Combiner<Int>

            init(_ strategy: CombineStrategy, right: @escaping @Sendable (Int) -> Int = { $0 * 10 }) {
                left = .combine(source) { $0 + 1 }
                self.right = .combine(source, transform: right)
                sum = .combine(left, self.right, strategy: strategy) { $0 + $1 }
                Trace.adopt(self)
            }
        }

        @Test func `a diamond refreshes once`() throws {
            try WhatIfExperiment([.settled("Diamond.sum")]) { isCured, screen in
                let model = Diamond(strategy(isCured))
                model.sum.subscribe { _ in screen.show() }
                for number in 2...5 { model.source.value = number }
            }.expectExact()
        }

        @Test func `a value that returns to what it was refreshes nothing`() throws {
            try WhatIfExperiment([.settled("Diamond.sum")]) { isCured, screen in
                let model = Diamond(strategy(isCured)) { -$0 }
                model.sum.subscribe { _ in screen.show() }
                model.source.subscribe { _ in screen.show(3) }
                for number in 2...5 { model.source.value = number }
            }.expectExact()
        }

        private final class Joined {
            let source = Observable(1)
            let other = Observable(1)
            let left: Combiner<Int>
            let right: Combiner<Int>
            let sum: Signal<Int>

            init(isCured: Bool) {
                left = .combine(source) { $0 + 1 }
                right = .combine(source, other) { $0 * 10 + $1 }
                sum =
                    isCured
                    ? Observable.combine(left, right, strategy: .settled) { $0 + $1 }
                    : left.combineLatest(right) { $0 + $1 }
                Trace.adopt(self)
            }
        }

        @Test func `a combineLatest refreshes once a turn if a settled combiner replaces it`() throws {
            try WhatIfExperiment([.settled("combineLatest")]) { isCured, screen in
                let model = Joined(isCured: isCured)
                model.sum.subscribe { _ in screen.show() }
                for number in [2, 3, 4, 5, 1] { model.source.value = number }
                model.other.value = 3
            }.expectExact()
        }

        @Test func `the first value of a combiner in place of a combineLatest is not known`() throws {
            try WhatIfExperiment([.settled("combineLatest")]) { isCured, screen in
                let model = Joined(isCured: isCured)
                model.sum.subscribe { _ in screen.show() }
                for number in 2...5 { model.source.value = number }
            }.expectUncomputed(.unknownEquality)
        }

        @Test func `a combiner in place of a combineLatest emits before each input has changed`() throws {
            try WhatIfExperiment([.settled("combineLatest")]) { isCured, screen in
                let (first, second) = (Observable(1), Observable(1))
                let sum: Signal<Int> =
                    isCured
                    ? Observable.combine(first, second, strategy: .settled) { $0 + $1 }
                    : first.combineLatest(second) { $0 + $1 }
                let subscription = sum.subscribe { _ in screen.show() }
                first.value = 2
                subscription.dispose()
            }.expectUncomputed(.unseenInputs)
        }

        @Test func `no combiner replaces a combineLatest of events`() throws {
            try WhatIfExperiment([.settled("combineLatest")]) { _, screen in
                let (first, second) = (Emitter<Int>(), Emitter<Int>())
                let subscription = first.combineLatest(second) { $0 + $1 }.subscribe { _ in screen.show() }
                first.emit(1)
                second.emit(2)
                subscription.dispose()
            }.expectUncomputed(.signalInput)
        }

        @Test func `joins below joins settle in order`() throws {
            final class Tower {
                let rarely = Observable(1)
                let base: Diamond
                let other: Combiner<Int>
                let top: Combiner<Int>
                let last: Combiner<String>

                init(_ strategy: CombineStrategy) {
                    base = Diamond(strategy)
                    other = .combine(base.source, base.left) { $0 * $1 }
                    top = .combine(base.sum, other, base.right, strategy: strategy) { $0 - $1 + $2 }
                    last = .combine(top, rarely) { "\($0) \($1)" }
                    Trace.adopt(self)
                }
            }
            let cures: [WhatIfExperiment.Cure] = [.settled("Diamond.sum"), .settled("Tower.top")]
            for cures in [cures, cures.reversed()] {
                try WhatIfExperiment(cures) { isCured, screen in
                    let model = Tower(strategy(isCured))
                    model.top.subscribe { _ in screen.show(11) }
                    model.last.subscribe { _ in screen.show(5) }
                    model.base.sum.subscribe { _ in screen.show() }
                    for number in [2, 3, 4, 4, 9] { model.base.source.value = number }
                    model.rarely.value = 2
                    model.base.source.value = 3
                }.expectExact()
            }
        }

        @Test func `a join above a settled one that would compute from what never met cannot be computed`() throws {
            try WhatIfExperiment([.settled("Diamond.sum")]) { isCured, screen in
                let model = Diamond(strategy(isCured))
                let text = Observable.combine(model.sum, model.source) { "\($0) \($1)" }
                text.subscribe { _ in screen.show() }
                // The source now reaches the text before the sum does.
                model.source.value = 2
            }.expectUncomputed(.unseenInputs)
        }

        @Test func `handlers of a settled node write what feeds further combiners`() throws {
            final class Model {
                let base: Diamond
                let copy = Observable(0)
                let factor = Observable(2)
                let product: Combiner<Int>

                init(_ strategy: CombineStrategy) {
                    base = Diamond(strategy)
                    product = .combine(copy, factor) { $0 * $1 }
                    Trace.adopt(self)
                }
            }
            try WhatIfExperiment([.settled("Diamond.sum")]) { isCured, screen in
                let model = Model(strategy(isCured))
                model.base.sum.subscribe { [unowned model] sum in
                    screen.show()
                    model.copy.value = sum
                }
                model.product.subscribe { _ in screen.show(4) }
                for number in 2...6 { model.base.source.value = number }
                model.factor.value = 3
                model.base.source.value = 8
            }.expectExact()
        }

        @Test func `several subscribers, one of whom comes and goes`() throws {
            try WhatIfExperiment([.settled("Diamond.sum")]) { isCured, screen in
                let model = Diamond(strategy(isCured))
                model.sum.subscribe { _ in screen.show() }
                model.source.value = 2
                let guest = model.sum.subscribe(initial: true) { _ in screen.show(9) }
                let bound = Observable(0)
                model.sum.bind(to: bound)
                bound.subscribe { _ in screen.show(2) }
                model.source.value = 3
                guest.dispose()
                model.source.value = 4
            }.expectExact()
        }

        @Test func `a turn in which an input changes twice`() throws {
            try WhatIfExperiment([.settled("Diamond.sum")]) { isCured, screen in
                let model = Diamond(strategy(isCured))
                model.sum.subscribe { _ in screen.show() }
                let button = Emitter<Int>()
                button.subscribe { [unowned model] number in
                    screen.show(1)
                    model.source.value = number
                    model.source.value = number + 1
                    model.source.value = 7
                }
                button.emit(3)
                button.emit(3)
                button.emit(6)
            }.expectExact()
        }

        @Test func `operators behind a settled node`() throws {
            try WhatIfExperiment([.settled("Diamond.sum")]) { isCured, screen in
                let model = Diamond(strategy(isCured))
                let even = model.sum.map { $0 / 2 }.filter { $0 % 2 == 0 }
                let subscription = even.subscribe { _ in screen.show() }
                for number in 2...9 { model.source.value = number }
                subscription.dispose()
            }.expectExact()
        }

        @Test func `what a hop carries on falls away with what it carried`() throws {
            try WhatIfExperiment([.settled("Diamond.sum")]) { isCured, screen in
                let model = Diamond(strategy(isCured))
                let scheduler = ManualScheduler()
                let shown = Observable(0)
                let double = Observable.combine(shown) { $0 * 2 }
                double.subscribe { _ in screen.show() }
                let subscription = model.sum.deliver(on: scheduler).subscribe { [unowned shown] value in
                    screen.show(3)
                    shown.value = value
                }
                for number in 2...5 {
                    model.source.value = number
                    scheduler.advance(by: 10)
                }
                model.source.value = 8
                model.source.value = 9
                scheduler.advance(by: 10)
                subscription.dispose()
            }.expectExact()
        }

        @Test func `an operator with a memory that is given less cannot be computed`() throws {
            try WhatIfExperiment([.settled("Diamond.sum")]) { isCured, screen in
                let model = Diamond(strategy(isCured))
                let subscription = model.sum.scan(0) { $0 + $1 }.subscribe { _ in screen.show() }
                model.source.value = 2
                subscription.dispose()
                model.sum.subscribe { _ in screen.show() }
            }.expectUncomputed(.operatorState)
        }

        @Test func `private values are computed where it does not matter what they are`() throws {
            let experiment = try WhatIfExperiment([.settled("Secret.sum")]) { isCured, screen in
                final class Secret {
                    let source = Observable(1, privacy: .private)
                    let left: Combiner<Int>
                    let right: Combiner<Int>
                    let sum: Combiner<Int>

                    init(_ strategy: CombineStrategy) {
                        left = .combine(source, privacy: .private) { $0 + 1 }
                        right = .combine(source, privacy: .private) { $0 * 10 }
                        sum = .combine(left, right, strategy: strategy, privacy: .public) { $0 + $1 }
                        Trace.adopt(self)
                    }
                }
                let model = Secret(strategy(isCured))
                model.sum.subscribe { _ in screen.show() }
                for number in 2...5 { model.source.value = number }
            }
            experiment.expectExact()
        }

        @Test func `whether a private value returned to what it was is not known`() throws {
            try WhatIfExperiment([.settled("Secret.sum")]) { isCured, screen in
                final class Secret {
                    let source = Observable(1)
                    let left: Combiner<Int>
                    let right: Combiner<Int>
                    let sum: Combiner<Int>

                    init(_ strategy: CombineStrategy) {
                        left = .combine(source) { $0 + 1 }
                        right = .combine(source) { $0 * 10 }
                        sum = .combine(left, right, strategy: strategy, privacy: .private) { $0 + $1 }
                        Trace.adopt(self)
                    }
                }
                let model = Secret(strategy(isCured))
                model.sum.subscribe { _ in screen.show() }
                for number in 2...5 { model.source.value = number }
            }.expectUncomputed(.unknownEquality)
        }

        /// Combiners in place of them evaluate in the order in which these were made; the recording shows the order in which they
        /// were subscribed to.
        @Test func `combiners that may change their order and affect each other cannot be computed`() throws {
            let experiment = try WhatIfExperiment(values: .scalars) { topology in
                let joins = topology.definitions.nodes.values.filter { $0.kind == .combineLatest }.map(\.id).sorted()
                return [Remedy(.settled, nodes: joins, site: nil)]
            } program: { isCured, screen in
                let (number, shown) = (Observable(0), Observable(0))
                func join(_ other: Observable<Int>) -> Signal<Int> {
                    if isCured { return Observable.combine(number, other, strategy: .settled) { $0 * 10 + $1 } }
                    return number.combineLatest(other) { $0 * 10 + $1 }
                }
                let (first, second) = (join(number), join(shown))
                let subscriptions = [
                    second.subscribe { _ in screen.show() },
                    first.subscribe { [unowned shown] in
                        screen.show()
                        shown.value = $0
                    },
                ]
                for value in [1, 2, 0, 1, 2] { number.value = value }
                for subscription in subscriptions { subscription.dispose() }
            }
            #expect(experiment.predicted.uncomputed.contains { $0.reason == .unknownOrder })
        }
    }
}
