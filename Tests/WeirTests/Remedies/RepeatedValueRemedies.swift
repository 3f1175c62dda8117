import Weir

/// Handlers that receive what they have already shown.
enum RepeatedValueRemedies {
    static var all: [RemedyProgram] {
        [
            RemedyProgram(
                "A button that is enabled again with each letter", .repeatedValue, "Model.canSearch",
                .removeDuplicates, says: ".removeDuplicates() before the subscription"
            ) { scene, isCured in
                let query = scene.name("query", Observable(""))
                let canSearch = scene.name("canSearch", query.map { !$0.isEmpty })
                (isCured ? canSearch.removeDuplicates() : canSearch).subscribe { scene.show($0, on: "button") }
                    .disposed(by: scene.bag)
                for text in ["t", "te", "tea", ""] { scene.act("type") { query.value = text } }
            },
            RemedyProgram(
                "The best score of all rounds", .repeatedValue, "Model.best", .removeDuplicates,
                says: ".removeDuplicates() before the subscription"
            ) { scene, isCured in
                let scored = scene.name("scored", Emitter<Int>())
                let best = scene.name("best", scored.scan(0) { max($0, $1) })
                (isCured ? best.removeDuplicates() : best).subscribe { scene.show($0, on: "best") }
                    .disposed(by: scene.bag)
                for score in [3, 5, 4, 2, 9, 9] { scene.act("score") { scored.emit(score) } }
            },
            RemedyProgram(
                "Two labels that share a signal", .repeatedValue, "Model.shared", .removeDuplicates,
                says: ".removeDuplicates() directly after Model.isFree, before all that observes it"
            ) { scene, isCured in
                let seats = scene.name("seats", Observable(9))
                let isFree = scene.name("isFree", seats.map { $0 > 0 })
                let shared = scene.name("shared", isCured ? isFree.removeDuplicates().share() : isFree.share())
                shared.subscribe { scene.show($0, on: "sign") }.disposed(by: scene.bag)
                shared.map { $0 ? "Book" : "Sold out" }.subscribe { scene.show($0, on: "button") }
                    .disposed(by: scene.bag)
                for count in [7, 5, 2, 0] { scene.act("book") { seats.value = count } }
            },
            RemedyProgram(
                "Shared answers, one of whose handlers also writes", .repeatedValue, "Model.shared", .removeDuplicates,
                says:
                    "if an equal value means nothing new, .removeDuplicates() directly after Model.answers, before all "
                    + "that observes it; but the handler also writes: see whether it must hear each value",
                prediction: .exact
            ) { scene, isCured in
                let pulls = scene.name("pulls", Emitter<Void>())
                let count = scene.name("count", Observable(0))
                let answers = scene.name("answers", pulls.flatMap(.latest) { Signal.just("same") })
                let shared = scene.name("shared", isCured ? answers.removeDuplicates().share() : answers.share())
                shared.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                shared.subscribe { count.value = $0.count }.disposed(by: scene.bag)
                for _ in 1...3 { scene.act("pull") { pulls.emit(()) } }
            },
            RemedyProgram(
                "The length of what is sent", .repeatedValue, "Model.sent", .removeDuplicates,
                says: "if an equal value means nothing new, .removeDuplicates() before the subscription"
            ) { scene, isCured in
                let tapped = scene.name("tapped", Emitter<Int>())
                let text = scene.name("text", Observable("a"))
                let sent = scene.name("sent", tapped.withLatest(from: text.current) { $1.count })
                (isCured ? sent.removeDuplicates() : sent).subscribe { scene.show($0, on: "counter") }
                    .disposed(by: scene.bag)
                for (number, draft) in ["b", "c", "long"].enumerated() {
                    scene.act("type") { text.value = draft }
                    scene.act("tap") { tapped.emit(number) }
                }
            },
            RemedyProgram(
                "A filter lets the same through twice", .repeatedValue, "Model.even", .removeDuplicates,
                says: "if an equal value means nothing new, .removeDuplicates() before the subscription"
            ) { scene, isCured in
                let rolled = scene.name("rolled", Observable(0))
                let even = scene.name("even", rolled.filter { $0 % 2 == 0 })
                (isCured ? even.removeDuplicates() : even).subscribe { scene.show($0, on: "die") }
                    .disposed(by: scene.bag)
                for sum in [4, 3, 4, 6, 6] { scene.act("roll") { rolled.value = sum } }
            },
            RemedyProgram(
                "A number as it is typed", .repeatedValue, "Model.number", .removeDuplicates,
                says: ".removeDuplicates() before the subscription"
            ) { scene, isCured in
                let text = scene.name("text", Observable(""))
                let number = scene.name("number", text.compactMap { Int($0) })
                (isCured ? number.removeDuplicates() : number).subscribe { scene.show($0, on: "slider") }
                    .disposed(by: scene.bag)
                for typed in ["1", "01", "x", "2", "2 ", "2"] { scene.act("type") { text.value = typed } }
            },
            RemedyProgram(
                "The cells of a list show their section", .repeatedValue, "Model.section", .removeDuplicates,
                says: ".removeDuplicates() before the subscription", values: .described()
            ) { scene, isCured in
                let offset = scene.name("offset", Observable(0))
                let section = scene.name("section", offset.map { "section \($0 / 100)" })
                for cell in 1...3 {
                    (isCured ? section.removeDuplicates() : section).subscribe { scene.show($0, on: "cell \(cell)") }
                        .disposed(by: scene.bag)
                }
                for value in [110, 120, 220] { scene.act("scroll") { offset.value = value } }
            },
            RemedyProgram(
                "A handler that also stores what it shows", .repeatedValue, "Model.rounded", .removeDuplicates,
                says: ".removeDuplicates() before the subscription; but its handler also writes: see whether it must "
                    + "hear each value"
            ) { scene, isCured in
                let price = scene.name("price", Observable(0))
                let rounded = scene.name("rounded", price.map { $0 / 10 * 10 })
                let stored = scene.name("stored", Observable(0))
                stored.subscribe { scene.show($0, on: "stored") }
                (isCured ? rounded.removeDuplicates() : rounded).subscribe {
                    scene.show($0, on: "price")
                    stored.value = $0
                }.disposed(by: scene.bag)
                for value in [11, 12, 23, 25] { scene.act("set") { price.value = value } }
            },
            RemedyProgram(
                "A space behind the query sends it again", .repeatedRequest, "Model.found", .removeDuplicates,
                says: ".removeDuplicates() directly after Model.trimmed, before all that observes it",
                prediction: .exact
            ) { scene, isCured in
                let query = scene.name("query", Observable(""))
                let trimmed = scene.name("trimmed", query.map { String($0.prefix { $0 != " " }) })
                let found = scene.name(
                    "found",
                    (isCured ? trimmed.removeDuplicates() : trimmed).flatMap(.latest) { text in
                        Signal.just("\(text.count) results for \(text)").delay(.milliseconds(10), on: scene.time)
                    })
                found.removeDuplicates().subscribe { scene.show($0, on: "results") }.disposed(by: scene.bag)
                for text in ["abc", "abc ", "abcd"] {
                    scene.act("type") { query.value = text }
                    scene.time.advance(by: .milliseconds(100))
                }
            },
            RemedyProgram(
                "A spinner before a request that is sent again", .repeatedRequest, "Model.found",
                .removeDuplicateRequests,
                says: ".removeDuplicates() before the onEvent, so that it does nothing for an equal value either",
                prediction: .exact, besides: [.init(rule: .repeatedValue, node: "Model.found")]
            ) { scene, isCured in
                let query = scene.name("query", Observable(""))
                let isLoading = scene.name("isLoading", Observable(false))
                isLoading.subscribe { scene.show($0, on: "spinner") }
                let known = scene.name("known", query.filter { $0.count < 5 })
                let found = scene.name(
                    "found",
                    (isCured ? known.removeDuplicates() : known).onEvent { _ in isLoading.value = true }.flatMap(
                        .latest
                    ) {
                        Signal.just("results for \($0)").delay(.milliseconds(10), on: scene.time)
                    })
                found.subscribe {
                    scene.show($0, on: "results")
                    isLoading.value = false
                }.disposed(by: scene.bag)
                for text in ["tea", "tea for two", "tea", "cake"] {
                    scene.act("type") { query.value = text }
                    scene.time.advance(by: .milliseconds(100))
                }
            },
            RemedyProgram(
                "A category that is chosen again", .repeatedRequest, "Model.articles", .removeDuplicateRequests,
                says: ".removeDuplicates() before the flatMap", prediction: .exact
            ) { scene, isCured in
                let category = scene.name("category", Observable(0))
                let known = scene.name("known", category.filter { $0 < 5 })
                let articles = scene.name(
                    "articles",
                    (isCured ? known.removeDuplicates() : known).flatMap(.latest) { category in
                        Signal<String> { subscriber in
                            subscriber.next("articles of \(category)")
                            subscriber.complete()
                            return nil
                        }
                    })
                articles.removeDuplicates().subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                for value in [1, 7, 1, 2, 9, 2] { scene.act("choose") { category.value = value } }
            },
        ]
    }
}
