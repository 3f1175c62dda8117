import Weir

/// The login model as its author published it, faults included.
///
/// It has three deliberate faults. The two validities depend on each other (a feedback loop). Their transforms write
/// `instruction` as a side effect, through a strongly captured model (a hidden edge and two retain cycles). `loginTouched`
/// lacks the weak capture that its neighbours have (a third). `fill`, which is ours, writes in two turns.
@MainActor final class PublishedLoginModel: LoginModel {
    let username = Observable("")
    let password = Observable("", privacy: .private)
    let instruction = Observable("")
    let usernameValid = Combiner<Bool?>(nil, privacy: .public)
    let passwordValid = Combiner<Bool?>(nil, privacy: .public)
    let loginEnabled = Combiner<Bool?>(nil)

    lazy var usernameDidChange = Observer<String> { [weak self] in self?.username.value = $0 }
    lazy var passwordDidChange = Observer<String> { [weak self] in self?.password.value = $0 }
    lazy var loginTouched = Observer<Void> { self.instruction.value = LoginRules.success }

    init() {
        usernameValid.combine(username, passwordValid) { username, passwordValid in
            if let complaint = LoginRules.complaint(about: username, called: "User name") {
                self.instruction.value = complaint
                return false
            }
            if passwordValid == true { self.instruction.value = "" }
            return true
        }
        passwordValid.combine(usernameValid, password) { usernameValid, password in
            let complaint = LoginRules.complaint(about: password, called: "Password")
            if usernameValid == true { self.instruction.value = complaint ?? "" }
            return complaint == nil
        }
        loginEnabled.combine(usernameValid, passwordValid) { $0 == true && $1 == true }
    }

    func fill(username: String, password: String) {
        self.username.value = username
        self.password.value = password
    }
}
