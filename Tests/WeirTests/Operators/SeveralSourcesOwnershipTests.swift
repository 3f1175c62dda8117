import Testing
import Weir

extension Everything {
    /// Ownership in operators with several sources, and permitted actions of handlers and synchronous sources.
    @MainActor @Suite struct SeveralSourcesOwnershipTests {
        struct Failure: Error {}
        final class Canary: Sendable {}

        /// An operator applied to two sources; every closure holds the canary.
        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let make: @Sendable (Signal<Int>, Signal<Int>, Canary) -> Signal<Int>
        }

        nonisolated static let cases: [Case] = [
            Case(testDescription: "merge") { a, b, _ in a.merge(b) },
            Case(testDescription: "merge with itself") { a, _, _ in a.merge(a, a.map { $0 }) },
            Case(testDescription: "concat") { a, b, _ in a.concat(b) },
            Case(testDescription: "concat with itself") { a, _, _ in a.concat(a, a.map { $0 }, a.merge(a)) },
            Case(testDescription: "zip") { a, b, canary in a.zip(b) { [canary] in hold(canary, $0 + $1) } },
            Case(testDescription: "zip of four") { a, b, _ in a.zip(b, a, b).map { $0.0 + $0.1 } },
            Case(testDescription: "combineLatest") { a, b, canary in
                a.combineLatest(b) { [canary] in hold(canary, $0 + $1) }
            },
            Case(testDescription: "combineLatest of four") { a, b, _ in a.combineLatest(b, a, b).map { $0.0 + $0.1 } },
            Case(testDescription: "withLatest") { a, b, canary in
                a.withLatest(from: b) { [canary] in hold(canary, $0 + $1) }
            },
            Case(testDescription: "takeUntil") { a, b, _ in a.takeUntil(b.filter { $0 > 100 }) },
            Case(testDescription: "skipUntil") { a, b, _ in a.skipUntil(b) },
            Case(testDescription: "sample") { a, b, _ in a.sample(on: b) },
            Case(testDescription: "take(while:)") { a, _, canary in a.take { [canary] in hold(canary, $0 < 100) } },
            Case(testDescription: "skip(while:)") { a, _, canary in a.skip { [canary] in hold(canary, $0 > 100) } },
            Case(testDescription: "flatMap(merge)") { a, b, canary in
                a.flatMap(.merge) { [canary, weak b] _ in hold(canary, b ?? .empty()) }
            },
            Case(testDescription: "flatMap(latest)") { a, b, canary in
                a.flatMap(.latest) { [canary, weak b] _ in hold(canary, b ?? .empty()) }
            },
            Case(testDescription: "flatMap(concat)") { a, b, canary in
                a.flatMap(.concat) { [canary, weak b] _ in hold(canary, b ?? .empty()) }
            },
            Case(testDescription: "flatMap(first)") { a, b, canary in
                a.flatMap(.first) { [canary, weak b] _ in hold(canary, b ?? .empty()) }
            },
            Case(testDescription: "race") { a, b, canary in
                a.map { [canary] in hold(canary, $0) }.race(b, a.filter { $0 > 100 })
            },
            Case(testDescription: "zip of an array") { a, b, _ in Signal<Int>.zip([a, b, a]).map { $0[0] + $0[1] } },
            Case(testDescription: "combineLatest of an array") { a, b, _ in
                Signal<Int>.combineLatest([a, b, a]).map { $0[0] + $0[1] }
            },
            Case(testDescription: "reduce, collect and last of what ends") { a, b, canary in
                a.takeUntil(b).reduce(0) { [canary] in hold(canary, $0 + $1) }.merge(
                    a.takeUntil(b).collect().map(\.count), a.takeUntil(b).last(default: 7))
            },
            Case(testDescription: "all of them in a row") { a, b, canary in
                a.merge(b).concat(a.zip(b) { $0 + $1 }).combineLatest(b) { $0 + $1 }.takeUntil(b.filter { $0 > 100 })
                    .flatMap(.concat) { [canary] in hold(canary, .just($0)) }.flatMap(.latest) { .just($0) }
                    .sample(on: b)
            },
        ]

        nonisolated static func hold<Value>(_ canary: Canary, _ value: Value) -> Value { value }

        /// The objects that must be gone.
        struct Remains {
            weak var signal: Signal<Int>?
            weak var first: Emitter<Int>?
            weak var second: Emitter<Int>?
            weak var canary: Canary?

            var names: [String] {
                [
                    signal.map { _ in "signal" }, first.map { _ in "first source" },
                    second.map { _ in "second source" }, canary.map { _ in "closure" },
                ].compactMap { $0 }
            }
        }

        /// Subscribes, emits some values and runs `body`; returns weak references to the objects that must be gone afterwards.
        func run(
            _ test: Case, _ a: Emitter<Int>, _ b: Emitter<Int>, _ body: (Disposable) -> Void = { _ in }
        ) -> Remains {
            let held = Canary()
            let signal = test.make(a, b, held)
            let token = signal.subscribeEvents { [held] _ in _ = Self.hold(held, 1) }
            for number in 0..<3 {
                a.emit(number)
                b.emit(number)
                b.emit(number)
            }
            body(token)
            return Remains(signal: signal, first: a, second: b, canary: held)
        }

        @Test(arguments: cases)
        func `Nothing is left when everything is dropped without being disposed`(_ test: Case) {
            #expect(run(test, Emitter<Int>(), Emitter<Int>()).names == [])
        }

        @Test(arguments: cases)
        func `Nothing is left of cold sources that never end`(_ test: Case) {
            weak var canary: Canary?
            func subscribe() {
                let held = Canary()
                canary = held
                test.make(.never(), .never(), held).subscribe { [held] _ in _ = Self.hold(held, 1) }
            }
            subscribe()
            #expect(canary == nil)
        }

        @Test(arguments: cases)
        func `Sources hold nothing after disposal`(_ test: Case) {
            let (a, b) = (Emitter<Int>(), Emitter<Int>())
            let remains = run(test, a, b) { $0.dispose() }
            #expect(remains.signal == nil && remains.canary == nil)
            a.checkInvariants()
            b.checkInvariants()
        }

        @Test(arguments: cases)
        func `Sources hold nothing after completion, nor does a Disposable hold the sources`(_ test: Case) {
            var token: Disposable?
            let remains = {
                let (a, b) = (Emitter<Int>(), Emitter<Int>())
                return run(test, a, b) {
                    token = $0
                    a.complete()
                    b.complete()
                }
            }()
            #expect(remains.names == [])
            withExtendedLifetime(token) {}
        }

        @Test(arguments: cases)
        func `Sources hold nothing after a failure`(_ test: Case) {
            let (a, b) = (Emitter<Int>(), Emitter<Int>())
            let remains = run(test, a, b) { _ in
                a.fail(Failure())
            }
            #expect(remains.signal == nil && remains.canary == nil)
            b.checkInvariants()
        }

        @Test(arguments: cases)
        func `Dropping the Disposable ends nothing`(_ test: Case) {
            func story(_ isDropped: Bool) -> [String] {
                let (a, b) = (Emitter<Int>(), Emitter<Int>())
                var heard: [String] = []
                var token: Disposable? = test.make(a, b, Canary()).subscribeEvents { heard.append("\($0)") }
                if isDropped { token = nil }
                for number in 0..<3 {
                    a.emit(number)
                    b.emit(number)
                }
                a.complete()
                for number in 3..<6 { b.emit(number) }
                b.complete()
                withExtendedLifetime(token) {}
                return heard
            }
            #expect(story(true) == story(false))
            #expect(story(true).last == "completed")
        }

        @Test(arguments: cases)
        func `A handler that disposes hears nothing more`(_ test: Case) {
            let (a, b) = (Emitter<Int>(), Emitter<Int>())
            let bag = DisposeBag()
            var heard: [String] = []
            test.make(a, b, Canary()).subscribeEvents {
                heard.append("\($0)")
                bag.dispose()
            }.disposed(by: bag)
            for number in 0..<4 {
                a.emit(number)
                b.emit(number)
            }
            a.complete()
            b.complete()
            #expect(heard.count == 1)
            a.checkInvariants()
            b.checkInvariants()
        }

        // MARK: Handlers that emit

        @Test(.timeLimit(.minutes(15))) func `Shared diamonds cost what their signals cost, not their paths`() {
            let source = Emitter<Int>()
            var top: Signal<Int> = source
            for _ in 0..<60 { top = top.merge(top.filter { _ in false }).share() }
            let heard = Locked<[Int]>([])
            top.retry(1).concat(.just(9)).subscribe { value in heard.change { $0.append(value) } }
            source.emit(1)
            source.complete()
            #expect(heard.value == [1, 9])
        }

        @Test func `A handler that emits into the other source is heard depth first`() {
            let (a, b) = (Emitter<Int>(), Emitter<Int>())
            var heard: [Int] = []
            a.merge(b).subscribe {
                heard.append($0)
                if $0 < 3 { b.emit($0 + 1) }
            }
            a.emit(1)
            #expect(heard == [1, 2, 3])
        }

        @Test func `zip pairs what its own handler emits`() {
            let (a, b) = (Emitter<Int>(), Emitter<Int>())
            var heard: [String] = []
            a.zip(b).subscribeEvents {
                guard case .next(let pair) = $0 else { return heard.append("\($0)") }
                heard.append("\(pair.0)-\(pair.1)")
                if pair.0 == 3 { return a.complete() }
                a.emit(pair.0 + 1)
                b.emit(pair.1 + 1)
            }
            a.emit(1)
            b.emit(1)
            #expect(heard == ["1-1", "2-2", "3-3", "completed"])
        }

        @Test func `flatMap(latest) drops the rest of a synchronous signal whose handler made it switch`() {
            let source = Emitter<Int>()
            var heard: [Int] = []
            source.flatMap(.latest) { Signal([$0, $0 + 1, $0 + 2]) }.subscribe {
                heard.append($0)
                if $0 == 11 { source.emit(20) }
            }
            source.emit(10)
            #expect(heard == [10, 11, 20, 21, 22])
        }

        @Test func `flatMap(concat) lets what its handler emits wait for the signal under way`() {
            let source = Emitter<Int>()
            var heard: [Int] = []
            source.flatMap(.concat) { Signal([$0, $0 + 1]) }.subscribe {
                heard.append($0)
                if $0 == 10 { source.emit(20) }
            }
            source.emit(10)
            #expect(heard == [10, 11, 20, 21])
        }

        @Test func `A signal can be combined with itself`() {
            let number = Emitter<Int>()
            var heard: [String] = []
            number.zip(number) { "zip \($0)\($1)" }.subscribe { heard.append($0) }
            number.combineLatest(number) { "latest \($0)\($1)" }.subscribe { heard.append($0) }
            number.emit(1)
            number.emit(2)
            #expect(heard == ["zip 11", "latest 11", "zip 22", "latest 21", "latest 22"])
        }

        // MARK: Synchronous sources

        @Test func `Synchronous sources are combined while they are being subscribed to`() {
            var heard: [String] = []
            func hear<Value>(_ signal: Signal<Value>) { signal.subscribeEvents { heard.append("\($0)") } }
            hear(Signal.just(1).zip(.just(2)) { $0 + $1 })
            hear(Signal.just(1).combineLatest(.just(2)) { $0 + $1 })
            hear(Signal([1, 2]).withLatest(from: .just(2)) { $0 + $1 })
            hear(Signal([1, 2, 3]).flatMap(.concat) { .just($0) })
            hear(Signal([1, 2, 3]).flatMap(.latest) { .just($0) })
            hear(Signal([1, 2, 3]).flatMap(.merge) { Signal([$0, $0]) }.take(2))
            hear(Signal.just(1).concat(.failed(Failure()), .just(2)))
            #expect(
                heard == [
                    "next(3)", "completed", "next(3)", "completed", "next(3)", "next(4)", "completed", "next(1)",
                    "next(2)",
                    "next(3)", "completed", "next(1)", "next(2)", "next(3)", "completed", "next(1)", "next(1)",
                    "completed",
                    "next(1)", "\(Event<Int>.failed(Failure()))",
                ])
        }

        @Test func `An endless synchronous source stops when an operator with several sources has ended`() {
            var heard: [Int] = []
            Signal([1, 2]).zip(Signal(1...)) { $0 * $1 }.subscribe { heard.append($0) }
            Signal(1...).flatMap(.concat) { .just($0) }.take(2).subscribe { heard.append($0) }
            Signal(1...).take { $0 < 3 }.concat(Signal(7...).take(1)).subscribe { heard.append($0) }
            #expect(heard == [1, 4, 1, 2, 1, 2, 7])
        }

        @Test func `A transform does not run again after it has thrown`() {
            for strategy in [FlattenStrategy.merge, .latest, .concat, .first] {
                nonisolated(unsafe) var runs = 0
                Signal([1, 2, 3]).flatMap(strategy) { _ -> Signal<Int> in
                    runs += 1
                    throw Failure()
                }.subscribe { _ in }
                #expect(runs == 1)
            }
        }

        @Test func `Many synchronous signals one after another do not deepen the stack`() {
            let many = 10_000
            var (sum, ends) = (0, 0)
            func count(_ signal: Signal<Int>) {
                signal.subscribeEvents {
                    switch $0 {
                    case .next(let value): sum += value
                    case .completed: ends += 1
                    case .failed: break
                    }
                }
            }
            count(Signal<Int>.concat((0..<many).map { _ in .just(1) }))
            count(Signal(0..<many).flatMap(.concat) { _ in .just(1) })
            count(Signal(0..<many).flatMap(.merge) { _ in .just(1) })
            count(Signal(0..<many).flatMap(.latest) { _ in .just(1) })
            #expect(sum == 4 * many && ends == 4)

            // All of them wait until the first one completes.
            let (first, source) = (Emitter<Int>(), Emitter<Int>())
            count(source.flatMap(.concat) { $0 == 0 ? first : .just(1) })
            for number in 0..<many { source.emit(number) }
            source.complete()
            #expect(sum == 4 * many)
            first.complete()
            #expect(sum == 5 * many - 1 && ends == 5)
        }

        // MARK: Released sources

        @Test func `A released source does not let the next one of concat begin`() {
            nonisolated(unsafe) var starts = 0
            let next = Signal<Int> { _ in
                starts += 1
                return nil
            }
            var first: Emitter<Int>? = Emitter<Int>()
            _ = first?.concat(next).subscribe { _ in }
            first = nil
            #expect(starts == 0)
            let bag = DisposeBag()
            Signal<Int>.empty().concat(next).subscribe { _ in }.disposed(by: bag)
            #expect(starts == 1)
        }

        @Test func `Values that wait are released with the end`() {
            // This holds its subscribers, and with them all that the operators keep.
            nonisolated(unsafe) var subscribers: [Subscriber<Canary>] = []
            let a = Signal<Canary> { subscriber in
                subscribers.append(subscriber)
                return nil
            }
            let b = Emitter<Canary>()
            weak var waiting: Canary?
            func emit() {
                let canary = Canary()
                waiting = canary
                subscribers.last?.next(canary)
            }
            for make in [
                { a.zip(b).map { _ in } }, { a.combineLatest(b).map { _ in } }, { a.sample(on: b).map { _ in } },
                { b.withLatest(from: a).map { _ in } },
            ] as [() -> Signal<Void>] {
                let producer = Emitter<Int>()
                let token = make().takeUntil(producer).subscribe { _ in }
                emit()
                #expect(waiting != nil)
                producer.emit(1)
                #expect(waiting == nil)
                withExtendedLifetime(token) {}
            }
        }
    }
}
