import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

extension Everything {
    /// What `why-not` answers about handlers, and about properties that several handlers write.
    @Suite struct WhyNotHandlerTests {
        private final class Model {
            let (first, second) = (Emitter<Int>(), Emitter<Int>())
            let shown = Observable(0)
            let bag = DisposeBag()
        }

        @Test func `the subscription that ended is named although another handler writes the property, too`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                model.first.take(1).subscribe { [shown = model.shown] in shown.value = $0 }.disposed(by: model.bag)
                model.second.subscribe { [shown = model.shown] in shown.value = $0 }.disposed(by: model.bag)
                model.second.emit(5)
                model.first.emit(1)
                Trace.stimulus("tap") { model.first.emit(2) }
            }
            let text = try recorded.whyNot("Model.shown")
            #expect(text.contains("which writes to Model.shown, was no longer subscribed to take"), "\(text)")
            #expect(text.contains("completed after its last value"), "\(text)")
            #expect(!text.contains("Model.second"), "\(text)")
        }

        @Test func `a line that moved on to another source is named with the one that it left`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                for source in [model.first, model.second] {
                    let cell = source.subscribe { [shown = model.shown] in shown.value = $0 }
                    source.emit(source === model.first ? 1 : 2)
                    if source === model.first { cell.dispose() } else { cell.disposed(by: model.bag) }
                }
                Trace.stimulus("tap") { model.first.emit(3) }
            }
            let text = try recorded.whyNot("Model.shown")
            #expect(text.contains("was no longer subscribed to Model.first: disposed"), "\(text)")
        }

        @Test func `ended subscriptions that the stimulus did not reach are not named while others live`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                let old = model.first.subscribe { [shown = model.shown] in shown.value = $0 }
                model.first.emit(1)
                old.dispose()
                model.second.subscribe { [shown = model.shown] in shown.value = $0 }.disposed(by: model.bag)
                model.second.emit(2)
                Trace.stimulus("nothing") { Emitter<Int>().emit(1) }
            }
            let text = try recorded.whyNot("Model.shown")
            #expect(text.contains("this must emit: Model.second."), "\(text)")
        }

        @Test func `a disposed handler is told as such`() throws {
            var line = 0
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                let token = model.first.subscribe { _ in }
                line = #line - 1
                token.dispose()
                Trace.stimulus("tap") { model.first.emit(2) }
            }
            let text = try recorded.whyNot(handlersAt: line)
            #expect(
                text.hasPrefix("Stimulus 1, “tap” (") && text.contains(", did not call the handler at LINE."), "\(text)"
            )
            #expect(text.contains("✗ The handler at LINE was no longer subscribed to Model.first: disposed"), "\(text)")
            #expect(text.contains("changed Model.first."), "\(text)")
        }

        @Test func `a handler that subscribed later is told as such`() throws {
            var line = 0
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                Trace.stimulus("tap") { model.first.emit(2) }
                model.first.subscribe { _ in }.disposed(by: model.bag)
                line = #line - 1
            }
            let text = try recorded.whyNot(handlersAt: line)
            #expect(text.contains("✗ The handler at LINE had not yet subscribed to Model.first"), "\(text)")
        }

        @Test func `a handler that subscribed in the stimulus is not told to subscribe before it`() throws {
            var line = 0
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                Trace.stimulus("tap") {
                    model.first.emit(2)
                    model.first.subscribe { _ in }.disposed(by: model.bag)
                    line = #line - 1
                }
            }
            let text = try recorded.whyNot(handlersAt: line)
            #expect(text.contains("✗ The handler at LINE subscribed to Model.first, after its last value"), "\(text)")
            #expect(text.contains(".replay(1) gives a later subscriber the latest value."), "\(text)")
            let cold = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                Trace.stimulus("tap") {
                    Signal<Int> { _ in nil }.subscribe { _ in }.disposed(by: model.bag)
                    line = #line - 1
                }
            }
            let answer = try cold.whyNot(handlersAt: line)
            #expect(
                answer.contains("subscribed to source, which emitted no value because of the stimulus"), "\(answer)")
        }

        @Test func `a request that a newer value cancelled is told as such`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                let answers = Emitter<Int>()
                model.first.flatMap(.latest) { _ in answers }.bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("type a") { model.first.emit(1) }
                Trace.stimulus("type ab") { model.first.emit(2) }
                answers.emit(3)
            }
            let text = try recorded.whyNot("Model.shown", after: "type a")
            #expect(text.contains("✗ flatMap began a request, which a newer value, Model.first = 2 (1:"), "\(text)")
            #expect(text.contains("), cancelled before it emitted a value"), "\(text)")
            #expect(text.contains("The request must be answered before the next value comes"), "\(text)")
        }

        @Test func `a bag that was replaced in an earlier stimulus is told with it`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                var bag = DisposeBag()
                model.first.bind(to: model.shown).disposed(by: bag)
                Trace.stimulus("reuse") { bag = DisposeBag() }
                Trace.stimulus("type") { model.first.emit(1) }
                withExtendedLifetime(bag) {}
            }
            let text = try recorded.whyNot("Model.shown", after: "type")
            #expect(text.contains("must stay alive (it ended in stimulus “reuse”, 1:"), "\(text)")
        }

        @Test func `of several handlers of a line, the one that was called is explained`() throws {
            var line = 0
            let recorded = try RecordedFile {
                let models = (0..<3).map { _ in Model() }
                for model in models {
                    Trace.adopt(model)
                    model.shown.subscribe { _ in }.disposed(by: model.bag)
                    line = #line - 1
                }
                Trace.stimulus("tap") { models[1].shown.value = 4 }
            }
            let text = try recorded.whyNot(handlersAt: line)
            #expect(text.contains(", changed Model.shown #"), "\(text)")
            let named = try recorded.whyNot("Model.shown")
            #expect(named.contains("It is one of 3 nodes with this name. Model.shown #6 did change."), "\(named)")
        }

        @Test func `a handler that is subscribed gets the answer about its node`() throws {
            var line = 0
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                model.shown.subscribe { _ in }.disposed(by: model.bag)
                line = #line - 1
                Trace.stimulus("tap") { model.first.emit(1) }
            }
            let text = try recorded.whyNot(handlersAt: line)
            #expect(text.contains(", did not change Model.shown, which has been 0 since it was made."), "\(text)")
            #expect(!text.contains("did not call"), "\(text)")
        }

        @Test func `a probe without a subscriber is told as such`() throws {
            var line = 0
            let recorded = try RecordedFile {
                let probe = TraceProbe("answers", of: Int.self)
                let subscription = probe.subscribed()
                line = #line - 1
                subscription.emitted(1) {}
                subscription.disposed()
                Trace.stimulus("tap") { subscription.emitted(2) {} }
            }
            for text in [try recorded.whyNot("answers"), try recorded.whyNot(handlersAt: line)] {
                #expect(text.contains("answers is a probe: a trace shows only what it delivers"), "\(text)")
                #expect(text.contains("was no longer subscribed to answers"), "\(text)")
                #expect(!text.contains("wrote to it"), "\(text)")
            }
        }

        @Test(arguments: [false, true]) func `a combiner of another library names the input that it lacks`(
            hasName: Bool
        ) throws {
            let recorded = try RecordedFile {
                let name = TraceProbe("name", of: String.self)
                let password = TraceProbe("password", of: String.self)
                let valid = TraceProbe("valid", of: Bool.self)
                let (first, second) = (name.subscribed(feeding: valid), password.subscribed(feeding: valid))
                let shown = valid.subscribed()
                if hasName { Trace.stimulus("type the name") { first.emitted("Maruko") } }
                Trace.stimulus("type the password") { second.emitted("sesame") }
                for subscription in [first, second, shown] { subscription.disposed() }
            }
            let text = try recorded.whyNot("valid")
            #expect(text.contains("✗ valid received a value, and has emitted nothing so far"), "\(text)")
            #expect(text.contains(" Its input name has emitted nothing so far.") == !hasName, "\(text)")
        }

        private struct Price: Equatable, Sendable {
            var cents: Int
            var note: String
            static func == (left: Price, right: Price) -> Bool { left.note == right.note }
        }

        @Test func `an equality that ignores a field is told as such`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                let price = Observable(Price(cents: 1, note: "tea"))
                Trace.adopt(price, as: "price")
                model.first.map { Price(cents: $0, note: "tea") }.bind(to: price).disposed(by: model.bag)
                Trace.stimulus("tap") { model.first.emit(2) }
                withExtendedLifetime(price) {}
            }
            let text = try recorded.whyNot("price")
            #expect(
                text.contains("`==` calls the new value equal to the current one, though cents 1 → 2"), "\(text)")
            #expect(text.contains("→ `==` of the value must compare what differs."), "\(text)")
        }

        @Test func `what stopped before a handler that has not run yet is shown`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                model.first.filter { $0 > 10 }.subscribe { [shown = model.shown] in shown.value = $0 }
                    .disposed(by: model.bag)
                model.second.subscribe { [shown = model.shown] in shown.value = $0 }.disposed(by: model.bag)
                model.second.emit(7)
                Trace.stimulus("tap") { model.first.emit(2) }
            }
            let text = try recorded.whyNot("Model.shown")
            #expect(
                text.contains("Where values stopped before they reached a handler that may set it:"),
                "\(text)")
            #expect(text.contains("✗ filter emitted nothing: it did not let the value pass"), "\(text)")
        }

        private final class Label { var text = "" }

        @MainActor @Test func `A binding whose target is gone was not called, and its end says why`() throws {
            let name = Observable("Maruko")
            var label: Label? = Label()
            let bag = DisposeBag()
            let line = #line + 2
            let recorded = try RecordedFile {
                name.bind(to: label!, \.text).disposed(by: bag)
                label = nil
                Trace.stimulus("type") { name.value = "Kaoru" }
            }
            let text = try recorded.whyNot(handlersAt: line)
            #expect(text.contains("did not call binding."), "\(text)")
            #expect(text.contains("the target of the binding had been released"), "\(text)")
            #expect(text.contains("keep a strong reference to it."), "\(text)")
            #expect(!text.contains("in the handler at"), "\(text)")
        }

        private struct Item: Equatable {
            let id: Int
            let title: String
        }

        @Test func `A comparison that the program gave is named as the cause`() throws {
            let item = Observable(Item(id: 1, title: "milk"))
            let shown = Observable("")
            let recorded = try RecordedFile {
                Trace.adopt(Shown(shown: shown), as: "View")
                _ = item.removeDuplicates(by: { $0.id == $1.id }).subscribe { shown.value = $0.title }
                item.value = Item(id: 2, title: "bread")
                Trace.stimulus("rename") { item.value = Item(id: 2, title: "rye bread") }
            }
            let text = try recorded.whyNot("View.shown")
            #expect(text.contains("emitted nothing: it considered the value equal to the previous one"), "\(text)")
            #expect(text.contains("check what it compares."), "\(text)")
        }

        @Test func `A value that came first hides no later one that was lost`() throws {
            let number = Observable(0)
            let shown = Observable(0)
            let recorded = try RecordedFile {
                Trace.adopt(Numbers(shown: shown), as: "View")
                _ = number.filter { $0 != 9 }.subscribe { shown.value = $0 }
                Trace.stimulus("import") { for next in 1...9 { number.value = next } }
                Trace.stimulus("reset") { for next in [9, 2] { number.value = next } }
            }
            let first = try recorded.whyNot("View.shown", after: "import")
            #expect(first.contains(", changed View.shown."), "\(first)")
            #expect(first.contains("A later value of the stimulus did not arrive: filter"), "\(first)")
            #expect(first.contains("ask with --after"), "\(first)")
            let last = try recorded.whyNot("View.shown", after: "reset")
            #expect(last.contains(", changed View.shown.") && !last.contains("A later value"), "\(last)")
        }

        @Test func `A batch whose last write restores the value says how many writes it kept`() throws {
            let shown = Observable(0)
            let recorded = try RecordedFile {
                Trace.adopt(Numbers(shown: shown), as: "View")
                Trace.stimulus("save") {
                    batch {
                        shown.value = 1
                        shown.value = 0
                    }
                }
            }
            let text = try recorded.whyNot("View.shown")
            #expect(text.contains("the last of its 2 writes in a batch gave the value that it had before"), "\(text)")
        }

        private final class Numbers {
            let shown: Observable<Int>
            init(shown: Observable<Int>) { self.shown = shown }
        }

        private final class Shown {
            let shown: Observable<String>
            init(shown: Observable<String>) { self.shown = shown }
        }

        private final class Form {
            @Traced var name = "Maruko" { didSet { sets += 1 } }
            var sets = 0
        }

        @Test func `An equal write of a traced property ran its didSet, and notified no subscriber`() throws {
            let form = Form()
            let recorded = try RecordedFile {
                Trace.adopt(form)
                form.$name.subscribe { _ in }
                Trace.stimulus("type") { form.name = "Maruko" }
            }
            #expect(form.sets == 1)
            let text = try recorded.whyNot("Form.name")
            #expect(
                text.contains("Its `didSet`, if it has one, ran; subscribers of `$` were not notified."), "\(text)")
        }
    }
}

extension RecordedFile {
    /// - Parameter stimulus: its text; nil: the last one.
    func whyNot(_ name: String, after stimulus: String? = nil) throws -> String {
        try answer(after: stimulus) { definitions in
            WhyNot.Question(definitions.nodes.values.filter { $0.name == name }.map(\.id).sorted())
        }
    }

    fileprivate func whyNot(handlersAt line: Int) throws -> String {
        try answer { definitions in
            let handlers = definitions.subscriptions.values.filter {
                !$0.isInternal && $0.site?.fileName == "WhyNotHandlerTests.swift" && $0.site?.line ?? 0 == line
            }
            try #require(!handlers.isEmpty)
            return WhyNot.Question(
                Set(handlers.map(\.source)).sorted(), handlers: handlers.map(\.id).sorted())
        }
    }

    /// The answer of both ways to read, without lines, times and ids of events.
    private func answer(
        after stimulus: String? = nil, _ question: (TraceDefinitions) throws -> WhyNot.Question
    ) throws -> String {
        let reader = try TraceReader(path: file.path)
        let topology = Topology(try reader.definitions())
        let question = try question(topology.definitions)
        let occasion = stimulus.map { Timeline.Occasion.stimulus(.text($0)) } ?? .last
        let result = try Timeline(reader).whyNot(question, after: occasion)
        if let counted = try reader.countedWhyNot(topology, question, after: occasion) { #expect(counted == result) }
        return WhyNotReport(result, topology, timeScale: TimeScale(reader.header)).text()
            .replacing(#/ WhyNotHandlerTests.swift:\d+( #\d+)?/#, with: "")
            .replacing(#/WeirTests/WhyNotHandlerTests.swift:\d+/#, with: "LINE")
    }
}
