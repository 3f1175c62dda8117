import Observation
import Weir

@Observable
private final class FormModel: @unchecked Sendable {  // Programs run on one thread.
    var name = ""
    var note = ""
    /// Whether the name is long, stored, and written only when it changes.
    var hasLongName = false
    var isLong: Bool { name.count >= 6 }
}

/// Redundant refreshes of renders, asynchronous sequences, callbacks and other libraries, in their own terms.
enum OtherTechniqueRemedies {
    private final class Player: @unchecked Sendable {  // Programs run on one thread.
        @Traced var position = 0
    }

    /// A small library of the kind that is wrapped.
    private final class Feed {
        private var listeners: [(Int) -> Void] = []

        func listen(_ listener: @escaping (Int) -> Void) { listeners.append(listener) }

        func tell(_ value: Int) { for listener in listeners { listener(value) } }
    }

    static var all: [RemedyProgram] {
        [
            RemedyProgram(
                "A body that reads more than it shows", .repeatedValue, "FormView.body", .removeDuplicates,
                says: "let the body read less: a stored property that is written only when what is shown changes; or "
                    + "split the view"
            ) { scene, isCured in
                let model = scene.adopt(FormModel())
                Trace.render("FormView.body", on: scene.time) {
                    let shown = (isCured ? model.hasLongName : model.isLong) ? "long" : "short"
                    scene.show(shown, on: "body")
                    return shown
                }.disposed(by: scene.bag)
                for name in ["M", "Ma", "Maruko", "Maruko!"] {
                    scene.wait(milliseconds: 100)
                    scene.act("type") {
                        model.name = name
                        if isCured, model.hasLongName != model.isLong { model.hasLongName = model.isLong }
                    }
                    scene.time.runUntilIdle()
                }
            },
            RemedyProgram(
                "A body that runs in each write", .burst, "FormView.body", .batch,
                says: "make the writes of “load” with no await between them, and run the body after them: "
                    + "Trace.render(…, on: .main)", prediction: .partial(.notReproduced)
            ) { scene, isCured in
                let model = scene.adopt(FormModel())
                Trace.render("FormView.body", on: scene.time) {
                    let shown = "\(model.name) \(model.note)"
                    scene.show(shown, on: "body")
                    return shown
                }.disposed(by: scene.bag)
                scene.wait(milliseconds: 100)
                scene.act("load") {
                    model.name = "Maruko"
                    if !isCured { scene.time.runUntilIdle() }
                    model.note = "!"
                    scene.time.runUntilIdle()
                }
            },
            RemedyProgram(
                "A callback that says the same again", .repeatedValue, "show price", .removeDuplicates,
                says:
                    "compare before the call, and leave it out where the value is that of the last call"
            ) { scene, isCured in
                let price = scene.name("price", Observable(0))
                let last = Locked<Int?>(nil)
                price.subscribe { value in
                    let euros = value / 100
                    if isCured, last.value == euros { return }
                    last.change { $0 = euros }
                    withTracing("show price", euros) { scene.show(euros, on: "price") }
                }
                for value in [110, 120, 230, 240] { scene.act("set") { price.value = value } }
            },
            RemedyProgram(
                "A callback that is made for each write", .burst, "show rows", .batch,
                says: "make the call once in “open”, when all is written", prediction: .exact
            ) { scene, isCured in
                var rows: [Int] = []
                func show() { withTracing("show rows", rows.count) { scene.show(rows.count, on: "list") } }
                scene.act("open") {
                    for row in 1...3 {
                        rows.append(row)
                        if !isCured { show() }
                    }
                    if isCured { show() }
                }
            },
            RemedyProgram(
                "A property that is written in steps", .burst, "Player.position", .batch,
                says: "batch { … } around the writes of “seek” that refresh the subscription"
            ) { scene, isCured in
                let player = scene.adopt(Player())
                player.$position.subscribe { scene.show($0, on: "slider") }
                scene.act("seek") {
                    func seek() { for second in 1...3 { player.position = second } }
                    if isCured { batch { seek() } } else { seek() }
                }
            },
            RemedyProgram(
                "A probe that receives each step", .burst, "prices", .batch,
                says: "bring the writes of “load” together in one value, so that the subscription is refreshed once",
                prediction: .exact
            ) { scene, isCured in
                let feed = Feed()
                let subscription = TraceProbe("prices", of: Int.self).subscribed()
                feed.listen { value in subscription.emitted(value) { scene.show(value, on: "price") } }
                scene.act("load") { for value in isCured ? [3] : [1, 2, 3] { feed.tell(value) } }
                subscription.disposed()
            },
            RemedyProgram(
                "A probe that receives the same value again", .repeatedValue, "prices", .removeDuplicates,
                says: "let through only what differs (distinctUntilChanged, skipRepeats) before the subscription"
            ) { scene, isCured in
                let feed = Feed()
                let subscription = TraceProbe("prices", of: Int.self).subscribed()
                var last: Int?
                feed.listen { value in
                    if isCured, last == value { return }
                    last = value
                    subscription.emitted(value) { scene.show(value, on: "price") }
                }
                for value in [1, 1, 2, 2] { scene.act("tick") { feed.tell(value) } }
                subscription.disposed()
            },
            RemedyProgram(
                "A stream whose producer says the same again", .repeatedValue, "names", .removeDuplicates,
                says:
                    "if an equal value means nothing new, compare with the last element, before it is yielded or in the loop over names",
                besides: [.init(rule: .burst, node: "names")]
            ) { scene, isCured in
                scene.inTask {
                    let (names, continuation) = AsyncStream<String>.makeTracedStream("names")
                    var last: String?
                    for name in ["Maruko", "Maruko", "Momoko", "Momoko"] {
                        if isCured, last == name { continue }
                        last = name
                        continuation.yield(name)
                    }
                    continuation.finish()
                    await names.forEach { scene.show($0, on: "name") }
                }
            },
        ]
    }
}
