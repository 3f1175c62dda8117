import Weir

/// The form's screen without a screen: it can be typed into and tapped, and it says what it shows.
@MainActor final class FormView {
    let phoneField = TextField()
    let passwordField = TextField(privacy: .private)
    private(set) var label = "" { didSet { labelings += 1 } }
    private(set) var clearButtonIsEnabled = true
    /// How often the label was set.
    private(set) var labelings = 0
    let clearButtonTouched = Emitter<Void>()
    private let bag = DisposeBag()

    init() {}

    /// Shows the model's values, and forwards the user's actions to the model.
    func bind(to model: FormModel) {
        model.phoneField.bind(to: phoneField, \.text, changes: phoneField.edited).disposed(by: bag)
        model.passwordField.bind(to: passwordField, \.text, changes: passwordField.edited).disposed(by: bag)
        color(phoneField, red: model.phoneIsValid)
        color(passwordField, red: model.passwordIsValid)
        model.summary.bind(to: self, \.label).disposed(by: bag)
        model.clear.isEnabled.bind(to: self, \.clearButtonIsEnabled).disposed(by: bag)
        clearButtonTouched.subscribe { [clear = model.clear] in clear.execute() }.disposed(by: bag)
    }

    /// A validity changes only to its opposite, so each call changes the color.
    private func color(_ field: TextField, red isValid: ReadOnlyObservable<Bool>, line: UInt = #line) {
        isValid.current.map(line: line) { $0 ? .black : .red }.bind(to: field, \.color, line: line).disposed(by: bag)
    }

    /// Names the screen's parts in a trace.
    func adopt() {
        Trace.adopt(self)
        Trace.adopt(phoneField, as: "FormView.phoneField")
        Trace.adopt(passwordField, as: "FormView.passwordField")
    }

    // MARK: The user

    func type(phone: String) {
        Trace.stimulus("type phone '\(phone)'") { phoneField.type(phone) }
        Trace.frame()
    }

    /// The text stays out of the stimulus's name.
    func type(password: String) {
        Trace.stimulus("type password") { passwordField.type(password) }
        Trace.frame()
    }

    /// The user taps the button; nothing happens while it is disabled.
    func tapClear() {
        Trace.stimulus("tap Clear") { if clearButtonIsEnabled { clearButtonTouched.emit() } }
        Trace.frame()
    }

    /// The visible state, in one line.
    var shown: String {
        func mark(_ field: TextField) -> String { field.color == .red ? "!" : "" }
        let password = String(repeating: "•", count: passwordField.text.count)
        return "[\(phoneField.text)\(mark(phoneField))] [\(password)\(mark(passwordField))] "
            + "(\(clearButtonIsEnabled ? "Clear" : "clear")) \(label)"
    }
}
