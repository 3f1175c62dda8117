import Weir

/// The sign-in form, however it is written.
///
/// Each version has the same three deliberate faults: the view is refreshed with what it already shows; the subscriber of
/// the user name writes the user name; and the closure that logs in captures its form strongly.
@MainActor
public protocol SignInForm: AnyObject {
    /// A form that calls `show` with the button's text, then with a welcome.
    init(show: @escaping (String) -> Void)

    /// The user types a user name.
    func enter(username: String)
    /// The user types a password.
    func enter(password: String)
    /// The user taps the button.
    func tapSignIn()
    /// Waits until all input has been delivered.
    func settle() async
    /// Closes the screen: all subscriptions end.
    func close()
}

extension SignInForm {
    /// Does nothing: there is nothing to wait for.
    public func settle() async {}

    /// Makes the form, uses it in one fixed way, and releases it. Traces name it 'SignInForm'.
    public static func use(show: @escaping (String) -> Void = { _ in }) async {
        await Self(show: show).use()
        Trace.checkpoint("screen closed")
    }

    private func use() async {
        Trace.adopt(self, as: "SignInForm")
        Trace.frame()
        let actions: [(name: String, action: @MainActor () -> Void)] = [
            ("type username", { self.enter(username: "Maruko") }),
            ("type password", { self.enter(password: "secre") }),
            ("type password", { self.enter(password: "secret") }),
            ("tap Sign in", { self.tapSignIn() }),
        ]
        for (name, action) in actions {
            Trace.stimulus(name) { action() }
            await settle()
            Trace.frame()
        }
        close()
        await settle()
        Trace.expectReleased(self)
    }
}

/// The texts that the form shows.
enum SignInWords {
    static func button(username: String, password: String) -> String {
        username.count >= 6 && password.count >= 6 ? "Sign in" : "Fill in both"
    }

    static func welcome(_ username: String) -> String { "Welcome, \(username)" }
}
