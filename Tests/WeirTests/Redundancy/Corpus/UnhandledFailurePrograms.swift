import Weir

/// Failures that end subscriptions.
enum UnhandledFailurePrograms {
    private struct Refused: Error {}

    private static func fail(_ signIn: Command<Int, Int>, _ input: Int) { signIn.execute(input) }
    /// The name of the executions that `fail` starts.
    private static let execution = "execution UnhandledFailurePrograms.swift:\(#line - 2)"

    static var all: [Program] {
        [
            Program(
                "A load fails, and the handler of its values does not hear of it",
                finds: [.init(.unhandledFailure, "Model.loaded", count: 1)], redundant: 0, of: 1
            ) { scene in
                let response = Emitter<Int>()
                let loaded = scene.name("loaded", response.map { $0 + 1 })
                loaded.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("load") {
                    response.emit(1)
                    response.fail(Refused())
                }
            },
            Program(
                "Two labels show a value that fails", finds: [.init(.unhandledFailure, "Model.price", count: 2)],
                redundant: 0, of: 2
            ) { scene in
                let price = scene.name("price", Emitter<Int>())
                for _ in 1...2 { price.subscribe { _ in } }
                scene.act("load") { price.emit(1) }
                scene.act("load again") { price.fail(Refused()) }
            },
            Program(
                "A sign-in fails, and nobody hears of it",
                finds: [.init(.unhandledFailure, execution, count: 2)], redundant: 0,
                of: 0
            ) { scene in
                let signIn = Command<Int, Int> { _ in .failed(Refused()) }
                for input in 1...2 { scene.act("sign in") { fail(signIn, input) } }
            },
            Program("Its errors are shown", finds: [], redundant: 0, of: 2) { scene in
                let signIn = Command<Int, Int> { _ in .failed(Refused()) }
                signIn.errors.subscribe { _ in }.disposed(by: scene.bag)
                for input in 1...2 { scene.act("sign in") { signIn.execute(input) } }
            },
            Program(
                "A title stops following what fails", finds: [.init(.unhandledFailure, "Model.title", count: 1)],
                redundant: 0, of: 0
            ) { scene in
                let title = scene.name("title", Emitter<String>())
                let shown = Observable("")
                title.bind(to: shown).disposed(by: scene.bag)
                scene.act("load") { title.fail(Refused()) }
            },
            Program("Its handler receives failures", finds: [], redundant: 0, of: 1) { scene in
                let response = Emitter<Int>()
                let loaded = scene.name("loaded", response.map { $0 + 1 })
                loaded.subscribeEvents { _ in }.disposed(by: scene.bag)
                scene.act("load") {
                    response.emit(1)
                    response.fail(Refused())
                }
            },
            Program("A failure is replaced by a value", finds: [], redundant: 0, of: 2) { scene in
                let response = Emitter<Int>()
                let loaded = scene.name("loaded", response.map { $0 + 1 }.catch { _ in .just(0) })
                loaded.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("load") { response.emit(1) }
                scene.act("load again") { response.fail(Refused()) }
            },
            Program("Completion is no failure", finds: [], redundant: 0, of: 1) { scene in
                let response = Emitter<Int>()
                let loaded = scene.name("loaded", response.map { $0 + 1 })
                loaded.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("load") {
                    response.emit(1)
                    response.complete()
                }
            },
        ]
    }
}
