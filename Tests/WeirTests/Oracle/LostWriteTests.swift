import Testing
import Weir
import WeirTestSupport
import WeirTesting
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// Writes that go out late, to another node, or to the side that they came from: each answer must say which.
    @MainActor @Suite struct LostWriteTests {
        private struct Row: Equatable {
            var number: Int
            var colour: Character
            static func == (left: Row, right: Row) -> Bool { left.number == right.number }
        }

        @MainActor private final class Model {
            let level = Observable(0)
            let tapped = Emitter<Int>()
            let shown = Observable(0)
            let bag = DisposeBag()
            @Traced var title = 0
            @Traced var footer = 0
            @Traced var row = Row(number: 1, colour: "r")
            private(set) lazy var dial = Channel(level)
            private(set) lazy var send = Command<Void, Int>(enabledIf: level.map { $0 > 0 }) { .just(1) }
        }

        private func model(_ body: (Model) throws -> Void) throws -> RecordedFile {
            try RecordedFile {
                let model = Model()
                _ = (model.dial, model.send)
                Trace.adopt(model)
                try body(model)
            }
        }

        /// The id of the last event whose phrase contains a text.
        private func event(_ phrase: String, _ recorded: RecordedFile) throws -> String {
            let lines = try recorded.weir("events").text.split(separator: "\n")
            let line = try #require(lines.last { $0.contains(phrase) })
            return String(line.prefix { $0 != " " })
        }

        // MARK: Channels

        private func channel() throws -> RecordedFile {
            try model { model in
                model.dial.view.bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("turn") { model.dial.view.send(7) }
                Trace.stimulus("phone") { model.dial.view.send(9) }
            }
        }

        @Test func `A channel returns no value to the side that sent it`() throws {
            let recorded = try channel()
            let text = try recorded.whyNot("Model.shown")
            #expect(
                text.contains(
                    "✗ Model.dial.view emitted nothing: this side of the channel sent the value, and does not get it back"
                ),
                "\(text)")
            #expect(text.contains("→ Send to Model.dial.model what the view must show."), "\(text)")
            let view = try recorded.whyNot("Model.dial.view")
            #expect(view.contains("did not change Model.dial.view, which had been 7 since 1:"), "\(view)")
            let events = try recorded.weir("events").text
            #expect(events.contains("Model.dial.view suppressed: this side of the channel sent the value"), "\(events)")
            #expect(!events.contains("Model.dial.view suppressed: equal"), "\(events)")
            let why = try recorded.weir("why", try event("Model.dial.view suppressed", recorded)).text
            #expect(why.hasPrefix("Model.dial.view suppressed: this side of the channel sent the value"), "\(why)")
        }

        @Test func `The view's side of a channel has the value that it sent`() throws {
            let recorded = try channel()
            let event = try event("Model.dial.view suppressed", recorded)
            let state = try recorded.weir("replay", "--at", "phone", "--node", "Model.dial.view").text
            #expect(state.contains(#/Model\.dial\.view +9 +[0-9.]+ +/#), "\(state)")
            #expect(state.contains(event), "\(state)")
            let reader = try TraceReader(path: recorded.file.path)
            let topology = Topology(try reader.definitions())
            var last: UInt64 = 0
            reader.forEachEvent {
                last = $0.ticks
                return true
            }
            var played = try MomentPass(reader, topology, to: .end)
            try played.run()
            let counted = try #require(try MomentPass(counting: reader, topology, to: .end, before: last))
            #expect(counted.state.nodes.map(\.value) == played.state.nodes.map(\.value))
            #expect(counted.state.nodes.map(\.silentWrite) == played.state.nodes.map(\.silentWrite))
        }

        @Test func `A value that the model changes back goes to the view, and no echo is claimed`() throws {
            let recorded = try model { model in
                model.level.subscribe { [level = model.level] in if $0 > 5 { level.value = 5 } }.disposed(by: model.bag)
                Trace.stimulus("turn") { model.dial.view.send(7) }
            }
            let events = try recorded.weir("events").text
            #expect(events.contains("Model.dial.view emitted 5"), "\(events)")
            let state = try recorded.weir("replay", "--at", "turn", "--node", "Model.dial.view").text
            #expect(state.contains(#/Model\.dial\.view +5 /#), "\(state)")
        }

        // MARK: Equal values

        @Test func `A property that stores an equal value is marked, since the trace does not hold that value`() throws
        {
            let recorded = try model { model in
                Trace.stimulus("red") { model.row = Row(number: 2, colour: "r") }
                Trace.stimulus("blue") { model.row = Row(number: 2, colour: "b") }
            }
            let blue = try recorded.weir("replay", "--at", "blue").text
            let event = try event("Model.row suppressed: equal", recorded)
            #expect(
                blue.contains("Model.row has since stored a value at \(event) that `==` calls equal"), "\(blue)")
            let red = try recorded.weir("replay", "--at", "red").text
            #expect(!red.contains("has since stored"), "\(red)")
        }

        // MARK: Batches

        @Test func `A write in a batch is followed to the batch's end`() throws {
            let recorded = try model { model in
                model.level.bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("set") {
                    batch {
                        model.level.value = 1
                        model.level.value = 2
                    }
                }
            }
            let emission = try event("Model.level emitted 2", recorded)
            let write = try event("Model.level suppressed: batched", recorded)
            let text = try recorded.weir("why-not", "Model.title", "--after", write).text
            #expect(
                text.hasPrefix(
                    "The write of Model.level (\(write)), which went out at the end of its batch (\(emission), "),
                "\(text)")
            #expect(!text.contains("must end with a value"), "\(text)")
            let changed = try recorded.weir("why-not", "Model.shown", "--after", write).text
            #expect(changed.contains("changed Model.shown.\nIt became 2 at "), "\(changed)")
            let events = try recorded.weir("events").text.split(separator: "\n")
            let first = try #require(events.first { $0.contains("Model.level suppressed: batched") })
            let lost = try recorded.weir("why-not", "Model.shown", "--after", String(first.prefix { $0 != " " })).text
            #expect(
                lost.contains("It did not go out: a later write in its batch took its place (\(write))."), "\(lost)")
        }

        @Test func `The cause of a value that a batch emits is its write`() throws {
            let recorded = try model { model in
                model.tapped.subscribe { [level = model.level] in level.value = $0 }.disposed(by: model.bag)
                Trace.stimulus("tap") { batch { model.tapped.emit(3) } }
            }
            let write = try event("Model.level suppressed: batched", recorded)
            let text = try recorded.weir("why", "Model.level").text
            let steps = ["stimulus “tap”", "batch begins", "Model.tapped = 3", "↓ in the handler at ", write]
            let rest = ["Model.level written; the batch holds it back", "↓ when the batch ended", "Model.level = 3"]
            var place = text.startIndex
            for step in steps + rest {
                let found = try #require(text.range(of: step, range: place..<text.endIndex), "\(step) in \(text)")
                place = found.upperBound
            }
        }

        @Test func `A command that a batch still keeps disabled names the write that the batch holds back`() throws {
            let recorded = try model { model in
                model.send.values.bind(to: model.shown).disposed(by: model.bag)
                model.level.value = -1
                Trace.stimulus("go") {
                    batch {
                        model.level.value = 4
                        model.send.execute()
                    }
                }
            }
            let write = try event("Model.level suppressed: batched", recorded)
            let text = try recorded.whyNot("Model.shown")
            #expect(
                text.contains(
                    "✗ Model.send emitted nothing: disabled, while its batch still held back the write of Model.level at \(write) ("
                ), "\(text)")
            #expect(text.contains("→ Model.send must be asked to run after the batch"), "\(text)")
            let why = try recorded.weir("why", try event("Model.send suppressed: disabled", recorded)).text
            #expect(why.contains("Model.level, written in the batch, had not gone out yet (\(write))"), "\(why)")
            let errors = try recorded.whyNot("Model.send.errors")
            #expect(!errors.contains("A refusal is no error"), "\(errors)")
        }

        // MARK: Commands

        @Test func `An input of isEnabled that has emitted nothing is named, with the value behind it`() throws {
            let recorded = try model { model in
                Trace.stimulus("look") { model.tapped.emit(1) }
            }
            let text = try recorded.whyNot("Model.send.isEnabled")
            #expect(
                text.contains(
                    #/map LostWriteTests.swift:\d+, which feeds it, has emitted nothing yet: Model.level has been 0 since it was made\./#
                ), "\(text)")
            #expect(text.contains("`.current` begins with that value."), "\(text)")
        }

        @Test func `A refusal is no error`() throws {
            let recorded = try model { model in
                model.level.value = -1
                Trace.stimulus("go") { model.send.execute() }
            }
            let text = try recorded.whyNot("Model.send.errors")
            #expect(text.contains("A refusal is no error: `errors` gets the failures of executions."), "\(text)")
        }

        // MARK: Handlers

        @Test func `Bindings of other properties have no conditions`() throws {
            let recorded = try model { model in
                model.level.bind(to: model, \.footer).disposed(by: model.bag)
                model.tapped.subscribe { [shown = model.shown] in shown.value = $0 }.disposed(by: model.bag)
                Trace.stimulus("next") {
                    model.level.value = 1
                    model.tapped.emit(2)
                }
            }
            let text = try recorded.whyNot("Model.title")
            #expect(
                text.contains(
                    #/The stimulus fed bindings of other properties: WeirTests/LostWriteTests.swift:\d+ writes to Model.footer\./#
                ), "\(text)")
            #expect(
                text.contains(
                    #/The stimulus called handlers that write to other nodes: WeirTests/LostWriteTests.swift:\d+ writes to Model.shown\./#
                ), "\(text)")
            #expect(!text.contains("check their conditions"), "\(text)")
        }

        @Test func `The body of withTracing is no handler, and one that ended without a value is named`() throws {
            let recorded = try model { model in
                model.shown.subscribe { [weak model] in model?.title = $0 }.dispose()
                Trace.stimulus("glass") { withTracing("scale", 420) { model.tapped.emit(420) } }
            }
            let text = try recorded.whyNot("Model.title")
            #expect(
                text.contains("The stimulus ran the body of `withTracing` at WeirTests/LostWriteTests.swift:"),
                "\(text)")
            #expect(!text.contains("check its conditions"), "\(text)")
            #expect(text.contains(" of Model.shown received no value: disposed (1:"), "\(text)")
        }

        @MainActor private final class Feeder {
            init(_ model: Model) {
                Trace.track(self)
                model.tapped.subscribe { [weak self, weak model] in if self != nil { model?.title = $0 } }
                    .disposed(by: model.bag)
            }
        }

        @Test func `An object that was tracked with the handler and is released is named`() throws {
            let recorded = try model { model in
                var feeder: Feeder? = Feeder(model)
                withExtendedLifetime(feeder) {}
                Trace.stimulus("leave") { feeder = nil }
                Trace.stimulus("feed") { model.tapped.emit(1) }
            }
            let text = try recorded.whyNot("Model.title")
            #expect(
                text.contains(
                    "Feeder, which was tracked when the handler was subscribed, had been released before (1:"),
                "\(text)")
        }

        // MARK: Ends

        private struct Offline: Error {}

        @Test func `What followed a failure is a question`() throws {
            let recorded = try model { model in
                model.tapped.flatMap(.merge) { _ in Signal<Int>.failed(Offline()).catch { _ in .just(0) } }
                    .bind(to: model.shown).disposed(by: model.bag)
                Trace.stimulus("load") { model.tapped.emit(1) }
            }
            let answer = try recorded.weir("why-not", "Model.shown", "--after", try event(" failed: ", recorded))
            #expect(answer.status == 0)
            #expect(answer.text.hasPrefix("The failure of source "), "\(answer.text)")
            #expect(answer.text.contains("✗ Model.shown emitted nothing: equal"), "\(answer.text)")
        }

        @Test func `A timeout with a substitute has not failed, and names it`() throws {
            let clock = VirtualScheduler()
            let recorded = try model { model in
                let level = model.level
                model.tapped.timeout(.milliseconds(30), on: clock) { level.current }.bind(to: model.shown)
                    .disposed(by: model.bag)
                Trace.stimulus("90") { model.tapped.emit(90) }
                clock.advance(by: .milliseconds(60))
                Trace.stimulus("95") { model.tapped.emit(95) }
            }
            let text = try recorded.whyNot("Model.shown")
            #expect(
                text.contains(#/: no value came in time, and current LostWriteTests.swift:\d+ took its place/#),
                "\(text)")
            #expect(!text.contains("retry"), "\(text)")
        }

        @Test func `An input that has completed keeps its part in withLatest`() throws {
            let recorded = try model { model in
                model.tapped.withLatest(from: model.level.current.take(1)) { $0 + $1 }.bind(to: model.shown)
                    .disposed(by: model.bag)
                Trace.stimulus("poll") { model.tapped.emit(2) }
                Trace.stimulus("poll") { model.tapped.emit(3) }
            }
            let text = try recorded.weir("why", "Model.shown").text
            #expect(text.contains(#/take LostWriteTests.swift:\d+ = 0, unchanged since 1:\d+, completed/#), "\(text)")
        }

        @Test func `Once all nodes are released, replay says so`() throws {
            let recorded = try RecordedFile {
                do {
                    let level = Observable(1)
                    level.value = 2
                }
                Trace.checkpoint("over")
            }
            let text = try recorded.weir("replay", "--at", "end").text
            #expect(text.contains("No node is alive. The only node was released by 1:"), "\(text)")
        }

        // MARK: Waiting

        @Test func `Each operator says what its value waits for`() throws {
            let recorded = try model { model in
                let (tapped, level) = (model.tapped, model.level)
                tapped.sample(on: level).subscribe { _ in }.disposed(by: model.bag)
                tapped.buffer(count: 2).subscribe { _ in }.disposed(by: model.bag)
                tapped.last().subscribe { _ in }.disposed(by: model.bag)
                Trace.stimulus("tap") { tapped.emit(1) }
            }
            let events = try recorded.weir("events", "--kind", "suppressed").text
            #expect(events.contains("suppressed: waits for the signal that asks for a value"), "\(events)")
            #expect(events.contains("suppressed: waits for more values"), "\(events)")
            #expect(events.contains("suppressed: waits for the completion of its source"), "\(events)")
            let sample = try recorded.weir("why", try event("asks for a value", recorded)).text
            #expect(sample.contains("suppressed: waits for Model.level, at 1:"), "\(sample)")
            let last = try recorded.weir("why", try event("completion of its source", recorded)).text
            #expect(last.contains("suppressed: waits for the completion of Model.tapped, at 1:"), "\(last)")
        }
    }
}
