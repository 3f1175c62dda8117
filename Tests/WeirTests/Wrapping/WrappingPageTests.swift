import Dispatch
import Testing
import Weir
import WeirTrace

/// The code on the page 'Wrap your view models in ten minutes', verbatim.
private final class LoginForm {
    @Traced var name = ""
    @Traced(privacy: .private) var password = ""
    var rows: [FormRow] = []
    @Traced var tags: [String] = []
}

private final class FormRow {
    @Traced var title = ""
}

private final class Session: @unchecked Sendable {
    @Traced var isActive = true
}

private final class Button {
    var onTouch: (@MainActor () -> Void)?
}

private final class Field {
    var onChange: ((String) -> Void)?
    var onEnd: (() -> Void)?
}

private final class Label {
    var text = ""
}

extension Everything {
    @Suite struct WrappingPageTests {
        @Test @MainActor func `A plain class, its children, its callbacks`() throws {
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
            for await name in names.traced("names") {
                let text = await greeting(name)
                form.name = text
            }
            #expect(form.name == "Hello, Maruko")
        }

        @Test func `A stream carries the cause of a keystroke`() async throws {
            let (form, field) = (LoginForm(), Field())
            let recording = try await recordTask {
                Trace.adopt(form)
                let names = AsyncStream<String>.traced("names") { continuation in
                    field.onChange = { text in continuation.yield(text) }
                    field.onEnd = { continuation.finish() }
                }
                Trace.stimulus("type") { field.onChange?("Maruko") }
                field.onEnd?()
                for await name in names { form.name = name }
            }
            #expect(form.name == "Maruko")
            let hops = recording.events.filter { $0.kind == .hopBegan }
            #expect(hops.count == 2 && hops.allSatisfy { $0.cause != nil })
        }

        @Test @MainActor func `A task carries the cause of a tap`() async throws {
            let (form, button) = (LoginForm(), Button())
            func greeting(_ name: String) async -> String { "Hello, \(name)" }
            form.name = "Maruko"
            let recording = try await recordTask {
                Trace.adopt(form)
                @MainActor
                func greet() {
                    Trace.task {
                        let text = await greeting(form.name)
                        form.name = text
                    }
                }
                button.onTouch = { withTracing("touch Login") { greet() } }
                button.onTouch?()
                while form.name == "Maruko" { await Task.yield() }
            }
            let touch = recording.events.first { $0.kind == .emitted && recording.name($0.subject) == "touch Login" }
            #expect(touch != nil && recording.events.first { $0.kind == .hopBegan }?.cause == touch?.id)
            #expect(recording.emissions(of: "LoginForm.name") == [.string("Hello, Maruko")])
        }

        @Test @MainActor func `A timer carries what started it`() throws {
            let (session, button, gone) = (Session(), Button(), DispatchSemaphore(value: 0))
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
            // Has no actor: the main actor waits for it.
            @Sendable nonisolated func ended(_: Bool) { gone.signal() }
            session.$isActive.subscribe(ended)
            let recording = try record {
                Trace.adopt(session)
                func extend() {
                    let expire = Trace.carryingCause { [weak session] in
                        withTracing("session expires") { session?.isActive = false }
                    }
                    timer.setEventHandler(handler: expire)
                    timer.schedule(deadline: .now() + .seconds(60))
                }
                button.onTouch = { withTracing("touch Stay") { extend() } }
                button.onTouch?()
                // The test does not wait a minute.
                timer.schedule(deadline: .now())
                timer.resume()
                gone.wait()
                timer.cancel()
            }
            #expect(
                recording.causes(ofLastEmission: "Session.isActive") == [
                    "Session.isActive", "session expires", "hop", "touch Stay",
                ])
        }

        @Test func `An array is one value, and its models keep their names`() throws {
            let form = LoginForm()
            form.rows = [FormRow(), FormRow()]
            let recording = try record {
                Trace.adopt(form)
                form.rows.swapAt(0, 1)
                Trace.adopt(form)
                form.rows[0].title = "Name"
                form.tags.append("new")
                form.tags.append("old")
            }
            #expect(recording.emissions(of: "LoginForm.rows[1].title") == [.string("Name")])
            #expect(recording.emissions(of: "LoginForm.tags").count == 2)
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
