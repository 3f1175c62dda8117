import Dispatch
import OpenCombine
import Testing
import Weir
import WeirOpenCombine
import WeirTesting
import WeirTrace

private class Account: ObservableObject {
    @Published var user = ""
}

private final class LoginModel: Account {
    @Published var name = ""
    @Published var password = ""
    @Published private(set) var attempts = 0
    var note = "is not published"

    func login() { attempts += 1 }
}

/// Has an `objectWillChange` of its own.
private final class Counter: ObservableObject {
    let objectWillChange = PassthroughSubject<Void, Never>()
    @Published var count = 0
}

private final class Empty: ObservableObject {}

extension Everything {
    @Suite struct PublishedTests {
        private func emissions(_ recording: Recording) -> [String] {
            recording.events.filter { $0.kind == .emitted }.map { "\(recording.name($0.subject)) = \($0.value)" }
        }

        @Test func `All published properties, those of the superclass too, and their causes`() throws {
            let model = LoginModel()
            let recording = try record {
                let observation = Trace.observePublished(of: model)
                Trace.stimulus("type") { model.name = "Maruko" }
                withTracing("tap Login") {
                    model.login()
                    model.user = "maruko"
                }
                observation.cancel()
                model.name = "Momoko"
            }
            #expect(
                emissions(recording) == [
                    "LoginModel.name = \"Maruko\"", "tap Login = ()", "LoginModel.attempts = 1",
                    "LoginModel.user = \"maruko\"",
                ])
            let tap = recording.events.first { recording.name($0.subject) == "tap Login" && $0.kind == .emitted }?.id
            #expect(recording.events.filter { $0.kind == .emitted && $0.cause == tap }.count == 2)
            #expect(recording.definitions.objects.values.map(\.name) == ["LoginModel"])
            #expect(model.name == "Momoko")
        }

        @Test func `Before and after somebody subscribed, the same properties are heard`() throws {
            for touches in [false, true] {
                let model = LoginModel()
                var heard: [String] = []
                let other = touches ? model.$name.sink { heard.append($0) } : nil
                let recording = try record {
                    let observation = Trace.observePublished(of: model, as: "login")
                    model.name = "Maruko"
                    observation.cancel()
                }
                #expect(emissions(recording) == ["login.name = \"Maruko\""])
                #expect(heard == (touches ? ["", "Maruko"] : []))
                other?.cancel()
            }
        }

        @Test func `Hidden properties tell nothing, and a misspelt name hides all`() throws {
            func values(hiding hidden: Set<String>) throws -> [TraceValue] {
                let model = LoginModel()
                return try record {
                    let observation = Trace.observePublished(of: model, hiding: hidden)
                    model.name = "Maruko"
                    model.password = "swordfish"
                    observation.cancel()
                }.events.filter { $0.kind == .emitted }.map(\.value)
            }
            #expect(try values(hiding: ["password"]) == [.string("Maruko"), .withheld])
            #expect(try values(hiding: ["pasword"]) == [.withheld, .withheld])
        }

        @Test func `The model is not held, and nothing is left of it`() {
            expectNoLeaks {
                weak var gone: LoginModel?
                let observation: AnyCancellable
                do {
                    let model = LoginModel()
                    gone = model
                    observation = Trace.observePublished(of: model)
                    model.name = "Maruko"
                }
                #expect(gone == nil)
                observation.cancel()
            }
        }

        @Test func `Twice, in its own observation, on another thread: no write is lost`() throws {
            nonisolated(unsafe) let model = LoginModel()
            let recording = try record {
                var observations = [Trace.observePublished(of: model), Trace.observePublished(of: model)]
                observations.append(
                    model.$name.traced("typed").sink { name in if name.count == 6 { model.user = name } })
                let done = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    model.name = "Maruko"
                    done.signal()
                }
                done.wait()
                #expect(model.user == "Maruko")
                for observation in observations { observation.cancel() }
            }
            #expect(recording.emissions(of: "LoginModel.name") == [.string("Maruko"), .string("Maruko")])
            #expect(recording.emissions(of: "LoginModel.user").count == 2)
            func emissions(of name: String) -> [TraceEvent] {
                recording.events.filter { recording.name($0.subject) == name && $0.kind == .emitted }
            }
            let typed = emissions(of: "typed").last
            let users = emissions(of: "LoginModel.user")
            #expect(users.allSatisfy { $0.cause == typed?.id })
            #expect(recording.damage.isEmpty)
        }

        @Test func `A model whose objectWillChange is its own, and one without properties`() throws {
            let recording = try record {
                let (counter, empty) = (Counter(), Empty())
                let observations = [Trace.observePublished(of: counter), Trace.observePublished(of: empty)]
                counter.count = 3
                for observation in observations { observation.cancel() }
            }
            #expect(emissions(recording) == ["Counter.count = 3"])
        }

        @Test func `Nothing recorded, models behave as ever; a later recording knows their names`() throws {
            let model = LoginModel()
            let observation = Trace.observePublished(of: model)
            model.name = "Maruko"
            let recording = try record { model.name = "Momoko" }
            #expect(emissions(recording) == ["LoginModel.name = \"Momoko\""])
            observation.cancel()
        }
    }
}
