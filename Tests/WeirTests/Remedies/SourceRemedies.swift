import Testing
import Weir

/// Sources that run more often than necessary, and requests whose answers are mixed up.
enum SourceRemedies {
    private struct Offline: Error {}

    /// A request that is answered later.
    private static func request(_ scene: Scene, milliseconds: Int = 100) -> Signal<Int> {
        let answered = Signal<Int> { [time = scene.time] subscriber in
            try? time.schedule(after: .milliseconds(milliseconds)) {
                subscriber.next(7)
                subscriber.complete()
            }
        }
        return scene.name("load", answered)
    }

    /// A value that comes later, from a source that goes on.
    private static func level(_ scene: Scene) -> Signal<Int> {
        let level = Signal<Int> { [time = scene.time] subscriber in
            try? time.schedule(after: .milliseconds(100)) { subscriber.next(7) }
        }
        return scene.name("level", level)
    }

    private static let keeps = ": with .share(), a later subscriber would miss the value that it now gets at once"

    static var all: [RemedyProgram] { shared + answered + failing }

    private static var shared: [RemedyProgram] {
        [
            RemedyProgram(
                "Two views that call the same function", .repeatedSource, "Model.load", .makeOnce,
                says: "if the sources do the same work: make one, with .share(), and give it to all its users"
            ) { scene, isCured in
                let once = request(scene).share()
                (isCured ? once : request(scene)).subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                (isCured ? once : request(scene)).subscribe { scene.show($0, on: "badge") }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(200))
            },
            RemedyProgram(
                "Two views that call a function whose source gives its value at once", .repeatedSource, "Model.price",
                .makeOnce,
                says: "if the sources do the same work: make one, with .replay(1), and give it to all its users"
                    + "; with .share(), a later one would miss the value that it now gets at once"
            ) { scene, isCured in
                func price() -> Signal<Double> {
                    let price = Signal<Double> { subscriber in
                        subscriber.next(9.5)
                        return Disposable {}
                    }
                    return scene.name("price", price)
                }
                let once = price().replay(1)
                for view in ["list", "badge"] {
                    (isCured ? once : price()).subscribe { scene.show($0, on: view) }.disposed(by: scene.bag)
                }
            },
            RemedyProgram(
                "A view that calls the function after the first answer", .repeatedSource, "Model.level", .makeOnce,
                says:
                    "if the sources do the same work: make one, with .share(), or .replay(1) if a later user needs the "
                    + "latest value, and give it to all its users",
                prediction: .partial(.missedValue)
            ) { scene, isCured in
                let once = level(scene).replay(1)
                (isCured ? once : level(scene)).subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(150))
                (isCured ? once : level(scene)).subscribe { scene.show($0, on: "badge") }.disposed(by: scene.bag)
                scene.act("scroll") {}
                scene.time.advance(by: .milliseconds(150))
            },
            RemedyProgram(
                "A view that comes after the answer of a source that goes on", .resubscribedSource, "Model.level",
                .share,
                says: ".share() after the source, or .replay(1) if a later subscriber needs the latest value",
                prediction: .partial(.missedValue)
            ) { scene, isCured in
                let level = level(scene)
                let levels = isCured ? level.replay(1) : level
                levels.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(150))
                levels.subscribe { scene.show($0, on: "badge") }.disposed(by: scene.bag)
                scene.act("scroll") {}
                scene.time.advance(by: .milliseconds(150))
            },
            RemedyProgram(
                "Two views of one request", .resubscribedSource, "Model.load", .share,
                says: ".share() after the source"
            ) { scene, isCured in
                let load = request(scene)
                let posts = isCured ? load.share() : load
                posts.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                posts.subscribe { scene.show($0, on: "badge") }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(200))
            },
            RemedyProgram(
                "Three views of one request, through operators", .resubscribedSource, "Model.load", .share,
                says: ".share() after the source"
            ) { scene, isCured in
                let load = request(scene)
                let posts = isCured ? load.share() : load
                let text = posts.map { "\($0) posts" }
                text.subscribe { scene.show($0, on: "title") }.disposed(by: scene.bag)
                text.subscribe { scene.show($0, on: "footer") }.disposed(by: scene.bag)
                posts.filter { $0 > 3 }.subscribe { scene.show($0, on: "badge") }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(200))
            },
            RemedyProgram(
                "A view that comes while the request is under way", .resubscribedSource, "Model.load", .share,
                says: ".share() after the source"
            ) { scene, isCured in
                let load = request(scene)
                let posts = isCured ? load.share() : load
                posts.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(50))
                posts.subscribe { scene.show($0, on: "badge") }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(200))
            },
            RemedyProgram(
                "A location that two screens follow", .resubscribedSource, "Model.location", .share,
                says: ".share() after the source"
            ) { scene, isCured in
                let sensor = scene.name("sensor", Emitter<Int>())
                let location = scene.name(
                    "location", Signal<Int> { subscriber in sensor.subscribe { subscriber.next($0) } })
                let followed = isCured ? location.share() : location
                followed.subscribe { scene.show($0, on: "map") }.disposed(by: scene.bag)
                followed.map { $0 / 2 }.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                for metre in [2, 4, 6] { scene.act("move") { sensor.emit(metre) } }
            },
            RemedyProgram(
                "A price that is known at once", .resubscribedSource, "Model.price", .replay,
                says: ".replay(1) after the source" + Self.keeps
            ) { scene, isCured in
                let price = scene.name(
                    "price",
                    Signal<Double> { subscriber in
                        subscriber.next(9.5)
                        return Disposable {}
                    })
                let prices = isCured ? price.replay(1) : price
                for view in ["list", "badge", "total"] {
                    prices.subscribe { scene.show($0, on: view) }.disposed(by: scene.bag)
                }
            },
            RemedyProgram(
                "A source that follows an observable", .resubscribedSource, "Model.followed", .replay,
                says: ".replay(1) after the source" + Self.keeps
            ) { scene, isCured in
                let level = scene.name("level", Observable(3))
                let followed = scene.name(
                    "followed", Signal<Int> { subscriber in level.current.subscribe { subscriber.next($0) } })
                let levels = isCured ? followed.replay(1) : followed
                levels.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                levels.map { $0 * 2 }.subscribe { scene.show($0, on: "badge") }.disposed(by: scene.bag)
            },
            RemedyProgram(
                "A view that comes after the first position", .resubscribedSource, "Model.location", .share,
                says: ".share() after the source, or .replay(1) if a later subscriber needs the latest value",
                besides: [.init(rule: .repeatedSubscription, node: "Model.sensor")]
            ) { scene, isCured in
                let sensor = scene.name("sensor", Emitter<Int>())
                let location = scene.name(
                    "location", Signal<Int> { subscriber in sensor.subscribe { subscriber.next($0) } })
                let followed = isCured ? location.share() : location
                followed.subscribe { scene.show($0, on: "map") }.disposed(by: scene.bag)
                scene.act("move") { sensor.emit(1) }
                followed.map { $0 / 2 }.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                for metre in [2, 4, 6] { scene.act("move") { sensor.emit(metre) } }
            },
            RemedyProgram(
                "Two labels of one search", .resubscribedSource, "Model.found", .share,
                says: ".share() after the flatMap"
            ) { scene, isCured in
                let query = scene.name("query", Observable(""))
                let found = scene.name(
                    "found",
                    query.flatMap(.latest) { text in
                        Signal<Int> { subscriber in
                            subscriber.next(text.count)
                            subscriber.complete()
                            return nil
                        }
                    })
                let results = isCured ? found.share() : found
                results.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                results.subscribe { scene.show($0, on: "badge") }.disposed(by: scene.bag)
                for text in ["a", "abc"] { scene.act("type") { query.value = text } }
            },
            RemedyProgram(
                "A request compared with itself", .resubscribedSource, "Model.load", .share,
                says: ".share() after the source", prediction: .partial(.structure)
            ) { scene, isCured in
                let load = request(scene)
                let posts = isCured ? load.share() : load
                posts.zip(posts) { $0 - $1 }.subscribe { scene.show($0, on: "difference") }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(200))
            },
        ]
    }

    private static var answered: [RemedyProgram] {
        [
            RemedyProgram(
                "The slow answer to the first query comes last", .staleResponse, "Model.results", .latestRequest,
                says: "if only the newest request counts: .flatMap(.latest), which cancels the former one",
                prediction: .exact, leaves: [.cancelledRequest], showsSame: false
            ) { scene, isCured in
                let query = scene.name("query", Observable(""))
                let results = scene.name(
                    "results",
                    query.flatMap(isCured ? .latest : .merge) { text in
                        Signal.just("results for \(text)").delay(
                            .milliseconds(text.count == 1 ? 300 : 100), on: scene.time)
                    })
                results.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                for text in ["a", "ab", "abc"] {
                    scene.act("type") { query.value = text }
                    scene.time.advance(by: .milliseconds(50))
                    scene.draw()
                }
                for _ in 1...10 {
                    scene.time.advance(by: .milliseconds(50))
                    scene.draw()
                }
            },
            RemedyProgram(
                "A handler asks, and the slow answer comes last", .staleResponse, "Model.results", .dropStale,
                says: "if only the newest request counts: cancel the former task before the next request, or drop its "
                    + "answer", prediction: .none, showsSame: false
            ) { scene, isCured in
                let query = scene.name("query", Observable(0))
                let results = scene.name("results", Observable(""))
                nonisolated(unsafe) var former: Disposable?
                query.subscribe { number in
                    if isCured { former?.dispose() }
                    former = Signal.just("results for \(number)").delay(.milliseconds(400 / number), on: scene.time)
                        .subscribe { results.value = $0 }
                }.disposed(by: scene.bag)
                results.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                for number in 1...2 {
                    scene.act("type") { query.value = number }
                    scene.time.advance(by: .milliseconds(50))
                    scene.draw()
                }
                for _ in 1...10 {
                    scene.time.advance(by: .milliseconds(50))
                    scene.draw()
                }
            },
            RemedyProgram(
                "A picture that loads slower than the next one", .staleResponse, "Model.picture", .latestRequest,
                says: "if only the newest request counts: .flatMap(.latest), which cancels the former one",
                prediction: .exact, leaves: [.cancelledRequest], showsSame: false
            ) { scene, isCured in
                let row = scene.name("row", Observable(0))
                let picture = scene.name("picture", Observable(""))
                row.flatMap(isCured ? .latest : .merge) { row in
                    Signal.just("picture \(row)").delay(.milliseconds(400 / row), on: scene.time)
                }.bind(to: picture).disposed(by: scene.bag)
                picture.subscribe { scene.show($0, on: "cell") }
                for value in 1...2 {
                    scene.act("scroll") { row.value = value }
                    scene.time.advance(by: .milliseconds(50))
                }
                for _ in 1...10 {
                    scene.time.advance(by: .milliseconds(50))
                    scene.draw()
                }
            },
        ]
    }

    private static func execute(_ command: Command<Int, Int>) { command.execute(1) }
    /// The name of the executions that `execute` starts.
    private static let execution = "execution SourceRemedies.swift:\(#line - 2)"

    private static var failing: [RemedyProgram] {
        [
            RemedyProgram(
                "A load fails, and nobody hears of it", .unhandledFailure, "Model.loaded", .handleFailure,
                says: "subscribeEvents, which receives the failure, in place of the subscription, or .catch { … } "
                    + "before it"
            ) { scene, isCured in
                let response = scene.name("response", Emitter<Int>())
                let loaded = scene.name("loaded", response.map { $0 + 1 })
                if isCured {
                    loaded.subscribeEvents { event in
                        if case .next(let value) = event { scene.show(value, on: "list") }
                    }.disposed(by: scene.bag)
                } else {
                    loaded.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                }
                scene.act("load") { response.emit(1) }
                scene.act("load again") { response.fail(Offline()) }
            },
            RemedyProgram(
                "A search that one failed request ends", .unhandledFailure, "Model.results", .catchInRequest,
                says:
                    "catch the failure inside the closure of the flatMap: .catch { … } on the signal that it returns, "
                    + "so that later values still start requests", prediction: .none, showsSame: false
            ) { scene, isCured in
                let query = scene.name("query", Emitter<Int>())
                let results = scene.name(
                    "results",
                    query.flatMap(.latest) { number in
                        let request = number == 2 ? Signal<String>.failed(Offline()) : .just("answer \(number)")
                        return isCured ? request.catch { _ in .just("offline") } : request
                    })
                results.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                for number in 1...3 { scene.act("search") { query.emit(number) } }
                #expect(scene.shown["list"] == (isCured ? "answer 3" : "answer 1"))
            },
            RemedyProgram(
                "A sign-in that fails without a word", .unhandledFailure, execution,
                .handleFailure,
                says: "subscribe to errors of the command, or receive the failure of what execute returns: "
                    + "subscribeEvents, or .catch { … }", prediction: .none, showsSame: false
            ) { scene, isCured in
                let signIn = Command<Int, Int> { _ in .failed(Offline()) }
                if isCured {
                    signIn.errors.subscribe { _ in scene.show("failed", on: "error") }.disposed(by: scene.bag)
                }
                scene.act("sign in") { execute(signIn) }
            },
            RemedyProgram(
                "A price that cannot be loaded any more", .unhandledFailure, "Model.price", .handleFailure,
                says: "subscribeEvents, which receives the failure, in place of the subscription, or .catch { … } "
                    + "before it", isPredictedAsWorded: false, showsSame: false
            ) { scene, isCured in
                let price = scene.name("price", Emitter<Int>())
                (isCured ? price.catch { _ in .just(0) } : price).subscribe { scene.show($0, on: "price") }
                    .disposed(by: scene.bag)
                scene.act("load") { price.emit(3) }
                scene.act("load again") { price.fail(Offline()) }
            },
        ]
    }
}
