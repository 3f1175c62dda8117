import Weir

/// Handlers that take their time.
enum SlowRefreshPrograms {
    static var all: [Program] {
        [
            Program(
                "A handler that takes longer than a frame", finds: [.init(.slowRefresh, "Model.price", count: 1)],
                redundant: 0, of: 2
            ) { scene in
                let price = scene.name("price", Observable(0))
                price.subscribe { scene.wait(milliseconds: $0 == 1 ? 20 : 5) }
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            Program("A handler that takes almost a frame", finds: [], redundant: 0, of: 2) { scene in
                let price = scene.name("price", Observable(0))
                price.subscribe { _ in scene.wait(milliseconds: 16) }
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            Program("Two handlers that take half a frame each", finds: [], redundant: 0, of: 2) { scene in
                let price = scene.name("price", Observable(0))
                price.subscribe { _ in scene.wait(milliseconds: 9) }
                price.subscribe { _ in scene.wait(milliseconds: 9) }
                scene.act("set") { price.value = 1 }
            },
            Program(
                "Two that take half a frame each, one inside the other",
                finds: [.init(.slowRefresh, "Model.price", count: 1)], redundant: 0, of: 2
            ) { scene in
                let (price, total) = (scene.name("price", Observable(0)), scene.name("total", Observable(0)))
                total.subscribe { _ in scene.wait(milliseconds: 9) }
                price.subscribe {
                    total.value = $0 * 2
                    scene.wait(milliseconds: 9)
                }
                scene.act("set") { price.value = 1 }
            },
            Program(
                "A slow handler makes those around it slow",
                finds: [.init(.slowRefresh, "Model.price", count: 1), .init(.slowRefresh, "Model.total", count: 1)],
                redundant: 0, of: 2
            ) { scene in
                let (price, total) = (scene.name("price", Observable(0)), scene.name("total", Observable(0)))
                total.subscribe { _ in scene.wait(milliseconds: 20) }
                price.subscribe { total.value = $0 * 2 }
                scene.act("set") { price.value = 1 }
            },
            Program("A slow computation is not a slow handler", finds: [], redundant: 0, of: 1) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name(
                    "total",
                    Observable.combine(price, initial: 0) {
                        scene.wait(milliseconds: 20)
                        return $0 * 2
                    })
                total.subscribe { _ in }
                scene.act("set") { price.value = 1 }
            },
            Program(
                "A slow handler, without marks: no screen is shown before the stimulus ends",
                finds: [.init(.slowRefresh, "Model.price", count: 2), .init(.burst, "Model.price", count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let price = scene.name("price", Observable(0))
                price.subscribe { _ in scene.wait(milliseconds: 20) }
                Trace.stimulus("set both") {
                    price.value = 1
                    price.value = 2
                }
            },
            Program(
                "An event whose handler is slow", finds: [.init(.slowRefresh, "Model.tapped", count: 2)],
                redundant: 0, of: 2
            ) { scene in
                let tapped = scene.name("tapped", Emitter<Void>())
                tapped.subscribe { scene.wait(milliseconds: 17) }
                for _ in 1...2 { scene.act("tap") { tapped.emit() } }
            },
        ]
    }
}
