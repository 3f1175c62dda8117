import Weir

/// Nodes that make themselves run again, and nodes that only seem to.
enum FeedbackPrograms {
    private final class Field {
        var text = ""
    }

    static var all: [Program] { handlers + graphs }

    private static var handlers: [Program] {
        [
            Program(
                "A handler that trims what it observes", finds: [.init(.feedback, "Model.name", count: 1)],
                redundant: 0, of: 3
            ) { scene in
                let name = scene.name("name", Observable(""))
                name.subscribe { [weak name] in name?.value = $0.filter { $0 != " " } }
                scene.act("type") { name.value = " a" }
                scene.act("type") { name.value = "ab" }
            },
            Program("A handler that writes back what it was given", finds: [], redundant: 0, of: 2) { scene in
                let name = scene.name("name", Observable(""))
                name.subscribe { [weak name] in name?.value = $0 }
                for text in ["a", "ab"] { scene.act("type") { name.value = text } }
            },
            Program("Two bindings that answer each other", finds: [], redundant: 0, of: 4) { scene in
                let (field, name) = (scene.name("field", Observable("")), scene.name("name", Observable("")))
                field.bind(to: name).disposed(by: scene.bag)
                name.bind(to: field).disposed(by: scene.bag)
                field.subscribe { _ in }
                name.subscribe { _ in }
                scene.act("type") { field.value = "a" }
                scene.act("load") { name.value = "Maruko" }
            },
            Program("A two-way binding without echo", finds: [], redundant: 0, of: 3) { scene in
                let field = Field()
                let edited = scene.name("edited", Emitter<String>())
                let phone = scene.name("phone", Observable(""))
                Channel(phone).bind(unchecked: field, \.text, changes: edited).disposed(by: scene.bag)
                scene.draw()
                phone.subscribe { _ in }
                scene.act("type") { edited.emit("1") }
                scene.act("type") { edited.emit("18") }
            },
            Program(
                "A two-way binding whose model corrects the field",
                finds: [.init(.feedback, "Model.phone", count: 1)], redundant: 0, of: 4
            ) { scene in
                let field = Field()
                let edited = scene.name("edited", Emitter<String>())
                let phone = scene.name("phone", Observable(""))
                let channel = Channel(phone)
                channel.bind(unchecked: field, \.text, changes: edited).disposed(by: scene.bag)
                scene.draw()
                phone.subscribe { [weak phone] in phone?.value = $0.filter { $0 != "-" } }
                scene.act("type") { edited.emit("1-8") }
            },
            Program("Two units that agree", finds: [], redundant: 0, of: 2) { scene in
                let (metres, feet) = (scene.name("metres", Observable(0)), scene.name("feet", Observable(0)))
                metres.subscribe { [weak feet] in feet?.value = $0 * 3 }
                feet.subscribe { [weak metres] in metres?.value = $0 / 3 }
                scene.act("type") { metres.value = 5 }
            },
            Program(
                "Two units that round each other down",
                finds: [
                    .init(.feedback, "Model.celsius", count: 2), .init(.feedback, "Model.fahrenheit", count: 2),
                ], redundant: 0, of: 6
            ) { scene in
                let celsius = scene.name("celsius", Observable(0))
                let fahrenheit = scene.name("fahrenheit", Observable(32))
                celsius.subscribe { [weak fahrenheit] in fahrenheit?.value = $0 * 9 / 5 + 32 }
                fahrenheit.subscribe { [weak celsius] in celsius?.value = ($0 - 32) * 5 / 9 }
                // 37 is 98, 98 is 36; 36 is 96, 96 is 35; 35 is 95, 95 is 35.
                scene.act("type") { celsius.value = 37 }
            },
            Program(
                "A countdown that its own handler drives",
                finds: [.init(.feedback, "Model.tick", count: 2), .init(.feedback, "Model.text", count: 2)],
                redundant: 0, of: 3
            ) { scene in
                let tick = scene.name("tick", Emitter<Int>())
                let text = scene.name("text", tick.map { $0 * 10 })
                text.subscribe { [weak tick] in if $0 > 10 { tick?.emit($0 / 10 - 1) } }.disposed(by: scene.bag)
                scene.act("start") { tick.emit(3) }
            },
            Program("A countdown in turns of their own", finds: [], redundant: 0, of: 3) { scene in
                let tick = scene.name("tick", Emitter<Int>())
                tick.delay(.seconds(1), on: scene.time).subscribe { [weak tick] in if $0 > 1 { tick?.emit($0 - 1) } }
                    .disposed(by: scene.bag)
                scene.act("start") { tick.emit(3) }
                for _ in 1...3 {
                    scene.time.advance(by: .seconds(1))
                    scene.draw()
                }
            },
        ]
    }

    private static var graphs: [Program] {
        [
            Program(
                "Two rules that depend on each other",
                finds: [
                    .init(.feedback, "Model.nameIsValid", count: 1),
                    .init(.noopEvaluation, "Model.nameIsValid", count: 1),
                    .init(.noopEvaluation, "Model.passwordIsValid", count: 1),
                ], redundant: 0, of: 2
            ) { scene in
                let (name, password) = (scene.name("name", Observable("")), scene.name("password", Observable("")))
                let nameIsValid = scene.name("nameIsValid", Combiner(false))
                let passwordIsValid = scene.name("passwordIsValid", Combiner(false))
                nameIsValid.combine(name, passwordIsValid) { name, _ in name.count > 2 }
                passwordIsValid.combine(nameIsValid, password) { $0 && $1.count > 2 }
                nameIsValid.subscribe { _ in }
                passwordIsValid.subscribe { _ in }
                scene.act("type the password") { password.value = "sesame" }
                scene.act("type the name") { name.value = "Maruko" }
            },
            Program(
                "Two rules, one of which depends on the other",
                finds: [.init(.noopEvaluation, "Model.isValid", count: 1)], redundant: 0, of: 2
            ) { scene in
                let (name, password) = (scene.name("name", Observable("")), scene.name("password", Observable("")))
                let nameIsValid = scene.name("nameIsValid", Observable.combine(name) { $0.count > 2 })
                let isValid = scene.name("isValid", Observable.combine(nameIsValid, password) { $0 && $1.count > 2 })
                nameIsValid.subscribe { _ in }
                isValid.subscribe { _ in }
                scene.act("type the name") { name.value = "Maruko" }
                scene.act("type the password") { password.value = "sesame" }
            },
            Program(
                "A loop that never comes to rest, and is left unsettled",
                finds: [
                    .init(.feedback, "Model.draft", count: 1000), .init(.feedback, "Model.next", count: 1),
                    .init(.glitch, "Model.next", count: 999),
                ], redundant: 999, of: 1000
            ) { scene in
                let draft = scene.name("draft", Observable(0))
                let next = scene.name("next", Observable.combine(draft, strategy: .settled) { $0 + 1 })
                next.subscribe { [weak draft] in draft?.value = $0 }
                scene.act("begin") { draft.value = 1 }
            },
        ]
    }
}
