import OpenCombine
import Weir
import WeirOpenCombine

/// The sign-in form as an `ObservableObject`: the fifth version of the sample.
final class CombineForm: ObservableObject, SignInForm {
    @Published var username = ""
    @Published var password = ""
    private var signIn: () -> Void = {}
    private var cancellables: Set<AnyCancellable> = []

    init(show: @escaping (String) -> Void) {
        let username = $username.traced("SignInForm.username")
        let password = $password.traced("SignInForm.password", privacy: .private)
        username.combineLatest(password)
            .map { SignInWords.button(username: $0, password: $1) }.traced("SignInForm.button")
            .sink { show($0) }.store(in: &cancellables)
        username.sink { [weak self] name in
            if name != name.lowercased() { self?.username = name.lowercased() }
        }.store(in: &cancellables)
        signIn = { show(SignInWords.welcome(self.username)) }
    }

    func enter(username: String) { self.username = username }
    func enter(password: String) { self.password = password }
    func tapSignIn() { signIn() }
    func close() { cancellables = [] }
}
