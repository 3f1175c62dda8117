import Foundation
import Weir

/// The actions of one thread of a random program: it makes nodes, connects them, writes, disposes and releases.
///
/// Functions of values only ever narrow them, and each subscription writes to a target of its own, so that every loop ends;
/// handlers act at most three levels deep.
final class RandomLane: @unchecked Sendable {
    struct Point { var x: Int }
    struct Failure: Error {}

    private var random: SeededGenerator
    private var sources: [Observable<Int>] = []
    private var derived: [ReadOnlyObservable<Int>] = []
    private var flags: [Observable<Bool>] = []
    private var texts: [Observable<String>] = []
    private var points: [Observable<Point>] = []
    private var emitters: [Emitter<Int>] = []
    private var pulses: [Emitter<Void>] = []
    private var signals: [Signal<Int>] = []
    private var channels: [Channel<Int>] = []
    private var commands: [Command<Int, Int>] = []
    private var disposables: [Disposable] = []
    private var bag = DisposeBag()
    private let scheduler = ManualScheduler()
    private var depth = 0
    private var work = 0
    private var isAlone = true
    /// The thread that runs this lane, unless it is the only one.
    private var home = pthread_self()

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678)
        for _ in 0..<8 { _ = random.next() }
    }

    /// Lets this lane write the shared nodes too, from a thread that is not the only one.
    func join(_ shared: SharedNodes) {
        isAlone = false
        sources += shared.sources
        derived.append(shared.sum)
    }

    /// Runs everything, from making nodes to the scheduler's remaining work.
    func run() {
        home = pthread_self()
        for _ in 0..<number(2...7) { make() }
        for _ in 0..<number(3...8) { subscribe() }
        for _ in 0..<number(isAlone ? 6...22 : 3...12) where work < (isAlone ? 150 : 40) { act() }
        if number(0...2) > 0 { advance(by: 1000) }
        if number(0...3) == 0 { letGo() }
    }

    /// Stops the recording where frames are open.
    func runToAnEarlyEnd(_ stop: @escaping @Sendable () -> Void) {
        let last = Observable(0)
        last.subscribe { [self] _ in
            Trace.stimulus("the last") {
                batch {
                    act(); stop(); act()
                }
            }
        }
        last.value = 1
    }

    /// Releases everything: nodes, subscriptions and handlers hold each other.
    func dissolve() {
        for disposable in disposables { disposable.dispose() }
        (disposables, sources, derived, flags, texts, points) = ([], [], [], [], [], [])
        (emitters, pulses, signals, channels, commands) = ([], [], [], [], [])
        bag = DisposeBag()
    }

    // MARK: - Nodes

    func make() {
        switch number(0...15) {
        case 0, 1: sources.append(Observable(number(0...4), privacy: number(0...5) == 0 ? .private : .public))
        case 2: flags.append(Observable(chance(2)))
        case 3: texts.append(Observable("text"))
        case 4: points.append(Observable(Point(x: number(0...3))))
        case 5: emitters.append(Emitter())
        case 6: pulses.append(Emitter())
        case 7, 8, 9: combine()
        case 10: makeFeedback()
        case 11: channels.append(Channel(pick(sources) ?? Observable(0)))
        case 12: makeCommand()
        default: transform()
        }
    }

    private func combine() {
        let inputs = (0..<number(1...4)).compactMap { _ in observable() }
        guard inputs.count > 0 else { return sources.append(Observable(0)) }
        let strategy: CombineStrategy = pick([.first, .all, .every, .every, .settled, .settled])!
        let limit = number(1...9)
        @Sendable func least(_ values: Int...) -> Int {
            hear()
            return min(limit, values.reduce(0, +))
        }
        switch (inputs.count, chance(3)) {
        case (1, false): derived.append(.combine(inputs[0], strategy: strategy) { least($0) })
        case (1, true): derived.append(.combine(inputs[0], initial: -1, strategy: strategy) { least($0) })
        case (2, false): derived.append(.combine(inputs[0], inputs[1], strategy: strategy) { least($0, $1) })
        case (2, true):
            derived.append(.combine(inputs[0], inputs[1], initial: -1, strategy: strategy) { least($0, $1) })
        case (3, _):
            derived.append(.combine(inputs[0], inputs[1], inputs[2], strategy: strategy) { least($0, $1, $2) })
        default:
            derived.append(
                .combine(inputs[0], inputs[1], inputs[2], inputs[3], strategy: strategy) { least($0, $1, $2, $3) })
        }
    }

    private func makeFeedback() {
        guard let input = observable() else { return combine() }
        let strategy: CombineStrategy = chance(2) ? .settled : .every
        let low = Combiner(0, strategy: strategy), high = Combiner(0, strategy: strategy)
        low.combine(input, high) { min(max($0, $1), 9) }
        high.combine(low) { min($0 + 1, 6) }
        derived += [low, high]
    }

    private func makeCommand() {
        if chance(2), let flag = pick(flags) {
            commands.append(Command(enabledIf: flag) { $0 + 1 })
        } else if let signal = pick(signals) {
            commands.append(Command { _ in signal.take(1) })
        } else {
            commands.append(Command { input in if input == 3 { throw Failure() } else { return input } })
        }
    }

    private func transform() {
        guard let source = signal(), let other = signal() else { return emitters.append(Emitter()) }
        let limit = number(1...6)
        let made: Signal<Int>
        switch number(0...17) {
        case 0: made = source.map { min($0, limit) }
        case 1: made = source.filter { $0 % 2 == 0 }
        case 2: made = source.removeDuplicates()
        case 3: made = source.scan(0) { min($0 + $1, 20) }
        case 4: made = source.merge(other)
        case 5: made = source.zip(other) { min($0, $1) }
        case 6: made = source.combineLatest(other) { max($0, $1) }
        case 7: made = source.withLatest(from: other) { min($0 + $1, 9) }
        case 8: made = source.flatMap(chance(2) ? .latest : .merge) { $0 % 2 == 0 ? other : .just($0) }
        case 9: made = source.share()
        case 10: made = source.take(limit)
        case 11: made = source.delay(.nanoseconds(10 * limit), on: scheduler)
        case 12: made = source.debounce(.nanoseconds(20 * limit), on: scheduler)
        case 13: made = source.deliver(on: scheduler)
        case 14: made = source.skip(1).startWith(0)
        case 15: made = source.replay(1)
        case 16: made = source.map { if $0 == 4 { throw Failure() } else { return $0 } }
        default: made = source.takeUntil(other)
        }
        signals.append(made)
    }

    // MARK: - Subscriptions

    func subscribe() {
        guard let signal = signal() else { return }
        switch number(0...7) {
        case 0: disposables.append(signal.subscribeEvents { [self] _ in hear() })
        case 1:
            guard let observable = observable() else { return }
            disposables.append(observable.subscribe(initial: true) { [self] _ in hear() })
        case 2: bindToNew(signal)
        case 3: signal.subscribe { [self] _ in hear() }.disposed(by: bag)
        case 4, 5: disposables.append(signal.subscribe { [self] _ in handle() })
        case 6: subscribeToAnother()
        default:
            guard let target = pick(sources) else { return }
            disposables.append(
                signal.subscribe { [self] value in
                    hear { if depth < 3, work < 200 { nest { target.value = min(value, 4) } } }
                })
        }
    }

    private func bindToNew(_ signal: Signal<Int>) {
        let target = Observable(0)
        let source = chance(2) ? pick(emitters).map { $0 as Signal<Int> } ?? signal : signal
        disposables.append(source.bind(to: target))
        // Others write it, too.
        if chance(2) { sources.append(target) } else { derived.append(target) }
    }

    private func subscribeToAnother() {
        if let text = pick(texts) { disposables.append(text.subscribe { [self] _ in hear() }) }
        if let flag = pick(flags) { disposables.append(flag.subscribe(initial: chance(2)) { [self] _ in handle() }) }
        if let point = pick(points) { disposables.append(point.subscribe { [self] _ in hear() }) }
        if let pulse = pick(pulses) { disposables.append(pulse.subscribe { [self] in handle() }) }
        if let channel = pick(channels) { disposables.append(channel.view.subscribe { [self] _ in hear() }) }
        if let command = pick(commands) { disposables.append(command.values.subscribe { [self] _ in handle() }) }
    }

    /// A handler that sometimes acts itself.
    private func handle() {
        hear {
            guard depth < 3, work < 200, chance(2) else { return }
            nest { act() }
        }
    }

    /// Counts the values that a handler hears on this lane's own thread; values from other threads are only heard.
    private func hear(_ body: () -> Void = {}) {
        guard isAlone || pthread_equal(pthread_self(), home) != 0 else { return }
        work += 1
        body()
    }

    private func nest(_ body: () -> Void) {
        depth += 1
        body()
        depth -= 1
    }

    // MARK: - Acts

    private func act() {
        switch number(0...31) {
        case 0...9: pick(sources)?.value = number(0...4)
        case 10, 11: pick(flags)?.value = chance(2)
        case 12: pick(texts)?.value = pick(["", "text", "Maruko", String(repeating: "long ", count: 30)])!
        case 13: pick(points)?.value = Point(x: number(0...3))
        case 14, 15, 16: pick(emitters)?.emit(number(0...4))
        case 17: pick(pulses)?.emit()
        case 18: if chance(2) { pick(emitters)?.complete() } else { pick(emitters)?.fail(Failure()) }
        case 19:
            batch {
                if chance(2) { pick(emitters)?.emit(number(0...4)) }
                several()
            }
        case 20, 21, 22:
            Trace.stimulus(pick(["tap", "type", "receive"])!) {
                // Earlier work may run during unrelated work, which did not cause it.
                if depth == 0, chance(3) { advance(by: UInt64(number(1...60))) }
                several()
            }
        case 23: if chance(2) { Trace.frame() } else { Trace.checkpoint("here") }
        case 24: make()
        case 25: subscribe()
        case 26: if chance(6) { bag.dispose() } else { pick(disposables)?.dispose() }
        case 27: if chance(2) { letGo() } else { pick(disposables)?.dispose() }
        case 28: if let channel = pick(channels) { (chance(2) ? channel.view : channel.model).send(number(0...4)) }
        case 29: _ = pick(commands)?.execute(number(0...4))
        default: if depth == 0 { advance(by: UInt64(number(1...60))) }
        }
    }

    private func several() { nest { for _ in 0..<number(0...3) where depth < 5 { act() } } }

    /// Runs pending work, here or on another thread.
    private func advance(by nanoseconds: UInt64) {
        guard isAlone, chance(4) else { return scheduler.advance(by: nanoseconds) }
        let done = DispatchSemaphore(value: 0)
        let thread = Thread { [scheduler] in
            scheduler.advance(by: nanoseconds)
            done.signal()
        }
        thread.stackSize = 4 << 20
        thread.start()
        done.wait()
    }

    private func letGo() {
        switch number(0...4) {
        case 0: _ = takeOne(of: &sources)
        case 1: _ = takeOne(of: &derived)
        case 2: _ = takeOne(of: &signals)
        case 3: _ = takeOne(of: &emitters)
        default: bag = DisposeBag()
        }
    }

    // MARK: - Choices

    private func observable() -> ReadOnlyObservable<Int>? {
        (chance(2) ? pick(sources) : pick(derived)) ?? pick(sources)
    }

    private func signal() -> Signal<Int>? {
        switch number(0...5) {
        case 0, 1: pick(sources)
        case 2: pick(derived) ?? pick(sources)
        case 3: pick(emitters) ?? pick(sources)
        default: pick(signals) ?? pick(sources)
        }
    }

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private func chance(_ count: Int) -> Bool { number(1...count) == 1 }
    private func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number(0...(elements.count - 1))]
    }
    // Returns the removed element, so that it is released only after the array has changed.
    private func takeOne<Element>(of elements: inout [Element]) -> Element? {
        elements.isEmpty ? nil : elements.remove(at: number(0...(elements.count - 1)))
    }
}
