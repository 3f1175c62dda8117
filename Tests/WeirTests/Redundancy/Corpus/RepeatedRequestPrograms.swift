import Weir

/// Requests that an unchanged value starts again.
enum RepeatedRequestPrograms {
    private struct Filter: Hashable {
        var words: [String]
    }

    /// What is asked for, from what the user types.
    private static func trimmed(_ query: Observable<String>) -> Signal<String> {
        query.map { String($0.prefix { $0 != " " }) }
    }

    static var all: [Program] {
        [
            Program(
                "A space behind the query sends it again",
                finds: [
                    .init(.noopEvaluation, "Model.trimmed", count: 1), .init(.repeatedRequest, "Model.found", count: 1),
                    .init(.repeatedValue, "Model.found", count: 1),
                ], redundant: 1, of: 3
            ) { scene in
                let query = scene.name("query", Observable(""))
                let trimmed = scene.name("trimmed", trimmed(query))
                let found = scene.name("found", trimmed.flatMap(.latest) { Signal.just($0.count) })
                found.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["abc", "abc ", "abcd"] { scene.act("type") { query.value = text } }
            },
            Program(
                "A filter is applied again without a change", values: .described(),
                finds: [
                    .init(.noopEvaluation, "Model.filter", count: 2), .init(.repeatedRequest, "Model.found", count: 2),
                ], redundant: 0, of: 3
            ) { scene in
                let round = scene.name("round", Observable(0))
                let filter = scene.name("filter", round.map { _ in Filter(words: ["a", "b"]) })
                let found = scene.name("found", filter.flatMap(.latest) { _ in Signal.just(()) })
                found.subscribe { _ in }.disposed(by: scene.bag)
                for number in 1...3 { scene.act("apply") { round.value = number } }
            },
            Program(
                "A pull loads the same city again",
                finds: [
                    .init(.noopEvaluation, "Model.wanted", count: 1), .init(.repeatedValue, "Model.loaded", count: 1),
                ],
                redundant: 1, of: 3
            ) { scene in
                let (city, pulled) = (scene.name("city", Observable("Bonn")), scene.name("pulled", Emitter<Void>()))
                let wanted = scene.name(
                    "wanted", city.current.combineLatest(pulled.startWith(())) { city, _ in city })
                let loaded = scene.name("loaded", wanted.flatMap(.latest) { Signal.just($0) })
                loaded.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("pull") { pulled.emit() }
                scene.act("move") { city.value = "Ulm" }
            },
            Program(
                "Each save asks the server anew on purpose",
                finds: [
                    .init(.noopEvaluation, "Model.trimmed", count: 1),
                    .init(.repeatedRequest, "Model.saved", count: 1, meantSo: "saving again is wanted"),
                ], redundant: 0, of: 2
            ) { scene in
                let text = scene.name("text", Observable(""))
                let trimmed = scene.name("trimmed", trimmed(text))
                let saved = scene.name(
                    "saved",
                    trimmed.flatMap(.latest) { _ in Signal.just(()) }
                        .intended(.repeatedRequest, because: "saving again is wanted"))
                saved.subscribe { _ in }.disposed(by: scene.bag)
                for new in ["done", "done "] { scene.act("save") { text.value = new } }
            },
            Program(
                "Only another query is sent", finds: [.init(.noopEvaluation, "Model.trimmed", count: 1)],
                redundant: 0, of: 2
            ) { scene in
                let query = scene.name("query", Observable(""))
                let trimmed = scene.name("trimmed", trimmed(query))
                let found = scene.name("found", trimmed.removeDuplicates().flatMap(.latest) { Signal.just($0.count) })
                found.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["abc", "abc ", "abcd"] { scene.act("type") { query.value = text } }
            },
            Program("A tap asks again on purpose", finds: [], redundant: 0, of: 2) { scene in
                let reload = scene.name("reload", Emitter<Int>())
                let found = scene.name("found", reload.flatMap(.latest) { _ in Signal.just(()) })
                found.subscribe { _ in }.disposed(by: scene.bag)
                for _ in 1...2 { scene.act("reload") { reload.emit(7) } }
            },
            Program(
                "A pull to refresh asks for the same query again",
                finds: [.init(.noopEvaluation, "Model.again", count: 1)], redundant: 0, of: 3
            ) { scene in
                let pulled = scene.name("pulled", Emitter<Int>())
                let query = scene.name("query", Observable("tea"))
                let again = scene.name("again", pulled.withLatest(from: query.current) { $1 })
                let found = scene.name("found", query.merge(again).flatMap(.latest) { _ in Signal.just(()) })
                found.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("type") { query.value = "cake" }
                for number in 1...2 { scene.act("pull") { pulled.emit(number) } }
            },
            Program(
                "A tap that a handler turns into an equal query is no event",
                finds: [
                    .init(.noopEvaluation, "Model.trimmed", count: 1), .init(.repeatedRequest, "Model.found", count: 1),
                ], redundant: 0, of: 4
            ) { scene in
                let typed = scene.name("typed", Emitter<String>())
                let query = scene.name("query", Observable(""))
                typed.subscribe { query.value = $0 }.disposed(by: scene.bag)
                let trimmed = scene.name("trimmed", trimmed(query))
                let found = scene.name("found", trimmed.flatMap(.latest) { _ in Signal.just(()) })
                found.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["abc", "abc "] { scene.act("type") { typed.emit(text) } }
            },
        ]
    }
}
