import Weir
import WeirTesting
import WeirTrace

@testable import WeirAnalysis

/// A seeded program of combiners that join repeatedly; it can be built with remedies in its code.
///
/// Handlers write only nodes that they do not depend on, and only values derived from their own: the rest is up to the
/// core.
struct RandomJoins {
    /// Features of the program besides combiners, writes and counting handlers.
    struct Extras: OptionSet {
        let rawValue: Int
        static let writingHandlers = Extras(rawValue: 1)
        static let operators = Extras(rawValue: 2)
        static let events = Extras(rawValue: 4)
        static let settled = Extras(rawValue: 8)
        static let removeDuplicates = Extras(rawValue: 16)
        static let batch = Extras(rawValue: 32)
        static let latest = Extras(rawValue: 64)
        /// Some handlers belong to an actor.
        static let actors = Extras(rawValue: 128)
        /// Some signals join two nodes by hand: handlers of both emit.
        static let handJoins = Extras(rawValue: 256)
        /// Some handlers write a node twice; with batches, in one.
        static let writingTwice = Extras(rawValue: 512)
        /// Some writes come later in their stimulus, by a hop.
        static let laterWork = Extras(rawValue: 1024)
    }

    let extras: Extras
    private let seed: UInt64
    private var random: SeededGenerator
    private let gate = Gate()
    private var sources: [Observable<Int>] = []
    private var combiners: [Combiner<Int>] = []
    private var firstCombiners = 0
    private var targets: [Observable<Int>] = []
    private var subscriptions: [Disposable] = []
    /// The combiners with a changed strategy.
    private var settled: [Int] = []

    init(seed: UInt64, _ extras: Extras) {
        self.seed = seed
        self.extras = extras
        random = SeededGenerator(seed: seed)
    }

    /// Runs the program of the seed; only the remedies depend on `isCured`.
    static func run(seed: UInt64, _ extras: Extras, _ isCured: Bool, _ screen: Screen) {
        var program = RandomJoins(seed: seed, extras)
        program.run(isCured, screen)
    }

    private mutating func run(_ isCured: Bool, _ screen: Screen) {
        for index in 0..<number(1...4) { sources.append(Observable(index)) }
        for index in 0..<number(2...8) { makeCombiner(index, isCured) }
        firstCombiners = combiners.count
        for index in 0..<number(1...7) { subscribe(UInt64(index + 1), isCured, screen) }
        // One that always refreshes twice in one stimulus.
        sources[0].subscribe { _ in screen.show(50) }
        act(isCured, screen, 2, [(sources[0], 10), (sources[0], 11)])
        gate.open()
        for _ in 0..<number(3...12) {
            let writes = (0..<number(1...3)).map { _ in (sources[number(0...sources.count - 1)], number(0...4)) }
            act(isCured, screen, number(0...5), writes)
            gate.open()
        }
        for subscription in subscriptions { subscription.dispose() }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func makeCombiner(_ index: Int, _ isCured: Bool) {
        let isSwitched = number(0...2) == 0 && extras.contains(.settled)
        if isSwitched { settled.append(index) }
        let isSettled = number(0...9) == 0
        let strategy: CombineStrategy = isSwitched && isCured || isSettled ? .settled : .every
        let (factor, divisor) = (number(1...5), number(2...7))
        let all: [ReadOnlyObservable<Int>] = sources + combiners
        let inputs = (0..<number(1...3)).map { _ in all[number(0...all.count - 1)] }
        @Sendable func compute(_ values: [Int]) -> Int { values.reduce(factor) { $0 * 3 + $1 } % divisor }
        let made: Combiner<Int> =
            switch inputs.count {
            case 1: .combine(inputs[0], strategy: strategy) { compute([$0]) }
            case 2: .combine(inputs[0], inputs[1], strategy: strategy) { compute([$0, $1]) }
            default: .combine(inputs[0], inputs[1], inputs[2], strategy: strategy) { compute([$0, $1, $2]) }
            }
        combiners.append(made)
    }

    private mutating func subscribe(_ cost: UInt64, _ isCured: Bool, _ screen: Screen) {
        let node = combiners[number(0...combiners.count - 1)]
        let first = combiners[number(0...firstCombiners - 1)]
        let chosen = number(0...9)
        switch number(0...9) {
        case 0 where extras.contains(.writingHandlers), 1 where extras.contains(.writingHandlers):
            let target = Observable(0)
            node.subscribe { [unowned target] in
                screen.show(cost)
                target.value = $0 % 3
            }
            targets.append(target)
            combiners.append(.combine(target, node) { $0 * 2 + $1 })
            combiners.last?.subscribe { _ in screen.show(cost * 10) }
        case 2 where extras.contains(.writingHandlers) && !targets.isEmpty:
            let target = targets[chosen % targets.count]
            first.subscribe { [unowned target] in
                screen.show(cost)
                target.value = $0 % 5
            }
        case 5...8 where extras.contains(.writingTwice):
            writeTwice(node, chosen, isCured && extras.contains(.batch), cost, screen)
        case 3 where extras.contains(.operators):
            let kept = node.map { $0 % 4 }.filter { $0 != chosen }
            subscriptions.append(kept.subscribe { _ in screen.show(cost) })
        case 4 where extras.contains(.operators):
            let target = Observable(0)
            node.bind(to: target)
            targets.append(target)
            target.subscribe { _ in screen.show(cost) }
        case 5 where extras.contains(.removeDuplicates), 6 where extras.contains(.removeDuplicates):
            let halved = node.map { $0 / 2 }
            subscriptions.append((isCured ? halved.removeDuplicates() : halved).subscribe { _ in screen.show(cost) })
        case 7 where extras.contains(.latest), 8 where extras.contains(.latest):
            let joined: Signal<Int> =
                isCured
                ? Observable.combine(node, first, strategy: .settled) { $0 * 7 + $1 }
                : node.combineLatest(first) { $0 * 7 + $1 }
            subscriptions.append(joined.subscribe { _ in screen.show(cost) })
        case 5 where extras.contains(.handJoins), 6 where extras.contains(.handJoins),
            8 where extras.contains(.handJoins):
            subscribeToJoin(joinByHand(node, first, cost, screen), chosen, isCured, cost, screen)
        case 5 where extras.contains(.actors), 6 where extras.contains(.actors):
            subscribeAway(node.map { $0 / 2 }, isCured && extras.contains(.removeDuplicates), cost, screen)
        case 7 where extras.contains(.actors), 8 where extras.contains(.actors):
            subscribeAway(node, isCured && extras.contains(.removeDuplicates), cost, screen)
        default: node.subscribe { _ in screen.show(cost) }
        }
    }

    /// Subscribes with a handler that writes another node twice.
    private mutating func writeTwice(
        _ node: ReadOnlyObservable<Int>, _ way: Int, _ isCured: Bool, _ cost: UInt64, _ screen: Screen
    ) {
        let (target, other) = (Observable(0), Observable(0))
        node.subscribe { [unowned target, unowned other] value in
            screen.show(cost)
            func write() {
                target.value = way % 2 == 0 ? -1 : value % 3
                if way % 3 == 0 { other.value = value % 4 }
                target.value = value % 5
            }
            if isCured { batch(write) } else { write() }
        }
        target.subscribe { _ in screen.show(cost) }
        targets += [target, other]
        combiners.append(.combine(target, other) { $0 * 2 + $1 })
        combiners.last?.subscribe { _ in screen.show(cost * 10) }
    }

    /// A signal that subscribes to two nodes and emits from both, as programs write it that know no `combineLatest`.
    private func joinByHand(
        _ left: ReadOnlyObservable<Int>, _ right: ReadOnlyObservable<Int>, _ cost: UInt64, _ screen: Screen
    ) -> Signal<Int> {
        final class Latest: @unchecked Sendable {  // A program runs on one thread.
            var (left, right) = (0, 0)
            var joined: Int { (left * 7 + right) % 5 }
        }
        return Signal { subscriber in
            screen.runSource()
            let latest = Latest()
            let inputs = [
                left.subscribe {
                    screen.show(cost)
                    latest.left = $0
                    subscriber.next(latest.joined)
                },
                right.subscribe {
                    screen.show(cost)
                    latest.right = $0
                    subscriber.next(latest.joined)
                },
            ]
            return Disposable { for input in inputs { input.dispose() } }
        }
    }

    /// Shows a join, or computes something from it.
    private mutating func subscribeToJoin(
        _ join: Signal<Int>, _ way: Int, _ isCured: Bool, _ cost: UInt64, _ screen: Screen
    ) {
        switch way {
        case 0...3:
            let target = Observable(0)
            subscriptions.append(join.bind(to: target))
            targets.append(target)
            combiners.append(.combine(target, sources[0]) { ($0 + $1) % 4 })
            combiners.last?.subscribe { _ in screen.show(cost * 10) }
        case 4...6 where extras.contains(.removeDuplicates):
            let halved = join.map { $0 / 2 }
            subscriptions.append((isCured ? halved.removeDuplicates() : halved).subscribe { _ in screen.show(cost) })
        default: subscriptions.append(join.subscribe { _ in screen.show(cost) })
        }
    }

    /// Subscribes with a handler of the actor, which writes in some programs.
    private mutating func subscribeAway(_ signal: Signal<Int>, _ isCured: Bool, _ cost: UInt64, _ screen: Screen) {
        let gate = gate
        let filtered = isCured ? signal.removeDuplicates() : signal
        // The values are counted where they are sent.
        filtered.subscribe { _ in
            screen.show(1)
            gate.send()
        }
        let target = Observable(0)
        let writes = extras.contains(.writingHandlers) && cost % 2 == 0
        gate.run { gate in
            filtered.subscribe {
                gate.receive()
                screen.show(cost)
                if writes { target.value = $0 % 3 }
            }
        }
        gate.open()
        target.subscribe { _ in screen.show(cost * 10) }
    }

    private func act(_ isCured: Bool, _ screen: Screen, _ way: Int, _ writes: [(Observable<Int>, Int)]) {
        @Sendable func write() { for (source, value) in writes { source.value = value } }
        switch way {
        case 0 where extras.contains(.events):
            let event = Emitter<Void>()
            event.subscribe {
                screen.show(3)
                write()
            }
            event.emit()
        case 1 where extras.contains(.events): batch(write)
        case 3 where extras.contains(.laterWork), 4 where extras.contains(.laterWork):
            let (event, time) = (Emitter<Int>(), VirtualScheduler())
            let later = event.delay(.milliseconds(1), on: time).subscribe { _ in
                screen.show(3)
                write()
            }
            func work() {
                event.emit(1)
                if way == 4 { sources[0].value = 7 }
                time.advance(by: .milliseconds(1))
            }
            Trace.stimulus("tap") { if isCured { batch(work) } else { work() } }
            later.dispose()
        case _ where extras.contains(.batch):
            Trace.stimulus("tap") { if isCured { batch(write) } else { write() } }
        default: write()
        }
    }

    // MARK: Remedies

    /// The remedies that `isCured` applies to the program of the seed.
    static func remedies(seed: UInt64, _ extras: Extras, _ topology: Topology) -> [Remedy] {
        var random = RandomJoins(seed: seed, extras)
        random.run(false, Screen())
        // They are defined when they are made.
        let combiners = topology.definitions.nodes.values.filter { $0.kind == .combiner }.map(\.id).sorted()
        var remedies = random.settled.map { Remedy(.settled, nodes: [combiners[$0]], site: nil) }
        if extras.contains(.latest) {
            let latest = topology.definitions.nodes.values.filter { $0.kind == .combineLatest }.map(\.id).sorted()
            remedies.append(Remedy(.settled, nodes: latest, site: nil))
        }
        let handlers = topology.subscriptions.filter { !$0.isInternal }
        if extras.contains(.removeDuplicates) {
            let behindMaps = handlers.filter { topology.definitions.nodes[$0.source]?.kind == .map }
            remedies.append(Remedy(.removeDuplicates, nodes: [], subscriptions: behindMaps.map(\.id), site: nil))
        }
        if extras.contains(.batch) {
            remedies.append(Remedy(.batch, nodes: [], subscriptions: handlers.map(\.id), site: nil))
        }
        return remedies
    }
}
