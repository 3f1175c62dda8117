// Programs that use Weir and start no recording: what is recorded of them, the environment alone asks for.
import Weir

final class Basket {
    @Traced var count = 0
    @Traced var note = ""
    let total = Observable(0)
}

@MainActor func fillBasket() {
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
    guard #available(macOS 14, *) else { fatalError("needs macOS 14") }
    let arguments = CommandLine.arguments
    if name == "fill", arguments.count > 2, let filling = Filling(rawValue: arguments[2]) {
        filling.run(path: arguments.count > 3 ? arguments[3] : nil)
    } else if let use = FirstUse(rawValue: name) {
        await use.run()
    } else if let object = LateObject(rawValue: name) {
        await object.run()
    } else {
        fatalError("no such use: \(name)")
    }
} else {
    fillBasket()
}
