import Weir

/// Values that are computed for nobody, or with the result that they had.
enum EvaluationRemedies {
    private struct Person: Hashable {
        var name: String
        var age: Int
    }

    private struct Track: Hashable {
        var title: String
        var seconds: Int
    }

    private final class Total {
        let total: Combiner<Int>

        init(_ price: Observable<Int>) {
            total = Observable.combine(price) { $0 * 2 }
            Trace.adopt(self)
        }
    }

    static var all: [RemedyProgram] { unobserved + unchanged }

    private static var unobserved: [RemedyProgram] {
        [
            RemedyProgram(
                "A total that is shown only after the prices have been loaded", .unobserved, "Model.total", .makeLater,
                says: "make Model.total when it is shown, and release it when it is hidden"
            ) { scene, isCured in
                let price = scene.name("price", Observable(0))
                let early = isCured ? nil : scene.name("total", Observable.combine(price) { $0 * 2 })
                for value in 1...3 { scene.act("load") { price.value = value } }
                scene.act("show") {
                    let total = early ?? scene.name("total", Observable.combine(price) { $0 * 2 })
                    total.subscribe(initial: true) { scene.show($0, on: "total") }
                }
                scene.act("load") { price.value = 4 }
            },
            RemedyProgram(
                "A chain of combiners that ends nowhere", .unobserved, "Model.gross", .makeLater,
                says: "make Model.gross when it is shown, and release it when it is hidden"
            ) { scene, isCured in
                let price = scene.name("price", Observable(0))
                price.subscribe { scene.show($0, on: "price") }
                if !isCured { _ = scene.name("gross", Observable.combine(price) { $0 * 119 }) }
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            RemedyProgram(
                "A tab that is shown, and hidden again", .unobserved, "Total.total", .makeLater,
                says: "make Total.total when it is shown, and release it when it is hidden"
            ) { scene, isCured in
                let price = scene.name("price", Observable(0))
                var total = isCured ? nil : Total(price)
                let bag = DisposeBag()
                scene.act("set") { price.value = 1 }
                scene.act("show") {
                    if isCured { total = Total(price) }
                    total?.total.subscribe(initial: true) { scene.show($0, on: "total") }.disposed(by: bag)
                }
                scene.act("set") { price.value = 2 }
                scene.act("hide") {
                    bag.dispose()
                    if isCured { total = nil }
                }
                for value in 3...5 { scene.act("set") { price.value = value } }
            },
        ]
    }

    private static var unchanged: [RemedyProgram] {
        [
            RemedyProgram(
                "A short way and a long one, the long one first", .noopEvaluation, "Model.both", .settled,
                says: "combine(…, strategy: .settled)"
            ) { scene, isCured in
                let count = scene.name("count", Observable(1))
                let doubled = scene.name("doubled", Observable.combine(count) { $0 * 2 })
                let both = scene.name(
                    "both", Observable.combine(count, doubled, strategy: isCured ? .settled : .every) { $0 + $1 })
                both.subscribe { scene.show($0, on: "both") }
                for value in 2...4 { scene.act("add") { count.value = value } }
            },
            RemedyProgram(
                "Two writes in a batch, each answered", .noopEvaluation, "Model.total", .settled,
                says: "combine(…, strategy: .settled)"
            ) { scene, isCured in
                let (net, tax) = (scene.name("net", Observable(0)), scene.name("tax", Observable(0)))
                let total = scene.name(
                    "total", Observable.combine(net, tax, strategy: isCured ? .settled : .every) { $0 + $1 })
                total.subscribe { scene.show($0, on: "total") }
                for value in 1...2 {
                    scene.act("set both") {
                        batch {
                            net.value = value * 100
                            tax.value = value * 7
                        }
                    }
                }
            },
            RemedyProgram(
                "A greeting that needs only the name", .noopEvaluation, "Model.greeting", .narrowInput,
                says: "replace its input person with combine(person) { … } that returns only the part it uses; "
                    + "add strategy: .settled if a batch writes several of its inputs",
                addedEvaluations: 3
            ) { scene, isCured in
                let person = scene.name("person", Observable(Person(name: "Maruko", age: 8)))
                let isMorning = scene.name("isMorning", Observable(true))
                let greeting: Combiner<String>
                if isCured {
                    let name = scene.name("name", Observable.combine(person) { $0.name })
                    greeting = Observable.combine(name, isMorning) { $1 ? "Good morning, \($0)" : "Hello, \($0)" }
                } else {
                    greeting = Observable.combine(person, isMorning) {
                        $1 ? "Good morning, \($0.name)" : "Hello, \($0.name)"
                    }
                }
                scene.name("greeting", greeting).subscribe { scene.show($0, on: "greeting") }
                for age in [9, 10] { scene.act("birthday") { person.modify { $0.age = age } } }
                scene.act("rename") { person.modify { $0.name = "Momoko" } }
                scene.act("noon") { isMorning.value = false }
            },
            RemedyProgram(
                "A title that is made of a track and a volume", .noopEvaluation, "Model.title", .narrowInput,
                says: ".map { … }.removeDuplicates(), with only the part it uses, on its input current",
                addedEvaluations: 3
            ) { scene, isCured in
                let track = scene.name("track", Observable(Track(title: "Song", seconds: 0)))
                let isMuted = scene.name("isMuted", Observable(false))
                let title: Signal<String>
                if isCured {
                    title = track.current.map { $0.title }.removeDuplicates().combineLatest(isMuted.current) {
                        $1 ? "\($0) (muted)" : $0
                    }
                } else {
                    title = track.current.combineLatest(isMuted.current) { $1 ? "\($0.title) (muted)" : $0.title }
                }
                scene.name("title", title).removeDuplicates().subscribe { scene.show($0, on: "title") }
                    .disposed(by: scene.bag)
                scene.draw()
                for second in 1...2 { scene.act("play") { track.modify { $0.seconds = second } } }
                scene.act("mute") { isMuted.value = true }
            },
            RemedyProgram(
                "A title that is computed again from an unchanged part", .noopEvaluation, "Model.isLarge",
                .removeDuplicates,
                says: ".removeDuplicates() directly after Model.isLarge, before all that observes it"
            ) { scene, isCured in
                let size = scene.name("size", Observable(0))
                let isLarge = scene.name("isLarge", size.current.map { $0 > 10 })
                let unit = scene.name("unit", Observable("cm"))
                let title = scene.name(
                    "title",
                    (isCured ? isLarge.removeDuplicates() : isLarge).combineLatest(unit.current) {
                        "\($0 ? "large" : "small") in \($1)"
                    })
                title.removeDuplicates().subscribe { scene.show($0, on: "title") }.disposed(by: scene.bag)
                scene.draw()
                for value in [3, 7, 12, 15] { scene.act("resize") { size.value = value } }
            },
        ]
    }
}
