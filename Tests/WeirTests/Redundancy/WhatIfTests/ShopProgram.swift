import Weir

/// A shop with a fault of each kind, and one screen frame for each action of its user.
enum ShopProgram {
    private final class Shop {
        let count = Observable(1)
        let address = Observable("")
        let net: Combiner<Int>
        let tax: Combiner<Int>
        let total: Combiner<Int>
        let balance: Combiner<Int>

        init() {
            net = .combine(count) { $0 * 100 }
            tax = .combine(count) { $0 * 7 }
            total = .combine(net, tax) { $0 + $1 }
            balance = .combine(net, tax, privacy: .private) { 1000 - $0 - $1 }
            Trace.adopt(self)
        }
    }

    /// A price list that is loaded for each request.
    private static func prices(_ screen: Screen, _ scheduler: ManualScheduler) -> Signal<Int> {
        Signal { subscriber in
            screen.runSource()
            return scheduler.schedule(after: .nanoseconds(10)) {
                subscriber.next(100)
                subscriber.complete()
            }
        }
    }

    static func run(_ screen: Screen) {
        let (shop, scheduler) = (Shop(), ManualScheduler())
        shop.total.subscribe { _ in screen.show(10) }
        shop.balance.subscribe { _ in screen.show(8) }
        shop.count.map { $0 > 2 }.subscribe { _ in screen.show(4) }
        shop.address.subscribe { screen.show($0 == "Main Street" ? 17_000 : 5) }
        func act(_ name: String, _ body: () -> Void) {
            Trace.stimulus(name, body)
            Trace.frame()
        }
        for count in 2...5 { act("add") { shop.count.value = count } }
        act("paste address") { for line in ["Main", "Main S", "Main Street"] { shop.address.value = line } }
        act("show prices") {
            let prices = prices(screen, scheduler)
            prices.subscribe { _ in screen.show(3) }
            prices.subscribe { _ in screen.show(3) }
        }
        act("wait") { scheduler.advance(by: 50) }
    }
}
