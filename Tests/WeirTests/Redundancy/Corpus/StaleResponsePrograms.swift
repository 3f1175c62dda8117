import Weir

/// Answers that come in another order than the requests.
enum StaleResponsePrograms {
    /// A slow answer to the first query, a quick one to all others.
    private static func answer(_ query: String, _ scene: Scene) -> Signal<String> {
        Signal.just("results for \(query)").delay(.milliseconds(query.count == 1 ? 300 : 100), on: scene.time)
    }

    private static func type(_ query: Observable<String>, _ scene: Scene) {
        for text in ["a", "ab", "abc"] {
            scene.act("type") { query.value = text }
            scene.time.advance(by: .milliseconds(50))
        }
        scene.time.advance(by: .milliseconds(500))
    }

    static var all: [Program] {
        [
            Program(
                "The slow answer to the first query comes last",
                finds: [.init(.staleResponse, "Model.results", count: 1)], redundant: 0, of: 3
            ) { scene in
                let query = scene.name("query", Observable(""))
                let results = scene.name("results", query.flatMap(.merge) { answer($0, scene) })
                results.subscribe { _ in }.disposed(by: scene.bag)
                type(query, scene)
            },
            Program(
                "It is bound to an observable",
                finds: [.init(.staleResponse, "Model.shown", count: 1)], redundant: 0, of: 3
            ) { scene in
                let query = scene.name("query", Observable(""))
                let shown = scene.name("shown", Observable(""))
                query.flatMap(.merge) { answer($0, scene) }.bind(to: shown).disposed(by: scene.bag)
                shown.subscribe { _ in }.disposed(by: scene.bag)
                type(query, scene)
            },
            Program(
                "Each request shows first that it is under way",
                finds: [.init(.staleResponse, "Model.results", count: 1)], redundant: 0, of: 6
            ) { scene in
                let query = scene.name("query", Observable(""))
                let results = scene.name(
                    "results",
                    query.delay(.milliseconds(1), on: scene.time).flatMap(.merge) { query in
                        answer(query, scene).startWith("looking for \(query)")
                    })
                results.subscribe { _ in }.disposed(by: scene.bag)
                type(query, scene)
            },
            Program(
                "Each answer is wanted",
                finds: [.init(.staleResponse, "Model.log", count: 1, meantSo: "a log of all answers")],
                redundant: 0, of: 3
            ) { scene in
                let query = scene.name("query", Observable(""))
                let log = scene.name(
                    "log",
                    query.flatMap(.merge) { answer($0, scene) }
                        .intended(.staleResponse, because: "a log of all answers"))
                log.subscribe { _ in }.disposed(by: scene.bag)
                type(query, scene)
            },
            Program(
                "Only the newest query is answered", finds: [.init(.cancelledRequest, "Model.results", count: 2)],
                redundant: 0, of: 1
            ) { scene in
                let query = scene.name("query", Observable(""))
                let results = scene.name("results", query.flatMap(.latest) { answer($0, scene) })
                results.subscribe { _ in }.disposed(by: scene.bag)
                type(query, scene)
            },
            Program(
                "The user types faster than the server answers, on purpose",
                finds: [.init(.cancelledRequest, "Model.results", count: 2, meantSo: "typing cancels")],
                redundant: 0, of: 1
            ) { scene in
                let query = scene.name("query", Observable(""))
                let results = scene.name(
                    "results",
                    query.flatMap(.latest) { answer($0, scene) }
                        .intended(.cancelledRequest, because: "typing cancels"))
                results.subscribe { _ in }.disposed(by: scene.bag)
                type(query, scene)
            },
            Program(
                "Each tap loads again", finds: [.init(.cancelledRequest, "Model.loaded", count: 1)], redundant: 0, of: 1
            ) { scene in
                let reload = scene.name("reload", Emitter<Void>())
                let loaded = scene.name(
                    "loaded",
                    reload.flatMap(.latest) { Signal.just(7).delay(.milliseconds(100), on: scene.time) })
                loaded.subscribe { _ in }.disposed(by: scene.bag)
                for _ in 1...2 { scene.act("reload") { reload.emit(()) } }
                scene.time.advance(by: .milliseconds(500))
            },
            Program("Answers come in the order of the queries", finds: [], redundant: 0, of: 3) { scene in
                let query = scene.name("query", Observable(""))
                let results = scene.name("results", query.flatMap(.concat) { answer($0, scene) })
                results.subscribe { _ in }.disposed(by: scene.bag)
                type(query, scene)
                scene.time.advance(by: .milliseconds(500))
            },
        ]
    }
}
