import Weir

/// Uses a login screen in one fixed way.
@MainActor public enum LoginDemo {
    /// The model that the screen uses.
    public enum Version: String, CaseIterable, Sendable {
        case published
        case cured
    }

    /// Makes the screen, uses it, and releases it. `show` receives what the screen shows after each action.
    ///
    /// Both models are adopted under the name of the article's class, so that two traces can be compared.
    public static func use(_ version: Version, show: (String) -> Void = { _ in }) {
        switch version {
        case .published: use(PublishedLoginModel(), show: show)
        case .cured: use(CuredLoginModel(), show: show)
        }
        Trace.checkpoint("screen closed")
    }

    private static func use(_ model: some LoginModel, show: (String) -> Void) {
        let view = LoginView()
        view.bind(to: model)
        Trace.adopt(model, as: "LoginViewModel")
        Trace.adopt(view)
        let actions: [(LoginView) -> Void] = [
            { $0.type(username: "Mar") },
            { $0.type(username: "Maruko") },
            { $0.type(password: "secret") },
            { $0.tapLogin() },
            { $0.type(password: "") },
            { $0.type(username: "") },
            { $0.autofill(username: "Maruko", password: "secret") },
        ]
        for action in actions {
            action(view)
            show(view.shown)
        }
    }

    /// Records the use of one version to a new trace at `path`.
    ///
    /// - Throws: what `Trace.start` throws.
    public static func record(_ version: Version, to path: String, clock: VirtualClock? = nil) throws {
        try Trace.start(writingTo: path, clock: clock)
        defer { Trace.stop() }
        use(version)
    }

    /// Records the published model, as `record` does.
    public static func recordPublished(to path: String) throws { try record(.published, to: path) }

    /// Records the cured model, as `record` does.
    public static func recordCured(to path: String) throws { try record(.cured, to: path) }
}
