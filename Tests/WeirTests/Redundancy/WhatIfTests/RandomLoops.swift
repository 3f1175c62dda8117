import Weir
import WeirTrace

/// A seeded program in which handlers change what they observe; or, with the remedy, what is written is changed before.
enum RandomLoops {
    /// Runs the program of the seed; only the remedy depends on `isCured`.
    static func run(seed: UInt64, _ isCured: Bool, _ screen: Screen) {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        let most = number(3...8)
        let step = number(1...2)
        // A value above `most` is lowered, in one step or in several.
        @Sendable func changed(_ value: Int) -> Int { value > most ? (step == 1 ? value - 1 : most) : value }
        func final(_ value: Int) -> Int { min(value, most) }

        let (price, count) = (Observable(0), Observable(1))
        Trace.adopt(Names(price: price, count: count))
        let strategy: CombineStrategy = number(0...1) == 0 ? .every : .settled
        let total = Observable.combine(price, count, strategy: strategy) { $0 * $1 }
        let isFirst = number(0...1) == 0
        var bag: [Disposable] = []
        func observe() {
            bag.append(
                price.subscribe { [weak price] value in
                    screen.show(3)
                    if !isCured, changed(value) != value { price?.value = changed(value) }
                })
        }
        if isFirst { observe() }
        bag.append(price.map { $0 / 2 }.removeDuplicates().subscribe { _ in screen.show(5) })
        bag.append(total.subscribe { _ in screen.show(7) })
        if !isFirst { observe() }
        for _ in 0..<number(3...9) {
            let (value, amount) = (number(0...10), number(1...3))
            let (isBatch, writesCount) = (number(0...3) == 0, number(0...2) == 0)
            Trace.stimulus("set") {
                func write() {
                    price.value = isCured ? final(value) : value
                    if writesCount { count.value = amount }
                }
                if isBatch { batch(write) } else { write() }
            }
        }
        for subscription in bag { subscription.dispose() }
    }

    private final class Names {
        let price: Observable<Int>
        let count: Observable<Int>
        init(price: Observable<Int>, count: Observable<Int>) { (self.price, self.count) = (price, count) }
    }
}
