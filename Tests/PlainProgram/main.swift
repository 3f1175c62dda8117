// Programs that use Weir and start no recording: what is recorded of them, the environment alone asks for.
import Weir

final class Basket {
    @Traced var count = 0
    @Traced var note = ""
    let total = Observable(0)
}

func fillBasket() {
    let basket = Basket()
    basket.$count.subscribe { count in
        withTracing("show count", count) { print(count) }
        basket.total.value = count * 3
    }
    basket.count = 1
    basket.count = 1
    basket.note = "gift"
}

if let name = CommandLine.arguments.dropFirst().first {
    guard #available(macOS 14, *), let use = FirstUse(rawValue: name) else { fatalError("no such use: \(name)") }
    await use.run()
} else {
    fillBasket()
}
