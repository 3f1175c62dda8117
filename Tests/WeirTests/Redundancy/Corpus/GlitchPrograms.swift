import Weir

/// Flows that part and join again.
enum GlitchPrograms {
    /// A price in two parts, both from the count; and their sum.
    private struct Basket {
        let count: Observable<Int>
        let net: Combiner<Int>
        let tax: Combiner<Int>
        let total: Combiner<Int>

        init(_ scene: Scene, strategy: CombineStrategy = .every) {
            count = scene.name("count", Observable(0))
            net = scene.name("net", Observable.combine(count) { $0 * 100 })
            tax = scene.name("tax", Observable.combine(count) { $0 * 7 })
            total = scene.name("total", Observable.combine(net, tax, strategy: strategy) { $0 + $1 })
        }
    }

    static var all: [Program] {
        [
            Program("A diamond", finds: [.init(.glitch, "Model.total", count: 3)], redundant: 3, of: 6) { scene in
                let basket = Basket(scene)
                basket.total.subscribe { _ in }
                for count in 1...3 { scene.act("add") { basket.count.value = count } }
            },
            Program("A diamond that settles", finds: [], redundant: 0, of: 3) { scene in
                let basket = Basket(scene, strategy: .settled)
                basket.total.subscribe { _ in }
                for count in 1...3 { scene.act("add") { basket.count.value = count } }
            },
            Program(
                "A diamond that waits for all inputs, once", finds: [.init(.glitch, "Model.total", count: 1)],
                redundant: 1, of: 3
            ) { scene in
                let basket = Basket(scene, strategy: .all)
                basket.total.subscribe { _ in }
                for count in 1...2 { scene.act("add") { basket.count.value = count } }
            },
            Program(
                "What comes after the joint repeats its glitch, and is its finding",
                finds: [.init(.glitch, "Model.total", count: 2)], redundant: 2, of: 4
            ) { scene in
                let basket = Basket(scene)
                let label = scene.name("label", Observable.combine(basket.total) { "\($0) €" })
                label.subscribe { _ in }
                for count in 1...2 { scene.act("add") { basket.count.value = count } }
            },
            Program(
                "Two views of one joint are both refreshed too often",
                finds: [.init(.glitch, "Model.total", count: 1)], redundant: 2, of: 4
            ) { scene in
                let basket = Basket(scene)
                basket.total.subscribe { _ in }
                basket.total.subscribe { _ in }
                scene.act("add") { basket.count.value = 1 }
            },
            Program(
                "Three ways: two values too many", finds: [.init(.glitch, "Model.total", count: 2)],
                redundant: 2, of: 3
            ) { scene in
                let count = scene.name("count", Observable(0))
                let net = scene.name("net", Observable.combine(count) { $0 * 100 })
                let tax = scene.name("tax", Observable.combine(count) { $0 * 7 })
                let weight = scene.name("weight", Observable.combine(count) { $0 * 3 })
                let total = scene.name("total", Observable.combine(net, tax, weight) { $0 + $1 + $2 })
                total.subscribe { _ in }
                scene.act("add") { count.value = 1 }
            },
            Program(
                "A short way and a long one, the long one last", finds: [.init(.glitch, "Model.both", count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let count = scene.name("count", Observable(1))
                let doubled = scene.name("doubled", Combiner(2))
                let both = scene.name("both", Combiner(3))
                both.combine(count, doubled) { $0 + $1 }
                doubled.combine(count) { $0 * 2 }
                both.subscribe { _ in }
                scene.act("add") { count.value = 2 }
            },
            Program(
                "A short way and a long one, the long one first: the second time it gives the same",
                finds: [.init(.noopEvaluation, "Model.both", count: 2)], redundant: 0, of: 2
            ) { scene in
                let count = scene.name("count", Observable(1))
                let doubled = scene.name("doubled", Observable.combine(count) { $0 * 2 })
                let both = scene.name("both", Observable.combine(count, doubled) { $0 + $1 })
                both.subscribe { _ in }
                for value in 2...3 { scene.act("add") { count.value = value } }
            },
            Program(
                "Operators join as combiners do", finds: [.init(.glitch, "Model.sum", count: 2)],
                redundant: 2, of: 5
            ) { scene in
                let count = scene.name("count", Observable(0))
                let net = scene.name("net", count.current.map { $0 * 100 })
                let tax = scene.name("tax", count.current.map { $0 * 7 })
                let sum = scene.name("sum", net.combineLatest(tax) { $0 + $1 })
                sum.subscribe { _ in }.disposed(by: scene.bag)
                scene.draw()
                for value in 1...2 { scene.act("add") { count.value = value } }
            },
            Program("A cold map runs once for each of its subscribers", finds: [], redundant: 0, of: 4) { scene in
                let count = scene.name("count", Observable(0))
                let net = scene.name("net", count.map { $0 * 100 })
                net.subscribe { _ in }.disposed(by: scene.bag)
                net.subscribe { _ in }.disposed(by: scene.bag)
                for value in 1...2 { scene.act("add") { count.value = value } }
            },
            Program(
                "Two handlers of one origin write one label", finds: [.init(.glitch, "Model.label", count: 1)],
                redundant: 1, of: 4
            ) { scene in
                let size = scene.name("size", Observable(0))
                let label = scene.name("label", Observable(""))
                label.subscribe { _ in }
                size.subscribe { label.value = "\($0)" }
                size.subscribe { label.value = "\($0) pixels" }
                scene.act("resize") { size.value = 1 }
            },
            Program(
                "One handler that writes twice makes no glitch, but a burst",
                finds: [.init(.burst, "Model.isLoading", count: 1)], redundant: 1, of: 3
            ) { scene in
                let query = scene.name("query", Observable(""))
                let isLoading = scene.name("isLoading", Observable(false))
                isLoading.subscribe { _ in }
                query.subscribe { _ in
                    isLoading.value = true
                    isLoading.value = false
                }
                scene.act("type") { query.value = "tea" }
            },
            Program("What has been drawn in between was seen", finds: [], redundant: 0, of: 2) { scene in
                let basket = Basket(scene)
                basket.total.subscribe { _ in scene.draw() }
                scene.act("add") { basket.count.value = 1 }
            },
            Program("Two writes of two turns are no glitch of one", finds: [], redundant: 0, of: 2) { scene in
                let (net, tax) = (scene.name("net", Observable(0)), scene.name("tax", Observable(0)))
                let total = scene.name("total", Observable.combine(net, tax) { $0 + $1 })
                total.subscribe { _ in }
                scene.act("set the net price") { net.value = 100 }
                scene.act("set the tax") { tax.value = 7 }
            },
            Program(
                "A batch of two writes, each of which is answered: the second time it gives the same",
                finds: [.init(.noopEvaluation, "Model.total", count: 1)], redundant: 0, of: 1
            ) { scene in
                let (net, tax) = (scene.name("net", Observable(0)), scene.name("tax", Observable(0)))
                let total = scene.name("total", Observable.combine(net, tax) { $0 + $1 })
                total.subscribe { _ in }
                scene.act("set both") {
                    batch {
                        net.value = 100
                        tax.value = 7
                    }
                }
            },
            Program(
                "A batch of two writes whose flows join", finds: [.init(.glitch, "Model.total", count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let (count, rate) = (scene.name("count", Observable(1)), scene.name("rate", Observable(7)))
                let net = scene.name("net", Observable.combine(count) { $0 * 100 })
                let tax = scene.name("tax", Observable.combine(rate) { $0 * 3 })
                let total = scene.name("total", Observable.combine(net, tax) { $0 + $1 })
                total.subscribe { _ in }
                scene.act("set both") {
                    batch {
                        count.value = 2
                        rate.value = 16
                    }
                }
            },
            Program(
                "A batch of two writes that settles", finds: [], redundant: 0, of: 1
            ) { scene in
                let (net, tax) = (scene.name("net", Observable(0)), scene.name("tax", Observable(0)))
                let total = scene.name("total", Observable.combine(net, tax, strategy: .settled) { $0 + $1 })
                total.subscribe { _ in }
                scene.act("set both") {
                    batch {
                        net.value = 100
                        tax.value = 7
                    }
                }
            },
            Program(
                "What follows from a state that a handler sets and takes back",
                finds: [.init(.burst, "Model.text", count: 1)], redundant: 1, of: 3
            ) { scene in
                let tapped = scene.name("tapped", Emitter<Int>())
                let (busy, count) = (scene.name("busy", Observable(false)), scene.name("count", Observable(0)))
                let text = scene.name("text", Observable.combine(busy, count) { $0 ? "…" : "\($1)" })
                text.subscribe { _ in }
                tapped.subscribe { _ in
                    busy.value = true
                    busy.value = false
                }
                scene.act("tap") { tapped.emit(1) }
            },
            Program(
                "A handler that writes two inputs of a combiner",
                finds: [.init(.glitch, "Model.total", count: 1)], redundant: 1, of: 3
            ) { scene in
                let loaded = scene.name("loaded", Emitter<Int>())
                let (net, tax) = (scene.name("net", Observable(0)), scene.name("tax", Observable(0)))
                let total = scene.name("total", Observable.combine(net, tax) { $0 + $1 })
                total.subscribe { _ in }
                loaded.subscribe {
                    net.value = $0 * 100
                    tax.value = $0 * 7
                }
                scene.act("load") { loaded.emit(1) }
            },
            Program(
                "A handler that changes an input of what has settled", finds: [.init(.glitch, "Model.total", count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let count = scene.name("count", Observable(0))
                let discount = scene.name("discount", Observable(0))
                let total = scene.name(
                    "total", Observable.combine(count, discount, strategy: .settled) { $0 * 100 - $1 })
                total.subscribe { if $0 > 500 { discount.value = 50 } }
                scene.act("add") { count.value = 7 }
            },
            Program("A merge passes on what comes, and joins nothing", finds: [], redundant: 0, of: 2) { scene in
                let count = scene.name("count", Observable(0))
                let net = scene.name("net", count.map { $0 * 100 })
                let tax = scene.name("tax", count.map { $0 * 7 })
                net.merge(tax).subscribe { _ in }.disposed(by: scene.bag)
                scene.act("add") { count.value = 1 }
            },
            Program("An emitter that two handlers emit to", finds: [], redundant: 0, of: 4) { scene in
                let size = scene.name("size", Observable(0))
                let log = scene.name("log", Emitter<String>())
                log.subscribe { _ in }
                size.subscribe { log.emit("\($0)") }
                size.subscribe { log.emit("\($0) pixels") }
                scene.act("resize") { size.value = 1 }
            },
            Program(
                "A glitch that nobody sees",
                finds: [
                    .init(.glitch, "Model.total", count: 1), .init(.unobserved, "Model.net", count: 1),
                    .init(.unobserved, "Model.tax", count: 1), .init(.unobserved, "Model.total", count: 2),
                ], redundant: 0, of: 0
            ) { scene in
                let basket = Basket(scene)
                scene.act("add") { basket.count.value = 1 }
                _ = basket.total.value
            },
            Program(
                "A recording that begins when the graph is there",
                recordedLate: true, finds: [.init(.glitch, "Model.total", count: 2)],
                unjudged: [
                    .init(.unobserved, "Model.net", .madeBefore, count: 1),
                    .init(.unobserved, "Model.tax", .madeBefore, count: 1),
                    .init(.unobserved, "Model.total", .madeBefore, count: 1),
                ], redundant: 2, of: 4
            ) { scene in
                let basket = Basket(scene)
                basket.total.subscribe { _ in }
                basket.count.value = 1
                try scene.record()
                for count in 2...3 { scene.act("add") { basket.count.value = count } }
            },
        ]
    }
}
