import Observation
import Testing
import Weir
import WeirTrace

/// Values computed from private observables, and their bindings.
extension Everything {
    @MainActor @Suite struct FedNodePrivacyTests {
        private let password = Observable("", privacy: .private)
        private let name = Observable("name")

        private func type(_ make: () -> Any) throws -> SearchedTrace {
            try search {
                let kept = make()
                password.value = Canary.text
                name.value = "other name"
                withExtendedLifetime(kept) {}
            }
        }

        // MARK: Combiners

        @Test func `A combiner of a private observable is private`() throws {
            let first = try type { Observable.combine(password, name) { $0 + $1 } }
            #expect(first.found.isEmpty)
            #expect(first.hides(.combiner))
            let second = try type {
                let sum = Observable.combine(name, password, strategy: .settled) { $0 + $1 }
                return Observable.combine(sum, initial: "") { $0 }
            }
            #expect(second.found.isEmpty)
            #expect(second.hides(.combiner))
            password.value = Canary.text
            let held = try type { Observable.combine(password) { $0 + "!" } }
            #expect(held.found.isEmpty)
        }

        @Test func `A combiner is private that is combined later`() throws {
            let early = Combiner("nothing")
            let trace = try type {
                early.combine(password) { $0 }
                let late = WritableCombiner("nothing")
                late.value = "written"
                late.combine(name, password) { $0 + $1 }
                return late
            }
            #expect(trace.found.isEmpty)
            #expect(trace.hides(.combiner))
            #expect(trace.values(.combiner).first == .string("written"))
            let again = try search { early.combine(name) { $0 } }
            #expect(again.found.isEmpty)
        }

        @Test func `Combined before a recording, private in it`() throws {
            let sum = Observable.combine(password, name) { $0 + $1 }
            let length = Observable.combine(sum) { $0.count }
            let trace = try type { length.subscribe { _ in } }
            #expect(trace.found.isEmpty)
            #expect(trace.hides(.combiner))
        }

        @Test func `A combiner that is made public discloses its value, and what is made of it`() throws {
            let trace = try type {
                let isLong = Observable.combine(password, privacy: .public) { $0.count > 8 }
                return Observable.combine(isLong, name) { $0 && !$1.isEmpty }
            }
            #expect(trace.found.isEmpty)
            #expect(trace.values(.combiner) == [.bool(true), .bool(true)])
            #expect(!trace.recording.definitions.nodes.values.contains { $0.kind == .combiner && $0.isPrivate })
        }

        @Test func `A combiner of public observables stays public`() throws {
            let trace = try type { Observable.combine(name) { $0 } }
            #expect(trace.values(.combiner) == [.string("other name")])
        }

        // MARK: Bindings

        @Test func `The target of a binding is private, and what was made of it before`() throws {
            let copy = Observable("copy")
            let upper = Observable.combine(copy) { $0.uppercased() }
            let mapped = copy.map { $0 + "!" }
            let heard = mapped.subscribe { _ in }
            let trace = try search {
                copy.value = "public"
                password.bind(to: copy)
                password.value = Canary.text
                copy.value = Canary.text + "?"
            }
            #expect(trace.found.isEmpty)
            #expect(trace.hides(.combiner))
            #expect(trace.hides(.map))
            #expect(trace.values(.map) == [.string("public!"), .withheld, .withheld, .withheld])
            // It was private while it was bound, and still holds the secret.
            let later = try search { copy.value = Canary.text + "??" }
            #expect(later.found.isEmpty)
            withExtendedLifetime((upper, heard)) {}
        }

        @Test func `Bound before a recording, private in it`() throws {
            let (copy, optional, array) = (Observable(""), Observable<String?>(nil), ObservableArray<Character>())
            password.bind(to: copy)
            password.bind(to: optional)
            password.map { Array($0) }.bind(to: array)
            let trace = try type { array.changes().subscribe { _ in } }
            #expect(trace.found.isEmpty)
            #expect(trace.hides(.observable) == false, "the name is public")
            #expect(trace.hides(.array))
            #expect(trace.hides(.changes))
            #expect(trace.values(.observable).filter { $0 != .withheld } == [.string("other name")])
        }

        @Test func `A disclosed signal leaves its target public`() throws {
            let isLong = Observable(false)
            let trace = try type { password.map { $0.count > 8 }.disclosed().bind(to: isLong) }
            #expect(trace.found.isEmpty)
            #expect(trace.values(.observable).contains(.bool(true)))
        }

        @Test func `Both sides of a channel are as private as its observable becomes`() throws {
            let text = Observable("")
            let channel = Channel(text)
            let field = Field()
            let trace = try type {
                channel.view.subscribe { _ in }
                channel.model.subscribe { _ in }
                password.bind(to: text)
                channel.view.send(Canary.text + "!")
                return channel
            }
            #expect(trace.found.isEmpty)
            #expect(trace.hides(.channel))
            let typed = Observable("")
            let other = Channel(typed)
            let sent = try type {
                let edits = Emitter<String>(privacy: .private)
                other.bind(to: field, \.text, changes: edits)
                edits.emit(Canary.text)
                return other
            }
            #expect(sent.found.isEmpty)
            #expect(sent.hides(.channel))
        }

        private final class Field { var text = "" }

        private final class Form {
            @Traced var text = ""
            @Traced var other = "other"
        }

        @Test func `A traced property is private that a private signal is bound to`() throws {
            let form = Form()
            let trace = try type {
                Trace.adopt(form)
                password.bind(to: form, \.text)
                form.other = "changed"
                return form
            }
            #expect(trace.found.isEmpty)
            #expect(trace.hides(.binding))
            #expect(trace.recording.emissions(of: "Form.text") == [.withheld])
            #expect(trace.recording.emissions(of: "Form.other") == [.string("changed")])
            let second = Form()
            let projected = try type { password.bind(to: second.$text) }
            #expect(projected.found.isEmpty)
        }

        // MARK: Commands

        @Test func `A command that is executed with a private value is private`() throws {
            let trace = try type {
                let greet = Command<String, String> { .just("hello " + $0) }
                greet.values.subscribe { _ in }
                greet.errors.subscribe { _ in }
                password.flatMap(.latest) { greet.execute($0) }.subscribe { _ in }
                return greet
            }
            #expect(trace.found.isEmpty)
            #expect(trace.hides(.command))
        }

        @Test func `What a private command makes of its input is private`() throws {
            let trace = try type {
                let greet = Command<String, String>(privacy: .private) { Signal.just($0).map { "hello " + $0 } }
                greet.values.subscribe { _ in }
                greet.execute(Canary.text)
                let fail = Command<String, String>(privacy: .private) { .failed(Canary.Failure(secret: $0)) }
                fail.errors.subscribe { _ in }
                fail.execute(Canary.text)
                return (greet, fail)
            }
            #expect(trace.found.isEmpty)
            #expect(trace.hides(.map))
        }

        @Test func `A command whose work is a private signal shows neither values nor errors`() throws {
            let trace = try type {
                let load = Command<Int, String> { [password] _ in password.current.map { _ in throw Canary.Failure() } }
                load.values.subscribe { _ in }
                load.errors.subscribe { _ in }
                load.execute(7)
                let show = Command<Int, String> { [password] _ in password.current.take(1) }
                show.values.subscribe { _ in }
                show.execute(8)
                return (load, show)
            }
            #expect(trace.found.isEmpty)
            #expect(trace.values(.command) == [.signed(7), .signed(8)])
        }
    }
}

@available(iOS 17, macOS 14, *)
@Observable private final class Account { var text = "" }

extension Everything {
    @MainActor @Suite struct FedModelPrivacyTests {
        @Test func `An observed property is private that a private signal is bound to`() throws {
            guard #available(iOS 17, macOS 14, *) else { return }
            let (account, password) = (Account(), Observable("", privacy: .private))
            let trace = try search {
                Trace.observe(account, \.text, on: .immediate)
                password.bind(to: account, \.text)
                password.value = Canary.text
                account.text = Canary.text + "!"
            }
            #expect(trace.found.isEmpty)
        }

        @Test func `A render that reads a private observable is private`() throws {
            guard #available(iOS 17, macOS 14, *) else { return }
            let password = Observable("", privacy: .private)
            let trace = try search {
                let rendering = Trace.render("field", on: .immediate) { @MainActor in password.value }
                password.value = Canary.text
                withExtendedLifetime(rendering) {}
            }
            #expect(trace.found.isEmpty)
            #expect(trace.hides(.combiner))
        }
    }
}
