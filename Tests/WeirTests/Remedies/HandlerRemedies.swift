import Weir

/// Handlers that answer themselves, live too long, take too long, subscribe again, or run on another thread.
enum HandlerRemedies {
    private final class PriceView {
        let onPrice: Observer<Int>
        let bag = DisposeBag()

        init(_ scene: Scene) { onPrice = Observer { scene.show($0, on: "price") } }
    }

    private final class BadgeView {
        let bag = DisposeBag()
    }

    /// A screen that observes a name whenever it appears.
    private final class NameScreen {
        private let name: Observable<String>
        private let bag = DisposeBag()
        private var former: Disposable?
        private let hasOwner: Bool
        private let isMapped: Bool
        private let scene: Scene

        init(_ name: Observable<String>, hasOwner: Bool, isMapped: Bool = false, _ scene: Scene) {
            (self.name, self.hasOwner, self.isMapped, self.scene) = (name, hasOwner, isMapped, scene)
        }

        func appear(disposingOfFormer isDisposing: Bool) {
            if isDisposing { former?.dispose() }
            let new =
                isMapped
                ? scene.name("shown", name.current.map { $0.uppercased() }.removeDuplicates())
                    .subscribe(owner: self) { [scene] in scene.show($0, on: "name") }
                : name.subscribe(owner: hasOwner ? self : nil) { [scene] in scene.show($0, on: "name") }
            new.disposed(by: bag)
            former = new
        }
    }

    static var all: [RemedyProgram] { feedback + lives + work }

    private static let loop = "cut one edge of the loop: let one side not depend on the other"

    private static func ownHandler(of node: String) -> String {
        "do not write \(node) in the handler that observes it: change the value before it is written, or write another node"
    }

    private static var feedback: [RemedyProgram] {
        [
            RemedyProgram(
                "A handler that trims what it observes", .feedback, "Model.name", .cutLoop,
                says: ownHandler(of: "Model.name")
            ) { scene, isCured in
                let name = scene.name("name", Observable(""))
                let typed = scene.name("typed", Emitter<String>())
                name.subscribe { [weak name] in
                    scene.show($0, on: "field")
                    if !isCured { name?.value = $0.filter { $0 != " " } }
                }
                typed.subscribe { name.value = isCured ? $0.filter { $0 != " " } : $0 }
                for text in [" a", "a b"] { scene.act("type") { typed.emit(text) } }
            },
            RemedyProgram(
                "Two handlers that correct what they observe", .feedback, "Model.count", .cutLoop,
                says: "do not write Model.count in the handlers and that observe it: change the value before it is "
                    + "written, or write another node"
            ) { scene, isCured in
                let count = scene.name("count", Observable(1))
                count.subscribe { [weak count] in
                    scene.show($0, on: "least")
                    if !isCured, $0 < 1 { count?.value = 1 }
                }
                count.subscribe { [weak count] in
                    scene.show($0, on: "most")
                    if !isCured, $0 > 10 { count?.value = 10 }
                }
                for number in [3, 12, 4, 0] {
                    scene.act("set") { count.value = isCured ? min(max(number, 1), 10) : number }
                }
            },
            RemedyProgram(
                "A total that corrects its own part", .feedback, "Model.count", .cutLoop,
                says: "do not write Model.count in the handler, which observes what depends on it: change the value "
                    + "before it is written, or write another node"
            ) { scene, isCured in
                let (count, price) = (scene.name("count", Observable(1)), scene.name("price", Observable(3)))
                let total = scene.name("total", Observable.combine(count, price) { $0 * $1 })
                total.subscribe { [weak count] in
                    scene.show($0, on: "total")
                    if !isCured, $0 > 30 { count?.value = 2 }
                }
                for number in [4, 20] { scene.act("set") { count.value = isCured && number * 3 > 30 ? 2 : number } }
            },
            RemedyProgram(
                "Two scales that round differently", .feedback, "Model.whole", .cutLoop,
                says: "keep one of Model.whole and Model.half as state, and compute the other from it in place of the "
                    + "write; to change the other, convert its value and write the state", prediction: .none,
                showsSame: false
            ) { scene, isCured in
                let whole = scene.name("whole", Observable(0))
                whole.subscribe { scene.show($0, on: "whole") }
                if isCured {
                    scene.name("half", whole.current.map { $0 / 2 }).subscribe { scene.show($0, on: "half") }
                        .disposed(by: scene.bag)
                } else {
                    let half = scene.name("half", Observable(0))
                    half.subscribe { scene.show($0, on: "half") }
                    whole.subscribe { [weak half] in half?.value = $0 / 2 }
                    half.subscribe { [weak whole] in whole?.value = $0 * 2 }
                }
                for number in [2, 5] { scene.act("slide") { whole.value = number } }
            },
            RemedyProgram(
                "Two rules that depend on each other", .feedback, "Model.nameIsValid", .cutLoop, says: loop,
                prediction: .none
            ) { scene, isCured in
                let (name, password) = (scene.name("name", Observable("")), scene.name("password", Observable("")))
                let nameIsValid = scene.name("nameIsValid", Combiner(false))
                let passwordIsValid = scene.name("passwordIsValid", Combiner(false))
                if isCured {
                    nameIsValid.combine(name) { $0.count > 2 }
                } else {
                    nameIsValid.combine(name, passwordIsValid) { name, _ in name.count > 2 }
                }
                passwordIsValid.combine(nameIsValid, password) { $0 && $1.count > 2 }
                nameIsValid.subscribe { scene.show($0, on: "name") }
                passwordIsValid.subscribe { scene.show($0, on: "password") }
                scene.act("type the password") { password.value = "sesame" }
                scene.act("type the name") { name.value = "Maruko" }
            },
            RemedyProgram(
                "A draft that saves itself again", .burst, "Model.text", .cutLaterLoop,
                says: "the handler writes Model.text, which calls it again later: change the value before it "
                    + "is written, or write another node", prediction: .none, showsSame: false
            ) { scene, isCured in
                let text = scene.name("text", Observable(""))
                let kept = scene.name("kept", Observable(""))
                text.debounce(.milliseconds(10), on: scene.time).subscribe { draft in
                    if draft.count < 5 { (isCured ? kept : text).value = draft + "." }
                }.disposed(by: scene.bag)
                text.subscribe { scene.show($0, on: "editor") }.disposed(by: scene.bag)
                scene.act("type") { text.value = "a" }
                for _ in 1...20 { scene.time.advance(by: .milliseconds(10)) }
            },
            RemedyProgram(
                "A countdown that its own handler drives", .feedback, "Model.tick", .cutLoop,
                says: ownHandler(of: "Model.tick"), prediction: .none
            ) { scene, isCured in
                let tick = scene.name("tick", Emitter<Int>())
                tick.subscribe { [weak tick] in
                    scene.show($0, on: "clock")
                    if !isCured, $0 > 1 { tick?.emit($0 - 1) }
                }
                scene.act("start") {
                    if isCured { for number in (1...3).reversed() { tick.emit(number) } } else { tick.emit(3) }
                }
            },
        ]
    }

    private static let disposal = "dispose of the subscription with its owner, such as by a DisposeBag that it holds"

    private static var lives: [RemedyProgram] {
        [
            RemedyProgram(
                "An observer that outlives its view", .zombieRefresh, "Model.price", .dispose, says: disposal,
                showsSame: false
            ) { scene, isCured in
                let price = scene.name("price", Observable(0))
                var view: PriceView? = PriceView(scene)
                if let view {
                    Trace.adopt(view)
                    let subscription = view.onPrice.subscribe(to: price)
                    if isCured { subscription.disposed(by: view.bag) }
                }
                scene.act("set") { price.value = 1 }
                scene.act("close the view") { view = nil }
                for value in 2...3 { scene.act("set") { price.value = value } }
            },
            RemedyProgram(
                "A handler that outlives the view that it was made for", .zombieRefresh, "Model.unread", .dispose,
                says: disposal, showsSame: false
            ) { scene, isCured in
                let unread = scene.name("unread", Observable(0))
                var badge: BadgeView? = BadgeView()
                if let badge {
                    Trace.adopt(badge)
                    unread.subscribe(owner: badge) { scene.show($0, on: "badge") }
                        .disposed(by: isCured ? badge.bag : scene.bag)
                }
                scene.act("receive") { unread.value = 1 }
                scene.act("close") { badge = nil }
                scene.act("receive") { unread.value = 2 }
            },
            RemedyProgram(
                "A view that should be gone, and is held", .zombieRefresh, "Model.price", .dispose,
                says:
                    "release the owner of the subscription, and dispose of the subscription with it; weir leaks shows what "
                    + "holds the owner",
                showsSame: false
            ) { scene, isCured in
                let price = scene.name("price", Observable(0))
                var views: [PriceView] = []
                func open() {
                    let view = PriceView(scene)
                    Trace.adopt(view)
                    view.onPrice.subscribe(to: price).disposed(by: view.bag)
                    views.append(view)
                    Trace.expectReleased(view)
                }
                open()
                scene.act("set") { price.value = 1 }
                if isCured { views.removeAll() }
                Trace.checkpoint("closed")
                for value in 2...3 { scene.act("set") { price.value = value } }
                views.removeAll()
            },
            RemedyProgram(
                "Two views, one of which is gone", .zombieRefresh, "Model.total", .dispose, says: disposal,
                showsSame: false
            ) { scene, isCured in
                let price = scene.name("price", Observable(0))
                let total = scene.name("total", Observable.combine(price) { $0 * 2 })
                var views = [PriceView(scene), PriceView(scene)]
                for view in views {
                    Trace.adopt(view)
                    let subscription = view.onPrice.subscribe(to: total)
                    if isCured { subscription.disposed(by: view.bag) }
                }
                scene.act("close a view") { _ = views.removeLast() }
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            RemedyProgram(
                "A screen subscribes on each appearance", .repeatedSubscription, "Model.name", .subscribeOnce,
                says: "subscribe once, when the view is made, or dispose of the former subscription first"
            ) { scene, isCured in
                let name = scene.name("name", Observable("Maruko"))
                let screen = scene.adopt(NameScreen(name, hasOwner: true, scene))
                for _ in 1...3 { scene.act("appear") { screen.appear(disposingOfFormer: isCured) } }
                for text in ["Momoko", "Taro"] { scene.act("rename") { name.value = text } }
            },
            RemedyProgram(
                "A screen makes a chain of operators on each appearance", .repeatedSubscription, "Model.shown",
                .subscribeOnce,
                says: "subscribe once, when the view is made, or dispose of the former subscription first"
            ) { scene, isCured in
                let name = scene.name("name", Observable("Maruko"))
                let screen = scene.adopt(NameScreen(name, hasOwner: true, isMapped: true, scene))
                for _ in 1...3 { scene.act("appear") { screen.appear(disposingOfFormer: isCured) } }
                for text in ["Momoko", "momoko", "Taro"] { scene.act("rename") { name.value = text } }
            },
            RemedyProgram(
                "A model binds its answers on each appearance", .repeatedSubscription, "Model.answers", .subscribeOnce,
                says: "bind once, such as in an initializer, or dispose of the former binding first"
            ) { scene, isCured in
                let (answers, shown) = (scene.name("answers", Emitter<Int>()), scene.name("shown", Observable(0)))
                shown.subscribe { scene.show($0, on: "list") }
                var binding: Disposable?
                for number in 1...3 {
                    scene.act("appear") {
                        if isCured { binding?.dispose() }
                        binding = answers.bind(to: shown)
                        if !isCured { binding?.disposed(by: scene.bag) }
                        answers.emit(number)
                    }
                    scene.wait(milliseconds: 50)
                }
                binding?.dispose()
            },
            RemedyProgram(
                "A closure without an owner subscribes on each appearance", .repeatedSubscription, "Model.name",
                .subscribeOnce,
                says: "if the handlers belong to one view, subscribe once or dispose of the former subscription first; "
                    + "else name each view: .subscribe(owner:)"
            ) { scene, isCured in
                let name = scene.name("name", Observable("Maruko"))
                let screen = scene.adopt(NameScreen(name, hasOwner: false, scene))
                for _ in 1...2 { scene.act("appear") { screen.appear(disposingOfFormer: isCured) } }
                scene.act("rename") { name.value = "Momoko" }
            },
        ]
    }

    private static var work: [RemedyProgram] {
        [
            RemedyProgram(
                "Progress that two threads write", .crossThread, "Model.progress", .deliver,
                says:
                    "write Model.progress on one thread, such as in await MainActor.run { … }, or .deliver(on:) before a binding to it"
            ) { scene, isCured in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { scene.show($0, on: "bar") }
                scene.act("begin") { progress.value = 1 }
                scene.act("load") {
                    scene.onAnotherThread {
                        if isCured {
                            _ = try? scene.time.schedule { progress.value = 50 }
                        } else {
                            progress.value = 50
                        }
                    }
                    scene.time.runUntilIdle()
                }
            },
            RemedyProgram(
                "A total of which two threads write a part each", .crossThread, "Model.total", .deliver,
                says: ".deliver(on:) before the inputs of Model.total are written, so that one thread does"
            ) { scene, isCured in
                let (net, tax) = (scene.name("net", Observable(0)), scene.name("tax", Observable(0)))
                let loaded = scene.name("loaded", Emitter<Int>())
                let total = scene.name("total", Observable.combine(net, tax) { $0 + $1 })
                total.subscribe { scene.show($0, on: "total") }
                (isCured ? loaded.deliver(on: scene.time) : loaded).subscribe { tax.value = $0 }
                    .disposed(by: scene.bag)
                scene.act("set") { net.value = 100 }
                scene.act("load") {
                    scene.onAnotherThread { loaded.emit(7) }
                    scene.time.runUntilIdle()
                }
            },
            RemedyProgram(
                "A download that reports from another thread", .crossThread, "Model.progress", .deliver,
                says:
                    "write Model.progress on one thread, such as in await MainActor.run { … }, or .deliver(on:) before a binding to it"
            ) { scene, isCured in
                let loaded = scene.name("loaded", Emitter<Int>())
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { scene.show($0, on: "bar") }
                (isCured ? loaded.deliver(on: scene.time) : loaded).subscribe { progress.value = $0 }
                    .disposed(by: scene.bag)
                scene.act("begin") { progress.value = 1 }
                scene.act("load") {
                    scene.onAnotherThread { loaded.emit(50) }
                    scene.time.runUntilIdle()
                }
            },
            RemedyProgram(
                "A title that another thread computes", .crossThread, "Model.title", .deliver,
                says:
                    "write Model.title on one thread, such as in await MainActor.run { … }, or .deliver(on:) before a binding to it"
            ) { scene, isCured in
                let parsed = scene.name("parsed", Emitter<String>())
                let title = scene.name("title", Observable(""))
                title.subscribe { scene.show($0, on: "title") }
                (isCured ? parsed.deliver(on: scene.time) : parsed).bind(to: title).disposed(by: scene.bag)
                scene.act("open") { title.value = "Loading" }
                scene.act("parse") {
                    scene.onAnotherThread { parsed.emit("Inbox") }
                    scene.time.runUntilIdle()
                }
            },
            RemedyProgram(
                "A chart that is drawn in the handler", .slowRefresh, "Model.price", .lightenHandler,
                says: "move work out of the handler: off this thread, or to when it is needed"
            ) { scene, isCured in
                let price = scene.name("price", Observable(0))
                price.subscribe { value in
                    if isCured {
                        scene.show(value, on: "chart")
                        _ = try? scene.time.schedule { scene.wait(milliseconds: 30) }
                    } else {
                        scene.wait(milliseconds: 30)
                        scene.show(value, on: "chart")
                    }
                }
                for value in 1...2 {
                    scene.act("set") { price.value = value }
                    scene.time.runUntilIdle()
                }
            },
            RemedyProgram(
                "An answer that is parsed in the handler", .slowRefresh, "Model.answered", .lightenHandler,
                says: "move work out of the handler: off this thread, or to when it is needed"
            ) { scene, isCured in
                let answered = scene.name("answered", Emitter<Int>())
                answered.subscribe { number in
                    scene.show(number, on: "list")
                    if isCured { return scene.onAnotherThread {} }
                    scene.wait(milliseconds: 20)
                }
                scene.act("load") { answered.emit(1) }
            },
        ]
    }
}
