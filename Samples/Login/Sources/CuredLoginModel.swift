import Weir

/// The login model cured: each validity depends on its own field, the instruction on both, and nothing captures the model.
@MainActor final class CuredLoginModel: LoginModel {
    let username = Observable("")
    let password = Observable("", privacy: .private)
    let instruction: Observable<String>
    let usernameValid: Combiner<Bool?>
    let passwordValid: Combiner<Bool?>
    let loginEnabled: Combiner<Bool?>

    lazy var usernameDidChange = Observer<String> { [weak self] in self?.username.value = $0 }
    lazy var passwordDidChange = Observer<String> { [weak self] in self?.password.value = $0 }
    lazy var loginTouched = Observer<Void> { [weak self] in self?.instruction.value = LoginRules.success }

    init() {
        usernameValid = Observable.combine(username, initial: nil) {
            LoginRules.complaint(about: $0, called: "User name") == nil
        }
        passwordValid = Observable.combine(password, initial: nil, privacy: .public) {
            LoginRules.complaint(about: $0, called: "Password") == nil
        }
        loginEnabled = Observable.combine(usernameValid, passwordValid, initial: nil) { $0 == true && $1 == true }
        let instruction = WritableCombiner("", privacy: .public)
        instruction.combine(username, password) {
            LoginRules.complaint(about: $0, called: "User name")
                ?? LoginRules.complaint(about: $1, called: "Password") ?? ""
        }
        self.instruction = instruction
    }

    func fill(username: String, password: String) {
        batch {
            self.username.value = username
            self.password.value = password
        }
    }
}
