import Dispatch
import Testing
import Weir
import WeirTestSupport
import WeirTesting
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// Values that were lost in ways that programs of strangers had: each answer must lead to the line to change.
    @MainActor @Suite struct LostValueTests {
        private final class Model {
            let name = Observable("")
            let tapped = Emitter<Void>()
            let asked = Emitter<Int>()
            let status = Observable("")
            let shown = Observable(0)
            var bag = DisposeBag()
            private(set) lazy var canSend = Observable.combine(name) { !$0.isEmpty }
            private(set) lazy var send = Command<Void, String>(enabledIf: canSend) { .just("sent") }
        }

        private struct Offline: Error {}

        private func model(_ body: (Model) -> Void) throws -> RecordedFile {
            try RecordedFile {
                let model = Model()
                _ = model.send
                Trace.adopt(model)
                body(model)
            }
        }

        @Test func `A command that a button's handler runs has refused, and its values have no writer so far`() throws {
            let recorded = try model { model in
                model.send.values.subscribe { [status = model.status] in status.value = $0 }.disposed(by: model.bag)
                model.tapped.subscribe { [send = model.send] in send.execute() }.disposed(by: model.bag)
                Trace.stimulus("tap") { model.tapped.emit() }
            }
            let text = try recorded.whyNot("Model.status")
            #expect(text.contains("✗ Model.send emitted nothing: disabled ("), "\(text)")
            #expect(text.contains("`weir why-not` of Model.send.isEnabled shows why it is not."), "\(text)")
            #expect(!text.contains("check its conditions"), "\(text)")
            let enabled = try recorded.whyNot("Model.send.isEnabled")
            #expect(!enabled.contains("✗"), "\(enabled)")
            #expect(enabled.contains("Model.name"), "\(enabled)")
        }

        @Test func `A change of an earlier cause is no change of the stimulus, and is named`() throws {
            let clock = VirtualScheduler()
            let recorded = try model { model in
                model.asked.delay(.milliseconds(30), on: clock).bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("summer") { model.asked.emit(1) }
                clock.advance(by: .milliseconds(10))
                Trace.stimulus("look") { model.tapped.emit() }
                clock.advance(by: .milliseconds(30))
            }
            let text = try recorded.whyNot("Model.shown", after: "look")
            #expect(text.contains(", did not change Model.shown, which had been 0 since it was made."), "\(text)")
            #expect(text.contains("It became 1 at 1:"), "\(text)")
            #expect(text.contains(", because of an earlier cause: stimulus “summer” (1:"), "\(text)")
        }

        @Test func `A change without a cause may be that of a task that the stimulus started`() throws {
            let recorded = try model { model in
                Trace.stimulus("tap") {}
                model.shown.value = 7
            }
            let text = try recorded.whyNot("Model.shown", after: "tap")
            let hint = "and the trace does not show why. If the stimulus started the work that did this"
            #expect(text.contains(hint), "\(text)")
        }

        @Test func `A multicast that nothing connected is named before the node, and before a handler that waits`()
            throws
        {
            let bound = try model { model in
                let results = model.asked.multicast(through: Emitter())
                results.map { $0 + 1 }.bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(1) }
            }
            let text = try bound.whyNot("Model.shown")
            #expect(
                text.contains("For it to change, `connect()` must be called on multicast LostValueTests"), "\(text)")
            #expect(!text.contains("must emit"), "\(text)")
            let handled = try model { model in
                let results = model.asked.multicast(through: Emitter())
                results.map { $0 + 1 }.subscribe { [shown = model.shown] in shown.value = $0 }.disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(1) }
            }
            let waiting = try handled.whyNot("Model.shown")
            #expect(waiting.contains("Nothing connected multicast LostValueTests"), "\(waiting)")
            let connected = try model { model in
                let results = model.asked.multicast(through: Emitter())
                results.bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("ask") { model.asked.emit(1) }
                results.connect().disposed(by: model.bag)
            }
            let late = try connected.whyNot("Model.shown", after: "ask")
            #expect(!late.contains("connect()"), "\(late)")
            let written = try model { model in
                let subject = Emitter<Int>()
                model.asked.multicast(through: subject).bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("write") { subject.emit(1) }
                Trace.stimulus("ask") { model.asked.emit(1) }
            }
            let other = try written.whyNot("Model.shown", after: "ask")
            #expect(!other.contains("connect()"), "\(other)")
        }

        @Test func `A retry that gave up is named, and a catch inside the flatMap advised`() throws {
            func answer(_ request: @escaping @Sendable (Int) -> Signal<Int>) throws -> String {
                try model { model in
                    model.asked.flatMap(.latest, request).bind(to: model.shown).disposed(by: model.bag)
                    Trace.stimulus("ask") { model.asked.emit(1) }
                    Trace.stimulus("ask again") { model.asked.emit(2) }
                }.whyNot("Model.shown", after: "ask again")
            }
            let retried = try answer { _ in Signal<Int>.failed(Offline()).retry(2).map { $0 + 1 } }
            #expect(retried.contains("Offline(…), retry LostValueTests"), "\(retried)")
            #expect(retried.contains(" gave up, and no handler received the failure"), "\(retried)")
            #expect(retried.contains(" must try more often, or a `catch` inside the closure of flatMap"), "\(retried)")
            let plain = try answer { _ in Signal<Int>.failed(Offline()) }
            #expect(plain.contains(" must succeed, or a `catch` inside the closure of flatMap"), "\(plain)")
            #expect(!plain.contains("gave up"), "\(plain)")
        }

        @Test func `A failure behind a hop is that of its source`() throws {
            let clock = VirtualScheduler()
            let recorded = try model { model in
                model.asked.flatMap(.merge) { _ in Signal<Int>.failed(Offline()) }.deliver(on: clock).bind(
                    to: model.shown
                )
                .disposed(by: model.bag)
                Trace.stimulus("load") { model.asked.emit(1) }
                clock.advance(by: .milliseconds(10))
                Trace.stimulus("again") { model.asked.emit(2) }
            }
            let text = try recorded.whyNot("Model.shown", after: "again")
            #expect(text.contains("failed with Offline"), "\(text)")
            #expect(text.contains(#/: source LostValueTests.swift:\d+( #\d+)? failed with Offline/#), "\(text)")
        }

        @Test func `Who was subscribed before is named where nobody is`() throws {
            let recorded = try model { model in
                model.status.subscribe { _ in }.disposed(by: model.bag)
                Trace.stimulus("scroll") { model.bag = DisposeBag() }
                Trace.stimulus("rename") { model.status.value = "a" }
            }
            let text = try recorded.whyNot("Model.status", after: "rename")
            #expect(text.contains("But nobody was subscribed to it then"), "\(text)")
            #expect(
                text.contains("was no longer subscribed to Model.status: its bag was emptied or released"), "\(text)")
            #expect(text.contains("(it ended in stimulus “scroll”, 1:"), "\(text)")
        }

        @Test func `A loop over a property's values is no handler that took another branch`() async throws {
            var task: Task<Void, any Error>?
            defer { task?.cancel() }
            let recorded = try await RecordedFile.ofTask {
                let model = Model()
                Trace.adopt(model)
                let (begun, begin) = AsyncStream<Void>.makeStream()
                let (gates, gate) = AsyncStream<Void>.makeStream()
                task = Task {
                    var gate = gates.makeAsyncIterator()
                    for try await number in model.shown.values where number > 0 {
                        begin.yield()
                        await gate.next()
                        model.status.value = "\(number)"
                    }
                }
                var hasBegun = begun.makeAsyncIterator()
                await Task.yield()
                Trace.stimulus("page 1") { model.shown.value = 1 }
                await hasBegun.next()
                gate.yield()
                while model.status.value != "1" { await Task.yield() }
                Trace.stimulus("page 2") { model.shown.value = 2 }
                await hasBegun.next()
            }
            let text = try recorded.whyNot("Model.status", after: "page 2")
            #expect(text.contains("✗ The loop over Model.shown received the value, and had not written"), "\(text)")
            #expect(text.contains("→ The body of the loop over Model.shown must write to Model.status"), "\(text)")
        }

        @Test func `A number is that of a node with and without its sign`() throws {
            let recorded = try model { _ in }
            let directory = NodeDirectory(try TraceReader(path: recorded.file.path).definitions())
            #expect(directory.find("#2") == directory.find("2"))
        }

        @Test func `An emission that is the change itself is said to be that`() throws {
            let recorded = try model { $0.status.value = "running" }
            let text = try recorded.whyNot("Model.status")
            #expect(
                text.contains("is the change of Model.status. Nothing that it caused changed Model.status again."),
                "\(text)")
        }

        // MARK: Nodes that nothing has written to so far

        @Test func `A request that a newer one cancelled stopped before the handler that would have written`() throws {
            let answers = Emitter<Int>()
            let recorded = try model { model in
                model.asked.flatMap(.latest) { _ in answers }
                    .subscribe { [shown = model.shown] in shown.value = $0 }.disposed(by: model.bag)
                Trace.stimulus("refresh") { model.asked.emit(1) }
                Trace.stimulus("again") { model.asked.emit(2) }
            }
            let text = try recorded.whyNot("Model.shown", after: "refresh")
            #expect(text.contains("Where values stopped before they reached a handler that may set it:"), "\(text)")
            #expect(text.contains("began a request, which a newer value, Model.asked = 2 (1:"), "\(text)")
            #expect(!text.contains("A task or loop that never started"), "\(text)")
        }

        @Test func `A handler that came too late is named`() throws {
            let recorded = try model { model in
                Trace.stimulus("launch") { model.asked.emit(1) }
                model.asked.map { $0 + 1 }.subscribe { [shown = model.shown] in shown.value = $0 }
                    .disposed(by: model.bag)
            }
            let text = try recorded.whyNot("Model.shown", after: "launch")
            #expect(text.contains(" had not yet subscribed to Model.asked (it subscribed at 1:"), "\(text)")
        }

        @Test func `A failure that ended the subscription of a handler is named at the next value`() throws {
            let recorded = try model { model in
                model.asked.flatMap(.latest) { number in number > 1 ? Signal.just(number) : .failed(Offline()) }
                    .subscribe { [shown = model.shown] in shown.value = $0 }.disposed(by: model.bag)
                Trace.stimulus("pull") { model.asked.emit(1) }
                Trace.stimulus("pull again") { model.asked.emit(2) }
            }
            let text = try recorded.whyNot("Model.shown", after: "pull again")
            #expect(text.contains(" was no longer subscribed to Model.asked: "), "\(text)")
            #expect(text.contains(" failed with Offline"), "\(text)")
        }

        @Test func `A screen that was closed is no place where a value stopped, if another is open`() throws {
            let recorded = try model { model in
                var closed: DisposeBag? = DisposeBag()
                model.asked.map { $0 + 1 }.subscribe { _ in }.disposed(by: closed!)
                closed = nil
                model.asked.filter { $0 > 5 }.subscribe { [shown = model.shown] in shown.value = $0 }
                    .disposed(by: model.bag)
                Trace.stimulus("tap") { model.asked.emit(1) }
            }
            let text = try recorded.whyNot("Model.shown")
            #expect(text.contains("✗ filter") && !text.contains("no longer subscribed"), "\(text)")
        }

        @Test func `The refusal of a command that ran before is no reason for its isEnabled`() async throws {
            let recorded = try model { model in
                model.name.value = "Maruko"
                Trace.stimulus("send") { _ = model.send.execute() }
                Trace.stimulus("clear") { model.name.value = "" }
                Trace.stimulus("send again") { _ = model.send.execute() }
            }
            let text = try recorded.whyNot("Model.send.isEnabled", after: "send again")
            #expect(!text.contains("✗"), "\(text)")
            #expect(text.contains("Model.name"), "\(text)")
        }

        @Test func `A combiner that waits for all of its inputs names those that did not change`() throws {
            let recorded = try model { model in
                let label = Observable.combine(model.name, model.shown, strategy: .all) { "\($0) \($1)" }
                Trace.adopt(label, as: "label")
                label.subscribe { _ in }.disposed(by: model.bag)
                Trace.stimulus("type") { model.name.value = "a" }
            }
            let text = try recorded.whyNot("label")
            #expect(text.contains("✗ label emitted nothing: waits for Model.shown ("), "\(text)")
            #expect(text.contains("→ Model.shown must change too, once (strategy `.all`)."), "\(text)")
        }

        @MainActor private final class Screen {
            let price = Observable(0)
            private let bag = DisposeBag()

            init(_ asked: Emitter<Int>, _ bag: DisposeBag) {
                asked.subscribe { [weak self] in self?.price.value = $0 }.disposed(by: bag)
            }
        }

        @Test func `A handler whose model is released writes nothing, and the release is named`() throws {
            let recorded = try model { model in
                var screen: Screen? = Screen(model.asked, model.bag)
                Trace.adopt(screen!)
                let price = screen!.price
                Trace.stimulus("close") { screen = nil }
                Trace.stimulus("ask") { model.asked.emit(4) }
                withExtendedLifetime(price) {}
            }
            let text = try recorded.whyNot("Screen.price")
            #expect(text.contains("Screen had been released before (1:"), "\(text)")
            #expect(!text.contains("check its conditions"), "\(text)")
        }

        @Test func `A node that was released is said to be, with the event`() throws {
            let recorded = try model { model in
                var screen: Screen? = Screen(model.asked, model.bag)
                Trace.adopt(screen!)
                Trace.stimulus("close") { screen = nil }
                Trace.stimulus("ask") { model.asked.emit(4) }
            }
            let text = try recorded.whyNot("Screen.price")
            #expect(text.contains("It had been released before (1:"), "\(text)")
        }

        @Test func `A failure is named where the signal that a catch took in its place completed`() throws {
            let recorded = try model { model in
                model.asked.flatMap(.concat) { $0 > 100 ? .failed(Offline()) : Signal.just($0) }
                    .catch { _ in .empty() }
                    .bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("film") { model.asked.emit(900) }
                Trace.stimulus("photo") { model.asked.emit(9) }
            }
            let text = try recorded.whyNot("Model.shown", after: "photo")
            #expect(text.contains(": flatMap LostValueTests.swift:"), "\(text)")
            #expect(text.contains(" failed with Offline("), "\(text)")
            #expect(text.contains(", which took its place, completed"), "\(text)")
            #expect(text.contains("or a `catch` nearer to the failure must handle it"), "\(text)")
        }
    }
}
