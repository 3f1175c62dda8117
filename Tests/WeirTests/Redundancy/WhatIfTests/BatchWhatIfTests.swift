import Testing
import Weir
import WeirTesting
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// The effect of a batch around a stimulus's writes, predicted and measured.
    @MainActor @Suite struct BatchWhatIfTests {
        private func stimulus(_ name: String, _ isCured: Bool, _ body: () -> Void) {
            Trace.stimulus(name) { if isCured { batch(body) } else { body() } }
        }

        private final class Cart {
            let price = Observable(10)
            let count = Observable(1)
            let discount = Observable(0)
            let total: Combiner<Int>
            let final: Combiner<Int>

            init(_ strategy: CombineStrategy = .every, privacy: TracePrivacy = .public) {
                total = .combine(price, count, strategy: strategy) { $0 * $1 }
                final = .combine(total, discount, strategy: strategy) { $0 - $1 }
                Trace.adopt(self)
            }
        }

        @Test func `two writes refresh once`() throws {
            try WhatIfExperiment([.batch("Cart.total")]) { isCured, screen in
                let cart = Cart()
                cart.total.subscribe { _ in screen.show() }
                for number in 2...4 {
                    stimulus("change", isCured) {
                        cart.price.value = number * 10
                        cart.count.value = number
                    }
                }
            }.expectExact()
        }

        @Test func `a handler that writes twice does so in a batch of its own`() throws {
            final class Search {
                let query = Observable("")
                let isLoading = Observable(false)
                init() { Trace.adopt(self) }
            }
            try WhatIfExperiment([.batch("Search.isLoading")]) { isCured, screen in
                let search = Search()
                search.isLoading.subscribe { _ in screen.show(2) }
                search.query.subscribe { [unowned search] _ in
                    screen.show(3)
                    if isCured {
                        batch { for value in [true, false] { search.isLoading.value = value } }
                    } else {
                        for value in [true, false] { search.isLoading.value = value }
                    }
                }
                stimulus("paste", isCured) { for text in ["t", "tea"] { search.query.value = text } }
                // Also where the handler is called outside of the stimulus.
                search.query.value = "teas"
            }.expectExact()
        }

        @Test func `a batch around work that comes later in the stimulus`() throws {
            try WhatIfExperiment([.batch("Cart.total")]) { isCured, screen in
                let (cart, time, tapped) = (Cart(), VirtualScheduler(), Emitter<Int>())
                cart.total.subscribe { _ in screen.show() }
                let later = tapped.delay(.milliseconds(1), on: time).subscribe {
                    screen.show(3)
                    cart.price.value = $0 * 10
                    cart.count.value = $0
                }
                for number in 2...4 {
                    stimulus("tap", isCured) {
                        tapped.emit(number)
                        time.advance(by: .milliseconds(1))
                    }
                }
                later.dispose()
            }.expectExact()
        }

        private final class Breakfast {
            @Traced var text = ""
            let tea = Observable(0)
            let milk = Observable(0)

            init() { Trace.adopt(self) }
        }

        @Test func `a property that two handlers write from both of their inputs cannot be told`() throws {
            try WhatIfExperiment([.batch("Breakfast.text")]) { isCured, screen in
                let breakfast = Breakfast()
                breakfast.$text.subscribe { _ in screen.show() }
                for drink in [breakfast.tea, breakfast.milk] {
                    drink.subscribe { [unowned breakfast] _ in
                        screen.show(3)
                        breakfast.text = "\(breakfast.tea.value) \(breakfast.milk.value)"
                    }
                }
                for number in 1...2 {
                    stimulus("pour", isCured) {
                        breakfast.tea.value = number
                        breakfast.milk.value = number
                    }
                }
            }.expectUncomputed(.delayedHandler)
        }

        private final class Chat {
            let sent = Emitter<String>()
            let rows = Observable<[String]>([])
            let title: Combiner<String>

            init() {
                title = .combine(rows) { "\($0.count) rows" }
                Trace.adopt(self)
            }
        }

        @Test func `ten appends in the handler of a button`() throws {
            for name in ["Chat.rows", "Chat.title"] {
                let experiment = try WhatIfExperiment([.batch(name)]) { isCured, screen in
                    let chat = Chat()
                    chat.rows.subscribe { _ in screen.show() }
                    chat.title.subscribe { _ in screen.show(2) }
                    chat.sent.subscribe { text in
                        screen.show(3)
                        for number in 1...10 { chat.rows.modify { $0.append("\(text) \(number)") } }
                    }
                    for text in ["hi", "ho"] { stimulus("tap", isCured) { chat.sent.emit(text) } }
                }
                experiment.expectExact()
                #expect(experiment.recorded.refreshes == 42 && experiment.predicted.refreshes == 6)
            }
        }

        @Test func `a value that is what it was in the end`() throws {
            try WhatIfExperiment([.batch("Cart.total")]) { isCured, screen in
                let cart = Cart()
                cart.total.subscribe { _ in screen.show() }
                cart.count.subscribe { _ in screen.show(2) }
                stimulus("blink", isCured) {
                    cart.count.value = 5
                    cart.count.value = 1
                    cart.count.value = 1
                }
                stimulus("change", isCured) {
                    cart.count.value = 5
                    cart.price.value = 11
                    cart.count.value = 6
                }
            }.expectExact()
        }

        @Test func `joins below joins, with handlers that write`() throws {
            try WhatIfExperiment([.batch("Cart.final")]) { isCured, screen in
                let cart = Cart()
                let shown = Observable(0)
                let text = Observable.combine(shown, cart.discount) { "\($0) \($1)" }
                cart.final.subscribe {
                    screen.show()
                    shown.value = $0
                }
                text.subscribe { _ in screen.show(3) }
                for number in 2...4 {
                    stimulus("change", isCured) {
                        cart.price.value = number * 10
                        cart.discount.value = number
                    }
                }
            }.expectExact()
        }

        @Test func `an event whose handler writes twice is one turn, and settles later`() throws {
            try WhatIfExperiment([.batch("Cart.total")]) { isCured, screen in
                let cart = Cart(.settled)
                let tap = Emitter<Int>()
                tap.subscribe {
                    screen.show(1)
                    cart.price.value = $0
                    cart.count.value = $0
                }
                cart.total.subscribe { _ in screen.show() }
                cart.price.subscribe { _ in screen.show(2) }
                stimulus("taps", isCured) {
                    tap.emit(4)
                    tap.emit(5)
                    tap.emit(5)
                }
            }.expectExact()
        }

        @Test func `together with settled joins`() throws {
            let cures: [WhatIfExperiment.Cure] = [.batch("Cart.final"), .settled("Cart.total"), .settled("Cart.final")]
            try WhatIfExperiment(cures) { isCured, screen in
                let cart = Cart(isCured ? .settled : .every)
                cart.final.subscribe { _ in screen.show() }
                cart.total.subscribe { _ in screen.show(3) }
                for number in 2...4 {
                    stimulus("change", isCured) {
                        cart.count.value = number
                        cart.price.value = number * 10
                        cart.discount.value = number
                    }
                }
            }.expectExact()
        }

        @Test func `batches inside of batches, and writes elsewhere`() throws {
            try WhatIfExperiment([.batch("Cart.total")]) { isCured, screen in
                let cart = Cart()
                cart.total.subscribe { _ in screen.show() }
                stimulus("change", isCured) {
                    batch {
                        cart.price.value = 20
                        cart.count.value = 2
                    }
                    cart.count.value = 3
                }
                cart.price.value = 21
                Trace.stimulus("other") { cart.count.value = 4 }
            }.expectExact()
        }

        @Test func `private values, each written once`() throws {
            try WhatIfExperiment([.batch("Vault.both")]) { isCured, screen in
                final class Vault {
                    let name = Observable("", privacy: .private)
                    let word = Observable("", privacy: .private)
                    let both: Combiner<String>

                    init() {
                        both = .combine(name, word, privacy: .private) { $0 + $1 }
                        Trace.adopt(self)
                    }
                }
                let vault = Vault()
                vault.name.subscribe { _ in screen.show(2) }
                stimulus("clear", isCured) { vault.name.value = "b" }
                vault.both.subscribe { _ in screen.show() }
                stimulus("log in", isCured) {
                    vault.name.value = "Maruko"
                    vault.word.value = "secret"
                }
            }.expectUncomputed(.unknownEquality)
        }

        @Test func `what is scheduled in the same stimulus that runs it cannot be computed`() throws {
            try WhatIfExperiment([.batch("Cart.total")]) { isCured, screen in
                let cart = Cart()
                let scheduler = ManualScheduler()
                let later = cart.price.deliver(on: scheduler).subscribe { _ in screen.show() }
                cart.total.subscribe { _ in screen.show() }
                stimulus("change", isCured) {
                    cart.price.value = 20
                    scheduler.advance(by: 1)
                    cart.count.value = 2
                }
                later.dispose()
            }.expectUncomputed(.unknownCause)
        }

        @Test func `writes after an await, in the hop that makes them`() throws {
            try WhatIfExperiment([.batch("Cart.total")]) { isCured, screen in
                let cart = Cart()
                let scheduler = ManualScheduler()
                let tapped = Emitter<Int>()
                cart.total.subscribe { _ in screen.show() }
                let load = tapped.delay(.nanoseconds(1), on: scheduler).subscribe { price in
                    screen.show(0)
                    let write = {
                        cart.price.value = price
                        cart.count.value = price
                    }
                    if isCured { batch { write() } } else { write() }
                }
                for price in [20, 30] {
                    Trace.stimulus("load") { tapped.emit(price) }
                    scheduler.advance(by: 1)
                }
                load.dispose()
            }.expectExact()
        }

        @Test func `writes outside of any stimulus`() throws {
            try WhatIfExperiment([.batch("Cart.total")]) { _, screen in
                let cart = Cart()
                cart.total.subscribe { _ in screen.show() }
                cart.price.value = 20
                cart.count.value = 2
            }.expectUncomputed(.noStimulus)
        }
    }
}
