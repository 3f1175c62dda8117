import Testing
import Weir
import WeirTrace

@testable import WeirForm

extension Everything {
    @MainActor @Suite struct FormTests {
        private let model = FormModel()
        private let view = FormView()

        init() { view.bind(to: model) }

        @Test func `The fields show the initial values, and that they are not valid yet`() {
            #expect(view.shown == "[186!] [!] (clear) Phone: 186, password: ")
        }

        @Test func `Typing through a channel validates`() {
            model.phoneField.view.send("18612345678")
            #expect(model.phone.value == "18612345678")
            #expect(model.phoneIsValid.value)
            view.type(phone: "1861234567")
            #expect(!model.phoneIsValid.value)
        }

        @Test func `Setting the model shows in the field`() {
            model.phone.value = "13810001000"
            model.password.value = "passw0rd"
            #expect(view.phoneField.text == "13810001000")
            #expect(view.passwordField.text == "passw0rd")
            #expect(view.label == "Phone: 13810001000, password: passw0rd")
        }

        @Test(arguments: [("", false), ("1234", false), ("1234567", false), ("12345678", true), ("passw0rd!", true)])
        func `A password has at least eight characters`(password: String, isValid: Bool) {
            view.type(password: password)
            #expect(model.passwordIsValid.value == isValid)
        }

        @Test(
            arguments: [
                ("13012345678", true), ("13912345678", true), ("15312345678", true), ("15412345678", false),
                ("15512345678", true), ("18212345678", true), ("18312345678", false), ("18412345678", false),
                ("18512345678", true), ("14012345678", false), ("23012345678", false), ("1301234567", false),
                ("130123456789", false), ("1301234567x", false), ("1301234567８", false),
            ])
        func `A phone number has one of the known beginnings and eleven digits`(phone: String, isValid: Bool) {
            #expect(FormRules.isPhone(phone) == isValid)
        }

        @Test func `A field is colored only when its validity changes`() {
            #expect(view.phoneField.colorings == 1)
            for phone in ["1", "18", "18612345678", "18612345679", "18612345679", "1"] { view.type(phone: phone) }
            #expect(view.phoneField.colorings == 3)
            #expect(view.phoneField.color == .red)
        }

        @Test func `The command clears both fields, once both are valid, and refreshes the label once`() {
            view.type(phone: "18612345678")
            view.tapClear()
            #expect(view.phoneField.text == "18612345678")
            var refusals = 0
            model.clear.execute().subscribeEvents { if case .failed(CommandError.disabled) = $0 { refusals += 1 } }
            #expect(refusals == 1)
            view.type(password: "passw0rd")
            #expect(view.clearButtonIsEnabled)
            let labelings = view.labelings
            view.tapClear()
            #expect(model.phone.value == "186")
            #expect(model.password.value == "")
            #expect(view.shown == "[186!] [!] (clear) Phone: 186, password: ")
            #expect(view.labelings == labelings + 1)
        }

        @Test func `The demo shows this`() {
            var lines: [String] = []
            FormDemo.use { lines.append($0) }
            #expect(
                lines == [
                    "[186!] [!] (clear) Phone: 186, password: ",
                    "[1861234567!] [!] (clear) Phone: 1861234567, password: ",
                    "[18612345678] [!] (clear) Phone: 18612345678, password: ",
                    "[18612345678] [•••••••!] (clear) Phone: 18612345678, password: passw0r",
                    "[18612345678] [•••••••!] (clear) Phone: 18612345678, password: passw0r",
                    "[18612345678] [••••••••] (Clear) Phone: 18612345678, password: passw0rd",
                    "[13810001000] [••••••••] (Clear) Phone: 13810001000, password: passw0rd",
                    "[186!] [!] (clear) Phone: 186, password: ",
                ])
        }

        @Test func `Model and view leak nothing`() {
            weak var model: FormModel?
            weak var view: FormView?
            do {
                let (madeModel, madeView) = (FormModel(), FormView())
                madeView.bind(to: madeModel)
                madeView.type(phone: "18612345678")
                (model, view) = (madeModel, madeView)
            }
            #expect(model == nil)
            #expect(view == nil)
        }
    }

    @MainActor @Suite struct FormTraceTests {
        /// The events of the adopted nodes after a stimulus.
        private func facts(after stimulus: String, in recording: Recording) -> [String] {
            let story = recording.story
            guard let begin = story.lastIndex(of: "stimulus \(stimulus)") else { return [] }
            return story[begin...].prefix { $0 != "stimulusEnded" }.map { String($0.drop { $0 == " " }) }
                .filter { $0.hasPrefix("Form") && !$0.hasSuffix("nodeReleased") }
        }

        @Test func `A trace tells how typing reaches model, label and button, and the model the field`() throws {
            let recording = try record { FormDemo.use() }
            #expect(
                facts(after: "type password", in: recording) == [
                    "FormView.passwordField.edited = ‹private›", "FormModel.passwordField.model = ‹private›",
                    "FormModel.password = ‹private›", "FormModel.summary suppressed: waiting",
                    "FormModel.passwordIsValid = true", "FormModel.isValid = true",
                    "FormModel.clear.isEnabled = true", "FormModel.passwordField.view suppressed: echoed",
                    "FormModel.summary = ‹private›",
                ])
            #expect(
                facts(after: "pick a contact", in: recording) == [
                    "FormModel.phone = \"13810001000\"", "FormModel.summary suppressed: waiting",
                    "FormModel.phoneIsValid suppressed: equal", "FormModel.phoneField.view = \"13810001000\"",
                    "FormModel.summary = ‹private›",
                ])
        }

        @Test func `A trace tells that clearing is one turn, in which the button goes out once`() throws {
            let facts = try facts(after: "tap Clear", in: record { FormDemo.use() })
            #expect(
                facts.filter { $0.contains("isEnabled") } == [
                    "FormModel.clear.isEnabled = false", "FormModel.clear.isEnabled suppressed: equal",
                    "FormModel.clear.isEnabled suppressed: equal",
                ])
            #expect(facts.filter { $0.hasPrefix("FormModel.summary =") } == ["FormModel.summary = ‹private›"])
            #expect(
                facts.filter { $0.hasPrefix("FormModel.clear") && !$0.contains("isEnabled") } == [
                    "FormModel.clear = ()", "FormModel.clear.isExecuting = true",
                    "FormModel.clear.executions = ‹not recordable›", "FormModel.clear.execution = ()",
                    "FormModel.clear.values = ()", "FormModel.clear.isExecuting = false",
                    "FormModel.clear.execution completed",
                ])
        }

        @Test func `The password is in no trace, whatever the policy`() throws {
            let recording = try record(values: .described()) { FormDemo.use() }
            #expect(recording.events.allSatisfy { !"\($0.value) \($0.text)".contains("passw0r") })
            #expect(recording.emissions(of: "FormModel.password").allSatisfy { $0 == .withheld })
            #expect(recording.emissions(of: "FormModel.password").count == 3)
            #expect(recording.emissions(of: "FormModel.phone").contains(.string("13810001000")))
        }
    }
}
