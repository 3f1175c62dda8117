import OpenCombine
import Testing
import Weir
import WeirOpenCombine
import WeirTesting
import WeirTrace

extension Everything {
    /// Traces of a third-party view model, without and with `.traced`.
    @Suite struct LoginFormTests {
        /// Types a password and a name that is corrected once, waits, and corrects the password; each step is shown.
        private func fill<Model: Form>(_ form: Model, _ scheduler: ManualScheduler) {
            func step(_ name: String, _ body: () -> Void) {
                Trace.stimulus(name, body)
                Trace.frame()
            }
            step("type the password") { form.password = "secret" }
            for name in ["Maru", "Maruko", "Maruko "] { step("type '\(name)'") { form.name = name } }
            scheduler.run()
            Trace.frame()
            step("correct the password") { form.password = "secret!" }
        }

        private func session<Model: Form>(
            of type: Model.Type, holdsItself: Bool = false, snapshots: TraceSnapshots = .none
        ) throws -> RecordedFile {
            // The leaked form must not appear in later snapshots of this process. A weak reference would make its cycle reachable, and the
            // verdict 'not proven'.
            var leaked: Unmanaged<Model>?
            defer { leaked?.takeUnretainedValue().cancellables = [] }
            return try RecordedFile(snapshots: snapshots) {
                let scheduler = ManualScheduler()
                do {
                    let form = type.init(scheduler: scheduler, holdsItself: holdsItself)
                    let observation = Trace.observePublished(of: form, as: "LoginForm", hiding: ["password"])
                    if holdsItself { leaked = .passUnretained(form) }
                    fill(form, scheduler)
                    #expect(form.isEnabled)
                    observation.cancel()
                    Trace.expectReleased(form)
                }
                Trace.checkpoint("closed")
            }
        }

        @Test func `Bare, each write stands in the trace, and redundant ones are found`() throws {
            let recorded = try session(of: LoginForm.self)
            let found = try recorded.weir("redundant")
            #expect(found.status == 1)
            for line in [
                "LoginForm.hint refreshed a handler 3 times with an unchanged value",
                "LoginForm.isEnabled refreshed a handler once with an unchanged value",
            ] {
                #expect(found.text.contains(line), "\(found.text)")
            }
            #expect(!found.text.contains("feedback"))
            #expect(found.text.contains("Remedy: write LoginForm.hint only when it is different: if new != old"))
        }

        @Test func `With traced publishers, causes are reported from the key to the button, and the feedback`() throws {
            let recorded = try session(of: TracedLoginForm.self)
            let found = try recorded.weir("redundant")
            for line in [
                "LoginForm.hint refreshed a handler 3 times with an unchanged value",
                "LoginForm.isEnabled refreshed a handler once with an unchanged value",
                "typed name triggered itself again once",
                "Remedy: do not send to typed name what its own values cause, or .removeDuplicates() in the loop",
            ] {
                #expect(found.text.contains(line), "\(found.text)")
            }
            let recording = try recorded.read()
            let first = recording.events.first {
                $0.kind == .emitted && recording.name($0.subject) == "LoginForm.isEnabled" && $0.value == .bool(true)
            }
            let event = try #require(first).id
            let why = try recorded.weir("why", "\(event.thread):\(event.sequence)").text.split(separator: "\n")
            // The order in which a property notifies its subscribers is unspecified, and with it which of the two names comes last.
            let steps = [
                "stimulus “type 'Maruko '”", " name = \"Maruko", " isNameValid = true", " isEnabled = true",
                "LoginForm.isEnabled = true",
            ]
            var rest = why.dropFirst()
            for step in steps {
                rest = rest.drop { !$0.contains(step) }
                #expect(!rest.isEmpty, "'\(step)' is missing, or out of order:\n\(why.joined(separator: "\n"))")
            }
            #expect(try !String(contentsOfFile: recorded.file.path, encoding: .isoLatin1).contains("secret"))
        }

        @Test(arguments: [false, true]) func `A binding that holds its form is proven to leak`(isTraced: Bool) throws {
            func leaks(_ holdsItself: Bool) throws -> Answer {
                try isTraced
                    ? session(of: TracedLoginForm.self, holdsItself: holdsItself, snapshots: .standard).weir("leaks")
                    : session(of: LoginForm.self, holdsItself: holdsItself, snapshots: .standard).weir("leaks")
            }
            let clean = try leaks(false)
            #expect(clean.status == 0 && clean.text.contains("Nothing was found"), "\(clean.text)")
            let found = try leaks(true)
            #expect(found.status == 1 && found.text.contains("proven: nothing outside holds them"))
            let name = isTraced ? "TracedLoginForm" : "LoginForm"
            let way = found.text.split(separator: "\n").drop { !$0.contains("├─ \(name)") }.prefix(6)
            for (line, part) in zip(way, [name, ".cancellables[element]", "._cancel", "Assign", ".object", name]) {
                #expect(line.contains(part), "\(found.text)")
            }
            #expect(found.text.contains("It was expected to be gone by checkpoint “closed”."))
            let remedy = "Remedy: `assign(to: &$property)`, or `sink` with [weak self], instead of `assign(to:on:)`"
            #expect(found.text.contains("\(remedy), which holds \(name)."), "\(found.text)")
        }
    }
}
