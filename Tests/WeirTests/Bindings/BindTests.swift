import Testing
import Weir
import WeirTrace

extension Everything {
    @MainActor @Suite struct BindTests {
        final class Label {
            var text = ""
            var hint: String?
        }

        @Test func `An observable is bound to a property, beginning with its current value`() {
            let name = Observable("a")
            let label = Label()
            let binding = name.bind(to: label, \.text)
            #expect(label.text == "a")
            name.value = "b"
            #expect(label.text == "b")
            binding.dispose()
            name.value = "c"
            #expect(label.text == "b")
        }

        @Test func `Values may go to an optional property`() {
            let name = Observable("a")
            let label = Label()
            name.map { $0 + "!" }.bind(to: label, \.hint)
            #expect(label.hint == "a!", "the current value, as what was mapped has one")
            name.value = "b"
            #expect(label.hint == "b!")
            Signal<String?>.just(nil).bind(to: label, \.hint)
            #expect(label.hint == nil)
        }

        @Test func `A released target ends the subscription with the next value`() throws {
            let name = Observable("a")
            weak var gone: Label?
            let recording = try record {
                do {
                    let label = Label()
                    gone = label
                    name.bind(to: label, \.text)
                }
                #expect(gone == nil)
                name.value = "b"
                name.value = "c"
            }
            #expect(
                recording.events.filter { $0.kind == .subscriptionEnded }.map(\.endReason) == [
                    .targetReleased, .targetReleased,
                ])
            #expect(recording.count(.emitted) == 5)
        }

        @Test func `A binding holds neither its source nor its target when it is dropped`() {
            weak var source: Observable<String>?
            weak var target: Label?
            weak var other: Observable<String>?
            do {
                let name = Observable("a")
                let label = Label()
                let copy = Observable("")
                (source, target, other) = (name, label, copy)
                name.bind(to: label, \.text)
                name.bind(to: copy)
                copy.bind(to: name)
                name.value = "b"
                #expect(copy.value == "b")
            }
            #expect(source == nil)
            #expect(target == nil)
            #expect(other == nil)
        }

        @Test func `An observable is bound to another, one way`() {
            let name = Observable("a"), copy = Observable(""), perhaps = Observable<String?>(nil)
            name.bind(to: copy)
            name.bind(to: perhaps)
            #expect(copy.value == "a")
            name.value = "b"
            copy.value = "own"
            #expect(name.value == "b")
            #expect(perhaps.value == "b")
            name.value = "c"
            #expect(copy.value == "c")
        }

        @Test func `Two observables bound to each other settle`() {
            let one = Observable(1), two = Observable(2)
            one.bind(to: two)
            two.bind(to: one)
            two.value = 5
            #expect(one.value == 5)
            one.value = 6
            #expect(two.value == 6)
        }

        @Test func `A released observable ends the binding to it with the next value`() {
            let name = Observable("a")
            nonisolated(unsafe) var disposed = 0
            do {
                let copy = Observable("")
                name.onEvent(disposed: { disposed += 1 }) { _ in }.bind(to: copy)
            }
            #expect(disposed == 0)
            name.value = "b"
            #expect(disposed == 1)
        }

        @Test func `A trace shows bindings: to a property as a refresh, to an observable as an edge`() throws {
            let recording = try record {
                let number = Observable(1), copy = Observable(0)
                let label = Label()
                number.map { "\($0)" }.bind(to: label, \.text)
                number.bind(to: copy)
                number.value = 2
            }
            let subscriptions = recording.definitions.subscriptions.values
            let toProperty = try #require(subscriptions.first { kind($0.target, recording) == .binding })
            #expect(!toProperty.isInternal)
            let toObservable = try #require(subscriptions.first { kind($0.target, recording) == .observable })
            #expect(toObservable.isInternal)
            #expect(kind(toObservable.source, recording) == .current)
        }

        private func kind(_ node: UInt32?, _ recording: Recording) -> NodeKind? {
            node.flatMap { recording.definitions.nodes[$0]?.kind }
        }
    }
}
