import Weir

/// Evaluations with an unchanged result.
enum NoopEvaluationPrograms {
    static var all: [Program] {
        [
            Program(
                "A rule that holds or not, at each key", finds: [.init(.noopEvaluation, "Model.isValid", count: 4)],
                redundant: 0, of: 1
            ) { scene in
                let name = scene.name("name", Observable(""))
                let isValid = scene.name("isValid", Observable.combine(name) { $0.count >= 4 })
                isValid.subscribe { _ in }
                for text in ["m", "ma", "mar", "maru", "maruk"] { scene.act("type \(text)") { name.value = text } }
            },
            Program("A rule that changes each time", finds: [], redundant: 0, of: 3) { scene in
                let name = scene.name("name", Observable(""))
                let length = scene.name("length", Observable.combine(name) { $0.count })
                length.subscribe { _ in }
                for text in ["m", "ma", "mar"] { scene.act("type \(text)") { name.value = text } }
            },
            Program(
                "What is behind an input that does not change is not computed",
                finds: [.init(.noopEvaluation, "Model.isValid", count: 2)], redundant: 0, of: 1
            ) { scene in
                let name = scene.name("name", Observable(""))
                let isValid = scene.name("isValid", Observable.combine(name) { $0.count >= 3 })
                let title = scene.name("title", Observable.combine(isValid) { $0 ? "Go" : "Too short" })
                title.subscribe { _ in }
                for text in ["m", "ma", "mar"] { scene.act("type \(text)") { name.value = text } }
            },
            Program(
                "A text that stands for the same number",
                finds: [
                    .init(.noopEvaluation, "Model.number", count: 1), .init(.repeatedValue, "Model.number", count: 1),
                ], redundant: 1, of: 3
            ) { scene in
                let text = scene.name("text", Observable(""))
                let number = scene.name("number", text.compactMap { Int($0) })
                number.subscribe { _ in }.disposed(by: scene.bag)
                for value in ["1", "01", "x", "2"] { scene.act("type \(value)") { text.value = value } }
            },
            Program("What a filter keeps back is not the same again", finds: [], redundant: 0, of: 1) { scene in
                let text = scene.name("text", Observable(""))
                let long = scene.name("long", text.filter { $0.count > 2 })
                long.subscribe { _ in }.disposed(by: scene.bag)
                for value in ["t", "te", "tea"] { scene.act("type \(value)") { text.value = value } }
            },
            Program("Events without a value are computed each", finds: [], redundant: 0, of: 3) { scene in
                let text = scene.name("text", Observable(""))
                let changed = scene.name("changed", text.map { _ in })
                changed.subscribe { _ in }.disposed(by: scene.bag)
                for value in ["t", "te", "tea"] { scene.act("type \(value)") { text.value = value } }
            },
            Program("That `removeDuplicates` compares is no evaluation", finds: [], redundant: 0, of: 1) { scene in
                let rolled = scene.name("rolled", Emitter<Int>())
                rolled.removeDuplicates().subscribe { _ in }.disposed(by: scene.bag)
                for _ in 1...3 { scene.act("roll") { rolled.emit(6) } }
            },
            Program(
                "A pair that adds up to the same",
                finds: [.init(.noopEvaluation, "Model.sum", count: 1), .init(.repeatedValue, "Model.sum", count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let (left, right) = (scene.name("left", Emitter<Int>()), scene.name("right", Emitter<Int>()))
                let sum = scene.name("sum", left.zip(right) { $0 + $1 })
                sum.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("1 and 2") {
                    left.emit(1)
                    right.emit(2)
                }
                scene.act("2 and 1") {
                    left.emit(2)
                    right.emit(1)
                }
            },
            Program(
                "The latest of the other has changed without effect",
                finds: [
                    .init(.noopEvaluation, "Model.sent", count: 1), .init(.repeatedValue, "Model.sent", count: 1),
                ], redundant: 1, of: 2
            ) { scene in
                let tapped = scene.name("tapped", Emitter<Int>())
                let text = scene.name("text", Observable("a"))
                let sent = scene.name("sent", tapped.withLatest(from: text.current) { $1.count })
                sent.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("tap") { tapped.emit(1) }
                scene.act("type") { text.value = "b" }
                scene.act("tap") { tapped.emit(2) }
            },
        ]
    }
}
