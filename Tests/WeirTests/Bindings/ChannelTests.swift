import Dispatch
import Testing
import Weir
import WeirTrace

/// A text field without a screen.
private final class TextField {
    var text = "" { didSet { shownCount += 1 } }
    private(set) var shownCount = 0
    let edited = Emitter<String>()

    /// The user changes the text, which does not count as setting the property.
    func type(_ text: String) {
        self.text = text
        shownCount -= 1
        edited.emit(text)
    }
}

private final class Form {
    let phone = Observable("186")
    lazy var phoneField = Channel(phone)
}

extension Everything {
    @MainActor @Suite struct ChannelTests {
        @Test func `A field shows the initial value and what the model says; what is typed goes to the model`() {
            let form = Form()
            let field = TextField()
            form.phoneField.bind(to: field, \.text, changes: field.edited)
            #expect(field.text == "186")
            field.type("18612345678")
            #expect(form.phone.value == "18612345678")
            #expect(field.shownCount == 1)
            form.phone.value = "13810001000"
            #expect(field.text == "13810001000")
            form.phone.value = "186"
            #expect(field.text == "186")
            #expect(field.shownCount == 3)
        }

        @Test func `A new subscriber of the view's side hears what the view shows, of the model's side nothing`() {
            let channel = Channel("a")
            var model: [String] = []
            var view: [String] = []
            channel.model.subscribe { model.append($0) }
            channel.view.subscribe { view.append($0) }
            channel.view.send("b")
            channel.model.send("c")
            #expect(model == ["b"])
            #expect(view == ["a", "c"])
            var late: [String] = []
            channel.view.subscribe { late.append($0) }
            #expect(late == ["c"])
        }

        @Test func `What the view sends does not come back, nor what it shows already`() {
            let observable = Observable(1)
            let channel = Channel(observable)
            var view: [Int] = []
            channel.view.subscribe { view.append($0) }
            channel.view.send(2)
            observable.value = 2
            channel.model.send(2)
            batch { channel.view.send(3) }
            #expect(observable.value == 3)
            #expect(view == [1])
        }

        @Test(arguments: [true, false])
        func `A model that corrects what was typed corrects the field`(correctsBeforeChannel: Bool) {
            let name = Observable("")
            func correct() {
                name.subscribe { if $0.hasSuffix(" ") { name.value = String($0.dropLast()) } }
            }
            if correctsBeforeChannel { correct() }
            let channel = Channel(name)
            if !correctsBeforeChannel { correct() }
            let field = TextField()
            channel.bind(to: field, \.text, changes: field.edited)
            field.type("Maruko ")
            #expect(name.value == "Maruko")
            #expect(field.text == "Maruko")
        }

        @Test func `A model that takes back what was typed takes it back from the field`() {
            let digits = Observable("1")
            let channel = Channel(digits)
            let field = TextField()
            channel.bind(to: field, \.text, changes: field.edited)
            channel.model.subscribe { if Int($0) == nil { digits.value = "1" } }
            field.type("1x")
            #expect(digits.value == "1")
            #expect(field.text == "1")
        }

        @Test func `Two views of one observable, each with a channel, show the same`() {
            let form = Form()
            let (one, two) = (TextField(), TextField())
            Channel(form, \.phone).bind(to: one, \.text, changes: one.edited)
            let channel = Channel(form, \.phone)
            let subscription = channel.bind(to: two, \.text, changes: two.edited)
            one.type("1")
            #expect(two.text == "186" || two.text == "1")
            two.type("2")
            #expect(form.phone.value == "2")
            subscription.dispose()
            two.type("3")
            #expect(form.phone.value == "2")
            form.phone.value = "4"
            #expect(two.text == "3")
        }

        // MARK: Ownership

        @Test func `Form and field leak nothing, whichever goes first`() {
            weak var form: Form?
            weak var field: TextField?
            do {
                let madeField = TextField()
                field = madeField
                do {
                    let madeForm = Form()
                    form = madeForm
                    madeForm.phoneField.bind(to: madeField, \.text, changes: madeField.edited)
                }
                #expect(form == nil)
                madeField.type("1")
            }
            #expect(field == nil)
            let kept = Form()
            do {
                let madeField = TextField()
                field = madeField
                kept.phoneField.bind(to: madeField, \.text, changes: madeField.edited)
            }
            #expect(field == nil)
            kept.phone.value = "2"
        }

        @Test func `A released channel leaves nothing at the observable`() {
            let observable = Observable(0)
            weak var view: ChannelTerminal<Int>?
            do {
                let channel = Channel(observable)
                channel.view.subscribe { _ in }
                view = channel.view
            }
            #expect(view == nil)
            observable.value = 1
            observable.checkInvariants()
        }

        // MARK: Threads

        @Test nonisolated func `When both sides write at once, the view ends up with what the observable holds`() {
            for _ in 0..<200 {
                let observable = Observable(0)
                let channel = Channel(observable)
                nonisolated(unsafe) var isHeard = false
                channel.view.subscribe { _ in isHeard = true }
                DispatchQueue.concurrentPerform(iterations: 2) { side in
                    for number in 1...100 {
                        if side == 0 { channel.view.send(number) } else { observable.value = -number }
                    }
                }
                let shown = Locked<Int?>(nil)
                channel.view.subscribe { value in shown.change { $0 = value } }
                #expect(isHeard)
                #expect(shown.value == observable.value)
            }
        }

        // MARK: Traces

        @Test func `A trace tells both ways, and that nothing comes back`() throws {
            let recording = try record {
                let form = Form()
                _ = form.phoneField
                Trace.adopt(form)
                form.phoneField.view.subscribe { _ in }
                form.phoneField.view.send("1")
                form.phone.value = "2"
            }
            let omitted = ["node", "object", "start of", "end of"]
            let reported = recording.story.filter { line in omitted.allSatisfy { !line.contains($0) } }
            #expect(
                reported == [
                    "Form.phoneField.view = \"186\" (replayed)", "  to closure", "  done",
                    "Form.phoneField.model = \"1\"", "  to Form.phone", "  Form.phone = \"1\"",
                    "    to Form.phoneField.view", "    Form.phoneField.view suppressed: echoed", "    done",
                    "  done",
                    "Form.phone = \"2\"", "  to Form.phoneField.view", "  Form.phoneField.view = \"2\"",
                    "    to closure", "    done", "  done",
                ])
            #expect(Set(recording.definitions.nodes.values.map(\.kind)).isSuperset(of: [.channel]))
        }

        @Test func `A channel of a private observable is private`() throws {
            let recording = try record(values: .described()) {
                let channel = Channel("", privacy: .private)
                channel.view.subscribe { _ in }
                channel.view.send("secret")
                channel.model.send("secret2")
            }
            #expect(recording.events.allSatisfy { !"\($0.value)".contains("secret") })
            #expect(recording.events.contains { $0.value == .withheld })
        }
    }
}
