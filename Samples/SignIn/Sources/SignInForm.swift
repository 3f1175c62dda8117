import Weir

/// One sign-in form, whichever way it is written.
///
/// Each way has the same three faults, which are here to be found: the view is told to show what it shows already; what
/// listens to the user name writes the user name; and the closure that logs in captures its form strongly.
@MainActor
public protocol SignInForm: AnyObject {
    /// A form that is shown by `show`: what stands on its button, then who is welcome.
    init(show: @escaping (String) -> Void)

    /// Somebody types a user name.
    func enter(username: String)
    /// Somebody types a password.
    func enter(password: String)
    /// Somebody taps the button.
    func tapSignIn()
    /// Waits until what was entered has been heard.
    func settle() async
    /// The screen is closed: nobody listens any more.
    func close()
}

extension SignInForm {
    /// Nothing has to be waited for.
    public func settle() async {}

    /// Makes the form, uses it in one fixed way, and lets go of it. Traces name it 'SignInForm'.
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

/// What the form says.
enum SignInWords {
    static func button(username: String, password: String) -> String {
        username.count >= 6 && password.count >= 6 ? "Sign in" : "Fill in both"
    }

    static func welcome(_ username: String) -> String { "Welcome, \(username)" }
}
