import Weir

/// The form with async sequences: input arrives as streams, which tasks consume.
final class AsyncForm: SignInForm {
    private let usernames = AsyncStream<String>.makeTracedStream("SignInForm.username")
    private let passwords = AsyncStream<String>.makeTracedStream("SignInForm.password", privacy: .private)
    private var username = ""
    private var password = ""
    private var signIn: () -> Void = {}
    private let show: (String) -> Void
    /// The number of inputs that no task has consumed yet.
    private var waiting = 0

    init(show: @escaping (String) -> Void) {
        self.show = show
        signIn = { show(SignInWords.welcome(self.username)) }
        Task { [weak self, usernames] in await usernames.stream.forEach { self?.hear(username: $0) } }
        Task { [weak self, passwords] in await passwords.stream.forEach { self?.hear(password: $0) } }
        refresh()
    }

    private func hear(username: String) {
        self.username = username
        refresh()
        if username != username.lowercased() { enter(username: username.lowercased()) }
        waiting -= 1
    }

    private func hear(password: String) {
        self.password = password
        refresh()
        waiting -= 1
    }

    private func refresh() {
        let title = SignInWords.button(username: username, password: password)
        withTracing("SignInForm.button", title) { show(title) }
    }

    func enter(username: String) {
        waiting += 1
        usernames.continuation.yield(username)
    }

    func enter(password: String) {
        waiting += 1
        passwords.continuation.yield(password)
    }

    func settle() async {
        while waiting > 0 { await Task.yield() }
    }

    func tapSignIn() { signIn() }

    func close() {
        usernames.continuation.finish()
        passwords.continuation.finish()
    }
}
