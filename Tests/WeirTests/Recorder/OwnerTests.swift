import Testing
import Weir
import WeirTrace

extension Everything {
    @MainActor @Suite struct OwnerTests {
        private final class View {}
        private final class Model { let name = Observable("") }

        /// The relevant events in order: emissions, and releases of the first subscription's owner.
        private func order(_ recording: Recording) -> [String] {
            let owners = Set(recording.definitions.subscriptions.values.compactMap(\.owner))
            return recording.events.compactMap { event in
                switch event.kind {
                case .emitted: "\(event.value)"
                case .objectReleased: owners.contains(event.subject) ? "released" : "another released"
                case .objectTracked: owners.contains(event.subject) ? "tracked" : "another tracked"
                default: nil
                }
            }
        }

        @Test func `A release is on record before the next refresh`() throws {
            let recording = try record {
                let number = Observable(0)
                var view: View? = View()
                number.subscribe(owner: view) { _ in }
                number.value = 1
                view = nil
                number.value = 2
                number.value = 3
            }
            #expect(order(recording) == ["tracked", "1", "released", "2", "3"])
            let subscription = try #require(recording.definitions.subscriptions.values.first)
            let owner = try #require(subscription.owner)
            #expect(recording.definitions.objects[owner]?.type == "View")
            #expect(recording.undefined == 0 && recording.damage.isEmpty)
        }

        @Test func `Of several subscribers, before the delivery to the one whose owner is gone`() throws {
            let recording = try record {
                let number = Observable(0)
                var view: View? = View()
                number.subscribe { _ in view = nil }
                number.subscribe(owner: view) { _ in }
                number.subscribe { _ in }
                number.value = 1
            }
            let kinds = recording.events.drop { $0.kind != .emitted }.map(\.kind)
            #expect(
                kinds.prefix(6) == [
                    .emitted, .deliveryBegan, .objectReleased, .deliveryNext, .deliveryNext, .deliveryEnded,
                ])
        }

        @Test func `Every way to subscribe takes an owner, and does what it did`() throws {
            var heard: [String] = []
            var isAlive = true
            weak var former: View?
            let recording = try record {
                let number = Observable(0)
                let cold = Signal<Int> { subscriber in
                    subscriber.next(7)
                    subscriber.complete()
                    return nil
                }
                var view: View? = View()
                former = view
                number.subscribe(owner: view) { heard.append("next \($0)") }.dispose()
                let kept = number.subscribe(initial: true, owner: view) { heard.append("initial \($0)") }
                number.map { -$0 }.subscribe(owner: view) { heard.append("mapped \($0)") }
                cold.subscribeEvents(owner: view) { heard.append("\($0)") }
                number.value = 1
                view = nil
                isAlive = former != nil
                number.value = 2
                kept.dispose()
            }
            #expect(!isAlive)
            #expect(
                heard == [
                    "initial 0", "next(7)", "completed", "initial 1", "mapped -1", "initial 2", "mapped -2",
                ])
            let terminal = recording.definitions.subscriptions.values.filter { !$0.isInternal }
            #expect(terminal.count == 4 && Set(terminal.map(\.owner)).count == 1)
            #expect(terminal.allSatisfy { $0.owner != nil })
            #expect(recording.definitions.subscriptions.values.filter(\.isInternal).allSatisfy { $0.owner == nil })
            #expect(recording.count(.objectTracked) == 1 && recording.count(.objectReleased) == 1)
            #expect(recording.count(.subscriptionEnded) == 5)
        }

        @Test func `Without an owner the definition names none`() throws {
            let recording = try record {
                let number = Observable(0)
                number.subscribe { _ in }
                number.subscribe(owner: nil) { _ in }
                number.value = 1
            }
            #expect(recording.definitions.subscriptions.values.map(\.owner) == [nil, nil])
            #expect(recording.definitions.objects.isEmpty)
        }

        @Test func `A recording that begins later knows the owner, and that it is gone`() throws {
            let number = Observable(0)
            var view: View? = View()
            number.subscribe(owner: view) { _ in }
            let first = try record { number.value = 1 }
            #expect(order(first) == ["1"])
            #expect(first.definitions.objects.values.map(\.name) == ["View"])
            view = nil
            Trace.frame()
            for value in [2, 3] as [Int64] {
                let recording = try record { number.value = Int(value) }
                #expect(order(recording) == ["released", "\(TraceValue.signed(value))"])
            }
        }

        @Test func `An owner that goes while nothing is delivered is noticed at the frame`() throws {
            let recording = try record {
                let number = Observable(0)
                var view: View? = View()
                number.subscribe(owner: view) { _ in }
                view = nil
                Trace.frame()
                number.value = 1
            }
            let kinds = recording.events.map(\.kind).filter { [.frame, .objectReleased, .emitted].contains($0) }
            #expect(kinds == [.objectReleased, .frame, .emitted])
        }

        @Test func `An owner that is adopted, before or after, is one object with one name`() throws {
            for isAdoptedFirst in [true, false] {
                let recording = try record {
                    let model = Model()
                    if isAdoptedFirst { Trace.adopt(model, as: "Login") }
                    model.name.subscribe(owner: model) { _ in }
                    if !isAdoptedFirst { Trace.adopt(model, as: "Login") }
                    model.name.value = "Maruko"
                }
                #expect(recording.definitions.objects.count == 1)
                let owner = try #require(recording.definitions.subscriptions.values.first?.owner)
                #expect(recording.definitions.objects[owner] == TraceObject(id: owner, type: "Model", label: "Login"))
                #expect(recording.definitions.nodes.values.map(\.owner) == [owner])
                #expect(recording.count(.objectTracked) == 1 && recording.count(.objectReleased) == 1)
            }
        }

        @Test func `A flight recorder that wrapped round still knows whose owner is gone`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .bytes(2 << 20), snapshots: .none)
            let number = Observable(-1)
            var view: View? = View()
            number.subscribe(owner: view) { _ in }
            number.value = -2
            view = nil
            for value in 0..<300_000 { number.value = value }
            #expect(Trace.stop() == 0)
            let recording = try Recording(reading: file.path)
            #expect(recording.events.first.map { $0.id.sequence > 100_000 } == true, "nothing was overwritten")
            let owner = try #require(recording.definitions.subscriptions.values.first?.owner)
            #expect(recording.definitions.objects[owner]?.name == "View")
            #expect(recording.events.contains { $0.kind == .objectReleased && $0.subject == owner })
            #expect(recording.undefined == 0 && recording.damage.isEmpty)
        }

        @Test func `An owner whose last reference goes in another handler runs what it likes`() throws {
            final class Loud {
                let number: Observable<Int>
                init(_ number: Observable<Int>) { self.number = number }
                deinit { number.value = 100 }
            }
            let recording = try record {
                let (number, echo) = (Observable(0), Observable(0))
                var owner: Loud? = Loud(echo)
                echo.subscribe { _ in }
                number.subscribe { _ in owner = nil }
                number.subscribe(owner: owner) { _ in }
                number.value = 1
            }
            #expect(order(recording) == ["tracked", "1", "100", "released"])
            #expect(recording.events.last { $0.kind == .emitted }?.depth == 1)
        }
    }
}
