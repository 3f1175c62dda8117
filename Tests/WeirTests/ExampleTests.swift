import Foundation
import Testing
import Weir
import WeirTrace

/// The examples of the README and of the main types' documentation, verbatim.
extension Everything {
    @MainActor @Suite struct ExampleTests {
        final class SignUpModel {
            let name = Observable("")
            let password = Observable("", privacy: .private)  // never in a trace
            let isValid: Combiner<Bool>

            init() {
                isValid = .combine(name, password, privacy: .public) { $0.count >= 6 && $1.count >= 6 }
            }
        }

        @Test func `The README's model records as the README says`() throws {
            let file = try TemporaryTrace("signup.weir")
            let model = SignUpModel()
            var printed: [String] = []
            func print(_ parts: Any...) { printed.append(parts.map { "\($0)" }.joined(separator: " ")) }
            model.isValid.subscribe { print("valid:", $0) }

            try Trace.start(writingTo: file.path)
            Trace.adopt(model)  // names 'SignUpModel.name', …
            Trace.stimulus("type the name") { model.name.value = "Maruko" }
            Trace.stimulus("type the password") { model.password.value = "secret" }
            Trace.stop()

            #expect(printed == ["valid: true"])
            let recording = try Recording(reading: file.path)
            #expect(recording.emissions(of: "SignUpModel.name") == [.string("Maruko")])
            #expect(recording.emissions(of: "SignUpModel.isValid") == [.bool(true)])
            #expect(recording.emissions(of: "SignUpModel.password") == [.withheld])
        }

        @Test func `Observable, Emitter, Observer and DisposeBag`() {
            var printed: [String] = []
            func print(_ part: String) { printed.append(part) }

            let username = Observable("")
            username.subscribe { print($0) }
            username.value = "Maruko"

            let rolled36 = Emitter<Void>()
            rolled36.subscribe { print("36!") }
            rolled36.emit()

            let observer = Observer<String> { print("observer \($0)") }
            observer.subscribe(to: username)

            let bag = DisposeBag()
            username.subscribe { print("bag \($0)") }.disposed(by: bag)
            let subscription = username.subscribe { print("ended \($0)") }
            subscription.dispose()
            username.value = "Momoko"
            bag.dispose()
            username.value = "Mei"
            #expect(printed == ["Maruko", "36!", "Momoko", "observer Momoko", "bag Momoko", "Mei", "observer Mei"])
        }

        @Test func `Combiners that depend on each other`() {
            let name = Observable("")
            let password = Observable("")
            let nameIsValid = Combiner(false), passwordIsValid = Combiner(false)
            nameIsValid.combine(name, passwordIsValid) { name, _ in name.count >= 6 }
            passwordIsValid.combine(nameIsValid, password) { _, password in password.count >= 6 }
            name.value = "Maruko"
            password.value = "short"
            #expect(nameIsValid.value && !passwordIsValid.value)
        }
    }
}
