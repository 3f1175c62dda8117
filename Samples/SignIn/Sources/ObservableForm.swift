import Observation
import Weir

/// The form as an `@Observable` class, and its view as a body that reads it.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@Observable
final class ObservableForm: SignInForm {
    var username = "" {
        didSet { if username != username.lowercased() { wrapped.username = username.lowercased() } }
    }
    var password = ""
    var button: String { SignInWords.button(username: username, password: password) }
    @ObservationIgnored private var signIn: () -> Void = {}
    @ObservationIgnored private var rendering: Disposable?

    init(show: @escaping (String) -> Void) {
        signIn = { show(SignInWords.welcome(self.username)) }
        rendering = Trace.render("SignInForm.button", on: .immediate, privacy: .public) { [weak self] in
            let title = self?.button ?? ""
            show(title)
            return title
        }
    }

    private var wrapped: TracedModel<ObservableForm> { Trace.wrap(self, private: \.password) }

    func enter(username: String) { wrapped.username = username }
    func enter(password: String) { wrapped.password = password }
    func tapSignIn() { signIn() }
    func close() { rendering?.dispose() }
}
