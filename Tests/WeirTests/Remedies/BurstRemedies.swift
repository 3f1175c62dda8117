import Weir

/// Several refreshes before the screen is drawn.
enum BurstRemedies {
    static var all: [RemedyProgram] { batched + throttled }

    private static func write(asBatch isBatch: Bool, _ body: () -> Void) {
        if isBatch { batch(body) } else { body() }
    }

    private static var batched: [RemedyProgram] {
        [
            RemedyProgram(
                "A profile that is loaded", .burst, "Model.full", .batch,
                says: "batch { … } around the writes of “load” that refresh the subscription, and strategy: .settled "
                    + "for Model.full"
            ) { scene, isCured in
                let (first, last) = (scene.name("first", Observable("")), scene.name("last", Observable("")))
                let full = scene.name(
                    "full",
                    Observable.combine(first, last, strategy: isCured ? .settled : .every) { "\($0) \($1)" })
                full.subscribe { scene.show($0, on: "name") }
                scene.act("load") {
                    write(asBatch: isCured) {
                        first.value = "Momoko"
                        last.value = "Sakura"
                    }
                }
            },
            RemedyProgram(
                "Two fields that an operator joins", .burst, "Model.full", .batch,
                says: "batch { … } around the writes of “load” that refresh the subscription, and combine(…, strategy: "
                    + ".settled).current in place of combineLatest"
            ) { scene, isCured in
                let (first, last) = (scene.name("first", Observable("")), scene.name("last", Observable("")))
                let joined =
                    isCured
                    ? Observable.combine(first, last, strategy: .settled) { "\($0) \($1)" }.current
                    : first.current.combineLatest(last.current) { "\($0) \($1)" }
                scene.name("full", joined).subscribe { scene.show($0, on: "name") }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(100))
                scene.draw()
                scene.act("load") {
                    write(asBatch: isCured) {
                        first.value = "Momoko"
                        last.value = "Sakura"
                    }
                }
                scene.time.advance(by: .milliseconds(100))
            },
            RemedyProgram(
                "Ten appends in the handler of a button", .burst, "Model.rows", .batch,
                says: "batch { … } around the writes in the handler that refresh the subscription"
            ) { scene, isCured in
                let tapped = scene.name("tapped", Emitter<Int>())
                let rows = scene.name("rows", Observable([0]))
                rows.subscribe { scene.show($0.count, on: "list") }
                tapped.subscribe { _ in
                    write(asBatch: isCured) { for row in 1...10 { rows.modify { $0.append(row) } } }
                }
                scene.act("tap") { tapped.emit(1) }
            },
            RemedyProgram(
                "An observable array that is filled", .burst, "Model.rows", .batch,
                says: "batch { … } around the writes of “open” that refresh the subscription"
            ) { scene, isCured in
                let rows = scene.name("rows", ObservableArray<Int>())
                rows.subscribe { scene.show($0.count, on: "list") }
                scene.act("open") { write(asBatch: isCured) { for row in 1...5 { rows.append(row) } } }
            },
            RemedyProgram(
                "A form that is cleared", .burst, "Model.canSend", .batch,
                says: "batch { … } around the writes of “clear” that refresh the subscription, and strategy: .settled "
                    + "for Model.canSend"
            ) { scene, isCured in
                let (name, age) = (scene.name("name", Observable("a")), scene.name("age", Observable(0)))
                let note = scene.name("note", Observable("b"))
                let canSend = scene.name(
                    "canSend",
                    Observable.combine(name, age, note, strategy: isCured ? .settled : .every) { "\($0)\($1)\($2)" })
                canSend.subscribe { scene.show($0, on: "summary") }
                scene.act("fill") { age.value = 5 }
                scene.act("clear") {
                    write(asBatch: isCured) {
                        name.value = ""
                        age.value = 0
                        note.value = ""
                    }
                }
            },
            RemedyProgram(
                "A spinner that is shown and hidden at once", .burst, "Model.isLoading", .batch,
                says: "batch { … } around the writes in the handler that refresh the subscription"
            ) { scene, isCured in
                let query = scene.name("query", Observable(""))
                let isLoading = scene.name("isLoading", Observable(false))
                isLoading.subscribe(initial: true) { scene.show($0, on: "spinner") }
                query.subscribe {
                    scene.show($0, on: "field")
                    write(asBatch: isCured) {
                        isLoading.value = true
                        isLoading.value = false
                    }
                }
                scene.act("type") { query.value = "tea" }
            },
            RemedyProgram(
                "A list that two buttons fill", .burst, "Model.rows", .batch,
                says:
                    "batch { … } around the writes of “open”, and around those of “more”, that refresh the subscription"
            ) { scene, isCured in
                let rows = scene.name("rows", Observable([0]))
                rows.subscribe { scene.show($0.count, on: "list") }
                func fill(_ numbers: ClosedRange<Int>) {
                    write(asBatch: isCured) { for row in numbers { rows.modify { $0.append(row) } } }
                }
                scene.act("open") { fill(1...3) }
                scene.act("open") { fill(4...5) }
                scene.act("more") { fill(6...8) }
            },
            RemedyProgram(
                "An answer that is written in parts, after the spinner", .burst, "Model.state", .batch,
                says: "batch { … } around the writes in the handler that refresh the subscription"
            ) { scene, isCured in
                let state = scene.name("state", Observable("idle"))
                let answer = scene.name("answer", Emitter<Int>())
                state.subscribe { scene.show($0, on: "view") }
                answer.deliver(on: scene.time).subscribe { number in
                    write(asBatch: isCured) {
                        for part in 1...4 { state.value = "\(number).\(part)" }
                    }
                }.disposed(by: scene.bag)
                for number in 1...2 {
                    scene.act("load") {
                        state.value = "loading"
                        answer.emit(number)
                    }
                    scene.time.advance(by: .milliseconds(5))
                    scene.wait(milliseconds: 100)
                }
            },
            RemedyProgram(
                "A batch of a written and a computed input", .burst, "Model.count", .batch,
                says:
                    "batch { … } around the writes of “finish” that refresh the subscription, and strategy: .settled for "
                    + "Model.count"
            ) { scene, isCured in
                let (todo, done) = (scene.name("todo", Observable(["a", "b"])), scene.name("done", Observable(["c"])))
                let doneCount = scene.name("doneCount", Observable.combine(done) { $0.count })
                let count = scene.name(
                    "count",
                    Observable.combine(todo, doneCount, strategy: isCured ? .settled : .every) {
                        "\($0.count)/\($1)"
                    })
                count.subscribe { scene.show($0, on: "badge") }
                for name in ["a", "b"] {
                    scene.act("finish") {
                        write(asBatch: isCured) {
                            todo.modify { $0.removeAll { $0 == name } }
                            done.modify { $0.append(name) }
                        }
                    }
                }
            },
            RemedyProgram(
                "A title that the handlers of two written nodes write", .burst, "Model.title", .computeOnce,
                says: "compute Model.title with combine(…, strategy: .settled) instead of writing it in handlers, and "
                    + "batch { … } around the writes of “message”",
                prediction: .exact
            ) { scene, isCured in
                let (messages, typing) = (scene.name("messages", Observable(0)), scene.name("typing", Observable(true)))
                if isCured {
                    let title = scene.name(
                        "title", Observable.combine(messages, typing, strategy: .settled) { "\($0) \($1)" })
                    title.subscribe { scene.show($0, on: "title") }
                } else {
                    let title = scene.name("title", Observable(""))
                    title.subscribe { scene.show($0, on: "title") }
                    let update: @Sendable () -> Void = { title.value = "\(messages.value) \(typing.value)" }
                    messages.subscribe { _ in update() }
                    typing.subscribe { _ in update() }
                }
                scene.act("message") {
                    write(asBatch: isCured) {
                        typing.value.toggle()
                        messages.value += 1
                    }
                }
            },
            RemedyProgram(
                "Rows, a title and a badge of one load", .burst, "Model.messages", .batch,
                says: "batch { … } around the writes of “sync” that refresh the subscription"
            ) { scene, isCured in
                let messages = scene.name("messages", Observable([String]()))
                let title = scene.name("title", Observable.combine(messages) { "\($0.count) messages" })
                messages.subscribe { scene.show($0.count, on: "list", microseconds: 50) }
                title.subscribe { scene.show($0, on: "title") }
                messages.map { $0.last ?? "" }.subscribe { scene.show($0, on: "preview") }.disposed(by: scene.bag)
                scene.act("sync") {
                    write(asBatch: isCured) { for text in ["a", "b", "c"] { messages.modify { $0.append(text) } } }
                }
            },
        ]
    }

    private static var throttled: [RemedyProgram] {
        [
            RemedyProgram(
                "Two states in one stream", .burst, "Model.log", .throttle,
                says: ".throttle(.milliseconds(17), …) before the subscription"
            ) { scene, isCured in
                let (isLoading, text) = (scene.name("isLoading", Observable("")), scene.name("text", Observable("")))
                let log = scene.name("log", isLoading.merge(text))
                (isCured ? log.throttle(.milliseconds(17), on: scene.time) : log).subscribe {
                    scene.show($0, on: "log")
                }.disposed(by: scene.bag)
                scene.act("load") {
                    isLoading.value = "loading"
                    text.value = "Momoko"
                }
                scene.time.advance(by: .milliseconds(100))
            },
            RemedyProgram(
                "An operator that one of its inputs refreshes", .burst, "Model.shown", .batch,
                says: "batch { … } around the writes of “sync” that refresh the subscription",
                prediction: .partial(.operatorState)
            ) { scene, isCured in
                let rows = scene.name("rows", Observable([Int]()))
                let limit = scene.name("limit", Observable(3))
                let shown = scene.name("shown", rows.current.combineLatest(limit.current) { "\($0.prefix($1))" })
                shown.subscribe { scene.show($0, on: "list") }.disposed(by: scene.bag)
                scene.draw()
                scene.act("sync") {
                    write(asBatch: isCured) { for row in 1...3 { rows.modify { $0.append(row) } } }
                }
            },
            RemedyProgram(
                "A timer that counts too fast", .burst, "Model.shown", .throttle,
                says:
                    "if not each value must be seen, .throttle(.milliseconds(17), …) before the subscription: the later writes "
                    + "come from other work, such as a load", showsSame: false
            ) { scene, isCured in
                let ticks = scene.name("ticks", Signal<Int>.interval(.milliseconds(2), on: scene.time))
                let shown = scene.name("shown", ticks.map { $0 * 2 })
                (isCured ? shown.throttle(.milliseconds(17), on: scene.time) : shown).subscribe {
                    scene.show($0, on: "timer")
                }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(100))
                scene.bag.dispose()
            },
            RemedyProgram(
                "A sum of events, which no batch joins", .burst, "Model.sum", .throttle,
                says: ".throttle(.milliseconds(17), …) before the subscription"
            ) { scene, isCured in
                let (tapped, number) = (scene.name("tapped", Emitter<Int>()), scene.name("number", Emitter<Int>()))
                let sum = scene.name("sum", number.scan(0) { $0 + $1 })
                (isCured ? sum.throttle(.milliseconds(17), on: scene.time) : sum).subscribe {
                    scene.show($0, on: "sum")
                }.disposed(by: scene.bag)
                tapped.subscribe { _ in for value in 1...3 { number.emit(value) } }
                scene.act("tap") { tapped.emit(1) }
                scene.time.advance(by: .milliseconds(100))
            },
            RemedyProgram(
                "Progress of a task, in a title that settles", .burst, "Model.title", .throttle,
                says:
                    "batch { … } around the writes of “load”, if there is no await between them; else, if not each value must "
                    + "be seen, .throttle(.milliseconds(17), …) before the subscription"
            ) { scene, isCured in
                let (loaded, state) = (scene.name("loaded", Observable(0)), scene.name("state", Observable("loading")))
                let title = scene.name(
                    "title", Observable.combine(loaded, state, strategy: .settled) { "\($1) \($0 / 2)" })
                if isCured {
                    title.throttle(.milliseconds(17), on: scene.time).subscribe { scene.show($0, on: "title") }
                        .disposed(by: scene.bag)
                } else {
                    title.subscribe { scene.show($0, on: "title") }
                }
                scene.inTask {
                    await Trace.stimulus("load") {
                        for value in 1...6 {
                            await MainActor.run { loaded.value = value }
                            scene.time.advance(by: .milliseconds(2))
                        }
                    }
                }
                scene.time.advance(by: .milliseconds(100))
            },
            RemedyProgram(
                "A slider is dragged", .burst, "Model.position", .throttle,
                says:
                    "batch { … } around the writes, if they belong together; else .throttle(.milliseconds(17), …) before the subscription"
            ) { scene, isCured in
                let position = scene.name("position", Observable(0))
                if isCured {
                    position.throttle(.milliseconds(17), on: scene.time).subscribe { scene.show($0, on: "value") }
                        .disposed(by: scene.bag)
                } else {
                    position.subscribe { scene.show($0, on: "value") }
                }
                for value in 1...10 {
                    position.value = value
                    scene.time.advance(by: .milliseconds(2))
                }
                scene.time.advance(by: .milliseconds(100))
            },
            RemedyProgram(
                "Three keys before the screen is drawn", .burst, "Model.text", .throttle,
                says:
                    ".throttle(.milliseconds(17), …) before the subscription (the values come from “type a” and “type b”)"
            ) { scene, isCured in
                let text = scene.name("text", Observable(""))
                if isCured {
                    text.throttle(.milliseconds(17), on: scene.time).subscribe { scene.show($0, on: "field") }
                        .disposed(by: scene.bag)
                } else {
                    text.subscribe { scene.show($0, on: "field") }
                }
                Trace.stimulus("type a") { text.value = "a" }
                scene.time.advance(by: .milliseconds(3))
                Trace.stimulus("type b") { text.value = "ab" }
                scene.time.advance(by: .milliseconds(3))
                Trace.stimulus("type c") { text.value = "abc" }
                scene.time.advance(by: .milliseconds(10))
                scene.draw()
                scene.time.advance(by: .milliseconds(100))
            },
            RemedyProgram(
                "A load that is over before the screen is drawn", .burst, "Model.state", .throttle,
                says:
                    "if not each value must be seen, .throttle(.milliseconds(17), …) before the subscription: the later "
                    + "writes come from other work, such as a load"
            ) { scene, isCured in
                let tapped = scene.name("tapped", Emitter<Void>())
                let state = scene.name("state", Observable("idle"))
                if isCured {
                    state.throttle(.milliseconds(17), on: scene.time).subscribe { scene.show($0, on: "state") }
                        .disposed(by: scene.bag)
                } else {
                    state.subscribe { scene.show($0, on: "state") }
                }
                tapped.delay(.milliseconds(1), on: scene.time).subscribe { state.value = "done" }
                    .disposed(by: scene.bag)
                tapped.subscribe { state.value = "loading" }
                Trace.stimulus("load") { tapped.emit() }
                scene.time.advance(by: .milliseconds(17))
                scene.draw()
                scene.time.advance(by: .milliseconds(100))
            },
        ]
    }
}
