import Weir

/// Views that are released, and handlers that are not.
enum ZombieRefreshPrograms {
    private final class PriceView {
        let onPrice = Observer<Int> { _ in }
        let bag = DisposeBag()
        var price = 0
    }

    static var all: [Program] {
        [
            Program(
                "An observer that outlives its view", finds: [.init(.zombieRefresh, "Model.price", count: 2)],
                redundant: 2, of: 3
            ) { scene in
                let price = scene.name("price", Observable(0))
                var view: PriceView? = PriceView()
                if let view {
                    Trace.adopt(view)
                    view.onPrice.subscribe(to: price)
                }
                scene.act("set") { price.value = 1 }
                scene.act("close the view") { view = nil }
                for value in 2...3 { scene.act("set") { price.value = value } }
            },
            Program("An observer that is disposed with its view", finds: [], redundant: 0, of: 1) { scene in
                let price = scene.name("price", Observable(0))
                var view: PriceView? = PriceView()
                if let view {
                    Trace.adopt(view)
                    view.onPrice.subscribe(to: price).disposed(by: view.bag)
                }
                scene.act("set") { price.value = 1 }
                scene.act("close the view") { view = nil }
                for value in 2...3 { scene.act("set") { price.value = value } }
            },
            Program("A view that is gone, and nothing happens any more", finds: [], redundant: 0, of: 1) { scene in
                let price = scene.name("price", Observable(0))
                var view: PriceView? = PriceView()
                if let view {
                    Trace.adopt(view)
                    view.onPrice.subscribe(to: price)
                }
                scene.act("set") { price.value = 1 }
                scene.act("close the view") { view = nil }
            },
            Program(
                "Two views, one of which is gone", finds: [.init(.zombieRefresh, "Model.price", count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let price = scene.name("price", Observable(0))
                var views = [PriceView(), PriceView()]
                for view in views {
                    Trace.adopt(view)
                    view.onPrice.subscribe(to: price)
                }
                scene.act("close a view") { views.removeLast() }
                scene.act("set") { price.value = 1 }
            },
            Program(
                "A zombie that shows the same again",
                finds: [
                    .init(.zombieRefresh, "Model.rounded", count: 2), .init(.repeatedValue, "Model.rounded", count: 1),
                    .init(.noopEvaluation, "Model.rounded", count: 1),
                ], redundant: 2, of: 2
            ) { scene in
                let price = scene.name("price", Observable(0))
                let rounded = scene.name("rounded", price.map { $0 / 10 })
                var view: PriceView? = PriceView()
                if let view {
                    Trace.adopt(view)
                    view.onPrice.subscribe(to: rounded).disposed(by: scene.bag)
                }
                scene.act("close the view") { view = nil }
                for value in 11...12 { scene.act("set") { price.value = value } }
            },
            Program("A binding ends with the first value after its view", finds: [], redundant: 0, of: 3) { scene in
                let price = scene.name("price", Observable(0))
                var view: PriceView? = PriceView()
                if let view {
                    Trace.adopt(view)
                    price.bind(unchecked: view, \.price).disposed(by: scene.bag)
                }
                scene.draw()
                scene.act("set") { price.value = 1 }
                scene.act("close the view") { view = nil }
                for value in 2...3 { scene.act("set") { price.value = value } }
            },
        ]
    }
}
