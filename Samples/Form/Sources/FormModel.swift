import Weir

/// A form with a phone number and a password, both edited by a view and by the program.
@MainActor final class FormModel {
    let phone = Observable(FormRules.initialPhone)
    let password = Observable("", privacy: .private)
    /// Shows both fields. Private, because the password is; settled, so that clearing both refreshes it once.
    let summary: Combiner<String>
    let phoneIsValid: Combiner<Bool>
    let passwordIsValid: Combiner<Bool>
    let isValid: Combiner<Bool>

    let phoneField: Channel<String>
    let passwordField: Channel<String>
    /// Resets the form; enabled while everything is valid.
    lazy var clear = Command<Void, Void>(enabledIf: isValid) { [weak self] in
        batch {
            self?.phone.value = FormRules.initialPhone
            self?.password.value = ""
        }
    }

    init() {
        summary = Observable.combine(phone, password, strategy: .settled) {
            "Phone: \($0), password: \($1)"
        }
        phoneIsValid = Observable.combine(phone, transform: FormRules.isPhone)
        passwordIsValid = Observable.combine(password, privacy: .public, transform: FormRules.isPassword)
        isValid = Observable.combine(phoneIsValid, passwordIsValid) { $0 && $1 }
        phoneField = Channel(phone)
        passwordField = Channel(password)
    }
}
