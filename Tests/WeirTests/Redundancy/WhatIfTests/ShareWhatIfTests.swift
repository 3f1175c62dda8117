import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// The effect of `.share()` after a source, predicted and measured.
    @MainActor @Suite struct ShareWhatIfTests {
        private struct Failure: Error {}

        private func shared<Value>(_ signal: Signal<Value>, _ isCured: Bool) -> Signal<Value> {
            isCured ? signal.share() : signal
        }

        /// Loads for a while, then emits its value and completes.
        private func request(
            _ value: Int, _ scheduler: ManualScheduler, _ screen: Screen
        ) -> Signal<Int> {
            Signal { subscriber in
                screen.runSource()
                return scheduler.schedule(after: .nanoseconds(10)) {
                    subscriber.next(value)
                    subscriber.complete()
                }
            }
        }

        @Test func `a request that is made twice at the same time`() throws {
            try WhatIfExperiment([.share("source")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let posts = shared(request(3, scheduler, screen), isCured)
                posts.subscribe { _ in screen.show() }
                scheduler.advance(by: 4)
                posts.subscribe { _ in screen.show(3) }
                scheduler.advance(by: 50)
            }.expectExact()
        }

        private final class Forecast {
            let source: Signal<Int>
            init(_ source: Signal<Int>) { self.source = source }
        }

        @Test(arguments: [false, true]) func `what a source subscribes to falls away with its run`(isMapped: Bool)
            throws
        {
            try WhatIfExperiment([.replay("Forecast.source")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let later = request(3, scheduler, screen)
                let source = Signal<Int> { subscriber in
                    screen.runSource()
                    subscriber.next(1)
                    @Sendable func pass(_ value: Int) {
                        screen.show(2)
                        subscriber.next(value)
                        subscriber.complete()
                    }
                    return isMapped ? later.map { $0 * 2 }.subscribe { pass($0) } : later.subscribe { pass($0) }
                }
                let forecast = Forecast(source)
                Trace.adopt(forecast)
                let shared = isCured ? source.replay(1) : source
                for view in 1...3 {
                    Trace.stimulus("open") { shared.subscribe { _ in screen.show(UInt64(view)) } }
                    scheduler.advance(by: 2)
                }
                scheduler.advance(by: 50)
            }.expectExact()
        }

        @Test func `a search that two views run`() throws {
            try WhatIfExperiment([.share("flatMap")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let query = Observable("")
                let answers = (0...3).map { request($0, scheduler, screen) }
                let found = query.debounce(.nanoseconds(5), on: scheduler).flatMap(.latest) { answers[$0.count] }
                let shared = shared(found, isCured)
                let bag = DisposeBag()
                for view in 1...2 { shared.subscribe { _ in screen.show(UInt64(view)) }.disposed(by: bag) }
                for text in ["t", "te", "tea"] {
                    query.value = text
                    scheduler.advance(by: 8)
                }
                scheduler.advance(by: 50)
            }.expectExact()
        }

        @Test func `requests one after the other are no waste`() throws {
            try WhatIfExperiment([.share("source")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let posts = shared(request(3, scheduler, screen), isCured)
                posts.subscribe { _ in screen.show() }
                scheduler.advance(by: 50)
                posts.subscribe { _ in screen.show(3) }
                scheduler.advance(by: 50)
            }.expectExact(saves: false)
        }

        @Test func `whether a late subscriber needs what it would miss cannot be told`() throws {
            try WhatIfExperiment([.share("source")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let numbers = shared(
                    Signal<Int> { subscriber in
                        screen.runSource()
                        subscriber.next(0)
                        let first = scheduler.schedule(after: .nanoseconds(10)) { subscriber.next(1) }
                        let second = scheduler.schedule(after: .nanoseconds(20)) { subscriber.next(2) }
                        return Disposable {
                            first.dispose()
                            second.dispose()
                        }
                    }, isCured)
                let early = numbers.subscribe { _ in screen.show() }
                scheduler.advance(by: 15)
                let late = numbers.subscribe { _ in screen.show(3) }
                scheduler.advance(by: 15)
                late.dispose()
                early.dispose()
            }.expectUncomputed(.missedValue)
        }

        /// Gives 1, 2 and 3 after 10, 20 and 30 ns, or those of them that `gives` names, and goes on.
        private func count(_ gives: ClosedRange<Int>, _ scheduler: ManualScheduler, _ screen: Screen) -> Signal<Int> {
            Signal { subscriber in
                screen.runSource()
                let steps = gives.map { step in
                    scheduler.schedule(after: .nanoseconds(step * 10)) { subscriber.next(step) }
                }
                return Disposable { for step in steps { step.dispose() } }
            }
        }

        @Test func `the answer of a late subscriber's own run is not counted as saved`() throws {
            let experiment = try WhatIfExperiment([.share("source")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let answer = shared(count(1...1, scheduler, screen), isCured)
                let early = answer.subscribe { _ in screen.show() }
                scheduler.advance(by: 15)
                let late = answer.subscribe { _ in screen.show(3) }
                scheduler.advance(by: 15)
                late.dispose()
                early.dispose()
            }
            experiment.expectUncomputed(.missedValue)
            #expect(experiment.predicted.refreshes == 2)
            #expect(experiment.predicted.sourceRuns == 1)
        }

        @Test func `later values of the shared run stand for later ones of a late subscriber`() throws {
            let experiment = try WhatIfExperiment([.share("source")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let ticks = shared(count(1...3, scheduler, screen), isCured)
                let early = ticks.subscribe { _ in screen.show() }
                scheduler.advance(by: 15)
                let late = ticks.subscribe { _ in screen.show(3) }
                scheduler.advance(by: 25)
                late.dispose()
                early.dispose()
            }
            // The late one receives 1 after 25 ns and 2 after 35 ns; with share, 2 after 20 ns and 3 after 30 ns.
            experiment.expectExact()
        }

        @Test func `a subscriber that comes before the first value misses nothing`() throws {
            try WhatIfExperiment([.share("source")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let ticks = shared(count(1...2, scheduler, screen), isCured)
                let early = ticks.subscribe { _ in screen.show() }
                scheduler.advance(by: 5)
                let second = ticks.subscribe { _ in screen.show(3) }
                scheduler.advance(by: 25)
                second.dispose()
                early.dispose()
            }.expectExact(saves: false)
        }

        @Test func `operators below a shared source, and handlers that write what feeds combiners`() throws {
            try WhatIfExperiment([.share("source")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let (count, title) = (Observable(0), Observable(""))
                let line = Observable.combine(count, title) { "\($1): \($0)" }
                line.subscribe { _ in screen.show(2) }
                let posts = shared(request(3, scheduler, screen), isCured)
                posts.map { $0 * 2 }.subscribe {
                    screen.show()
                    count.value = $0
                }
                posts.filter { $0 > 1 }.map { "\($0) posts" }.subscribe {
                    screen.show(3)
                    title.value = $0
                }
                scheduler.advance(by: 50)
            }.expectExact()
        }

        @Test func `a source that hands on what an emitter gives`() throws {
            try WhatIfExperiment([.share("source")]) { isCured, screen in
                let positions = Emitter<Int>()
                let location = shared(
                    Signal<Int> { subscriber in
                        screen.runSource()
                        return positions.subscribe {
                            screen.show(1)
                            subscriber.next($0)
                        }
                    }, isCured)
                let map = location.subscribe { _ in screen.show() }
                positions.emit(1)
                let list = location.map { $0 / 2 }.subscribe { _ in screen.show(3) }
                positions.emit(2)
                positions.emit(3)
                list.dispose()
                positions.emit(4)
                map.dispose()
                positions.emit(5)
            }.expectExact()
        }

        @Test func `a failure is the failure of all`() throws {
            try WhatIfExperiment([.share("source")]) { isCured, screen in
                let scheduler = ManualScheduler()
                let posts = shared(
                    Signal<Int> { subscriber in
                        screen.runSource()
                        return scheduler.schedule(after: .nanoseconds(10)) {
                            subscriber.next(1)
                            subscriber.fail(Failure())
                        }
                    }, isCured)
                for cost in 2...4 {
                    posts.subscribe { _ in screen.show(UInt64(cost)) }
                    scheduler.advance(by: 3)
                }
                scheduler.advance(by: 50)
                posts.subscribe { _ in screen.show(9) }
                scheduler.advance(by: 50)
            }.expectExact()
        }

        @Test func `together with removeDuplicates behind the shared source`() throws {
            try WhatIfExperiment([.share("source"), .removeDuplicates("map")]) { isCured, screen in
                let positions = Emitter<Int>()
                let location = shared(
                    Signal<Int> { subscriber in
                        screen.runSource()
                        return positions.subscribe {
                            screen.show(1)
                            subscriber.next($0)
                        }
                    }, isCured)
                let subscriptions = (1...2).map { cost in
                    let half = location.map { $0 / 2 }
                    return (isCured ? half.removeDuplicates() : half).subscribe { _ in screen.show(UInt64(cost)) }
                }
                for position in 1...6 { positions.emit(position) }
                for subscription in subscriptions { subscription.dispose() }
            }.expectExact()
        }

        /// The second run gives its first value later than the shared one would.
        @Test func `a run that would outlive its recorded end cannot be computed`() throws {
            for isAnswered in [false, true] {
                try WhatIfExperiment([.share("source")]) { isCured, screen in
                    let scheduler = ManualScheduler()
                    let ticks = shared(count(1...3, scheduler, screen), isCured)
                    let first = ticks.subscribe { _ in screen.show() }
                    let second = ticks.subscribe { _ in screen.show(3) }
                    if isAnswered { scheduler.advance(by: 15) }
                    first.dispose()
                    scheduler.advance(by: 50)
                    second.dispose()
                }.expectUncomputed(.sharedRun)
            }
        }

        enum Way: CaseIterable {
            case atOnce
            case deliver
            case map
            case actor
        }

        /// Which of several requests is answered first, chance decides.
        @Test(arguments: Way.allCases, [[10, 20, 30], [30, 20, 10], [20, 10, 30], [10, 10, 10]])
        func `a later request may be answered first`(way: Way, delays: [Int]) throws {
            try WhatIfExperiment([.share("source")]) { isCured, screen in
                let (scheduler, gate) = (ManualScheduler(), Gate())
                nonisolated(unsafe) var runs = 0
                let posts = shared(
                    Signal<Int> { subscriber in
                        screen.runSource()
                        runs += 1
                        return scheduler.schedule(after: .nanoseconds(delays[runs - 1])) {
                            subscriber.next(3)
                            subscriber.complete()
                        }
                    }, isCured)
                let (title, bag) = (Observable(0), DisposeBag())
                title.subscribe { _ in screen.show(7) }
                for cost in 1...3 as ClosedRange<UInt64> {
                    switch way {
                    case .atOnce: posts.subscribe { _ in screen.show(cost) }
                    case .deliver: posts.deliver(on: scheduler).subscribe { _ in screen.show(cost) }
                    case .map:
                        posts.map { $0 * 2 }.subscribe {
                            screen.show(cost)
                            if cost == 1 { title.value = $0 }
                        }
                    case .actor:
                        gate.run { gate in
                            posts.map {
                                gate.send()
                                return $0
                            }.subscribe { _ in
                                gate.receive()
                                screen.show(cost)
                            }.disposed(by: bag)
                        }
                    }
                }
                for _ in 1...4 {
                    scheduler.advance(by: 10)
                    gate.open()
                }
                bag.dispose()
            }.expectExact(saves: false)
        }
    }
}
