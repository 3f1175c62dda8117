import Weir
import WeirTrace

/// A seeded program with changing subscriptions to one cold source, or to sources that do the same work; it can be built with a shared source.
struct RandomRuns {
    /// How the source is shared.
    enum Sharing {
        case share
        case replay
    }

    private var random: SeededGenerator
    private let scheduler = ManualScheduler()
    /// Whether some subscribers receive the values through a hop.
    private let hops: Bool
    /// Whether some handlers belong to an actor.
    private let actors: Bool
    private let gate = Gate()
    private let sharing: Sharing
    /// Whether each subscriber calls a function that makes the source.
    private let makes: Bool
    /// Whether each run gives values of its own, which no other subscriber receives.
    private let differs: Bool

    /// The number of values that each subscription has received, in the order of subscribing.
    private let received = Received()

    private final class Received: @unchecked Sendable {  // A program runs on one thread.
        var counts: [Int] = []
    }

    /// Runs the program of the seed; only the remedy depends on `isCured`. Returns how many values each subscription received.
    @discardableResult
    static func run(
        seed: UInt64, hops: Bool = false, actors: Bool = false, sharing: Sharing = .share, makes: Bool = false,
        differs: Bool = false, _ isCured: Bool,
        _ screen: Screen
    ) -> [Int] {
        var program = RandomRuns(
            random: SeededGenerator(seed: seed), hops: hops, actors: actors, sharing: sharing, makes: makes,
            differs: differs)
        program.run(isCured, screen)
        return program.received.counts
    }

    private init(
        random: SeededGenerator, hops: Bool, actors: Bool, sharing: Sharing, makes: Bool, differs: Bool
    ) {
        (self.random, self.hops, self.actors, self.sharing, self.makes) = (random, hops, actors, sharing, makes)
        self.differs = differs
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func run(_ isCured: Bool, _ screen: Screen) {
        let (values, isPrompt, completes) = (number(1...4), number(0...1) == 0, number(0...2) > 0)
        func make() -> Signal<Int> {
            Signal { [scheduler, differs] subscriber in
                screen.runSource()
                // A shared run begins when the recorded run that it replaces does.
                let first = differs ? Int(scheduler.now) * 100 : 0
                if isPrompt { subscriber.next(first) }
                let timers = (1...values).map { value in
                    scheduler.schedule(after: .nanoseconds(value * 10)) {
                        subscriber.next(first + value)
                        if completes, value == values { subscriber.complete() }
                    }
                }
                return Disposable { for timer in timers { timer.dispose() } }
            }
        }
        let source = make()
        let shared = !isCured ? source : sharing == .share ? source.share() : source.replay(1)
        let last = Observable(0)
        let double = Observable.combine(last) { $0 * 2 }
        double.subscribe { _ in screen.show(40) }
        var subscriptions = [subscribe(to: shared, last, 30, screen)]
        for index in 0..<number(3...10) {
            switch number(0...5) {
            case 0...2:
                let signal = makes && !isCured ? make() : shared
                subscriptions.append(subscribe(to: signal, last, UInt64(index + 1), screen))
            case 3 where !subscriptions.isEmpty:
                subscriptions.remove(at: number(0...subscriptions.count - 1)).dispose()
            default: scheduler.advance(by: UInt64(number(1...25)))
            }
            gate.open()
        }
        scheduler.advance(by: 100)
        gate.open()
        for subscription in subscriptions.reversed() { subscription.dispose() }
    }

    private mutating func subscribe(
        to signal: Signal<Int>, _ last: Observable<Int>, _ cost: UInt64, _ screen: Screen
    ) -> Disposable {
        let (received, place) = (received, received.counts.count)
        received.counts.append(0)
        @Sendable func receive(_ value: Int) -> Int {
            received.counts[place] += 1
            return value
        }
        let way = number(0...3)
        if differs, way < 3 { return subscribeToAll(of: signal, number(0...6), last, cost, receive, screen) }
        return switch way {
        case 0: signal.map { receive($0) + 1 }.filter { $0 != 2 }.subscribe { _ in screen.show(cost) }
        case 1:
            signal.subscribe {
                screen.show(cost)
                last.value = receive($0)
            }
        case 2 where hops:
            signal.deliver(on: scheduler).subscribe {
                _ = receive($0)
                screen.show(cost)
            }
        case 3 where hops:
            signal.map { receive($0) + 1 }.deliver(on: scheduler).subscribe {
                screen.show(cost)
                last.value = $0
            }
        case 2 where actors, 3 where actors:
            subscribeAway(to: signal.map { receive($0) + 1 }, last, cost, screen)
        default:
            signal.subscribe {
                _ = receive($0)
                screen.show(cost)
            }
        }
    }

    /// Subscribes through operators that do the same for each value, or nearly.
    private func subscribeToAll(
        of signal: Signal<Int>, _ way: Int, _ last: Observable<Int>, _ cost: UInt64,
        _ receive: @escaping @Sendable (Int) -> Int, _ screen: Screen
    ) -> Disposable {
        let counted = signal.map(receive)
        switch way {
        case 0: return counted.map { $0 / 2 }.subscribe { _ in screen.show(cost) }
        case 1: return counted.startWith(-1).merge(Emitter<Int>()).subscribe { _ in screen.show(cost) }
        case 2:
            let asked = Emitter<Int>()
            let answers = asked.flatMap(.merge) { number in counted.map { $0 + number } }
            let shown = answers.subscribe { _ in screen.show(cost) }
            for number in 1...2 { asked.emit(number) }
            return Disposable { [asked] in
                shown.dispose()
                withExtendedLifetime(asked) {}
            }
        case 3: return counted.removeDuplicates().subscribe { _ in screen.show(cost) }
        case 4: return counted.bind(to: last)
        case 5: return counted.scan(0) { $0 + $1 }.subscribe { _ in screen.show(cost) }
        default: return counted.subscribe { _ in screen.show(cost) }
        }
    }

    private mutating func subscribeAway(
        to signal: Signal<Int>, _ last: Observable<Int>, _ cost: UInt64, _ screen: Screen
    ) -> Disposable {
        let (gate, bag) = (gate, DisposeBag())
        let writes = number(0...1) == 0
        gate.run { gate in
            signal.map {
                gate.send()
                return $0
            }.subscribe {
                gate.receive()
                screen.show(cost)
                if writes { last.value = $0 }
            }.disposed(by: bag)
        }
        return Disposable { bag.dispose() }
    }
}
