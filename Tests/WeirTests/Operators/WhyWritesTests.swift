import Testing
import Weir
import WeirTestSupport
import WeirTesting
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// `weir why` of nodes that anything may write, and of values that wait with others: no older and no newer value is a cause.
    @MainActor @Suite struct WhyWritesTests {
        @MainActor final class Model {
            let reports = Emitter<Int>()
            let other = Emitter<Int>()
            let slider = Observable(0)
            let held = Observable(0)
            let sums = Emitter<Int>()
            let shown = Observable(0)
            let bag = DisposeBag()
        }

        /// The chains of causes of each value of a node, each from its root on: stimuli, and nodes with their values.
        private func chains(behind label: String, _ recorded: RecordedFile) throws -> [[String]] {
            let reader = try TraceReader(path: recorded.file.path)
            let timeline = try Timeline(reader)
            let node = try #require(timeline.definitions.nodes.values.first { $0.label == label }?.id)
            var ids: [EventID] = []
            reader.forEachEvent {
                if $0.kind == .emitted, !$0.isReplayed, $0.subject == node { ids.append($0.id) }
                return true
            }
            return try ids.map { id in
                let why = try timeline.why(.event(id), at: nil)
                if let found = try TracePast(reader, timeline.topology)?.why(.event(id), at: nil) {
                    #expect(found == why)
                }
                return try #require(why.explanation).chains.map { chain in
                    chain.steps.compactMap { step in
                        switch step.event.kind {
                        case .stimulusBegan: step.event.text
                        case .emitted:
                            "\(timeline.definitions.name(ofNode: step.event.subject).prefix { $0 != " " }) \(step.event.value)"
                        case .suppressed: "held"
                        default: nil
                        }
                    }.joined(separator: ", ")
                }
            }
        }

        private func recording(_ body: (Model) -> Void) throws -> RecordedFile {
            try RecordedFile {
                let model = Model()
                Trace.adopt(model)
                model.reports.map { $0 / 10 * 10 }.bind(to: model.slider).disposed(by: model.bag)
                body(model)
            }
        }

        @Test func `a write has no input as its cause, though one had delivered an equal value before`() throws {
            let recorded = try recording { model in
                Trace.stimulus("at 31") { model.reports.emit(31) }
                Trace.stimulus("at 32") { model.reports.emit(32) }
                Trace.stimulus("drag") { model.slider.value = 57 }
                Trace.stimulus("at 61") { model.reports.emit(61) }
            }
            #expect(
                try chains(behind: "Model.slider", recorded) == [
                    ["at 31, Model.reports 31, map 30, Model.slider 30"], ["drag, Model.slider 57"],
                    ["at 61, Model.reports 61, map 60, Model.slider 60"],
                ])
        }

        @Test func `a batch emits what was written last, by an input or not`() throws {
            let recorded = try recording { model in
                Trace.stimulus("at 31") { model.reports.emit(31) }
                Trace.stimulus("fed") {
                    batch {
                        model.slider.value = 57
                        model.reports.emit(41)
                        model.reports.emit(42)
                    }
                }
                Trace.stimulus("written") {
                    batch {
                        model.reports.emit(51)
                        model.slider.value = 57
                    }
                }
                Trace.stimulus("repeated") {
                    batch {
                        model.reports.emit(61)
                        model.slider.value = 60
                    }
                }
                model.other.subscribe { number in
                    batch { model.reports.emit(number) }
                }.disposed(by: model.bag)
                Trace.stimulus("handled") { model.other.emit(71) }
            }
            #expect(
                try chains(behind: "Model.slider", recorded) == [
                    ["at 31, Model.reports 31, map 30, Model.slider 30"],
                    ["fed, Model.reports 41, map 40, held, Model.slider 40"],
                    ["written, held, Model.slider 57"],
                    ["repeated, Model.reports 61, map 60, held, Model.slider 60"],
                    ["handled, Model.other 71, Model.reports 71, map 70, held, Model.slider 70"],
                ])
        }

        @Test func `a value that a batch restores is that of the input which wrote it`() throws {
            let recorded = try recording { model in
                Trace.stimulus("same") {
                    batch {
                        model.slider.value = 5
                        model.reports.emit(1)
                    }
                }
            }
            let timeline = try Timeline(TraceReader(path: recorded.file.path))
            timeline.forward { $0.suppressionReason != .equal }
            let step = try #require(timeline.state.lastEvent.flatMap(timeline.causeStep))
            #expect(step.inputs.map(\.role) == [.changed])
            let write = try #require(step.mainCause.flatMap(timeline.causeStep))
            #expect(write.event.suppressionReason == .batched)
            #expect(write.mainCause.flatMap(timeline.causeStep)?.event.value == .signed(0))
        }

        @Test func `an operator does not use a value that a batch holds back`() throws {
            let recorded = try recording { model in
                model.held.combineLatest(model.other) { $0 + $1 }.subscribe { [sums = model.sums] in sums.emit($0) }
                    .disposed(by: model.bag)
                Trace.stimulus("first") { model.held.value = 1 }
                Trace.stimulus("second") {
                    batch {
                        model.held.value = 10
                        model.other.emit(2)
                    }
                }
            }
            #expect(
                try chains(behind: "Model.sums", recorded) == [
                    ["second, Model.other 2, combineLatest 3, Model.sums 3", "first, Model.held 1"],
                    ["second, held, Model.held 10, combineLatest 12, Model.sums 12"],
                ])
        }

        @Test func `a value that a scheduler delivers has no cause among those that wait behind it`() throws {
            let clock = VirtualScheduler()
            let recorded = try recording { model in
                model.other.deliver(on: clock).bind(to: model.shown).disposed(by: model.bag)
                for number in 1...3 { Trace.stimulus("tap") { model.other.emit(number) } }
                clock.advance(by: .milliseconds(1))
            }
            #expect(
                try chains(behind: "Model.shown", recorded)
                    == (1...3).map { ["tap, Model.other \($0), deliver(on:) \($0), Model.shown \($0)"] })
        }

        @Test func `a delayed value has no cause among those that are delayed later`() throws {
            let clock = VirtualScheduler()
            let recorded = try recording { model in
                model.other.delay(.milliseconds(30), on: clock).subscribe { [shown = model.shown] in
                    shown.value = $0
                }.disposed(by: model.bag)
                Trace.stimulus("copy") { model.other.emit(1) }
                clock.advance(by: .milliseconds(20))
                Trace.stimulus("save") { model.other.emit(2) }
                clock.advance(by: .milliseconds(60))
            }
            #expect(
                try chains(behind: "Model.shown", recorded) == [
                    ["copy, Model.other 1, delay 1, Model.shown 1"], ["save, Model.other 2, delay 2, Model.shown 2"],
                ])
        }
    }
}
