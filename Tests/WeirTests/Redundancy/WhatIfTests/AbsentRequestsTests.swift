import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// Requests that fall away with an equal value, and operators that remember the value before, predicted and measured.
    @Suite struct AbsentRequestsTests {
        private final class Model: Sendable {
            let source = Emitter<Int>()
            let moved = Emitter<Int>()
            let total = Observable(0)
            let rows = ObservableArray<Int>()

            init() { Trace.adopt(self) }
        }

        /// A program that asks for the answers to random values.
        private static func run(seed: UInt64, latest: Bool = false, _ isCured: Bool, _ screen: Screen) {
            var random = SeededGenerator(seed: seed)
            func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
            let strategy: FlattenStrategy = [.latest, .merge, .first, .concat][below(4)]
            let kind = below(3)
            let (model, answers) = (Model(), Emitter<Int>())
            let queries: Signal<Int> = isCured && !latest ? model.source.removeDuplicates() : model.source
            let results = queries.flatMap(latest ? isCured ? .latest : .merge : strategy) { query -> Signal<Int> in
                switch kind {
                case 0: .just(query).map { $0 + 1 }
                case 1: answers.map { $0 * 10 + query }.take(1)
                default: answers.map { $0 * 10 + query }.startWith(query)
                }
            }
            let subscription = results.map { $0 % 7 }.subscribe { _ in screen.show() }
            for _ in 0..<(4 + below(12)) {
                if below(3) == 0 {
                    Trace.stimulus("answer") { answers.emit(below(5)) }
                } else {
                    Trace.stimulus("ask") { model.source.emit(below(2)) }
                }
            }
            subscription.dispose()
        }

        @Test func `a new value cancels the former request`() throws {
            try compare(Repeats.seeds(60, from: 9500), [.latestRequest("flatMap")]) {
                Self.run(seed: $0, latest: true, $1, $2)
            }
        }

        @Test func `equal values start no request`() throws {
            try compare(Repeats.seeds(60, from: 9000), [.removeDuplicateRequests("flatMap")]) {
                Self.run(seed: $0, $1, $2)
            }
        }

        private func compare(
            _ seeds: Range<UInt64>, _ cures: [WhatIfExperiment.Cure], _ run: (UInt64, Bool, Screen) -> Void
        ) throws {
            var (computed, saved) = (0, 0)
            for seed in seeds {
                let experiment = try WhatIfExperiment(cures) { run(seed, $0, $1) }
                guard experiment.predicted.uncomputed.isEmpty else { continue }
                computed += 1
                if experiment.predicted != experiment.recorded { saved += 1 }
                #expect(experiment.predicted == experiment.cured, "seed \(seed)")
            }
            print("what-if of requests: \(computed) programs computed, \(saved) of them changed")
            #expect(computed * 12 >= seeds.count * 5 && saved * 6 >= seeds.count)
        }

        @Test func `a search for the same text again`() throws {
            try WhatIfExperiment([.removeDuplicateRequests("flatMap")]) { isCured, screen in
                let model = Model()
                let numbers: Signal<Int> = isCured ? model.source.removeDuplicates() : model.source
                let bag = DisposeBag()
                numbers.flatMap(.latest) { number in Signal.just(number).map { $0 + 1 } }
                    .subscribe { _ in screen.show() }.disposed(by: bag)
                for number in [1, 1, 2, 2, 1] { Trace.stimulus("type") { model.source.emit(number) } }
            }.expectExact()
        }

        @Test func `a handler that completes another signal cannot be computed`() throws {
            try WhatIfExperiment([.removeDuplicates("Model.source")]) { isCured, screen in
                let model = Model()
                let bag = DisposeBag()
                nonisolated(unsafe) var count = 0
                let numbers: Signal<Int> = isCured ? model.source.removeDuplicates() : model.source
                numbers.subscribe { _ in
                    screen.show()
                    count += 1
                    if count == 2 { model.moved.complete() }
                }.disposed(by: bag)
                for _ in 1...2 { model.source.emit(1) }
                model.moved.subscribe { _ in screen.show(1) }.disposed(by: bag)
                model.moved.emit(3)
            }.expectUncomputed(.structure)
        }

        @Test func `a batch in what a probe delivers settles there, and not when the probe is done`() throws {
            try WhatIfExperiment([.removeDuplicates("Model.moved")]) { isCured, screen in
                let model = Model()
                let bag = DisposeBag()
                let sum = Observable.combine(model.total, strategy: .settled) { $0 + 1 }
                sum.subscribe { _ in screen.show() }.disposed(by: bag)
                let moved: Signal<Int> = isCured ? model.moved.removeDuplicates() : model.moved
                moved.subscribe { _ in screen.show(2) }.disposed(by: bag)
                let ticks = TraceProbe("ticks", of: Int.self).subscribed()
                for tick in 1...3 {
                    ticks.emitted(tick) {
                        // A probe counts what it delivers as a refresh, without a time of the virtual clock.
                        screen.show(0)
                        batch { model.total.value = tick }
                        model.moved.emit(7)
                        model.total.value = -tick
                    }
                }
            }.expectExact()
        }

        @Test func `a batch in a handler whose event writes too`() throws {
            try WhatIfExperiment([.batchHandler("Model.source")]) { isCured, screen in
                let model = Model()
                model.total.subscribe { _ in screen.show() }
                model.moved.subscribe {
                    screen.show(1)
                    model.total.value = $0 * 2
                }
                @Sendable func move(_ step: Int) {
                    model.total.value = step
                    model.moved.emit(step)
                }
                model.source.subscribe { step in
                    screen.show(2)
                    if isCured { batch { move(step) } } else { move(step) }
                }
                for step in 1...4 { Trace.stimulus("tick") { model.source.emit(step) } }
            }.expectExact()
        }

        @Test func `removeDuplicates and a change behind a batch`() throws {
            for isLast in [false, true] {
                try WhatIfExperiment([.batch("Model.total")]) { isCured, screen in
                    let model = Model()
                    let total = model.total
                    let bag = DisposeBag()
                    total.subscribe { _ in screen.show(1) }.disposed(by: bag)
                    total.map { $0 / 2 }.removeDuplicates().subscribe { _ in screen.show() }.disposed(by: bag)
                    for number in 1...5 {
                        Trace.stimulus("add") {
                            func add() {
                                total.value = number
                                total.value = number * 2
                                total.value = isLast ? number : number * 3
                            }
                            if isCured { batch(add) } else { add() }
                        }
                    }
                }.expectExact()
            }
        }

        @Test func `ten appends to an array whose changes are shown`() throws {
            try WhatIfExperiment([.batch("Model.rows")]) { isCured, screen in
                let model = Model()
                let rows = model.rows
                let bag = DisposeBag()
                rows.subscribe { _ in screen.show(1) }.disposed(by: bag)
                rows.changes().subscribe { _ in screen.show() }.disposed(by: bag)
                for round in 1...3 {
                    Trace.stimulus("load") {
                        func load() { for number in 1...10 { rows.append(round * 100 + number) } }
                        if isCured { batch(load) } else { load() }
                    }
                }
            }.expectExact()
        }
    }
}
