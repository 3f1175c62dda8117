import Foundation
import Weir

/// A screen of a random flow: it owns observers, which signals hold even after its release.
private final class FlowScreen {
    let number: Observer<Int>
    let text: Observer<String>

    init(_ number: @escaping @Sendable (Int) -> Void) {
        self.number = Observer(number)
        text = Observer { _ in }
    }
}

/// A random program for the rules of redundancy: flows that part and join, loops that settle, repeated values, sources that
/// run twice, unobserved nodes, released owners, values of all forms, and two threads on one node.
final class RandomFlow: @unchecked Sendable {
    private var random: SeededGenerator
    private let clock: VirtualClock
    private let marksFrames: Bool
    /// The main topic of this program.
    private let theme: UInt64
    private let scheduler = ManualScheduler()
    private var sources: [Observable<Int>] = []
    private var derived: [ReadOnlyObservable<Int>] = []
    private var signals: [Signal<Int>] = []
    private var emitters: [Emitter<Int>] = []
    private let values: FlowValues
    private var producers: [Subscriber<Int>] = []
    private var screens: [FlowScreen] = []
    private var disposables: [Disposable] = []
    private var depth = 0
    private var work = 0

    init(seed: UInt64, clock: VirtualClock) {
        random = SeededGenerator(seed: seed &* 0xD134_2543_DE82_EF95 &+ 99)
        self.clock = clock
        values = FlowValues(seed: seed &+ 1_000_000)
        // Every second program marks no frames.
        marksFrames = seed % 2 == 0
        theme = seed / 2 % 6
    }

    /// Makes nodes that are older than the recording.
    func prepare() { for _ in 0..<number(0...3) { make() } }

    func run() {
        for _ in 0..<number(1...3) { makeTheme() }
        for _ in 0..<number(2...6) { make() }
        if chance(2) { makeRequests() }
        if chance(4) { makeAlikeSources() }
        for _ in 0..<number(2...4) { subscribeTheme() }
        for _ in 0..<number(3...7) { subscribe() }
        for _ in 0..<number(6...18) where work < 120 { act() }
        scheduler.advance(by: 1000, limit: 10)
    }

    /// Releases everything: nodes, subscriptions and handlers hold each other.
    func dissolve() {
        for disposable in disposables { disposable.dispose() }
        (disposables, sources, derived, signals, emitters) = ([], [], [], [], [])
        (producers, screens) = ([], [])
        values.dissolve()
    }

    // MARK: - Nodes

    private func makeTheme() {
        switch theme {
        case 0: makeDiamond()
        case 1: makeLoop()
        case 2: makeSource()
        case 3: values.makeAll()
        case 4: screens.append(makeScreen())
        default: makeSignalDiamond()
        }
    }

    private func make() {
        switch number(0...17) {
        case 0, 1, 2:
            sources.append(Observable(number(0...3), privacy: number(0...7) == 0 ? .private : .public))
        case 3, 4: makeDiamond()
        case 5: makeSignalDiamond()
        case 6: makeLoop()
        case 7: makeSource()
        case 8: emitters.append(Emitter())
        case 9...14: values.make()
        case 15: screens.append(makeScreen())
        default: transform()
        }
    }

    /// Two flows from one origin that join, and may continue.
    private func makeDiamond() {
        let origin = observable()
        let limit = number(1...4)
        let inner = strategy(), outer = strategy()
        let left: ReadOnlyObservable<Int> = .combine(origin, strategy: inner) { min($0 + 1, limit) }
        let right: ReadOnlyObservable<Int> = .combine(origin, strategy: chance(2) ? .every : inner) { $0 / 2 }
        let third = chance(3) ? observable() : origin
        let joined: ReadOnlyObservable<Int> = .combine(left, right, third, strategy: outer) { $0 + 4 * $1 + ($2 & 1) }
        derived += [left, right, joined]
        if chance(2) { derived.append(.combine(joined, strategy: chance(3) ? .settled : .every) { $0 % 6 }) }
        if chance(3) { derived.append(.combine(joined, origin, strategy: chance(2) ? .settled : .every) { $0 - $1 }) }
    }

    private func makeSignalDiamond() {
        let origin: Signal<Int> = chance(2) ? observable() as Signal<Int> : signal()
        let left = origin.map { $0 + 1 }
        let right = chance(2) ? origin.map { $0 / 2 } : origin.filter { $0 % 2 == 0 }
        switch number(0...3) {
        case 0: signals.append(left.merge(right))
        case 1: signals.append(left.combineLatest(right) { $0 + $1 }.share())
        case 2: signals.append(left.combineLatest(right) { $0 + $1 }.map { $0 / 3 })
        default: signals.append(left.combineLatest(right) { $0 + $1 })
        }
    }

    private func makeLoop() {
        let input = observable()
        let strategy: CombineStrategy = chance(2) ? .settled : .every
        let low = Combiner(0, strategy: strategy), high = Combiner(0, strategy: chance(2) ? strategy : .every)
        low.combine(input, high) { min(max($0, $1), 5) }
        high.combine(low) { min($0 + 1, 4) }
        derived += [low, high]
    }

    /// A cold source with further operators, shared or not.
    private func makeSource() {
        let first = number(0...2)
        let source = Signal<Int> { [self] subscriber in
            if chance(2) { subscriber.next(first) }
            producers.append(subscriber)
            return Disposable {}
        }
        signals.append(chance(3) ? source.share() : source)
    }

    /// Requests that answer later, some of them in another order, and a view of the answers.
    private func makeRequests() {
        let origin = observable()
        let answers = origin.map { $0 / 2 }.flatMap(chance(3) ? .latest : .merge) { [scheduler] in
            Signal.just($0).delay(.nanoseconds($0 % 2 == 0 ? 200 : 20), on: scheduler)
        }
        keep(answers.subscribe { [self] _ in hear() })
    }

    /// Two sources that one line makes, perhaps for the same number, that run at the same time.
    private func makeAlikeSources() {
        for article in [number(0...1), number(0...1)] {
            let source = Signal<Int> { [scheduler] subscriber in
                scheduler.schedule(after: .nanoseconds(50)) {
                    subscriber.next(article)
                    subscriber.complete()
                }
            }
            keep(source.subscribe { [self] _ in hear() })
        }
    }

    private func makeScreen() -> FlowScreen {
        let screen = FlowScreen { [self] _ in hear() }
        Trace.adopt(screen)
        return screen
    }

    private func transform() {
        let source = signal(), other = signal()
        switch number(0...14) {
        case 0, 1: signals.append(source.map { $0 / 2 })
        case 2: signals.append(source.filter { $0 > 0 })
        case 3: signals.append(source.compactMap { $0 % 3 == 0 ? nil : 1 })
        case 4: signals.append(source.scan(0) { max($0, $1) })
        case 5: signals.append(source.withLatest(from: other) { $0 + $1 })
        case 6: signals.append(source.zip(other) { min($0, $1) })
        case 7: signals.append(source.share())
        case 8: signals.append(source.replay(1))
        case 9: signals.append(source.removeDuplicates().startWith(1))
        case 10: signals.append(source.deliver(on: scheduler))
        case 11: signals.append(source.flatMap(.latest) { $0 % 2 == 0 ? other.map { $0 } : .just($0) })
        case 12, 13:
            let strategy: FlattenStrategy = chance(2) ? .latest : .merge
            signals.append(
                source.map { $0 / 2 }.flatMap(strategy) { [scheduler] in
                    Signal.just($0).delay(.nanoseconds($0 % 2 == 0 ? 200 : 20), on: scheduler)
                })
        default: signals.append(source.combineLatest(other) { max($0, $1) })
        }
    }

    // MARK: - Subscriptions

    private func subscribeTheme() {
        switch theme {
        case 2: if let signal = signals.first { keep(signal.subscribe { [self] _ in hear() }) }
        case 3: disposables += values.subscribeAll { [self] in hear() }
        case 4: subscribeScreen()
        default: if let joined = derived.last { keep(joined.subscribe { [self] _ in handle() }) }
        }
    }

    private func subscribe() {
        switch number(0...13) {
        case 0, 1: keep(signal().subscribe { [self] _ in hear() })
        case 2, 3: keep(observable().subscribe(initial: chance(3)) { [self] _ in hear() })
        case 4: keep(signal().subscribe { [self] _ in handle() })
        case 5:
            let target = pick(sources) ?? Observable(0)
            let limit = number(1...3)
            keep(signal().subscribe { [self] in write(target, min($0, limit)) })
        case 6: subscribeScreen()
        case 7...11: disposables += values.subscribe { [self] in hear() }
        case 12: disposables += values.subscribe { [self] in handle() }
        default:
            if let emitter = pick(emitters) { keep(emitter.map { $0 / 3 }.subscribe { [self] _ in hear() }) }
        }
    }

    private func subscribeScreen() {
        guard let screen = pick(screens) else { return screens.append(makeScreen()) }
        keep(screen.number.subscribe(to: signal()))
        if chance(2) { keep(screen.number.subscribe(to: observable(), initial: true)) }
        if let text = values.text() { keep(screen.text.subscribe(to: text)) }
    }

    private func keep(_ disposable: Disposable) { disposables.append(disposable) }

    /// The work of every handler: it takes some time.
    private func hear() {
        work += 1
        if chance(2) { clock.advance(nanoseconds: UInt64(number(0...30) * 500)) }
        if chance(30) { clock.advance(nanoseconds: 20_000_000) }
    }

    private func handle() {
        hear()
        guard depth < 3, work < 120 else { return }
        // Another thread's turns happen in the middle of this one's.
        if chance(3) { return elsewhere { [self] in nest { for _ in 0..<2 { actTheme() } } } }
        if chance(2) { nest { act() } }
    }

    private func write(_ target: Observable<Int>, _ value: Int) {
        hear()
        guard depth < 3, work < 120 else { return }
        nest { target.value = value }
    }

    private func nest(_ body: () -> Void) {
        depth += 1
        body()
        depth -= 1
    }

    // MARK: - Acts

    private func actTheme() {
        switch theme {
        case 2: if chance(2) { subscribeTheme() } else { pick(producers)?.next(number(0...2)) }
        case 3: values.writeAll()
        case 4: if chance(4) { releaseScreen() } else { pick(sources)?.value = number(0...6) }
        default: pick(sources)?.value = number(0...6)
        }
    }

    private func act() {
        if chance(3) { return actTheme() }
        switch number(0...29) {
        case 0...7: pick(sources)?.value = number(0...6)
        case 8, 9: pick(emitters)?.emit(number(0...4))
        case 10...15: values.write()
        case 16, 17: pick(producers)?.next(number(0...2))
        case 18: batch { several() }
        case 19, 20: Trace.stimulus(pick(["tap", "type"])!) { several() }
        case 21, 22: if marksFrames { Trace.frame() } else { clock.advance(nanoseconds: UInt64(number(1...40) * 1000)) }
        case 23: subscribe()
        case 24: if chance(3) { make() } else { pick(disposables)?.dispose() }
        case 25: releaseScreen()
        case 26: elsewhere { [self] in pick(sources)?.value = number(0...6) }
        case 27: if chance(4) { pick(producers)?.complete() } else { elsewhere { [self] in several() } }
        default: if depth == 0 || chance(2) { scheduler.advance(by: UInt64(number(1...50)), limit: 10) }
        }
    }

    private func several() { nest { for _ in 0..<number(0...3) where depth < 4 { act() } } }

    private func releaseScreen() {
        guard !screens.isEmpty else { return }
        _ = screens.remove(at: number(0...(screens.count - 1)))
        if chance(2) { Trace.checkpoint("left") }
    }

    /// Runs `body` on another thread to its end, while this one waits.
    private func elsewhere(_ body: @escaping @Sendable () -> Void) {
        guard depth < 3, chance(2) else { return }
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.stackSize = 4 << 20
        thread.start()
        done.wait()
    }

    // MARK: - Choices

    private func strategy() -> CombineStrategy { pick([.every, .every, .settled, .all])! }
    private func observable() -> ReadOnlyObservable<Int> {
        if let known: ReadOnlyObservable<Int> = chance(2) ? pick(sources) : pick(derived) { return known }
        let new = Observable(number(0...3))
        sources.append(new)
        return new
    }
    private func signal() -> Signal<Int> {
        switch number(0...3) {
        case 0: observable()
        case 1: pick(emitters) ?? observable()
        default: pick(signals) ?? observable()
        }
    }
    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private func chance(_ count: Int) -> Bool { number(1...count) == 1 }
    private func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number(0...(elements.count - 1))]
    }
}

extension RandomProgram {
    /// Runs the random flow of `seed`, under each value policy in turn.
    init(flowSeed seed: UInt64) throws {
        let values: [TraceValues] = [.scalars, .described(), .scalars, .none, .described(limit: 6)]
        let clock = VirtualClock(step: seed % 7 == 6 ? 0 : 100)
        let flow = RandomFlow(seed: seed, clock: clock)
        defer { flow.dissolve() }
        if seed % 4 == 3 { flow.prepare() }
        try self.init(seed: seed, values: values[Int(seed % 5)], clock: clock) { flow.run() }
    }
}
