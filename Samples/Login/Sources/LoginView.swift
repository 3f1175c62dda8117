import Weir

/// A login screen without a screen: it can be typed into and tapped, and it says what it shows.
@MainActor final class LoginView {
    /// A text field.
    struct Field {
        var text = ""
        var isRed = false
    }

    private(set) var usernameField = Field()
    private(set) var passwordField = Field()
    private(set) var instructionLabel = ""
    private(set) var loginButtonIsEnabled = false
    /// How often each part of the screen was set, even to an equal value.
    private(set) var refreshes = 0

    let usernameDidChange = Emitter<String>()
    let passwordDidChange = Emitter<String>(privacy: .private)
    let loginButtonTouched = Emitter<Void>()
    private let bag = DisposeBag()
    /// Fills in user name and password in the model.
    private var fill: (String, String) -> Void = { _, _ in }

    /// Shows the model's values, and forwards the user's actions to the model.
    func bind(to model: some LoginModel) {
        show(model.username) { view, text in view.usernameField.text = text }
        show(model.password) { view, text in view.passwordField.text = text }
        show(model.instruction) { view, text in view.instructionLabel = text }
        show(model.usernameValid) { view, isValid in view.usernameField.isRed = isValid == false }
        show(model.passwordValid) { view, isValid in view.passwordField.isRed = isValid == false }
        show(model.loginEnabled) { view, isEnabled in view.loginButtonIsEnabled = isEnabled == true }

        model.usernameDidChange.subscribe(to: usernameDidChange).disposed(by: bag)
        model.passwordDidChange.subscribe(to: passwordDidChange).disposed(by: bag)
        model.loginTouched.subscribe(to: loginButtonTouched).disposed(by: bag)
        fill = { [weak model] username, password in model?.fill(username: username, password: password) }
    }

    private func show<Value>(
        _ observable: ReadOnlyObservable<Value>, line: UInt = #line, _ set: @escaping (LoginView, Value) -> Void
    ) {
        observable.subscribe(line: line) { [weak self] value in
            guard let self else { return }
            refreshes += 1
            set(self, value)
        }.disposed(by: bag)
    }

    // MARK: The user

    /// The user changes the text of the user name's field.
    func type(username: String) {
        Trace.stimulus("type user name '\(username)'") { usernameDidChange.emit(username) }
        Trace.frame()
    }

    /// The user changes the text of the password's field. Its text stays out of the stimulus's name.
    func type(password: String) {
        Trace.stimulus("type password") { passwordDidChange.emit(password) }
        Trace.frame()
    }

    /// A password manager fills in both fields. Their texts stay out of the stimulus's name.
    func autofill(username: String, password: String) {
        Trace.stimulus("autofill") { fill(username, password) }
        Trace.frame()
    }

    /// The user taps the button; nothing happens while it is disabled.
    func tapLogin() {
        Trace.stimulus("tap Login") { if loginButtonIsEnabled { loginButtonTouched.emit() } }
        Trace.frame()
    }

    /// The visible state, in one line.
    var shown: String {
        let username = "\(usernameField.text)\(usernameField.isRed ? "!" : "")"
        let password = "\(String(repeating: "•", count: passwordField.text.count))\(passwordField.isRed ? "!" : "")"
        return "[\(username)] [\(password)] (\(loginButtonIsEnabled ? "Login" : "login")) \(instructionLabel)"
    }
}
