import Weir

/// Values that are computed without any observer, and what counts as an observer.
enum UnobservedPrograms {
    private final class Label {
        var text = ""
    }

    static var all: [Program] { hot + cold }

    private static var hot: [Program] {
        [
            Program(
                "A combiner that nobody observes", finds: [.init(.unobserved, "Model.total", count: 3)],
                redundant: 0, of: 0
            ) { scene in
                let price = scene.name("price", Observable(0))
                _ = scene.name("total", Observable.combine(price) { $0 * 2 })
                for value in 1...3 { scene.act("set") { price.value = value } }
            },
            Program(
                "A combiner that is read, but not observed", finds: [.init(.unobserved, "Model.total", count: 2)],
                redundant: 0, of: 0
            ) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", Observable.combine(price) { $0 * 2 })
                for value in 1...2 {
                    scene.act("set") {
                        price.value = value
                        _ = total.value
                    }
                }
            },
            Program(
                "An evaluation for nobody that gives the same",
                finds: [
                    .init(.unobserved, "Model.isDear", count: 2), .init(.noopEvaluation, "Model.isDear", count: 2),
                ],
                redundant: 0, of: 0
            ) { scene in
                let price = scene.name("price", Observable(0))
                _ = scene.name("isDear", Observable.combine(price) { $0 > 100 })
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            Program("A combiner that a property is bound to", finds: [], redundant: 0, of: 2) { scene in
                let label = Label()
                let price = scene.name("price", Observable(0))
                let text = scene.name("text", Observable.combine(price) { "\($0) €" })
                text.bind(unchecked: label, \.text).disposed(by: scene.bag)
                scene.draw()
                scene.act("set") { price.value = 1 }
            },
            Program(
                "A combiner that feeds an observable, which anybody may read", finds: [], redundant: 0, of: 0
            ) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", Observable.combine(price) { $0 * 2 })
                let shown = scene.name("shown", Observable(0))
                total.bind(to: shown).disposed(by: scene.bag)
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            Program("A combiner that feeds an observable which is shown", finds: [], redundant: 0, of: 2) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", Observable.combine(price) { $0 * 2 })
                let shown = scene.name("shown", Observable(0))
                total.bind(to: shown).disposed(by: scene.bag)
                shown.subscribe { _ in }
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            Program("A combiner that an observer hears", finds: [], redundant: 0, of: 2) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", Observable.combine(price) { $0 * 2 })
                let onTotal = scene.name("onTotal", Observer<Int> { _ in })
                onTotal.subscribe(to: total)
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            Program(
                "A chain of combiners that ends nowhere",
                finds: [
                    .init(.unobserved, "Model.net", count: 2), .init(.unobserved, "Model.total", count: 2),
                ], redundant: 0, of: 0
            ) { scene in
                let price = scene.name("price", Observable(0))
                let net = scene.name("net", Observable.combine(price) { $0 * 2 })
                _ = scene.name("total", Observable.combine(net) { $0 + 5 })
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            Program(
                "A branch that nobody observes of a tree that is",
                finds: [.init(.unobserved, "Model.tax", count: 1)], redundant: 0, of: 1
            ) { scene in
                let price = scene.name("price", Observable(0))
                let net = scene.name("net", Observable.combine(price) { $0 * 100 })
                _ = scene.name("tax", Observable.combine(price) { $0 * 7 })
                net.subscribe { _ in }
                scene.act("set") { price.value = 1 }
            },
            Program(
                "A view that is disposed before its model", finds: [.init(.unobserved, "Model.total", count: 2)],
                redundant: 0, of: 1
            ) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", Observable.combine(price) { $0 * 2 })
                let view = total.subscribe { _ in }
                scene.act("set") { price.value = 1 }
                scene.act("close the view") { view.dispose() }
                for value in 2...3 { scene.act("set") { price.value = value } }
            },
            Program(
                "A tab that is shown, hidden and shown again", finds: [.init(.unobserved, "Model.total", count: 1)],
                redundant: 0, of: 2
            ) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", Observable.combine(price) { $0 * 2 })
                for value in 1...3 {
                    let isShown = value != 2
                    let view = isShown ? total.subscribe { _ in } : Disposable {}
                    scene.act("set") { price.value = value }
                    view.dispose()
                }
            },
            Program("A view that is gone, and a model that rests", finds: [], redundant: 0, of: 1) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", Observable.combine(price) { $0 * 2 })
                let view = total.subscribe { _ in }
                scene.act("set") { price.value = 1 }
                scene.act("close the view") { view.dispose() }
            },
            Program("What waits for its turn to settle has not been computed", finds: [], redundant: 0, of: 1) {
                scene in
                let (width, height) = (scene.name("width", Observable(1)), scene.name("height", Observable(1)))
                let area = scene.name("area", Observable.combine(width, height, strategy: .all) { $0 * $1 })
                scene.act("pull") { width.value = 2 }
                area.subscribe { _ in }
                scene.act("pull") { height.value = 3 }
            },
        ]
    }

    private static var cold: [Program] {
        [
            Program(
                "Operators that feed an observable, which anybody may read", finds: [], redundant: 0, of: 0
            ) { scene in
                let text = scene.name("text", Observable(""))
                let long = scene.name("long", text.filter { $0.count > 2 })
                let upper = scene.name("upper", long.map { $0.uppercased() })
                let shown = scene.name("shown", Observable(""))
                upper.bind(to: shown).disposed(by: scene.bag)
                for value in ["t", "te", "tea"] { scene.act("type") { text.value = value } }
            },
            Program("The same operators, shown", finds: [], redundant: 0, of: 1) { scene in
                let text = scene.name("text", Observable(""))
                let long = scene.name("long", text.filter { $0.count > 2 })
                let upper = scene.name("upper", long.map { $0.uppercased() })
                let shown = scene.name("shown", Observable(""))
                upper.bind(to: shown).disposed(by: scene.bag)
                shown.subscribe { _ in }
                for value in ["t", "te", "tea"] { scene.act("type") { text.value = value } }
            },
            Program("A shared signal without subscribers computes nothing", finds: [], redundant: 0, of: 1) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", price.map { $0 * 2 })
                let shared = scene.name("shared", total.share())
                let view = shared.subscribe { _ in }
                scene.act("set") { price.value = 1 }
                scene.act("close the view") { view.dispose() }
                scene.act("set") { price.value = 2 }
            },
        ]
    }
}
