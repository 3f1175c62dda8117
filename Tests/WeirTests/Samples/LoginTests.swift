import Testing
import Weir
import WeirTrace

@testable import WeirLogin

extension Everything {
    @MainActor @Suite struct LoginTests {
        private func shown(_ version: LoginDemo.Version) -> [String] {
            var lines: [String] = []
            LoginDemo.use(version) { lines.append($0) }
            return lines
        }

        @Test func `The published model shows what its article shows`() {
            #expect(
                shown(.published) == [
                    "[Mar!] [!] (login) *User name must have at least 6 characters",
                    "[Maruko] [!] (login) *Password must not be empty",
                    "[Maruko] [••••••] (Login) ",
                    "[Maruko] [••••••] (Login) Login succeeded (*^▽^*)",
                    "[Maruko] [!] (login) *Password must not be empty",
                    "[!] [!] (login) *User name must not be empty",
                    "[Maruko] [••••••] (Login) ",
                ])
        }

        @Test func `The cured model says the same, and judges the password only once it was typed`() {
            let cured = shown(.cured)
            #expect(cured[2...] == shown(.published)[2...])
            #expect(cured[0] == "[Mar!] [] (login) *User name must have at least 6 characters")
        }

        @Test func `The published model leaks through its closures, the cured one does not`() {
            weak var published: PublishedLoginModel?
            weak var cured: CuredLoginModel?
            do {
                let one = PublishedLoginModel()
                let two = CuredLoginModel()
                published = one
                cured = two
            }
            #expect(published != nil)
            #expect(cured == nil)
        }

        @Test func `The view holds no model`() {
            let view = LoginView()
            weak var model: CuredLoginModel?
            do {
                let made = CuredLoginModel()
                view.bind(to: made)
                model = made
            }
            #expect(model == nil)
            view.autofill(username: "Maruko", password: "secret")
            #expect(view.shown == "[] [] (login) ")
        }

        @Test(arguments: [
            (LoginDemo.Version.published, ["*Password must not be empty", ""]), (.cured, [""]),
        ])
        func `What fills in both fields refreshes the published screen twice, the cured one once`(
            version: LoginDemo.Version, instructions: [String]
        ) throws {
            let story = try record { LoginDemo.use(version) }.story
            let begin = try #require(story.firstIndex(of: "stimulus autofill"))
            let end = try #require(story[begin...].firstIndex(of: "frame"))
            let reported = story[begin..<end].map { $0.drop { $0 == " " } }.filter { $0.contains("instruction =") }
            #expect(reported == instructions.map { "LoginViewModel.instruction = \"\($0)\"" })
        }

        @Test func `The feedback loop of the published model is in the trace`() throws {
            let recording = try record { LoginDemo.use(.published) }
            let nodes = Dictionary(uniqueKeysWithValues: recording.definitions.nodes.map { ($0, $1.name) })
            let edges = recording.definitions.subscriptions.values.compactMap { subscription -> String? in
                guard subscription.isInternal, let target = subscription.target else { return nil }
                return "\(nodes[subscription.source] ?? "?") → \(nodes[target] ?? "?")"
            }
            let model = "LoginViewModel"
            #expect(
                Set(edges) == [
                    "\(model).username → \(model).usernameValid", "\(model).passwordValid → \(model).usernameValid",
                    "\(model).usernameValid → \(model).passwordValid", "\(model).password → \(model).passwordValid",
                    "\(model).usernameValid → \(model).loginEnabled", "\(model).passwordValid → \(model).loginEnabled",
                ])
            #expect(recording.count(.objectTracked) == 2)
            // The view is gone when the screen closes; the model is not.
            #expect(recording.count(.objectReleased) == 1)
        }

        @Test func `What is redundant in the published model shows in its counts`() throws {
            func counts(_ version: LoginDemo.Version) throws -> (stopped: Int, emitted: Int) {
                let recording = try record { LoginDemo.use(version) }
                return (recording.count(.suppressed), recording.count(.emitted))
            }
            #expect(try counts(.published) == (14, 33))
            #expect(try counts(.cured) == (6, 31))
        }

        @Test func `Passwords are private`() throws {
            let recording = try record(values: .described()) { LoginDemo.use(.published) }
            let values = recording.emissions(of: "LoginViewModel.password")
            #expect(values == [.withheld, .withheld, .withheld])
            #expect(recording.events.filter { $0.text.contains("secret") }.isEmpty)
        }
    }
}
