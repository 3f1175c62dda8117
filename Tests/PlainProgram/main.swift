// A program that uses observables and calls nothing of `Trace`: what is recorded of it, the environment alone asks for.
import Weir

final class Basket {
    @Traced var count = 0
    @Traced var note = ""
    let total = Observable(0)
}

let basket = Basket()
basket.$count.subscribe { count in
    withTracing("show count", count) { print(count) }
    basket.total.value = count * 3
}
basket.count = 1
basket.count = 1
basket.note = "gift"
