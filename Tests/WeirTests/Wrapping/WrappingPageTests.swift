import Testing
import Weir
import WeirTrace

/// The code of the page 'Wrap your view models in ten minutes', as it stands there.
private final class LoginForm {
    @Traced var name = ""
    @Traced(privacy: .private) var password = ""
    var rows: [FormRow] = []
}

private final class FormRow {
    @Traced var title = ""
}

private final class Button {
    var onTouch: (() -> Void)?
}

private final class Label {
    var text = ""
}

extension Everything {
    @Suite struct WrappingPageTests {
        @Test func `A plain class, its children, its callbacks`() throws {
            let (form, label, button) = (LoginForm(), Label(), Button())
            form.rows = [FormRow()]
            form.$name.subscribe { name in
                withTracing("show name", name) { label.text = name }
            }
            button.onTouch = { [weak form] in
                withTracing("touch Login") { form?.name = "Maruko" }
            }
            let recording = try record {
                Trace.adopt(form)
                button.onTouch?()
                form.rows[0].title = "Name"
            }
            #expect(label.text == "Maruko")
            #expect(
                recording.story.filter { $0.contains(" = ") }.map { $0.trimmingCharacters(in: " ") } == [
                    "touch Login = ()", "LoginForm.name = \"Maruko\"", "show name = \"Maruko\"",
                    "LoginForm.rows[0].title = \"Name\"",
                ])
        }

        @Test func `An async sequence`() async throws {
            let form = LoginForm()
            func greeting(_ name: String) async -> String { "Hello, \(name)" }
            let names = AsyncStream { continuation in
                continuation.yield("Maruko")
                continuation.finish()
            }
            try await names.traced("names").forEach { name in
                let text = await greeting(name)
                withTracing("show greeting") { form.name = text }
            }
            #expect(form.name == "Hello, Maruko")
        }

        @Test func `What the page shows stands in the tests that run it`() throws {
            let page = try DocumentationPage("Sources/Weir/Weir.docc/Wrapping.md")
            let tests = try [
                "Tests/WeirTests/Wrapping/WrappingPageTests", "Tests/WeirTests/Wrapping/ObservationPageTests",
                "Tests/WeirTests/Wrapping/ProbeTests",
                "Tools/peers/Tests/WeirOpenCombineTests/WrappingPageTests",
            ].map { try DocumentationPage("\($0).swift").lines }
            let known = Set(tests.joined().map { $0.trimmingCharacters(in: " ") })
            let shown = page.codeBlocks.joined().map { $0.trimmingCharacters(in: " ") }
            #expect(shown.count > 20)
            #expect(shown.filter { !$0.isEmpty && !known.contains($0) && !known.contains("private \($0)") } == [])
        }
    }
}

extension String {
    fileprivate func trimmingCharacters(in blank: Character) -> String {
        String(drop { $0 == blank }.reversed().drop { $0 == blank }.reversed())
    }
}
