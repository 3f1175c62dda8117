import Dispatch
import Testing
import Weir
import WeirTrace

extension Everything {
    @MainActor @Suite struct TracedPropertyTests {
        final class SignUp {
            @Traced var name = ""
            @Traced(privacy: .private) var password = ""
        }

        @Test func `The example prints what is written, and a trace names it`() throws {
            var printed: [String] = []
            func print(_ text: String) { printed.append(text) }
            let recording = try record {
                let model = SignUp()
                Trace.adopt(model)  // names 'SignUp.name', 'SignUp.password'
                model.$name.subscribe { print($0) }
                model.name = "Maruko"
                model.name = "Maruko"
                model.password = "secret"
            }
            #expect(printed == ["Maruko"])
            #expect(recording.emissions(of: "SignUp.name") == [.string("Maruko")])
            #expect(recording.emissions(of: "SignUp.password") == [.withheld])
            #expect(recording.story.contains("SignUp.name suppressed: equal"))
        }

        @Test func `Before adoption the property is named by its line`() throws {
            let recording = try record { SignUp().name = "x" }
            let node = recording.definitions.nodes.values.first { $0.label == nil && $0.kind == .observable }
            #expect(node?.site?.file == "WeirTests/TracedPropertyTests.swift")
            #expect(node?.site?.line == 9 || node?.site?.line == 10)
        }

        private final class Box: Equatable {
            static func == (left: Box, right: Box) -> Bool { true }
        }

        private final class Holder {
            @Traced var box = Box()
            @Traced var action: () -> Int = { 1 }
            @Traced var zero = 0.0
        }

        @Test func `A write of an equal value is stored, and reported to nobody`() {
            let holder = Holder()
            var heard = 0
            holder.$box.subscribe { _ in heard += 1 }
            holder.$zero.subscribe { _ in heard += 1 }
            let other = Box()
            holder.box = other
            holder.zero = -0.0
            #expect(holder.box === other && holder.zero.sign == .minus && heard == 0)
        }

        @Test func `Values that are not Equatable change with every write`() {
            let holder = Holder()
            var heard: [Int] = []
            holder.$action.subscribe { heard.append($0()) }
            holder.action = { 2 }
            holder.action = { 2 }
            #expect(heard == [2, 2])
        }

        @Test func `The projected property is an input like any other`() {
            let model = SignUp()
            let isValid = Observable.combine(model.$name, model.$password) { $0.count >= 6 && $1.count >= 6 }
            model.name = "Maruko"
            model.password = "secret"
            #expect(isValid.value)
        }

        @Test func `A model that is released while its property is subscribed to is released`() {
            weak var released: SignUp?
            let subscription = {
                let model = SignUp()
                released = model
                return model.$name.subscribe { _ in }
            }()
            #expect(released == nil)
            subscription.dispose()
        }

        @Test nonisolated func `Writes of several threads lose nothing and break nothing`() throws {
            final class Counter: @unchecked Sendable { @Traced var text = "" }
            let counter = Counter()
            let recording = try record {
                Trace.adopt(counter)
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    for step in 0..<200 { counter.text = "\(thread) \(step)" }
                }
                counter.$text.checkInvariants()
            }
            let emissions = recording.emissions(of: "Counter.text")
            let superseded = recording.events.count { $0.suppressionReason == .superseded }
            #expect(emissions.count + superseded == 800)
            #expect(emissions.last == .string(counter.text))
            #expect(recording.damage.isEmpty)
        }
    }
}
