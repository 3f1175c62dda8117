import Weir

/// Repeated values, and values that only look repeated.
enum RepeatedValuePrograms {
    private struct Cell: Hashable { let row: Int }
    private struct Refused: Error {}
    private enum Load { case loading, failed(any Error) }

    static var all: [Program] {
        [
            Program(
                "A map repeats itself",
                finds: [
                    .init(.repeatedValue, "Model.isEmpty", count: 2), .init(.noopEvaluation, "Model.isEmpty", count: 2),
                ], redundant: 2, of: 3
            ) { scene in
                let query = scene.name("query", Observable(""))
                let isEmpty = scene.name("isEmpty", query.map { $0.isEmpty })
                isEmpty.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["t", "te", "tea"] { scene.act("type \(text)") { query.value = text } }
            },
            Program(
                "The same map before `removeDuplicates` computes for nothing, but shows nothing twice",
                finds: [.init(.noopEvaluation, "Model.isEmpty", count: 2)], redundant: 0, of: 1
            ) { scene in
                let query = scene.name("query", Observable(""))
                let isEmpty = scene.name("isEmpty", query.map { $0.isEmpty })
                isEmpty.removeDuplicates().subscribe { _ in }.disposed(by: scene.bag)
                for text in ["t", "te", "tea"] { scene.act("type \(text)") { query.value = text } }
            },
            Program(
                "Two labels show the same again: two findings, and each label's run computes",
                finds: [
                    .init(.repeatedValue, "Model.isEmpty", count: 1), .init(.repeatedValue, "Model.isEmpty", count: 1),
                    .init(.noopEvaluation, "Model.isEmpty", count: 2),
                ], redundant: 2, of: 4
            ) { scene in
                let query = scene.name("query", Observable(""))
                let isEmpty = scene.name("isEmpty", query.map { $0.isEmpty })
                isEmpty.subscribe { _ in }.disposed(by: scene.bag)
                isEmpty.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["t", "te"] { scene.act("type \(text)") { query.value = text } }
            },
            Program(
                "What one line subscribes many times is one finding",
                finds: [
                    .init(.repeatedValue, "Model.isEmpty", count: 3), .init(.noopEvaluation, "Model.isEmpty", count: 3),
                ], redundant: 3, of: 6
            ) { scene in
                let query = scene.name("query", Observable(""))
                let isEmpty = scene.name("isEmpty", query.map { $0.isEmpty })
                for _ in 1...3 { isEmpty.subscribe { _ in }.disposed(by: scene.bag) }
                for text in ["t", "te"] { scene.act("type \(text)") { query.value = text } }
            },
            Program("An emitter's equal events are each meant", finds: [], redundant: 0, of: 3) { scene in
                let rolled = scene.name("rolled", Emitter<Int>())
                rolled.subscribe { _ in }
                for _ in 1...3 { scene.act("roll") { rolled.emit(6) } }
            },
            Program(
                "What is computed from an emitter is not an emitter",
                finds: [
                    .init(.repeatedValue, "Model.best", count: 2), .init(.noopEvaluation, "Model.best", count: 2),
                ], redundant: 2, of: 4
            ) { scene in
                let rolled = scene.name("rolled", Emitter<Int>())
                let best = scene.name("best", rolled.scan(0) { max($0, $1) })
                best.subscribe { _ in }.disposed(by: scene.bag)
                for sum in [3, 5, 4, 2] { scene.act("roll") { rolled.emit(sum) } }
            },
            Program("Events without a value are no repetitions", finds: [], redundant: 0, of: 3) { scene in
                let (saved, opened) = (Emitter<Void>(), Emitter<Void>())
                saved.merge(opened).subscribe { _ in }.disposed(by: scene.bag)
                scene.act("save") { saved.emit() }
                scene.act("open") { opened.emit() }
                scene.act("save") { saved.emit() }
            },
            Program("Writes of an equal value go nowhere", finds: [], redundant: 0, of: 1) { scene in
                let volume = scene.name("volume", Observable(1))
                volume.subscribe { _ in }
                for value in [1, 2, 2, 2] { scene.act("turn") { volume.value = value } }
            },
            Program("A value that comes back is another one", finds: [], redundant: 0, of: 3) { scene in
                let tab = scene.name("tab", Observable(1))
                tab.subscribe { _ in }
                for value in [2, 3, 2] { scene.act("tap") { tab.value = value } }
            },
            Program(
                "A new subscription begins anew: its first value repeats nothing", finds: [], redundant: 0, of: 2
            ) { scene in
                let title = scene.name("title", Observable("Inbox"))
                for _ in 1...2 {
                    title.subscribe(initial: true) { _ in }.dispose()
                    scene.draw()
                }
            },
            Program(
                "The first value after the current one repeats it",
                finds: [
                    .init(.repeatedValue, "Model.isLong", count: 1), .init(.noopEvaluation, "Model.isLong", count: 1),
                ], redundant: 1, of: 2
            ) { scene in
                let name = scene.name("name", Observable("Maruko"))
                let isLong = scene.name("isLong", name.current.map { $0.count > 3 })
                isLong.subscribe { _ in }.disposed(by: scene.bag)
                scene.draw()
                scene.act("type") { name.value = "Tamae" }
            },
            Program(
                "Zero is zero, below and above",
                finds: [
                    .init(.repeatedValue, "Model.offset", count: 1), .init(.noopEvaluation, "Model.offset", count: 1),
                ], redundant: 1, of: 2
            ) { scene in
                let angle = scene.name("angle", Observable(1))
                let offset = scene.name("offset", angle.map { 0.0 * Double($0) })
                offset.subscribe { _ in }.disposed(by: scene.bag)
                for value in [2, -2] { scene.act("turn") { angle.value = value } }
            },
            Program("Long texts that differ at their end only", finds: [], redundant: 0, of: 2) { scene in
                let article = scene.name("article", Observable(""))
                article.subscribe { _ in }
                let text = String(repeating: "a", count: 200)
                for end in ["1", "2"] { scene.act("open") { article.value = text + end } }
            },
            Program(
                "A long text again",
                finds: [.init(.repeatedValue, "Model.text", count: 1), .init(.noopEvaluation, "Model.text", count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let page = scene.name("page", Observable(0))
                let text = scene.name("text", page.map { _ in String(repeating: "a", count: 200) })
                text.subscribe { _ in }.disposed(by: scene.bag)
                for value in 1...2 { scene.act("open") { page.value = value } }
            },
            Program(
                "Values that are known by their fingerprint",
                finds: [.init(.repeatedValue, "Model.cell", count: 1), .init(.noopEvaluation, "Model.cell", count: 1)],
                redundant: 1, of: 3
            ) { scene in
                let offset = scene.name("offset", Observable(0))
                let cell = scene.name("cell", offset.map { Cell(row: $0 / 10) })
                cell.subscribe { _ in }.disposed(by: scene.bag)
                for value in [11, 19, 20] { scene.act("scroll") { offset.value = value } }
            },
            Program(
                "Cases of an enum, of which some hold what cannot be recorded",
                finds: [
                    .init(.repeatedValue, "Model.state", count: 1), .init(.noopEvaluation, "Model.state", count: 1),
                ],
                unjudged: [
                    .init(.repeatedValue, "Model.state", .unrecordable, count: 1),
                    .init(.noopEvaluation, "Model.state", .unrecordable, count: 1),
                ], redundant: 1, of: 5
            ) { scene in
                let answer = scene.name("answer", Observable(0))
                let state = scene.name("state", answer.map { $0 < 3 ? Load.loading : .failed(Refused()) })
                state.subscribe { _ in }.disposed(by: scene.bag)
                for value in [1, 2, 3, 4, 1] { scene.act("load") { answer.value = value } }
            },
            Program(
                "A filter lets the same through twice",
                finds: [.init(.repeatedValue, "Model.even", count: 1)], redundant: 1, of: 2
            ) { scene in
                let sum = scene.name("sum", Observable(0))
                let even = scene.name("even", sum.filter { $0 % 2 == 0 })
                even.subscribe { _ in }.disposed(by: scene.bag)
                for new in [4, 3, 4] { scene.act("roll") { sum.value = new } }
            },
            Program("Filtered and merged events are still events", finds: [], redundant: 0, of: 3) { scene in
                let (rolled, thrown) = (scene.name("rolled", Emitter<Int>()), scene.name("thrown", Emitter<Int>()))
                let even = scene.name("even", rolled.merge(thrown).filter { $0 % 2 == 0 })
                even.subscribe { _ in }.disposed(by: scene.bag)
                for sum in [4, 3, 4] { scene.act("roll") { rolled.emit(sum) } }
                scene.act("throw") { thrown.emit(4) }
            },
            Program(
                "An emitter merged with a state gives no events",
                finds: [.init(.repeatedValue, "Model.shown", count: 1)], redundant: 1, of: 2
            ) { scene in
                let (rolled, sum) = (scene.name("rolled", Emitter<Int>()), scene.name("sum", Observable(0)))
                let shown = scene.name("shown", rolled.merge(sum))
                shown.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("roll") { rolled.emit(4) }
                scene.act("set") { sum.value = 4 }
            },
            Program(
                "What is computed from events may repeat itself",
                finds: [
                    .init(.repeatedValue, "Model.message", count: 1), .init(.noopEvaluation, "Model.message", count: 1),
                ], redundant: 1, of: 2
            ) { scene in
                let failed = scene.name("failed", Emitter<Int>())
                let message = scene.name("message", failed.map { "error \($0)" })
                message.subscribe { _ in }.disposed(by: scene.bag)
                for _ in 1...2 { scene.act("load") { failed.emit(404) } }
            },
        ]
    }
}
