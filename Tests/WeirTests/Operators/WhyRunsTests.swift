import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// `weir why` of nodes that run several times, and of `zip`.
    @MainActor @Suite struct WhyRunsTests {
        @MainActor final class Model {
            let a = Emitter<Int>()
            let b = Emitter<Int>()
            let query = Observable("")
            let sum = Observable(0)
            let text = Observable("")
            let count = Observable(0)
            let bag = DisposeBag()
        }

        /// The inputs in the explanation of the last change of the node with this label, from its direct cause on.
        ///
        /// - Parameter isReadBackwards: whether reading backwards is enough to find it.
        private func inputs(
            behind label: String, _ recorded: RecordedFile, isReadBackwards: Bool = true
        ) throws -> [String] {
            let reader = try TraceReader(path: recorded.file.path)
            let timeline = try Timeline(reader)
            let node = try #require(timeline.definitions.nodes.values.first { $0.label == label }?.id)
            let why = try timeline.why(.nodes([node]), at: nil)
            let past = try #require(TracePast(reader, timeline.topology))
            let found = try past.why(.nodes([node]), at: nil)
            #expect(past.isUnsure == !isReadBackwards && (found == why) == isReadBackwards)
            let steps = try #require(why.explanation?.chains.first).steps
            let step = try #require(steps.last { step in step.event.subject != node })
            return step.inputs.map { input in
                let source = timeline.definitions.nodes[input.source]
                return "\(source?.label ?? "\(source?.kind ?? .source)") \(input.value) \(input.role)"
            }
        }

        @Test func `a zip is explained by the values that it paired, not by the latest ones`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                model.a.zip(model.b) { $0 + $1 }.bind(to: model.sum).disposed(by: model.bag)
                for value in 1...3 { model.a.emit(value) }
                model.b.emit(10)
                model.b.emit(20)
            }
            #expect(try inputs(behind: "Model.sum", recorded) == ["Model.a 2 paired", "Model.b 20 triggered"])
        }

        @Test func `a zip that was attached before the recording began names only values that are known`() throws {
            let model = Model()
            model.a.zip(model.b) { $0 + $1 }.bind(to: model.sum).disposed(by: model.bag)
            model.a.emit(1)
            let unknown = try RecordedFile {
                Trace.adopt(model)
                model.a.emit(2)
                model.b.emit(10)
            }
            #expect(
                try inputs(behind: "Model.sum", unknown) == ["Model.a ‹not recorded› unknown", "Model.b 10 triggered"])
            let known = try RecordedFile {
                Trace.adopt(model)
                model.b.emit(20)
                // No value waits now.
                model.b.emit(30)
                model.a.emit(3)
                model.a.emit(4)
                model.a.emit(5)
                model.b.emit(40)
            }
            #expect(try inputs(behind: "Model.sum", known) == ["Model.b 40 triggered", "Model.a 4 paired"])
        }

        @Test func `of a chain with two subscribers, each emission has the inputs of its own run`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                let length = model.query.map { $0.count }
                length.bind(to: model.count).disposed(by: model.bag)
                length.map { "\($0) letters" }.bind(to: model.text).disposed(by: model.bag)
                model.query.value = "weir"
            }
            #expect(try inputs(behind: "Model.count", recorded).count == 1)
        }

        @Test func `two zips of one chain pair their own values`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                let pairs = model.a.zip(model.b) { $0 + $1 }
                pairs.bind(to: model.count).disposed(by: model.bag)
                model.a.emit(1)
                pairs.bind(to: model.sum).disposed(by: model.bag)
                model.a.emit(2)
                model.b.emit(10)
            }
            #expect(try inputs(behind: "Model.count", recorded) == ["Model.a 1 paired", "Model.b 10 triggered"])
            #expect(try inputs(behind: "Model.sum", recorded) == ["Model.a 2 paired", "Model.b 10 triggered"])
        }

        @Test func `a flatMap with two subscribers is explained by the signals of its own run`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                let answers = model.a.flatMap(.latest) { number in model.b.map { $0 + number } }
                answers.bind(to: model.count).disposed(by: model.bag)
                answers.bind(to: model.sum).disposed(by: model.bag)
                model.a.emit(1)
                model.a.emit(2)
                model.b.emit(10)
            }
            #expect(try inputs(behind: "Model.count", recorded) == ["Model.a 2 changed", "map 12 triggered"])
            #expect(try inputs(behind: "Model.sum", recorded) == ["Model.a 2 changed", "map 12 triggered"])
        }

        @Test func `a flatMap that merges is explained by the value that began the signal`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                let answers = (1...3).map { _ in Emitter<Int>() }
                model.a.flatMap(.merge) { number in answers[number].map { $0 * 10 + number } }
                    .bind(to: model.count).disposed(by: model.bag)
                model.a.emit(0)
                model.a.emit(1)
                model.a.emit(2)
                answers[1].emit(7)
            }
            #expect(try inputs(behind: "Model.count", recorded) == ["Model.a 1 opened", "map 71 triggered"])
        }

        @Test func `a flatMap that waits is explained by the value that had waited longest`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                let answers = (0...3).map { _ in Emitter<Int>() }
                model.a.flatMap(.concat) { number in answers[number].take(1).map { $0 * 10 + number } }
                    .bind(to: model.count).disposed(by: model.bag)
                for number in 0...3 { model.a.emit(number) }
                for number in 0...2 { answers[number].emit(7) }
            }
            let found = try inputs(behind: "Model.count", recorded, isReadBackwards: false)
            #expect(found == ["Model.a 2 opened", "map 72 triggered"])
        }

        @Test func `a callback is a moment by its name, as a stimulus is`() throws {
            let recorded = try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                withTracing("save", 1) { model.count.value = 1 }
                withTracing("undo", 2) { model.count.value = 2 }
                withTracing("save", 3) { model.count.value = 3 }
                withTracing("close", 4) { model.count.value = 4 }
                Trace.stimulus("tap") { withTracing("nested", 5) { model.count.value = 5 } }
            }
            let reader = try TraceReader(path: recorded.file.path)
            let topology = Topology(try reader.definitions())
            let count = try #require(topology.definitions.nodes.values.first { $0.label == "Model.count" }?.id)
            let save = try #require(reader.lastRootEmission(of: "save", topology))
            let why = try Timeline.why(reader, topology, .nodes([count]), at: .event(save.end))
            #expect(why.explanation?.target?.event.value == .signed(3))
            let whyNot = try Timeline.whyNot(reader, [count], after: .emission(save.beginning))
            guard case .changed(let reached) = whyNot.outcome else { return #expect(Bool(false), "\(whyNot)") }
            #expect(reached.value == .signed(3))
            #expect(reader.lastRootEmission(of: "sav", topology) == nil)
            let nested = try #require(reader.lastRootEmission(of: "nested", topology))
            let inner = try Timeline.whyNot(reader, [count], after: .emission(nested.beginning))
            guard case .changed(let last) = inner.outcome else { return #expect(Bool(false), "\(inner)") }
            #expect(last.value == .signed(5))
        }
    }
}
