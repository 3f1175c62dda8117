import Dispatch
import Foundation
import Testing
import Weir
import WeirTesting
import WeirTrace

/// Models that are wrapped twice, released while wrapped, or changed from other threads or their own observation, without leaks.
extension Everything {
    @MainActor @Suite struct WrappedLifeTests {
        private class Base {
            @Traced var name = ""
        }

        private final class Form: Base, @unchecked Sendable {  // For one thread.
            @Traced var count = 0
            var onChange: ((String) -> Void)?
            var rows: [Base] = []
        }

        // MARK: Leaks of the wrapper

        private struct Technique: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let use: @Sendable () -> Void
        }

        private nonisolated static let techniques = [
            Technique(testDescription: "@Traced") {
                let form = Form()
                Trace.adopt(form)
                form.$name.subscribe { [weak form] in form?.count = $0.count }
                form.name = "Maruko"
            },
            Technique(testDescription: "withTracing") {
                let form = Form()
                form.onChange = { [weak form] text in withTracing("change", text) { form?.name = text } }
                form.onChange?("Maruko")
            },
            Technique(testDescription: "a probe") {
                let (probe, form) = (TraceProbe("feed"), Form())
                let edge = probe.subscribed(feeding: TraceProbe("target"))
                let handler = probe.subscribed(owner: form)
                edge.emitted(1) { handler.emitted(1) { form.count += 1 } }
                handler.disposed()
            },
            Technique(testDescription: "nested adoption") {
                let form = Form()
                form.rows = [Base(), Form()]
                Trace.adopt(form)
                Trace.adopt(form)
                form.rows[0].name = "row"
                form.rows.append(Base())
                Trace.checkpoint("now")
            },
        ]

        @Test(arguments: techniques, [false, true])
        private func `No technique leaves anything behind, recorded or not`(_ technique: Technique, isRecorded: Bool)
            throws
        {
            if isRecorded {
                _ = try record { expectNoLeaks { technique.use() } }
            } else {
                expectNoLeaks { technique.use() }
            }
        }

        @Test(arguments: [false, true])
        func `Neither do sequences, streams and tasks`(isRecorded: Bool) async throws {
            let file = try TemporaryTrace()
            if isRecorded { try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none) }
            defer { Trace.stop() }
            func use() async {
                let form = Form()
                let (stream, continuation) = AsyncStream<Int>.makeTracedStream("numbers")
                continuation.yield(1)
                continuation.finish()
                await stream.forEach { form.count = $0 }
                let plain = AsyncStream<Int> {
                    $0.yield(1)
                    $0.finish()
                }
                for await number in plain.traced("plain") { form.count = number }
                await Trace.stimulus("tap") { Trace.task { withTracing("done") {} } }.value
            }
            // Makes the concurrency runtime allocate the objects that it keeps permanently.
            await use()
            await expectNoLeaks { await use() }
        }

        // MARK: Twice

        @Test func `What is wrapped twice is reported twice, and each write happens once`() throws {
            var writes: [String] = []
            let recording = try record {
                let form = Form()
                Trace.adopt(form)
                Trace.adopt(form, as: "Again")
                form.onChange = { text in
                    withTracing("outer", text) { withTracing("inner", text) { form.name = text } }
                }
                form.$name.subscribe { writes.append($0) }
                form.onChange?("Maruko")
            }
            #expect(writes == ["Maruko"])
            #expect(recording.emissions(of: "outer") == [.string("Maruko")])
            #expect(recording.emissions(of: "inner") == [.string("Maruko")])
            #expect(recording.emissions(of: "Form.name") == [.string("Maruko")])
        }

        @Test func `A sequence that is wrapped twice gives each element once`() async throws {
            let numbers = AsyncStream<Int> { continuation in
                for number in 1...3 { continuation.yield(number) }
                continuation.finish()
            }
            var heard: [Int] = []
            for await number in numbers.traced("inner").traced("outer") { heard.append(number) }
            #expect(heard == [1, 2, 3])
        }

        // MARK: Released

        @Test func `A model that is released inside of its own observation is gone after it`() throws {
            weak var released: Form?
            let recording = try record {
                var form: Form? = Form()
                released = form
                form.map { Trace.adopt($0) }
                var calls = 0
                form?.$name.subscribe { _ in
                    form = nil
                    calls += 1
                }
                let name = form?.$name
                name?.value = "Maruko"
                #expect(calls == 1)
            }
            #expect(released == nil)
            #expect(recording.emissions(of: "Form.name") == [.string("Maruko")])
            #expect(recording.damage.isEmpty)
        }

        // MARK: Inside of itself

        @Test
        func
            `A property that is written in its own observation ends with the last write, and didSet is called for each`()
            throws
        {
            final class Limited {
                @Traced var count = 0 { didSet { sets.append(oldValue) } }
                var sets: [Int] = []
            }
            let limited = Limited()
            var heard: [Int] = []
            let recording = try record {
                Trace.adopt(limited)
                limited.$count.subscribe { count in
                    heard.append(count)
                    if count > 10 { limited.count = 10 }
                }
                limited.count = 12
            }
            #expect(limited.count == 10 && heard == [12, 10])
            #expect(limited.sets.count == 2)
            #expect(recording.emissions(of: "Limited.count") == [.signed(12), .signed(10)])
            let emissions = recording.events.filter { $0.kind == .emitted }
            #expect(emissions.last?.cause == emissions.first?.id)
        }

        @Test func `A probe may emit inside of its own emission, and end there`() throws {
            let recording = try record {
                let subscription = TraceProbe("feed").subscribed()
                subscription.emitted(1) {
                    subscription.emitted(2) {}
                    subscription.completed()
                    subscription.emitted(3)
                }
            }
            #expect(recording.emissions(of: "feed") == [.signed(1), .signed(2)])
            #expect(recording.count(.completed) == 1 && recording.count(.suppressed) == 1)
            #expect(recording.damage.isEmpty)
        }

        // MARK: Models that are values to others

        private final class Account: Equatable, Codable {
            @Traced var name: String
            init(name: String) { self.name = name }
            static func == (left: Account, right: Account) -> Bool { left.name == right.name }
            enum CodingKeys: CodingKey { case name }
            convenience init(from decoder: any Decoder) throws {
                self.init(name: try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name))
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(name, forKey: .name)
            }
        }

        @Test func `A model may be Equatable and Codable, generic, or an actor`() async throws {
            final class Box<Value> {
                @Traced var value: Value
                init(_ value: Value) { self.value = value }
            }
            actor Store {
                @Traced var count = 0
                func add() { count += 1 }
            }
            let account = Account(name: "Maruko")
            let copy = try JSONDecoder().decode(Account.self, from: JSONEncoder().encode(account))
            #expect(copy == account && copy !== account)
            copy.name = "Sakura"
            #expect(copy != account)
            let (box, store) = (Box("a"), Store())
            box.value = "b"
            await store.add()
            #expect(box.value == "b")
            #expect(await store.count == 1)
            let recording = try record {
                Trace.adopt(box)
                box.value = "c"
            }
            #expect(recording.emissions(of: "Box<String>.value") == [.string("c")])
        }

        @Test func `Inherited properties are recorded in the model that has them`() throws {
            let recording = try record {
                let form = Form()
                Trace.adopt(form)
                form.name = "Maruko"
                form.count += 1
            }
            #expect(recording.emissions(of: "Form.name") == [.string("Maruko")])
            #expect(recording.emissions(of: "Form.count") == [.signed(1)])
        }

        // MARK: Threads

        @Test
        nonisolated func `Threads may write, emit, adopt, release and stop recording at once, and no write is lost`()
            throws
        {
            final class Shared: @unchecked Sendable {
                let forms = (0..<4).map { _ in Form() }
                let probe = TraceProbe("shared")
            }
            let shared = Shared()
            let heard = Locked(0)
            shared.forms[0].$count.subscribe { _ in heard.change { $0 += 1 } }
            let file = try TemporaryTrace()
            let path = file.path
            DispatchQueue.concurrentPerform(iterations: 6) { thread in
                for step in 0..<150 {
                    switch thread {
                    case 0: shared.forms[0].count = step + 1
                    case 1:
                        let form = Form()
                        Trace.adopt(form)
                        form.name = "\(step)"
                    case 2:
                        let subscription = shared.probe.subscribed()
                        subscription.emitted(step) { shared.forms[1].count = step }
                        subscription.disposed()
                    case 3: withTracing("race", step) { shared.forms[2].name = "\(step)" }
                    case 4: shared.forms[3].$count.subscribe { _ in }.dispose()
                    default:
                        if step % 10 == 0 { try? Trace.start(writingTo: path, snapshots: .none) }
                        if step % 10 == 5 { Trace.stop() }
                        Trace.frame()
                    }
                }
            }
            Trace.stop()
            #expect(heard.value == 150 && shared.forms[0].count == 150)
            #expect(shared.forms[1].count == 149 && shared.forms[2].name == "149")
            for form in shared.forms { form.$count.checkInvariants() }
            #expect(try Recording(reading: file.path).damage.isEmpty)
        }

        @Test @MainActor func `A probe of the main actor is one as any other`() throws {
            @MainActor final class Screen {
                @Traced var title = ""
                func show(_ text: String) { withTracing("show", text) { title = text } }
            }
            let recording = try record {
                let screen = Screen()
                Trace.adopt(screen)
                screen.show("Hello")
            }
            #expect(recording.emissions(of: "Screen.title") == [.string("Hello")])
        }
    }
}
