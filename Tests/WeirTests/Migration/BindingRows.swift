import Testing
import Weir
import WeirTesting
import WeirTrace

extension Everything {
    /// The rows of 'Bindings', in Migration.md: a test has the title of its row.
    @MainActor @Suite struct BindingRows {
        private final class Field {
            var text = ""
            var isEnabled = false
            let edited = Emitter<String>()
            let touched = Emitter<Void>()
        }

        private struct Refused: Error {}

        private let never = Signal<Int>.never()

        @Test func `One way, to a property`() {
            let (title, field) = (Observable("a"), Field())
            title.bind(to: field, \.text)
            #expect(field.text == "a")
            title.value = "b"
            #expect(field.text == "b")
        }

        @Test func `One way, to an observable`() {
            let (title, shown) = (Observable("a"), Observable(""))
            title.bind(to: shown)
            title.value = "b"
            #expect(shown.value == "b")
        }

        @Test func `From the view to the model`() {
            let (field, log) = (Field(), Log())
            let typed: Emitter<String> = field.edited
            let observer = Observer<String> { log.note($0) }
            observer.subscribe(to: typed)
            let name = Observable("")
            typed.bind(to: name)
            let search = Command<String, Int> { .just($0.count) }
            log.hear(search.values)
            typed.subscribe { search.execute($0) }
            typed.emit("abc")
            #expect(log.text == "abc 3" && name.value == "abc")
        }

        @Test func `Two ways`() {
            let phone = Observable("1")
            let channel = Channel(phone)
            let log = Log()
            log.hear(channel.view)
            channel.view.send("12")
            phone.value = "123"
            #expect(log.text == "1 123" && phone.value == "123")
        }

        @Test func `Its ends`() {
            let channel = Channel(Observable(1))
            let (model, view): (ChannelTerminal<Int>, ChannelTerminal<Int>) = (channel.model, channel.view)
            let log = Log()
            log.hear(model, "model ")
            log.hear(view, "view ")
            view.send(2)
            model.send(3)
            #expect(log.text == "view 1 model 2 view 3")
        }

        @Test func `Sending into an end`() {
            let name = Observable("a")
            Channel(name).view.send("b")
            #expect(name.value == "b")
        }

        @Test func `A text field, both ways`() {
            let (name, field) = (Observable("a"), Field())
            let channel = Channel(name)
            channel.bind(to: field, \.text, changes: field.edited)
            #expect(field.text == "a")
            field.edited.emit("ab")
            #expect(name.value == "ab")
        }

        @Test func `A collection`() {
            let rows = ObservableArray(["a"])
            let log = Log()
            log.hear(rows.changes().map { (change: ArrayChange<String>) in change.difference.count })
            log.hear(rows.differences().map { "d\($0.count)" })
            rows.append("b")
            #expect(log.text.contains("1") && log.text.contains("d1"))
            #expect(rows.value == ["a", "b"])
        }

        @Test func `A command`() {
            let double = Command<Int, Int> { .just($0 * 2) }
            #expect(Log.of(double.execute(4)) == "8 |")
        }

        /// ReactiveSwift's `apply` gives a producer, which runs whenever it is started.
        @Test func `Running it`() {
            let runs = Locked(0)
            let search = Command<String, Int> { text in
                runs.change { $0 += 1 }
                return .just(text.count)
            }
            let execution: Execution<Int> = search.execute("abc")
            #expect(runs.value == 1 && Log.of(execution) == "3 |")
            let apply = Signal.just("weir").flatMap(.concat) { search.execute($0) }
            #expect(runs.value == 1)
            #expect(Log.of(apply) == "4 |" && Log.of(apply) == "4 |" && runs.value == 3)
            var error: (any Error)?
            Command<Int, Int>(enabledIf: .just(false)) { .just($0) }.execute(1).subscribeEvents {
                if case .failed(let failure) = $0 { error = failure }
            }
            #expect(error as? CommandError == .disabled)
        }

        @Test func `When it may run`() {
            let isReady = Observable(false)
            let load = Command<Int, Int>(enabledIf: isReady) { .just($0) }
            #expect(!load.isEnabled.value && Log.of(load.execute(1)) == "#")
            isReady.value = true
            #expect(load.isEnabled.value && Log.of(load.execute(1)) == "1 |")
        }

        @Test func `Whether it runs`() {
            let never = never
            let load = Command<Int, Int> { _ in never }
            #expect(!load.isExecuting.value)
            let execution = load.execute(1)
            #expect(load.isExecuting.value)
            execution.cancel()
            #expect(!load.isExecuting.value)
        }

        @Test func `What it gives`() {
            let load = Command<Int, Int> { .just($0) }
            let log = Log()
            log.hear(load.executions.flatten(.merge), "x")
            log.hear(load.values)
            load.execute(1)
            #expect(log.text.contains("x1") && log.text.contains("1"))
        }

        @Test func `Its errors`() {
            let load = Command<Int, Int> { $0 == 1 ? .failed(Refused()) : .just($0) }
            let log = Log()
            log.hear(load.errors.map { "\($0)" })
            #expect(Log.of(load.execute(1)) == "#" && Log.of(load.execute(2)) == "2 |")
            #expect(log.text == "Refused()")
        }

        @Test func `More than once at a time`() {
            let never = never
            let load = Command<Int, Int>(allowsConcurrentExecution: true) { _ in never }
            let executions = [load.execute(1), load.execute(2)]
            #expect(executions.map { Log.of($0) } == ["", ""])
        }

        @Test func `A control that runs it`() {
            let (isReady, field, log, bag) = (Observable(false), Field(), Log(), DisposeBag())
            let load = Command<Void, Int>(enabledIf: isReady) { _ in .just(1) }
            log.hear(load.values)
            load.isEnabled.bind(to: field, \.isEnabled).disposed(by: bag)
            let events: Signal<Void> = field.touched
            events.subscribe { load.execute() }.disposed(by: bag)
            #expect(!field.isEnabled)
            isReady.value = true
            field.touched.emit()
            #expect(field.isEnabled && log.text == "1")
        }

        @Test func `Navigation`() {
            let open = Command<Int, String> { .just("https://example.com/\($0)") }
            let log = Log()
            open.values.subscribe { log.note("jump to \($0)") }
            open.execute(7)
            #expect(log.text == "jump to https://example.com/7")
        }

        @Test func `Two changes, one reload`() async {
            let (posts, isLast) = (Observable(0), Observable(false))
            let state = Observable.combine(posts, isLast) { "\($0) \($1)" }
            let log = Log()
            log.hear(Observable.combine(state, strategy: .settled) { $0 })
            batch {
                posts.value = 3
                isLast.value = true
            }
            #expect(log.text == "3 true")
            let reloads = Log()
            let changes = posts.map { _ in }.merge(isLast.map { _ in })
            reloads.hear(changes.buffer(time: .seconds(0), on: .main).map(\.count))
            posts.value = 4
            isLast.value = false
            while reloads.text.isEmpty { await Task.yield() }
            #expect(reloads.text == "2")
        }
    }

    /// The rows of 'Tests and tracing', in Migration.md: a test has the title of its row.
    @MainActor @Suite struct TracingRows {
        @Test func `Virtual time`() {
            let time = VirtualScheduler()
            let log = Log()
            log.hear(Signal.timer(.seconds(9), on: time).map { "now" })
            time.advance(by: .seconds(8))
            #expect(log.text == "")
            time.advance(by: .seconds(1))
            #expect(log.text == "now |")
        }

        @Test func `Marble diagrams`() throws {
            try marbles { m in
                let source = m.hot("               --1--2--|")
                m.expect(source.map { $0 + 1 }, "  --2--3--|")
            }
            #expect(throws: MarblesDiffer.self) { try marbles { m in m.expect(m.cold("-1|"), "-2|") } }
        }

        @Test func `Watching a view model under test`() throws {
            let name = Observable("a")
            let channel = Channel(name)
            channel.view.send("b")
            #expect(name.value == "b")
            try marbles { m in
                let level = Observable(1)
                m.at(2) { level.value = 2 }
                m.expect(level.current, "1-2")
            }
        }

        /// Combine's `print` and RxSwift's `debug` write a line for each event, too.
        @Test func `Printing what flows`() throws {
            let paper = Paper()
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path)
            Signal([1]).print("load", to: paper).subscribe { _ in }
            Trace.stop()
            let recording = try Recording(reading: file.path)
            #expect(paper.text.value == "load: subscribed\nload: next 1\nload: completed\n")
            #expect(recording.events.contains { $0.kind == .emitted && $0.value == .signed(1) })
        }

        private struct Paper: TextOutputStream, Sendable {
            let text = Locked("")
            mutating func write(_ string: String) { text.change { $0 += string } }
        }

        @Test func `Who leaks`() throws {
            let recording = try record {
                let numbers = Emitter<Int>()
                numbers.subscribe { _ in }.dispose()
            }
            #expect(recording.count(.subscriptionEnded) == 1 && recording.count(.nodeReleased) == 1)
        }
    }
}
