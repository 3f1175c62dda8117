import Weir

/// The form with Weir's own observables.
final class WeirForm: SignInForm {
    let username = Observable("")
    let password = Observable("", privacy: .private)
    let button: Signal<String>
    private var signIn: () -> Void = {}
    private let bag = DisposeBag()

    init(show: @escaping (String) -> Void) {
        button = username.current.combineLatest(password.current) {
            SignInWords.button(username: $0, password: $1)
        }.disclosed()
        button.subscribe { show($0) }.disposed(by: bag)
        username.subscribe { [weak self] in self?.username.value = $0.lowercased() }.disposed(by: bag)
        signIn = { show(SignInWords.welcome(self.username.value)) }
    }

    func enter(username: String) { self.username.value = username }
    func enter(password: String) { self.password.value = password }
    func tapSignIn() { signIn() }
    func close() { bag.dispose() }
}
