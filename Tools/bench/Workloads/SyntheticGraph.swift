import CWeir
import Weir

/// Two hundred observables, as in a large app, written to in a random order that is the same in every run.
///
/// Ten observables have these subscribers: five have one, two have three, one has ten, and two have none. Every twentieth
/// pair feeds a combiner, which has a subscriber of its own.
final class SyntheticGraph {
    private let observables: [Observable<Int>]
    private var combiners: [Combiner<Int>] = []
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15
    private let tally = Tally()

    private static let subscribers = [1, 1, 1, 1, 1, 3, 3, 10, 0, 0]

    init() {
        observables = (0..<200).map { Observable($0) }
        for (index, observable) in observables.enumerated() {
            for _ in 0..<Self.subscribers[index % 10] {
                observable.subscribe { [tally] in tally.add($0) }
            }
        }
        for index in stride(from: 0, to: observables.count, by: 20) {
            let combiner = Observable.combine(observables[index], observables[index + 7]) { $0 &+ $1 }
            combiner.subscribe { [tally] in tally.add($0) }
            combiners.append(combiner)
        }
    }

    /// Writes until the calling thread has recorded `count` more events.
    func run(untilEvents count: UInt64) {
        let thread = weir_thread_current()
        let target = thread.pointee.sequence + count
        while thread.pointee.sequence < target {
            // Knuth's multiplier of a linear congruential generator; its high bits are good enough here.
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let observable = observables[Int(random >> 33) % observables.count]
            observable.value &+= Int(random >> 56)
        }
    }
}
