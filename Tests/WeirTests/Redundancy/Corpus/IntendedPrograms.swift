import Weir

/// Declared intentions, one program for each rule; and cases that a declaration does not cover.
enum IntendedPrograms {
    private final class View {}

    static var all: [Program] { refreshes + others + limits }

    private static var refreshes: [Program] {
        [
            Program(
                "A repetition that is meant so",
                finds: [
                    .init(.repeatedValue, "Model.lamp", count: 2, meantSo: "it blinks each time"),
                    .init(.noopEvaluation, "Model.lamp", count: 2),
                ], redundant: 0, of: 3
            ) { scene in
                let rolled = scene.name("rolled", Emitter<Int>())
                let lamp = scene.name("lamp", rolled.map { $0 > 1 })
                    .intended(.repeatedValue, because: "it blinks each time")
                lamp.subscribe { _ in }.disposed(by: scene.bag)
                for sum in 2...4 { scene.act("roll") { rolled.emit(sum) } }
            },
            Program(
                "A glitch that is meant so",
                finds: [.init(.glitch, "Model.total", count: 1, meantSo: "each step is shown")],
                redundant: 0, of: 2
            ) { scene in
                let count = scene.name("count", Observable(0))
                let net = scene.name("net", Observable.combine(count) { $0 * 100 })
                let tax = scene.name("tax", Observable.combine(count) { $0 * 7 })
                let total = scene.name("total", Observable.combine(net, tax) { $0 + $1 })
                    .intended(.glitch, because: "each step is shown")
                total.subscribe { _ in }
                scene.act("add") { count.value = 1 }
            },
            Program(
                "A progress bar", finds: [.init(.burst, "Model.progress", count: 3, meantSo: "a progress bar")],
                redundant: 0, of: 4
            ) { scene in
                let progress = scene.name("progress", Observable(0)).intended(.burst, because: "a progress bar")
                progress.subscribe { _ in }
                scene.act("import") { for percent in [25, 50, 75, 100] { progress.value = percent } }
            },
            Program(
                "A handler that outlives its view, as it is meant to",
                finds: [.init(.zombieRefresh, "Model.price", count: 1, meantSo: "it writes the log")],
                redundant: 0, of: 1
            ) { scene in
                let price = scene.name("price", Observable(0)).intended(.zombieRefresh, because: "it writes the log")
                var view: View? = View()
                price.subscribe(owner: view) { _ in }
                scene.act("close the view") { view = nil }
                scene.act("set") { price.value = 1 }
            },
            Program(
                "A handler that may take its time",
                finds: [.init(.slowRefresh, "Model.track", count: 1, meantSo: "it draws the waveform")],
                redundant: 0, of: 1
            ) { scene in
                let track = scene.name("track", Observable("")).intended(.slowRefresh, because: "it draws the waveform")
                track.subscribe { _ in scene.wait(milliseconds: 40) }
                scene.act("play") { track.value = "Odoru Ponpokorin" }
            },
        ]
    }

    private struct Refused: Error {}

    private static var others: [Program] {
        [
            Program(
                "A failure that nobody needs to hear",
                finds: [.init(.unhandledFailure, "Model.hint", count: 1, meantSo: "hints may end")], redundant: 0, of: 1
            ) { scene in
                let hint = scene.name("hint", Emitter<Int>()).intended(.unhandledFailure, because: "hints may end")
                hint.subscribe { _ in }
                scene.act("load") {
                    hint.emit(1)
                    hint.fail(Refused())
                }
            },
            Program(
                "A combiner that waits to be read",
                finds: [.init(.unobserved, "Model.total", count: 2, meantSo: "it is read when the page is printed")],
                redundant: 0, of: 0
            ) { scene in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", Observable.combine(price) { $0 * 2 })
                total.intended(.unobserved, because: "it is read when the page is printed")
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            Program(
                "A rule that seldom changes",
                finds: [.init(.noopEvaluation, "Model.isValid", count: 2, meantSo: "cheap")], redundant: 0, of: 0
            ) { scene in
                let name = scene.name("name", Observable(""))
                let isValid = scene.name("isValid", Observable.combine(name) { $0.count >= 4 })
                    .intended(.noopEvaluation, because: "cheap")
                isValid.subscribe { _ in }
                for text in ["m", "ma"] { scene.act("type \(text)") { name.value = text } }
            },
            Program(
                "A source that each subscriber is to have for itself",
                finds: [.init(.resubscribedSource, "Model.dice", count: 1, meantSo: "each rolls for itself")],
                redundant: 0, of: 0
            ) { scene in
                let dice = scene.name("dice", Signal<Int>.never()).intended(
                    .resubscribedSource, because: "each rolls for itself")
                for _ in 1...2 { dice.subscribe { _ in }.disposed(by: scene.bag) }
            },
            Program(
                "An echo that is meant so",
                finds: [.init(.feedback, "Model.name", count: 1, meantSo: "it trims what is typed")],
                redundant: 0, of: 2
            ) { scene in
                let name = scene.name("name", Observable("")).intended(.feedback, because: "it trims what is typed")
                name.subscribe { [weak name] in name?.value = $0.filter { $0 != " " } }
                scene.act("type") { name.value = " a" }
            },
            Program(
                "A log of all threads",
                finds: [.init(.crossThread, "Model.line", count: 1, meantSo: "a log of all threads")],
                redundant: 0, of: 2
            ) { scene in
                let line = scene.name("line", Emitter<String>()).intended(.crossThread, because: "a log of all threads")
                line.subscribe { _ in }
                scene.act("begin") { line.emit("begins") }
                scene.act("load") { scene.onAnotherThread { line.emit("loads") } }
            },
        ]
    }

    private static var limits: [Program] {
        [
            Program(
                "A declaration is of one rule: the other one still counts",
                finds: [
                    .init(.burst, "Model.seconds", count: 1, meantSo: "a clock"),
                    .init(.repeatedValue, "Model.seconds", count: 1), .init(.noopEvaluation, "Model.seconds", count: 1),
                ], redundant: 1, of: 3
            ) { scene in
                let position = scene.name("position", Observable(0))
                let seconds = scene.name("seconds", position.map { $0 / 1000 }).intended(.burst, because: "a clock")
                seconds.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("play") { for time in [1000, 1500, 2000] { position.value = time } }
            },
            Program(
                "A declaration is of one node: what comes after it is not covered",
                finds: [
                    .init(.burst, "Model.progress", count: 1, meantSo: "a progress bar"),
                    .init(.burst, "Model.text", count: 1),
                ], redundant: 1, of: 4
            ) { scene in
                let progress = scene.name("progress", Observable(0)).intended(.burst, because: "a progress bar")
                let text = scene.name("text", Observable.combine(progress) { "\($0) %" })
                progress.subscribe { _ in }
                text.subscribe { _ in }
                scene.act("import") { for percent in [50, 100] { progress.value = percent } }
            },
            Program(
                "A declaration from before the recording", recordedLate: true,
                finds: [.init(.burst, "Model.progress", count: 1, meantSo: "a progress bar")], redundant: 0, of: 2
            ) { scene in
                let progress = scene.name("progress", Observable(0)).intended(.burst, because: "a progress bar")
                progress.subscribe { _ in }
                try scene.record()
                scene.act("import") { for percent in [50, 100] { progress.value = percent } }
            },
            Program("A declaration without need", finds: [], redundant: 0, of: 1) { scene in
                let progress = scene.name("progress", Observable(0)).intended(.burst, because: "a progress bar")
                progress.subscribe { _ in }
                scene.act("import") { progress.value = 100 }
            },
            Program(
                "A handler whose owner is gone", finds: [.init(.zombieRefresh, "Model.price", count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let price = scene.name("price", Observable(0))
                var view: View? = View()
                price.subscribe(owner: view) { _ in }
                scene.act("set") { price.value = 1 }
                scene.act("close the view") { view = nil }
                scene.act("set") { price.value = 2 }
            },
            Program("A handler whose owner is there", finds: [], redundant: 0, of: 2) { scene in
                let price = scene.name("price", Observable(0))
                let view = View()
                price.subscribe(owner: view) { _ in }
                for value in 1...2 { scene.act("set") { price.value = value } }
                withExtendedLifetime(view) {}
            },
        ]
    }
}
