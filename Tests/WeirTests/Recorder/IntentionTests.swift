import Dispatch
import Testing
import Weir
import WeirTrace

extension Everything {
    @Suite struct IntentionTests {
        private final class Model {
            let name = Observable("")
            let taps = Emitter<Int>()
            lazy var length = name.current.map(\.count)
            lazy var load = Command<Int, Int> { .just($0) }
            lazy var added = Observer<Int> { _ in }
            lazy var field = Channel(name)
        }

        /// The intentions in the trace, each with the node's name.
        private func intentions(_ recording: Recording) -> [String] {
            recording.definitions.intentions.values.joined().map {
                #expect(recording.definitions.nodes[$0.node] != nil, "node \($0.node) is nowhere defined")
                return "\(recording.name($0.node)): \($0.rule), \($0.reason)"
            }.sorted()
        }

        private func declareAll(_ model: Model) {
            model.name.intended(.burst, because: "typed").intended(.glitch, because: "shown twice")
                .intended(.burst, because: "typed")
            model.taps.intended(.unobserved, because: "logged")
            model.length.intended(.noopEvaluation, because: "cheap").subscribe { _ in }
            model.load.intended(.feedback, because: "tries again").execute(1)
            model.added.intended(.slowRefresh, because: "a table").subscribe(to: model.taps)
            model.field.view.intended(.repeatedValue, because: "a control").subscribe { _ in }
            model.name.value = "Maruko"
            model.taps.emit(1)
        }

        private let expected = [
            "Model.added: slow-refresh, a table", "Model.field.view: repeated-value, a control",
            "Model.length: noop-evaluation, cheap", "Model.load: feedback, tries again",
            "Model.name: burst, typed", "Model.name: burst, typed", "Model.name: glitch, shown twice",
            "Model.taps: unobserved, logged",
        ]

        @Test func `Every kind of node says what is meant so`() throws {
            let recording = try record {
                let model = Model()
                declareAll(model)
                Trace.adopt(model)
            }
            #expect(intentions(recording) == expected)
            #expect(recording.damage.isEmpty)
        }

        @Test func `A recording that is started late knows what was declared before`() throws {
            let model = Model()
            Trace.adopt(model)
            declareAll(model)
            Trace.adopt(model)
            for _ in 1...2 {
                let recording = try record {
                    model.name.value += "!"
                    model.taps.emit(2)
                    model.load.execute(2)
                }
                #expect(intentions(recording) == expected)
            }
        }

        @Test func `What is declared while nothing flows is there, with its place`() throws {
            let line = UInt(#line) + 3
            let recording = try record {
                let sum = Observable.combine(Observable(1), Observable(2)) { $0 + $1 }
                    .intended(.crossThread, because: "read only")
                withExtendedLifetime(sum) {}
            }
            let all = Array(recording.definitions.intentions.values.joined())
            #expect(all.map(\.rule) == ["cross-thread"])
            #expect(all.first?.site?.file == "WeirTests/IntentionTests.swift")
            #expect(all.first?.site?.line == Int(line))
            #expect(all.first.map { recording.definitions.nodes[$0.node]?.kind } == .combiner)
        }

        @Test func `Each rule is named in the trace as the rules' page names it`() throws {
            let number = Observable(0)
            for rule in RedundancyRule.allCases { number.intended(rule, because: "why") }
            let recording = try record { number.value = 1 }
            #expect(
                recording.definitions.intentions.values.joined().map(\.rule) == [
                    "repeated-value", "glitch", "burst", "unobserved", "noop-evaluation", "resubscribed-source",
                    "feedback", "zombie-refresh", "cross-thread", "slow-refresh", "unhandled-failure",
                    "repeated-subscription", "repeated-request",
                    "cancelled-request", "stale-response", "repeated-source",
                ])
        }

        @Test func `A node keeps sixty-four, and the same one once`() throws {
            let number = Observable(0)
            for _ in 1...3 { for index in 1...100 { number.intended(.burst, because: "reason \(index)") } }
            let recording = try record { number.value = 1 }
            let reasons = recording.definitions.intentions.values.joined().map(\.reason)
            #expect(reasons == (1...64).map { "reason \($0)" })
        }

        @Test func `A flight recorder that wrapped round says it again`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .bytes(2 << 20), snapshots: .none)
            let number = Observable(-1)
            let doubled = number.map { $0 * 2 }.intended(.burst, because: "a progress bar")
            number.intended(.repeatedValue, because: "a counter")
            doubled.subscribe { _ in }
            for value in 0..<300_000 { number.value = value }
            number.intended(.slowRefresh, because: "declared late")
            #expect(Trace.stop() == 0)
            let recording = try Recording(reading: file.path)
            #expect(recording.events.first.map { $0.id.sequence > 100_000 } == true, "nothing was overwritten")
            let reasons = recording.definitions.intentions.values.joined().map(\.reason).sorted()
            #expect(reasons == ["a counter", "a progress bar", "declared late"])
            #expect(intentions(recording).count == 3 && recording.damage.isEmpty)
        }

        @Test func `Several threads may declare while others emit`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .bytes(1 << 20), snapshots: .none)
            let number = Emitter<Int>()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for index in 0..<5000 {
                    number.emit(index)
                    if index % 400 == 0 { number.intended(.crossThread, because: "thread \(thread), \(index)") }
                }
            }
            Trace.stop()
            let recording = try Recording(reading: file.path)
            #expect(recording.definitions.intentions.values.joined().count == 52)
            #expect(recording.damage.isEmpty && recording.undefined == 0)
        }
    }
}
