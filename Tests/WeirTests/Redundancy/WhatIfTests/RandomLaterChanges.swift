import Weir
import WeirTesting
import WeirTrace

/// A seeded program in which slow handlers write; with the remedy, they do so later, when the work has been done elsewhere.
enum RandomLaterChanges {
    /// Runs the program of the seed; only the remedy depends on `isCured`.
    static func run(seed: UInt64, _ isCured: Bool, _ screen: Screen) {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        let time = VirtualScheduler(clock: screen.clock)
        let (price, count, log) = (Observable(0), Observable(1), Observable(0))
        let line = Emitter<Int>()
        Trace.adopt(Names(price: price))
        func strategy() -> CombineStrategy { number(0...2) == 0 ? .settled : .every }
        var bag: [Disposable] = []
        func observe(_ node: ReadOnlyObservable<Int>, _ microseconds: UInt64) {
            bag.append(node.subscribe { _ in screen.show(microseconds) })
        }
        observe(count, 2)
        let text = Observable.combine(log, strategy: strategy()) { $0 / 2 }
        observe(text, 3)
        if number(0...3) == 0 { observe(Observable.combine(log, count, strategy: strategy()) { $0 + $1 }, 5) }
        if number(0...3) == 0 { observe(Observable.combine(price, log, strategy: strategy()) { $0 - $1 }, 6) }
        for place in 0..<number(1...2) {
            let (writes, emits, takes) = (number(0...3) > 0, number(0...3) == 0, UInt64(number(5...40)))
            bag.append(
                price.subscribe { value in
                    screen.show(takes)
                    @Sendable func change() {
                        if writes { log.value = value / (2 + place) }
                        if emits { line.emit(value) }
                    }
                    if isCured {
                        _ = try? time.schedule(after: .microseconds(Int(takes))) { change() }
                    } else {
                        change()
                    }
                })
        }
        bag.append(line.map { $0 + 1 }.subscribe { _ in screen.show(7) })
        observe(log, 11)
        observe(price, 13)
        for _ in 0..<number(3...9) {
            let isBatch = number(0...5) == 0
            let writes = (0..<number(1...3)).map { _ in (number(0...7), number(0...8)) }
            Trace.stimulus("set") {
                func write() {
                    for (node, value) in writes {
                        switch node {
                        case 0...3: price.value = value
                        case 4...6: count.value = value
                        default: log.value = value
                        }
                    }
                }
                if isBatch { batch(write) } else { write() }
            }
            // The next stimulus may come before the work is done.
            let wait = number(0...9)
            time.advance(by: .microseconds(wait == 0 ? 1 : 1000))
        }
        time.advance(by: .milliseconds(1))
        for subscription in bag { subscription.dispose() }
    }

    private final class Names {
        let price: Observable<Int>
        init(price: Observable<Int>) { self.price = price }
    }
}
