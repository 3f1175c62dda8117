import Observation
import Testing
import Weir
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

extension Everything {
    /// What `why-not` answers about bodies, computed properties and screens that are made in the stimulus.
    @MainActor @Suite struct WhyNotViewTests {
        @Observable final class Form {
            var name = ""
            var isBusy = false
            var other = 0
            var canSave: Bool { !isBusy && !name.isEmpty }
        }

        /// Records what happens to an observed form.
        private func record(
            _ before: (Form) -> Void = { _ in }, then change: @escaping (Form, _ rendering: Disposable) -> Void
        ) throws -> RecordedFile {
            try RecordedFile {
                let (form, scheduler) = (Form(), ManualScheduler())
                before(form)
                Trace.adopt(form)
                Trace.observe(form, \.canSave, on: scheduler)
                let rendering = Trace.render("View.body", on: scheduler) { "\(form.canSave) \(form.name)" }
                change(form, rendering)
                scheduler.advance(by: 1)
                rendering.dispose()
            }
        }

        @Test func `a computed property that a body shows is not unheard`() throws {
            let recorded = try record { form, _ in Trace.stimulus("name") { form.name = "Ann" } }
            let text = try recorded.whyNot("Form.canSave")
            #expect(text.contains("It is computed: bodies that read it depend on what it reads, "), "\(text)")
            #expect(text.contains("View.body showed another value."), "\(text)")
            #expect(!text.contains("nobody was subscribed"), "\(text)")
        }

        @Test func `a body that was disposed is told as such`() throws {
            let recorded = try record { form, rendering in
                Trace.stimulus("rename") {
                    rendering.dispose()
                    form.name = "late"
                }
            }
            let text = try recorded.whyNot("View.body")
            #expect(text.contains("✗ View.body was rendered no more: disposed"), "\(text)")
            #expect(text.contains("→ The render at "), "\(text)")
            #expect(!text.contains("did not read"), "\(text)")
        }

        @Test func `bodies are not to be checked for what they write`() throws {
            let recorded = try record { form, _ in
                Trace.stimulus("busy") { form.isBusy = true }
                Trace.stimulus("name") { form.name = "Ann" }
            }
            let text = try recorded.whyNot("Form.isBusy")
            #expect(text.contains("`weir why` shows what set it before: ask for "), "\(text)")
            #expect(!text.contains("check its conditions"), "\(text)")
        }

        @Observable final class Visa {
            var country = ""
            var reason = ""
            var canSend: Bool { !country.isEmpty && !reason.isEmpty }
        }

        @Test func `an input that the stimulus changed before the property read it has changed`() throws {
            let recorded = try RecordedFile {
                let (visa, scheduler) = (Visa(), ManualScheduler())
                Trace.adopt(visa)
                Trace.observe(visa, \.country, \.reason, \.canSend, on: scheduler)
                let wrapped = Trace.wrap(visa)
                Trace.stimulus("type") { wrapped.reason = "study" }
                scheduler.advance(by: 1)
                Trace.stimulus("choose") {
                    wrapped.country = "Japan"
                    wrapped.reason = ""
                }
                scheduler.advance(by: 1)
            }
            let text = try recorded.whyNot("Visa.canSend", after: "choose")
            #expect(text.contains("← Visa.reason = \"\", had changed (1:"), "\(text)")
            #expect(!text.contains("not changed"), "\(text)")
        }

        @Test func `what a computed property read is named if it kept its value`() throws {
            let recorded = try record({ $0.isBusy = true }) { form, _ in
                Trace.stimulus("name") {
                    form.isBusy = false
                    form.isBusy = true
                }
            }
            let text = try recorded.whyNot("Form.canSave")
            #expect(text.contains("It read Form.isBusy = "), "\(text)")
        }

        private final class Screen {
            let (title, count) = (Observable(""), Observable(0))
            init() { Trace.adopt(self) }
        }

        @Test func `the screen that the stimulus made is explained`() throws {
            let recorded = try RecordedFile {
                var screens: [Screen] = []
                for number in 1...3 {
                    Trace.stimulus("open \(number)") {
                        let screen = Screen()
                        screens.append(screen)
                        screen.count.value = number
                    }
                }
            }
            let text = try recorded.whyNot("Screen.title", after: "open 2")
            #expect(text.contains(", did not change Screen.title #3, "), "\(text)")
            #expect(!text.contains("made only afterwards"), "\(text)")
        }

        private struct Offline: Error {}

        @Test func `a failure of this stimulus is named before a handler that has not run`() throws {
            let recorded = try RecordedFile {
                let (screen, bag) = (Screen(), DisposeBag())
                let load = Command<Void, Int> { Signal.failed(Offline()) }
                load.values.subscribe { [count = screen.count] in count.value = $0 }.disposed(by: bag)
                Trace.stimulus("tap") { load.execute() }
            }
            let text = try recorded.whyNot("Screen.count")
            #expect(text.contains("failed with Offline"), "\(text)")
        }
    }
}
