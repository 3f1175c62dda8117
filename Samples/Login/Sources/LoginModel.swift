import Weir

/// The model interface of the login screen. The published and the cured model both conform to it.
@MainActor protocol LoginModel: AnyObject {
    // The model drives the view.
    var username: Observable<String> { get }
    var password: Observable<String> { get }
    var instruction: Observable<String> { get }
    /// `nil`: not yet judged.
    var usernameValid: Combiner<Bool?> { get }
    var passwordValid: Combiner<Bool?> { get }
    var loginEnabled: Combiner<Bool?> { get }

    // The user drives the model.
    var usernameDidChange: Observer<String> { get }
    var passwordDidChange: Observer<String> { get }
    var loginTouched: Observer<Void> { get }
    /// A password manager fills in both.
    func fill(username: String, password: String)
}

/// The rules of the form: six to twenty-four characters each.
enum LoginRules {
    static func complaint(about text: String, called name: String) -> String? {
        if text.isEmpty { return "*\(name) must not be empty" }
        if text.count < 6 { return "*\(name) must have at least 6 characters" }
        if text.count > 24 { return "*\(name) must have at most 24 characters" }
        return nil
    }

    static let success = "Login succeeded (*^▽^*)"
}
