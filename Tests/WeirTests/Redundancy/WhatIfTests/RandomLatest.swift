import Weir
import WeirTrace

@testable import WeirAnalysis

/// A seeded program whose joins are all combineLatest, of each other, of maps and of current values; in the cured program, each
/// of them is a settled combiner.
struct RandomLatest {
    private var random: SeededGenerator
    /// Whether all signals begin with their current values.
    private let areCurrent: Bool
    private var sources: [Observable<Int>] = []
    private var copies: [Observable<Int>] = []
    private var subscriptions: [Disposable] = []

    /// A join before its remedy, or a combiner after it, and what both need.
    private enum Join {
        case signal(Signal<Int>)
        case combiner(ReadOnlyObservable<Int>)

        func signal(_ isCurrent: Bool) -> Signal<Int> {
            switch self {
            case .signal(let signal): signal
            case .combiner(let combiner): isCurrent ? combiner.current : combiner
            }
        }
    }

    private init(seed: UInt64, areCurrent: Bool) {
        random = SeededGenerator(seed: seed)
        self.areCurrent = areCurrent
    }

    static func run(seed: UInt64, areCurrent: Bool = false, _ isCured: Bool, _ screen: Screen) {
        var program = RandomLatest(seed: seed, areCurrent: areCurrent)
        program.run(isCured, screen)
    }

    static func remedies(_ topology: Topology) -> [Remedy] {
        let joins = topology.definitions.nodes.values.filter { $0.kind == .combineLatest }.map(\.id).sorted()
        return [Remedy(.settled, nodes: joins, site: nil)]
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func run(_ isCured: Bool, _ screen: Screen) {
        for index in 0..<number(1...3) { sources.append(Observable(index)) }
        sources[0].subscribe { _ in screen.show(50) }
        var joins: [Join] = []
        for _ in 0..<number(1...4) {
            let first = input(joins, isCured)
            let second = input(joins, isCured)
            joins.append(join(first, second, isCured))
            // A trace does not tell the inputs of a signal without a subscription.
            subscribe([joins[joins.count - 1]], screen)
            if number(0...3) == 0 { write() }
        }
        for _ in 0..<number(1...3) { subscribe(joins, screen) }
        for _ in 0..<number(4...25) {
            switch number(0...11) {
            case 0 where !subscriptions.isEmpty:
                subscriptions.remove(at: number(0...subscriptions.count - 1)).dispose()
            case 1: subscribe(joins, screen)
            case 2:
                let (left, right) = (number(0...3), number(0...3))
                batch {
                    sources[0].value = left
                    sources[sources.count - 1].value = right
                }
            default: write()
            }
        }
        for subscription in subscriptions { subscription.dispose() }
    }

    private mutating func write() { sources[number(0...sources.count - 1)].value = number(0...3) }

    /// A source, a join, or something computed from one of them.
    private mutating func input(_ joins: [Join], _ isCured: Bool) -> Join {
        let choice = number(0...5)
        let index = number(0...max(0, joins.count - 1))
        let source = sources[number(0...sources.count - 1)]
        let (factor, divisor) = (number(1...5), number(2...6))
        @Sendable func compute(_ value: Int) -> Int { value * factor % divisor }
        switch choice {
        case 0 where !joins.isEmpty: return joins[index]
        case 1:
            return isCured
                ? .combiner(Observable.combine(source) { compute($0) })
                : .signal((areCurrent ? source.current : source).map { compute($0) })
        case 2: return .combiner(Observable.combine(source) { compute($0) })
        case 3 where !copies.isEmpty: return .combiner(copies[copies.count - 1])
        default: return .combiner(source)
        }
    }

    private mutating func join(_ first: Join, _ second: Join, _ isCured: Bool) -> Join {
        let divisor = number(2...40)
        @Sendable func compute(_ left: Int, _ right: Int) -> Int { (left * 7 + right) % divisor }
        guard case .combiner(let left) = first, case .combiner(let right) = second, isCured else {
            return .signal(first.signal(areCurrent).combineLatest(second.signal(areCurrent)) { compute($0, $1) })
        }
        return .combiner(Observable.combine(left, right, strategy: .settled) { compute($0, $1) })
    }

    private mutating func subscribe(_ joins: [Join], _ screen: Screen) {
        let (signal, cost) = (joins[number(0...joins.count - 1)].signal(areCurrent), UInt64(number(1...9)))
        let kind = number(0...5)
        switch kind {
        case 0:
            let copy = Observable(0)
            subscriptions.append(
                signal.subscribe { [unowned copy] in
                    screen.show(cost)
                    copy.value = $0 % 3
                })
            copies.append(copy)
            copy.subscribe { _ in screen.show(cost) }
        case 1: subscriptions.append(signal.map { $0 / 2 }.subscribe { _ in screen.show(cost) })
        default: subscriptions.append(signal.subscribe { _ in screen.show(cost) })
        }
    }
}
