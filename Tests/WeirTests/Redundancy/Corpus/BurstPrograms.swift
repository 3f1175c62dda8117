import Observation
import Weir

@Observable
private final class BodyModel: @unchecked Sendable {  // Programs run on one thread.
    var name = ""
}

/// Several turns before the screen is drawn.
enum BurstPrograms {
    /// Two halves of a name, and the full name.
    private struct Person {
        let first: Observable<String>
        let last: Observable<String>
        let full: Combiner<String>

        init(_ scene: Scene, strategy: CombineStrategy = .every) {
            first = scene.name("first", Observable(""))
            last = scene.name("last", Observable(""))
            full = scene.name("full", Observable.combine(first, last, strategy: strategy) { "\($0) \($1)" })
            full.subscribe { _ in }
        }
    }

    static var all: [Program] { drawn + timed }

    private static var drawn: [Program] {
        [
            Program(
                "Two writes of one stimulus", finds: [.init(.burst, "Model.full", count: 1)], redundant: 1, of: 2
            ) { scene in
                let person = Person(scene)
                scene.act("load") {
                    person.first.value = "Momoko"
                    person.last.value = "Sakura"
                }
            },
            Program("The same two writes as one turn", finds: [], redundant: 0, of: 1) { scene in
                let person = Person(scene, strategy: .settled)
                scene.act("load") {
                    batch {
                        person.first.value = "Momoko"
                        person.last.value = "Sakura"
                    }
                }
            },
            Program("Writes that a batch takes together", finds: [], redundant: 0, of: 2) { scene in
                let (posts, isLast) = (scene.name("posts", Observable(0)), scene.name("isLast", Observable(false)))
                posts.subscribe { _ in }
                isLast.subscribe { _ in }
                scene.act("load") {
                    batch {
                        posts.value = 10
                        isLast.value = true
                        posts.value = 20
                    }
                }
            },
            Program("A batch that leaves things as they were", finds: [], redundant: 0, of: 0) { scene in
                let posts = scene.name("posts", Observable(0))
                posts.subscribe { _ in }
                scene.act("load") {
                    batch {
                        posts.value = 10
                        posts.value = 0
                    }
                }
            },
            Program("Two legitimate refreshes in different frames", finds: [], redundant: 0, of: 2) { scene in
                let person = Person(scene)
                scene.act("type the first name") { person.first.value = "Momoko" }
                scene.act("type the last name") { person.last.value = "Sakura" }
            },
            Program(
                "A stimulus with four turns", finds: [.init(.burst, "Model.progress", count: 3)], redundant: 3, of: 4
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                scene.act("import") { for percent in [25, 50, 75, 100] { progress.value = percent } }
            },
            Program(
                "A chart that each write draws again, slowly",
                finds: [
                    .init(.burst, "Model.samples", count: 4), .init(.burst, "Model.samples", count: 4),
                    .init(.slowRefresh, "Model.samples", count: 5),
                ], redundant: 8, of: 10
            ) { scene in
                let samples = scene.name("samples", Observable(0))
                samples.subscribe { _ in scene.wait(milliseconds: 20) }
                samples.subscribe { _ in scene.wait(milliseconds: 12) }
                scene.act("load") { for sample in 1...5 { samples.value = sample } }
            },
            Program(
                "The same while other code takes the time", finds: [.init(.slowRefresh, "Model.samples", count: 5)],
                redundant: 0, of: 5
            ) { scene in
                let samples = scene.name("samples", Observable(0))
                samples.subscribe { _ in scene.wait(milliseconds: 20) }
                scene.act("load") {
                    for sample in 1...5 {
                        samples.value = sample
                        scene.wait(milliseconds: 17)
                    }
                }
            },
            Program(
                "The same outside of all stimuli, where a screen may lie between",
                finds: [.init(.slowRefresh, "Model.samples", count: 5)], redundant: 0, of: 5
            ) { scene in
                let samples = scene.name("samples", Observable(0))
                samples.subscribe { _ in scene.wait(milliseconds: 20) }
                for sample in 1...5 { samples.value = sample }
            },
            Program(
                "Equal values are repeated ones, not bursts",
                finds: [
                    .init(.repeatedValue, "Model.isLong", count: 3), .init(.burst, "Model.isLong", count: 1),
                    .init(.noopEvaluation, "Model.isLong", count: 3),
                ], redundant: 3, of: 5
            ) { scene in
                let query = scene.name("query", Observable(""))
                let isLong = scene.name("isLong", query.map { $0.count > 2 })
                isLong.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("paste") { for text in ["t", "te", "tea", "teas", "tease"] { query.value = text } }
            },
            Program("An emitter's events are each wanted", finds: [], redundant: 0, of: 3) { scene in
                let line = scene.name("line", Emitter<String>())
                line.subscribe { _ in }
                scene.act("log") { for text in ["a", "b", "c"] { line.emit(text) } }
            },
            Program("Events without a value are each wanted", finds: [], redundant: 0, of: 3) { scene in
                let (saved, opened) = (Emitter<Void>(), Emitter<Void>())
                saved.merge(opened).subscribe { _ in }.disposed(by: scene.bag)
                scene.act("save all") {
                    saved.emit()
                    saved.emit()
                    opened.emit()
                }
            },
            Program(
                "A handler that writes twice, in two turns",
                finds: [.init(.burst, "Model.query", count: 1), .init(.burst, "Model.isLoading", count: 3)],
                redundant: 4, of: 6
            ) { scene in
                let query = scene.name("query", Observable(""))
                let isLoading = scene.name("isLoading", Observable(false))
                isLoading.subscribe { _ in }
                query.subscribe { _ in
                    isLoading.value = true
                    isLoading.value = false
                }
                scene.act("paste") {
                    query.value = "t"
                    query.value = "tea"
                }
            },
            Program("The current value and the first change, in one frame", finds: [], redundant: 0, of: 2) { scene in
                let title = scene.name("title", Observable(""))
                scene.act("open") {
                    title.subscribe(initial: true) { _ in }
                    title.value = "Inbox"
                }
            },
            Program(
                "The current value and two changes, in one frame", finds: [.init(.burst, "Model.shown", count: 1)],
                redundant: 1, of: 3
            ) { scene in
                let title = scene.name("title", Observable(""))
                let shown = scene.name("shown", title.current)
                scene.act("open") {
                    shown.subscribe { _ in }.disposed(by: scene.bag)
                    title.value = "Inbox"
                    title.value = "Inbox (3)"
                }
            },
            Program(
                "A load that is over before the screen is drawn: its beginning was shown for nothing",
                finds: [.init(.burst, "Model.isLoading", count: 1)], redundant: 1, of: 4
            ) { scene in
                let tapped = scene.name("tapped", Emitter<Void>())
                let isLoading = scene.name("isLoading", Observable(false))
                isLoading.subscribe { _ in }
                tapped.delay(.milliseconds(1), on: scene.time).subscribe { isLoading.value = false }
                    .disposed(by: scene.bag)
                tapped.subscribe { isLoading.value = true }
                scene.act("load") {
                    tapped.emit()
                    scene.time.advance(by: .milliseconds(1))
                }
            },
            Program("A load that takes a while", finds: [], redundant: 0, of: 4) { scene in
                let tapped = scene.name("tapped", Emitter<Void>())
                let isLoading = scene.name("isLoading", Observable(false))
                isLoading.subscribe { _ in }
                tapped.delay(.milliseconds(300), on: scene.time).subscribe { isLoading.value = false }
                    .disposed(by: scene.bag)
                tapped.subscribe { isLoading.value = true }
                scene.act("load") { tapped.emit() }
                scene.time.advance(by: .milliseconds(300))
                scene.draw()
            },
        ]
    }

    private static var timed: [Program] {
        [
            Program(
                "Ten appends in the handler of a button", finds: [.init(.burst, "Model.rows", count: 9)],
                redundant: 9, of: 11
            ) { scene in
                let tapped = scene.name("tapped", Emitter<Int>())
                let rows = scene.name("rows", Observable([0]))
                rows.subscribe { _ in }
                tapped.subscribe { _ in for row in 1...10 { rows.modify { $0.append(row) } } }
                scene.act("tap") { tapped.emit(1) }
            },
            Program(
                "Ten appends after a load, and what is computed from them",
                finds: [.init(.burst, "Model.title", count: 9)], redundant: 9, of: 11
            ) { scene in
                let tapped = scene.name("tapped", Emitter<Int>())
                let rows = scene.name("rows", Observable([0]))
                let title = scene.name("title", Observable.combine(rows) { "\($0.count) rows" })
                title.subscribe { _ in }
                tapped.delay(.milliseconds(1), on: scene.time).subscribe { _ in
                    for row in 1...10 { rows.modify { $0.append(row) } }
                }.disposed(by: scene.bag)
                scene.act("tap") {
                    tapped.emit(1)
                    scene.time.advance(by: .milliseconds(1))
                }
            },
            Program("Actions that callbacks name, within one frame", finds: [], redundant: 0, of: 6) { scene in
                let text = scene.name("text", Observable(""))
                text.subscribe { _ in }
                for key in ["a", "ab", "abc"] { withTracing("type", key) { text.value = key } }
            },
            Program(
                "Two writes of one such action", finds: [.init(.burst, "Model.text", count: 2)], redundant: 2, of: 6
            ) { scene in
                let text = scene.name("text", Observable(""))
                text.subscribe { _ in }
                for key in ["a", "b"] {
                    withTracing("type") {
                        text.value += key
                        text.value += "_"
                    }
                }
            },
            Program("The same appends in a batch", finds: [], redundant: 0, of: 2) { scene in
                let tapped = scene.name("tapped", Emitter<Int>())
                let rows = scene.name("rows", Observable([0]))
                rows.subscribe { _ in }
                tapped.subscribe { _ in batch { for row in 1...10 { rows.modify { $0.append(row) } } } }
                scene.act("tap") { tapped.emit(1) }
            },
            Program("A handler that emits events, through operators: each is wanted", finds: [], redundant: 0, of: 4) {
                scene in
                let (tapped, line) = (scene.name("tapped", Emitter<Int>()), scene.name("line", Emitter<String>()))
                let shown = scene.name("shown", line.map { "> " + $0 }.filter { !$0.isEmpty })
                shown.subscribe { _ in }.disposed(by: scene.bag)
                tapped.subscribe { _ in for text in ["a", "b", "c"] { line.emit(text) } }
                scene.act("tap") { tapped.emit(1) }
            },
            Program(
                "A sum of events is a state", finds: [.init(.burst, "Model.sum", count: 2)], redundant: 2, of: 4
            ) { scene in
                let (tapped, number) = (scene.name("tapped", Emitter<Int>()), scene.name("number", Emitter<Int>()))
                let sum = scene.name("sum", number.scan(0) { $0 + $1 })
                sum.subscribe { _ in }.disposed(by: scene.bag)
                tapped.subscribe { _ in for value in 1...3 { number.emit(value) } }
                scene.act("tap") { tapped.emit(1) }
            },
            Program("In one frame by the marks, but far apart in time", finds: [], redundant: 0, of: 2) { scene in
                let level = scene.name("level", Observable(0))
                level.subscribe { _ in }
                Trace.stimulus("up") { level.value = 1 }
                scene.wait(milliseconds: 100)
                Trace.stimulus("up") { level.value = 2 }
                scene.draw()
            },
            Program("At almost the same time, but drawn in between", finds: [], redundant: 0, of: 2) { scene in
                let level = scene.name("level", Observable(0))
                level.subscribe { _ in }
                scene.act("up") { level.value = 1 }
                scene.act("up") { level.value = 2 }
            },
            Program("Without marks, far apart in time", finds: [], redundant: 0, of: 2) { scene in
                let level = scene.name("level", Observable(0))
                level.subscribe { _ in }
                Trace.stimulus("up") { level.value = 1 }
                scene.wait(milliseconds: 100)
                Trace.stimulus("up") { level.value = 2 }
            },
            Program("Without marks, close in time, but two stimuli", finds: [], redundant: 0, of: 2) { scene in
                let level = scene.name("level", Observable(0))
                level.subscribe { _ in }
                Trace.stimulus("up") { level.value = 1 }
                scene.wait(milliseconds: 5)
                Trace.stimulus("up") { level.value = 2 }
            },
            Program("The same, with stimuli that await", finds: [], redundant: 0, of: 2) { scene in
                let level = scene.name("level", Observable(0))
                level.subscribe { _ in }
                for value in 1...2 {
                    scene.inTask { await Trace.stimulus("up") { await MainActor.run { level.value = value } } }
                    scene.wait(milliseconds: 5)
                }
            },
            Program(
                "Two writes of one stimulus that awaits", finds: [.init(.burst, "Model.level", count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let level = scene.name("level", Observable(0))
                level.subscribe { _ in }
                scene.inTask {
                    await Trace.stimulus("up") {
                        for value in 1...2 {
                            await MainActor.run { level.value = value }
                            scene.wait(milliseconds: 5)
                        }
                    }
                }
            },
            Program("A spinner over an await", finds: [], redundant: 0, of: 3) { scene in
                let isLoading = scene.name("isLoading", Observable(false))
                isLoading.subscribe(initial: true) { _ in }
                scene.inTask {
                    await Trace.stimulus("load") {
                        for value in [true, false] {
                            await MainActor.run { isLoading.value = value }
                            scene.wait(milliseconds: 5)
                        }
                    }
                }
            },
            Program("A spinner that shows nothing before the await", finds: [], redundant: 0, of: 2) { scene in
                let isLoading = scene.name("isLoading", Observable(false))
                isLoading.subscribe { _ in }
                scene.inTask {
                    await Trace.stimulus("load") {
                        for value in [true, false] {
                            await MainActor.run { isLoading.value = value }
                            scene.wait(milliseconds: 5)
                        }
                    }
                }
            },
            Program(
                "A spinner that blinks: it returns once, then again",
                finds: [.init(.burst, "Model.isLoading", count: 2)], redundant: 2, of: 5
            ) { scene in
                let isLoading = scene.name("isLoading", Observable(false))
                isLoading.subscribe(initial: true) { _ in }
                scene.inTask {
                    await Trace.stimulus("load") {
                        for value in [true, false, true, false] {
                            await MainActor.run { isLoading.value = value }
                            scene.wait(milliseconds: 1)
                        }
                    }
                }
            },
            Program("The first run of a body, and a write", finds: [], redundant: 0, of: 2) { scene in
                let model = scene.adopt(BodyModel())
                Trace.render("View.body", on: scene.time) { model.name }.disposed(by: scene.bag)
                scene.wait(milliseconds: 5)
                Trace.stimulus("type") { model.name = "M" }
                scene.time.runUntilIdle()
            },
            Program("Stimuli, each followed by a run of the body", finds: [], redundant: 0, of: 3) { scene in
                let model = scene.adopt(BodyModel())
                Trace.render("View.body", on: scene.time) { model.name }.disposed(by: scene.bag)
                for name in ["M", "Ma"] {
                    scene.wait(milliseconds: 5)
                    Trace.stimulus("type \(name)") { model.name = name }
                    scene.time.runUntilIdle()
                }
            },
            Program(
                "Two runs after the first one", finds: [.init(.burst, "View.body", count: 1)], redundant: 1, of: 3
            ) { scene in
                let model = scene.adopt(BodyModel())
                Trace.render("View.body", on: scene.time) { model.name }.disposed(by: scene.bag)
                for name in ["M", "Ma"] {
                    scene.wait(milliseconds: 5)
                    model.name = name
                    scene.time.runUntilIdle()
                }
            },
            Program(
                "A body that is rendered at each appearance",
                finds: [.init(.repeatedSubscription, "View.body", count: 1)], redundant: 0, of: 4
            ) { scene in
                let model = scene.adopt(BodyModel())
                Trace.observe(model)
                for _ in 1...2 {
                    scene.act("appear") {
                        Trace.render("View.body", on: scene.time) { model.name }.disposed(by: scene.bag)
                    }
                    scene.time.runUntilIdle()
                }
                scene.act("type") { model.name = "M" }
                scene.time.runUntilIdle()
            },
            Program(
                "Two stimuli in one frame by the marks", finds: [.init(.burst, "Model.level", count: 1)], redundant: 1,
                of: 2
            ) { scene in
                let level = scene.name("level", Observable(0))
                level.subscribe { _ in }
                Trace.stimulus("up") { level.value = 1 }
                scene.wait(milliseconds: 5)
                Trace.stimulus("up") { level.value = 2 }
                scene.draw()
            },
            Program(
                "Without marks, close in time", finds: [.init(.burst, "Model.level", count: 1)], redundant: 1, of: 2
            ) { scene in
                let level = scene.name("level", Observable(0))
                level.subscribe { _ in }
                level.value = 1
                scene.wait(milliseconds: 5)
                level.value = 2
            },
            Program(
                "A window opens with a refresh, it does not slide with each",
                finds: [.init(.burst, "Model.level", count: 2)], redundant: 2, of: 4
            ) { scene in
                let level = scene.name("level", Observable(0))
                level.subscribe { _ in }
                for value in 1...4 {
                    level.value = value
                    scene.wait(milliseconds: 10)
                }
            },
            Program(
                "A slider is dragged", finds: [.init(.burst, "Model.position", count: 8)], redundant: 8, of: 10
            ) { scene in
                let position = scene.name("position", Observable(0))
                position.subscribe { _ in }
                for value in 1...10 {
                    position.value = value
                    scene.wait(milliseconds: 2)
                }
            },
            Program("A slider is dragged, and followed once in a frame", finds: [], redundant: 0, of: 3) { scene in
                let position = scene.name("position", Observable(0))
                let followed = scene.name("followed", position.throttle(.milliseconds(17), on: scene.time))
                followed.subscribe { _ in }.disposed(by: scene.bag)
                for value in 1...10 {
                    Trace.stimulus("drag") { position.value = value }
                    scene.time.advance(by: .milliseconds(2))
                }
                scene.time.advance(by: .milliseconds(30))
            },
        ]
    }
}
