import Weir

/// The form as a plain class, whose properties are `@Traced`.
final class TracedForm: SignInForm {
    @Traced var username = ""
    @Traced(privacy: .private) var password = ""
    private var signIn: () -> Void = {}
    private let show: (String) -> Void
    private let bag = DisposeBag()

    init(show: @escaping (String) -> Void) {
        self.show = show
        for field in [$username, $password] {
            field.subscribe { [weak self] _ in self?.refresh() }.disposed(by: bag)
        }
        $username.subscribe { [weak self] in self?.username = $0.lowercased() }.disposed(by: bag)
        signIn = { show(SignInWords.welcome(self.username)) }
        refresh()
    }

    private func refresh() {
        let title = SignInWords.button(username: username, password: password)
        withTracing("SignInForm.button", title) { show(title) }
    }

    func enter(username: String) { self.username = username }
    func enter(password: String) { self.password = password }
    func tapSignIn() { signIn() }
    func close() { bag.dispose() }
}
