import CWeirTesting
import Testing
import Weir

extension Everything {
    /// The number of objects that are allocated to subscribe and to dispose; the highest number of all builds.
    @Suite struct SubscriptionCostTests {
        /// The objects of one subscription, after the first ones.
        private func objects(_ subscribe: () -> Void) -> Int {
            for _ in 0..<10 { subscribe() }
            let before = weir_allocations_count()
            for _ in 0..<100 { subscribe() }
            return Int(weir_allocations_count() - before) / 100
        }

        @Test func `A first value costs no object`() {
            let number = Observable(1)
            let plain = objects { number.subscribe { _ in }.dispose() }
            #expect(objects { number.subscribe(initial: true) { _ in }.dispose() } <= plain)
        }

        @Test func `A bag costs itself and its list`() {
            let emitter = Emitter<Int>()
            let plain = objects { emitter.subscribe { _ in }.dispose() }
            let inBag = objects {
                let bag = DisposeBag()
                emitter.subscribe { _ in }.disposed(by: bag)
            }
            #expect(inBag <= plain + 2)
        }

        @Test func `An operator that ends its sources makes no key path`() {
            let (emitter, other) = (Emitter<Int>(), Emitter<Int>())
            let takes = objects { emitter.take(1).subscribe { _ in }.dispose() }
            let merges = objects { emitter.merge(other).subscribe { _ in }.dispose() }
            #expect(takes <= 14)
            #expect(merges <= 22)
        }
    }
}
