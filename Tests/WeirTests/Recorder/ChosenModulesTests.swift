import Foundation
import Testing
import Weir
import WeirReport
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// Recordings of chosen modules: `Trace.start(modules:)` and `WEIR_ONLY`.
    @MainActor @Suite struct ChosenModulesTests {
        private func observable(_ value: Int, in module: String, line: UInt = 1) -> Observable<Int> {
            switch module {
            case "App": Observable(value, file: "App/Model.swift", line: line)
            case "Net": Observable(value, file: "Net/Cache.swift", line: line)
            default: Observable(value, file: "Log/Log.swift", line: line)
            }
        }

        /// Its handler belongs to no actor.
        private nonisolated static func forward(_ first: Observable<Int>, to second: Observable<Int>, _ bag: DisposeBag)
        {
            first.subscribe { second.value = $0 }.disposed(by: bag)
        }

        private func lines(of recording: Recording) -> [String] {
            recording.story.filter { !$0.contains("nodeReleased") && !$0.contains("end of ") }
        }

        @Test func `Only nodes of chosen modules are recorded`() throws {
            let recording = try record(modules: ["App"]) {
                let (shown, cached) = (observable(0, in: "App"), observable(0, in: "Net"))
                shown.subscribe { _ in }
                cached.subscribe { _ in }
                shown.value = 1
                cached.value = 2
                shown.value = 3
            }
            #expect(
                lines(of: recording) == [
                    "observable Model.swift:1 nodeCreated", "start of closure",
                    "observable Model.swift:1 = 1", "  to closure", "  done",
                    "observable Model.swift:1 = 3", "  to closure", "  done",
                ])
            #expect(recording.header.modules == ["App"])
            #expect(recording.header.lostEvents == 0)
            #expect(recording.definitions.nodes.count == 1)
        }

        @Test func `An effect of a node that is left out says that its cause is not recorded`() throws {
            let recording = try record(modules: ["App"]) {
                let (shown, cached) = (observable(0, in: "App"), observable(0, in: "Net"))
                cached.subscribe { shown.value = $0 }
                cached.value = 2
                cached.value = 2
                shown.value = 5
            }
            #expect(
                lines(of: recording) == [
                    "observable Model.swift:1 nodeCreated",
                    "stimulus cause not recorded: module Net", "  observable Model.swift:1 = 2", "stimulusEnded",
                    "observable Model.swift:1 = 5",
                ])
        }

        @Test func `A cause beyond nodes that are left out is still the cause`() throws {
            let recording = try record(modules: ["App"]) {
                let (first, second) = (observable(0, in: "App"), observable(0, in: "App", line: 2))
                let between = observable(0, in: "Net")
                first.subscribe { between.value = $0 + 1 }
                between.subscribe { second.value = $0 + 1 }
                Trace.stimulus("tap") { first.value = 1 }
            }
            #expect(
                recording.causes(ofLastEmission: "observable Model.swift:2") == [
                    "observable Model.swift:2", "observable Model.swift:1", "tap",
                ])
            #expect(recording.emissions(of: "observable Model.swift:2") == [.signed(3)])
        }

        private final class Mixed {
            let shown = Observable(0, file: "App/Model.swift", line: 1)
            let cached = Observable("secret", file: "Net/Cache.swift", line: 1)
        }

        @Test(arguments: [false, true])
        func `Adoption names no node of another module`(isMadeBefore: Bool) throws {
            let before = isMadeBefore ? Mixed() : nil
            let recording = try record(modules: ["App"]) {
                let model = before ?? Mixed()
                Trace.adopt(model)
                model.cached.value = "more"
                model.shown.value = 1
            }
            #expect(recording.definitions.nodes.values.map(\.name) == ["Mixed.shown"])
            #expect(recording.definitions.nodes[0] == nil)
            #expect(recording.emissions(of: "Mixed.shown") == [.signed(1)])
            #expect(recording.count(.emitted) == 1)
        }

        @Test func `A busy probe in another module leaves no trace`() throws {
            let recording = try record(modules: ["App"]) {
                let subscription = TraceProbe("feed", file: "Net/Feed.swift", line: 1).subscribed()
                for number in 0..<100 { subscription.emitted(number) {} }
            }
            #expect(recording.count(.stimulusBegan) == 0 && recording.count(.emitted) == 0)
        }

        @Test func `Operators and combiners of chosen modules follow signals of others`() throws {
            let recording = try record(modules: ["App"]) {
                let cached = observable(0, in: "Net")
                let mapped = cached.map(file: "Net/Cache.swift", line: 9) { $0 * 2 }
                let sum = Observable.combine(
                    cached, observable(10, in: "App"), strategy: .settled, file: "App/Model.swift", line: 3
                ) { $0 + $1 }
                mapped.map(file: "App/Model.swift", line: 4) { "\($0)" }.subscribe { _ in }
                sum.subscribe { _ in }
                cached.value = 4
            }
            #expect(recording.emissions(of: "combiner Model.swift:3").last == .signed(14))
            #expect(
                recording.causes(ofLastEmission: "combiner Model.swift:3") == [
                    "combiner Model.swift:3", "cause not recorded: module Net",
                ])
            #expect(recording.emissions(of: "map Model.swift:4").last == .string("8"))
            #expect(
                recording.causes(ofLastEmission: "map Model.swift:4") == [
                    "map Model.swift:4", "cause not recorded: module Net",
                ])
            #expect(!recording.definitions.nodes.values.contains { $0.site?.file == "Net/Cache.swift" })
            #expect(recording.header.lostEvents == 0)
        }

        @Test func `A subscriber in another module stands for that module`() throws {
            let recording = try record(modules: ["App"]) {
                let shown = observable(0, in: "App")
                let doubled = Observable.combine(shown, file: "Net/Cache.swift", line: 7) { $0 * 2 }
                doubled.subscribe { _ in }
                shown.value = 1
            }
            #expect(lines(of: recording).contains("  to Net (not recorded)"))
            #expect(recording.emissions(of: "Net (not recorded)").isEmpty)
        }

        @Test func `A handler of an actor knows its cause, or that it is not recorded`() async throws {
            let (shown, cached) = (observable(0, in: "App"), observable(0, in: "Net"))
            let first = Observable(0, file: "App/Model.swift", line: 5)
            let file = try TemporaryTrace()
            let bag = DisposeBag()
            cached.subscribe { @MainActor in shown.value = $0 }.disposed(by: bag)
            Self.forward(first, to: cached, bag)
            try Trace.start(writingTo: file.path, snapshots: .none, modules: ["App"])
            await Task.detached { cached.value = 1 }.value
            while shown.value != 1 { await Task.yield() }
            await Task.detached { Trace.stimulus("tap") { first.value = 2 } }.value
            while shown.value != 2 { await Task.yield() }
            Trace.stop()
            let recording = try Recording(reading: file.path)
            let causes = recording.events.filter {
                $0.kind == .emitted && recording.name($0.subject) == "observable Model.swift:1"
            }
            #expect(causes.count == 2)
            #expect(recording.events.contains { $0.text == "cause not recorded: module Net" })
            #expect(
                recording.causes(ofLastEmission: "observable Model.swift:1") == [
                    "observable Model.swift:1", "hop", "observable Model.swift:5", "tap",
                ])
            #expect(recording.header.lostEvents == 0)
        }

        @Test func `A later recording of all modules holds what an earlier one left out`() throws {
            let (shown, cached) = (observable(0, in: "App"), observable(0, in: "Net"))
            cached.subscribe { shown.value = $0 }
            let first = try record(modules: ["App"]) { cached.value = 1 }
            let second = try record { cached.value = 2 }
            let third = try record(modules: ["Net"]) { cached.value = 3 }
            #expect(first.emissions(of: "observable Model.swift:1") == [.signed(1)])
            #expect(
                second.causes(ofLastEmission: "observable Model.swift:1")
                    == ["observable Model.swift:1", "observable Cache.swift:1"])
            #expect(third.emissions(of: "observable Cache.swift:1") == [.signed(3)])
            #expect(third.definitions.nodes.values.allSatisfy { $0.site?.file == "Net/Cache.swift" })
        }

        @Test func `A recording that ends inside of a delivery that is left out is whole`() throws {
            let files = [try TemporaryTrace(), try TemporaryTrace()]
            let (shown, cached) = (observable(0, in: "App"), observable(0, in: "Net"))
            cached.subscribe { value in
                if value == 1 {
                    Trace.stop()
                    try? Trace.start(
                        writingTo: files[1].path, clock: VirtualClock(), snapshots: .none, modules: ["App"])
                }
                shown.value = value
            }
            try Trace.start(writingTo: files[0].path, clock: VirtualClock(), snapshots: .none, modules: ["App"])
            cached.value = 1
            cached.value = 2
            Trace.stop()
            let (first, second) = (try Recording(reading: files[0].path), try Recording(reading: files[1].path))
            #expect(first.events.isEmpty && first.damage.isEmpty)
            #expect(second.damage.isEmpty && second.header.lostEvents == 0)
            #expect(
                second.causes(ofLastEmission: "observable Model.swift:1") == [
                    "observable Model.swift:1", "cause not recorded: module Net",
                ])
            #expect(second.events.allSatisfy { $0.depth < 2 })
        }

        @Test func `Long runs of a node that is left out take no room`() throws {
            let recording = try record(modules: ["App"]) {
                let (shown, cached) = (observable(0, in: "App"), observable(0, in: "Net"))
                cached.subscribe { if $0 % 10_000 == 0 { shown.value = $0 } }
                for value in 1...50_000 { cached.value = value }
            }
            #expect(recording.count(.emitted) == 5 && recording.count(.stimulusBegan) == 5)
            #expect(recording.header.lostEvents == 0 && recording.damage.isEmpty)
        }

        @Test func `A name that no module can have is refused in a sentence`() throws {
            let file = try TemporaryTrace()
            #expect(throws: TraceWriterError.invalidModules(["My App"])) {
                try Trace.start(writingTo: file.path, modules: ["My App"])
            }
            #expect(
                "\(TraceWriterError.invalidModules(["My App"]))"
                    == "'My App' must be names of modules, such as App or LoginFeature, at most 64")
            #expect(!Trace.isRecording)
        }
    }
}

extension OtherProcesses {
    @Suite struct ChosenModulesInTheEnvironmentTests {
        private func run(_ only: String) throws -> (said: String, recording: Recording?) {
            let file = try TemporaryTrace()
            let answer = try BuiltProgram("WeirPlainProgram").run(
                environment: ["WEIR_TRACE": file.path, "WEIR_ONLY": only, "WEIR_SNAPSHOTS": "none"], isHeardWhole: true)
            #expect(answer.isExit && answer.status == 0)
            return (
                answer.text.split(separator: "\n").filter { $0.hasPrefix("weir:") }.joined(separator: "\n"),
                try? Recording(reading: file.path)
            )
        }

        @Test func `WEIR_ONLY chooses modules`() throws {
            let (said, recording) = try run("WeirPlainProgram, WeirPlainProgram")
            #expect(said.isEmpty)
            #expect(recording?.header.modules == ["WeirPlainProgram"])
            #expect((recording?.count(.emitted) ?? 0) > 0)
        }

        @Test func `A path that begins with a tilde is in the home folder`() throws {
            let file = try TemporaryTrace()
            let answer = try BuiltProgram("WeirPlainProgram").run(
                environment: ["WEIR_TRACE": "~/test.weir", "HOME": file.folder])
            #expect(answer.isExit && answer.status == 0)
            #expect(try Recording(reading: file.path).header.isClosed)
        }

        @Test func `An unknown module is named once, with those that there are`() throws {
            let (said, recording) = try run("Wrong")
            #expect(
                said
                    == "weir: no node was recorded of the chosen module 'Wrong'; nodes were made in WeirPlainProgram")
            #expect(recording?.count(.emitted) == 0)
        }

        @Test(arguments: [",", "My App", "App,,Net", "9"])
        func `A bad value is named, and nothing is recorded`(value: String) throws {
            let (said, recording) = try run(value)
            #expect(
                said
                    == "weir: WEIR_ONLY is '\(value)'; it must be names of modules, separated by commas, such as "
                    + "App,LoginFeature; nothing is recorded")
            #expect(recording == nil)
        }
    }
}
