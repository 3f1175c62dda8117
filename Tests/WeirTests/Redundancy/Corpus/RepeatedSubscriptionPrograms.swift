import Weir

/// Views that subscribe again, and views that do not.
enum RepeatedSubscriptionPrograms {
    /// A screen that subscribes whenever it appears.
    private final class Screen {
        let name: Observable<String>
        let bag = DisposeBag()
        var current: Disposable?
        init(_ name: Observable<String>) { self.name = name }

        func appearAgain() {
            name.subscribe(owner: self) { _ in }.disposed(by: bag)
        }

        var shown = ""

        func appearWithBinding() {
            name.bind(unchecked: self, \.shown).disposed(by: bag)
        }

        func appearWithoutOwner() {
            name.subscribe { _ in }.disposed(by: bag)
        }

        func appearAnew() {
            current?.dispose()
            current = name.subscribe(owner: self) { _ in }
        }
    }

    static var all: [Program] {
        [
            Program(
                "A screen subscribes on each appearance",
                finds: [.init(.repeatedSubscription, "Model.name", count: 4)], redundant: 4, of: 6
            ) { scene in
                let name = scene.name("name", Observable("Maruko"))
                let screen = scene.adopt(Screen(name))
                for _ in 1...3 { scene.act("appear") { screen.appearAgain() } }
                for text in ["Momoko", "Taro"] { scene.act("rename") { name.value = text } }
            },
            Program(
                "A closure without an owner subscribes on each appearance",
                finds: [.init(.repeatedSubscription, "Model.name", count: 1)], redundant: 0, of: 2
            ) { scene in
                let name = scene.name("name", Observable("Maruko"))
                let screen = scene.adopt(Screen(name))
                for _ in 1...2 { scene.act("appear") { screen.appearWithoutOwner() } }
                scene.act("rename") { name.value = "Momoko" }
            },
            Program(
                "A model binds its answers to an observable on each appearance",
                finds: [.init(.repeatedSubscription, "Model.answers", count: 3)], redundant: 0, of: 3
            ) { scene in
                let (answers, shown) = (scene.name("answers", Emitter<Int>()), scene.name("shown", Observable(0)))
                shown.subscribe { _ in }
                for number in 1...3 {
                    scene.act("appear") {
                        answers.bind(to: shown).disposed(by: scene.bag)
                        answers.emit(number)
                    }
                }
            },
            Program(
                "A loop binds several sources, and each appearance another one, to one observable",
                finds: [], redundant: 0, of: 3
            ) { scene in
                let shown = scene.name("shown", Observable(0))
                shown.subscribe { _ in }
                for number in 1...3 {
                    scene.act("appear") {
                        let answers = scene.name("answers \(number)", Emitter<Int>())
                        answers.bind(to: shown).disposed(by: scene.bag)
                        answers.emit(number)
                    }
                }
            },
            Program(
                "A screen binds a property on each appearance",
                finds: [.init(.repeatedSubscription, "current RepeatedSubscriptionPrograms.swift:19", count: 1)],
                redundant: 0, of: 4
            ) { scene in
                let name = scene.name("name", Observable("Maruko"))
                let screen = scene.adopt(Screen(name))
                for _ in 1...2 { scene.act("appear") { screen.appearWithBinding() } }
                scene.act("rename") { name.value = "Momoko" }
            },
            Program(
                "A log subscribes twice on purpose",
                finds: [.init(.repeatedSubscription, "Model.name", count: 1, meantSo: "one line for each session")],
                redundant: 0, of: 2
            ) { scene in
                let name = scene.name(
                    "name",
                    Observable("Maruko").intended(.repeatedSubscription, because: "one line for each session"))
                let screen = scene.adopt(Screen(name))
                for _ in 1...2 { scene.act("appear") { screen.appearAgain() } }
                scene.act("rename") { name.value = "Momoko" }
            },
            Program("A screen disposes of its former subscription", finds: [], redundant: 0, of: 1) { scene in
                let name = scene.name("name", Observable("Maruko"))
                let screen = scene.adopt(Screen(name))
                for _ in 1...3 { scene.act("appear") { screen.appearAnew() } }
                scene.act("rename") { name.value = "Momoko" }
            },
            Program("The cells of a list observe one node", finds: [], redundant: 0, of: 3) { scene in
                let name = scene.name("name", Observable("Maruko"))
                let cells = (1...3).map { _ in scene.adopt(Screen(name)) }
                scene.act("show") { for cell in cells { cell.appearAgain() } }
                scene.act("rename") { name.value = "Momoko" }
            },
            Program("Another view observes the node later", finds: [], redundant: 0, of: 2) { scene in
                let name = scene.name("name", Observable("Maruko"))
                for _ in 1...2 {
                    let screen = scene.adopt(Screen(name))
                    scene.act("show") { screen.appearAgain() }
                }
                scene.act("rename") { name.value = "Momoko" }
            },
        ]
    }
}
