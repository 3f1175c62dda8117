import Weir

/// Flows that part and join again.
enum GlitchRemedies {
    private final class Cart {
        let quantity = Observable(1)
        let price = Observable(10)
        let subtotal: Combiner<Int>
        let discount: Combiner<Int>
        let tax: Combiner<Int>
        let total: Combiner<Int>

        init(settled isSettled: Bool) {
            subtotal = Observable.combine(quantity, price) { $0 * $1 }
            discount = Observable.combine(subtotal) { $0 / 10 }
            tax = Observable.combine(subtotal) { $0 / 5 }
            total = Observable.combine(subtotal, discount, tax, strategy: isSettled ? .settled : .every) {
                $0 - $1 + $2
            }
        }
    }

    private final class Cell {
        let size: Observable<Int>
        let area: Combiner<Int>

        init(settled isSettled: Bool) {
            let size = Observable(1)
            let width = Observable.combine(size) { $0 * 2 }
            let height = Observable.combine(size) { $0 * 3 }
            self.size = size
            area = Observable.combine(width, height, strategy: isSettled ? .settled : .every) { $0 * $1 }
        }
    }

    static var all: [RemedyProgram] { settled + computed }

    private static var settled: [RemedyProgram] {
        [
            RemedyProgram(
                "A price whose parts come from one count", .glitch, "Model.total", .settled,
                says: "combine(…, strategy: .settled)"
            ) { scene, isCured in
                let count = scene.name("count", Observable(0))
                let net = scene.name("net", Observable.combine(count) { $0 * 100 })
                let tax = scene.name("tax", Observable.combine(count) { $0 * 7 })
                let total = scene.name(
                    "total", Observable.combine(net, tax, strategy: isCured ? .settled : .every) { $0 + $1 })
                total.subscribe { scene.show($0, on: "total") }
                for value in 1...3 { scene.act("add") { count.value = value } }
            },
            RemedyProgram(
                "A cart that shows totals which were never true", .glitch, "Cart.total", .settled,
                says: "combine(…, strategy: .settled)"
            ) { scene, isCured in
                let cart = scene.adopt(Cart(settled: isCured))
                cart.subtotal.subscribe { scene.show($0, on: "subtotal") }
                cart.total.subscribe { scene.show($0, on: "total") }
                scene.act("add") { cart.quantity.value = 3 }
                scene.act("raise") { cart.price.value = 20 }
            },
            RemedyProgram(
                "A label that joins a total with its source", .glitch, "Model.total", .settled,
                says: "combine(…, strategy: .settled); also for Model.label, which joins it with one of its sources"
            ) { scene, isCured in
                let strategy: CombineStrategy = isCured ? .settled : .every
                let count = scene.name("count", Observable(1))
                let net = scene.name("net", Observable.combine(count) { $0 + 1 })
                let tax = scene.name("tax", Observable.combine(count) { $0 * 10 })
                let total = scene.name("total", Observable.combine(net, tax, strategy: strategy) { $0 + $1 })
                let label = scene.name(
                    "label", Observable.combine(total, count, strategy: strategy) { "\($0) of \($1)" })
                total.subscribe { scene.show($0, on: "total") }
                label.subscribe { scene.show($0, on: "label") }
                for value in 2...5 { scene.act("add") { count.value = value } }
            },
            RemedyProgram(
                "Three ways to one label, with two views", .glitch, "Model.text", .settled,
                says: "combine(…, strategy: .settled)"
            ) { scene, isCured in
                let count = scene.name("count", Observable(0))
                let net = scene.name("net", Observable.combine(count) { $0 * 100 })
                let tax = scene.name("tax", Observable.combine(count) { $0 * 7 })
                let weight = scene.name("weight", Observable.combine(count) { $0 * 3 })
                let text = scene.name(
                    "text",
                    Observable.combine(net, tax, weight, strategy: isCured ? .settled : .every) { "\($0) \($1) \($2)" })
                text.subscribe { scene.show($0, on: "text") }
                text.map { "\($0)!" }.subscribe { scene.show($0, on: "title") }.disposed(by: scene.bag)
                for value in [1, 20] { scene.act("add") { count.value = value } }
            },
            RemedyProgram(
                "Operators join as combiners do", .glitch, "Model.sum", .settled,
                says: "combine(…, strategy: .settled) in place of combineLatest",
                prediction: .partial(.unknownEquality)
            ) { scene, isCured in
                let count = scene.name("count", Observable(0))
                if isCured {
                    let net = scene.name("net", Observable.combine(count) { $0 * 100 })
                    let tax = scene.name("tax", Observable.combine(count) { $0 * 7 })
                    let sum = scene.name("sum", Observable.combine(net, tax, strategy: .settled) { $0 + $1 })
                    sum.subscribe { scene.show($0, on: "sum") }
                } else {
                    let net = scene.name("net", count.map { $0 * 100 })
                    let tax = scene.name("tax", count.map { $0 * 7 })
                    let sum = scene.name("sum", net.combineLatest(tax) { $0 + $1 })
                    sum.subscribe { scene.show($0, on: "sum") }.disposed(by: scene.bag)
                }
                for value in 1...3 { scene.act("add") { count.value = value } }
            },
            RemedyProgram(
                "A handler that stores two parts of an answer", .glitch, "Model.total", .settled,
                says: "combine(…, strategy: .settled)"
            ) { scene, isCured in
                let loaded = scene.name("loaded", Emitter<Int>())
                let (net, tax) = (scene.name("net", Observable(0)), scene.name("tax", Observable(0)))
                let total = scene.name(
                    "total", Observable.combine(net, tax, strategy: isCured ? .settled : .every) { $0 + $1 })
                total.subscribe { scene.show($0, on: "total") }
                loaded.subscribe {
                    scene.show($0, on: "log")
                    net.value = $0 * 100
                    tax.value = $0 * 7
                }
                for value in 1...2 { scene.act("load") { loaded.emit(value) } }
            },
            RemedyProgram(
                "A batch of two writes whose flows join", .glitch, "Model.total", .settled,
                says: "combine(…, strategy: .settled)"
            ) { scene, isCured in
                let (count, rate) = (scene.name("count", Observable(1)), scene.name("rate", Observable(7)))
                let net = scene.name("net", Observable.combine(count) { $0 * 100 })
                let tax = scene.name("tax", Observable.combine(rate) { $0 * 3 })
                let total = scene.name(
                    "total", Observable.combine(net, tax, strategy: isCured ? .settled : .every) { $0 + $1 })
                total.subscribe { scene.show($0, on: "total") }
                scene.act("set both") {
                    batch {
                        count.value = 2
                        rate.value = 16
                    }
                }
            },
            RemedyProgram(
                "The cells of a list, each with a join", .glitch, "Cell.area", .settled,
                says: "combine(…, strategy: .settled)"
            ) { scene, isCured in
                let cells = (1...3).map { _ in scene.adopt(Cell(settled: isCured)) }
                for (row, cell) in cells.enumerated() { cell.area.subscribe { scene.show($0, on: "cell \(row)") } }
                for size in 2...3 { scene.act("zoom") { for cell in cells { cell.size.value = size } } }
            },
            RemedyProgram(
                "A join below a join", .glitch, "Model.both", .settled, says: "combine(…, strategy: .settled)"
            ) { scene, isCured in
                let count = scene.name("count", Observable(1))
                let doubled = scene.name("doubled", Combiner(2))
                let both = scene.name("both", Combiner(3, strategy: isCured ? .settled : .every))
                both.combine(count, doubled) { $0 + $1 }
                doubled.combine(count) { $0 * 2 }
                let text = scene.name("text", Observable.combine(both) { "\($0) pieces" })
                text.subscribe { scene.show($0, on: "text") }
                for value in 2...4 { scene.act("add") { count.value = value } }
            },
        ]
    }

    private static var computed: [RemedyProgram] {
        [
            RemedyProgram(
                "A tick whose delegate sets the position back", .glitch, "Model.position", .batchHandler,
                says: "batch { … } around the writes in the handler so that Model.position emits once",
                prediction: .exact
            ) { scene, isCured in
                let ticks = scene.name("ticks", Emitter<Void>())
                let position = scene.name("position", Observable(0))
                @Sendable func advance() {
                    position.value += 1
                    if position.value == 2 { withTracing("track ended") { position.value = 0 } }
                }
                ticks.subscribe { if isCured { batch { advance() } } else { advance() } }.disposed(by: scene.bag)
                position.subscribe { scene.show($0, on: "slider") }.disposed(by: scene.bag)
                for _ in 1...3 { scene.act("tick") { ticks.emit(()) } }
            },
            RemedyProgram(
                "A full name that two handlers write", .glitch, "Model.full", .computeOnce,
                says: "compute Model.full with combine(…, strategy: .settled) instead of writing it in handlers",
                prediction: .exact, addedEvaluations: 2
            ) { scene, isCured in
                let loaded = scene.name("loaded", Emitter<Int>())
                let (first, last) = (scene.name("first", Observable("")), scene.name("last", Observable("")))
                loaded.subscribe {
                    first.value = "Momoko \($0)"
                    last.value = "Sakura \($0)"
                }
                if isCured {
                    let full = scene.name(
                        "full", Observable.combine(first, last, strategy: .settled) { "\($0) \($1)" })
                    full.subscribe { scene.show($0, on: "name") }
                } else {
                    let full = scene.name("full", Observable(""))
                    first.subscribe { full.value = "\($0) \(last.value)" }
                    last.subscribe { full.value = "\(first.value) \($0)" }
                    full.subscribe { scene.show($0, on: "name") }
                }
                for user in 1...2 { scene.act("load") { loaded.emit(user) } }
            },
            RemedyProgram(
                "A label that two handlers of one size write", .glitch, "Model.label", .computeOnce,
                says: "compute Model.label with combine(…, strategy: .settled) instead of writing it in handlers",
                prediction: .exact, addedEvaluations: 2
            ) { scene, isCured in
                let size = scene.name("size", Observable(0))
                if isCured {
                    let label = scene.name(
                        "label", Observable.combine(size, strategy: .settled) { "\($0) pixels" })
                    label.subscribe { scene.show($0, on: "label") }
                } else {
                    let label = scene.name("label", Observable(""))
                    label.subscribe { scene.show($0, on: "label") }
                    size.subscribe { label.value = "\($0)" }
                    size.subscribe { label.value = "\($0) pixels" }
                }
                for value in 1...2 { scene.act("resize") { size.value = value } }
            },
        ]
    }

    static var withoutRemedy: [UncuredProgram] {
        [
            UncuredProgram("A handler that changes an input of what has settled", .glitch, "Model.total") { scene in
                let count = scene.name("count", Observable(0))
                let discount = scene.name("discount", Observable(0))
                let total = scene.name(
                    "total", Observable.combine(count, discount, strategy: .settled) { $0 * 100 - $1 })
                total.subscribe { if $0 > 500 { discount.value = 50 } }
                scene.act("add") { count.value = 7 }
            },
            UncuredProgram("Two rules that depend on each other", .noopEvaluation, "Model.nameIsValid") { scene in
                let (name, password) = (scene.name("name", Observable("")), scene.name("password", Observable("")))
                let nameIsValid = scene.name("nameIsValid", Combiner(false))
                let passwordIsValid = scene.name("passwordIsValid", Combiner(false))
                nameIsValid.combine(name, passwordIsValid) { name, _ in name.count > 2 }
                passwordIsValid.combine(nameIsValid, password) { $0 && $1.count > 2 }
                passwordIsValid.subscribe { _ in }
                scene.act("type the password") { password.value = "sesame" }
                scene.act("type the name") { name.value = "Maruko" }
            },
            UncuredProgram("A source that completes with its second value", .burst, "Model.settings") { scene in
                let settings = scene.name(
                    "settings",
                    Signal<String> { subscriber in
                        for state in ["cached", "loaded"] { subscriber.next(state) }
                        subscriber.complete()
                        return nil
                    })
                scene.act("open") { settings.subscribe { scene.show($0, on: "settings") }.disposed(by: scene.bag) }
            },
        ]
    }
}
