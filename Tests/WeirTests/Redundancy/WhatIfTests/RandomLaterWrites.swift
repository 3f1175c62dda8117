import Foundation
import Synchronization
import Testing
import Weir
import WeirTesting
import WeirTrace

/// A seeded program in which two threads write, one after the other; with the remedy, one of them hands over a node's values.
enum RandomLaterWrites {
    /// Runs the program of the seed; only the remedy depends on `isCured`.
    static func run(seed: UInt64, _ isCured: Bool, _ screen: Screen) {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        let time = VirtualScheduler()
        let isElsewhere = Atomic(false)
        let (status, price, count) = (Observable(0), Observable(0), Observable(1))
        let log = Observable(0)
        Trace.adopt(Names(status: status))
        @Sendable func set(_ value: Int) {
            if isCured, isElsewhere.load(ordering: .relaxed) {
                #expect(throws: Never.self) { try time.schedule { [weak status] in status?.value = value } }
            } else {
                status.value = value
            }
        }

        func strategy() -> CombineStrategy { number(0...2) == 0 ? .settled : .every }
        var bag: [Disposable] = []
        func observe(_ node: ReadOnlyObservable<Int>, _ microseconds: UInt64) {
            bag.append(node.subscribe { _ in screen.show(microseconds) })
        }
        observe(status, 2)
        observe(price, 3)
        if number(0...1) == 0 { observe(Observable.combine(status, strategy: strategy()) { $0 / 2 }, 5) }
        let total = Observable.combine(price, count, strategy: strategy()) { $0 * $1 }
        observe(total, 7)
        if number(0...2) == 0 { observe(Observable.combine(total, status, strategy: strategy()) { $0 + $1 }, 11) }
        if number(0...2) == 0 {
            bag.append(status.current.combineLatest(log.current) { $0 + $1 }.subscribe { _ in screen.show(13) })
        }
        if number(0...2) == 0 {
            bag.append(
                status.subscribe { [weak log] in
                    screen.show(17)
                    log?.value = $0 / 2
                })
        }
        if number(0...2) == 0 {
            bag.append(
                price.subscribe {
                    screen.show(19)
                    set($0 / 3)
                })
        }
        observe(log, 23)

        /// Up to four writes, some in a batch.
        func writes() -> @Sendable () -> Void {
            let chosen = (0..<number(1...4)).map { _ in (number(0...6), number(0...3)) }
            let isBatch = number(0...5) == 0
            return {
                func write() {
                    for (node, value) in chosen {
                        switch node {
                        case 0...3: set(value)
                        case 4: price.value = value
                        case 5: count.value = value
                        default: log.value = value
                        }
                    }
                }
                if isBatch { batch(write) } else { write() }
            }
        }
        // This thread is the first, and so the one that receives the values.
        Trace.stimulus("begin") { set(7) }
        for _ in 0..<number(3...8) {
            let (write, isNamed, isHere) = (writes(), number(0...1) == 0, number(0...1) == 0)
            if isHere {
                Trace.stimulus("here", write)
                continue
            }
            isElsewhere.store(true, ordering: .relaxed)
            let done = DispatchSemaphore(value: 0)
            Thread {
                if isNamed { Trace.stimulus("elsewhere", write) } else { write() }
                done.signal()
            }.start()
            done.wait()
            isElsewhere.store(false, ordering: .relaxed)
            time.runUntilIdle()
            // The values have arrived.
            Trace.stimulus("here") { count.value = count.value }
        }
        for subscription in bag { subscription.dispose() }
    }

    private final class Names {
        let status: Observable<Int>
        init(status: Observable<Int>) { self.status = status }
    }
}
