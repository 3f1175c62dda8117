/// How the form is written.
public enum SignInWay: String, CaseIterable, Sendable {
    case weir
    case traced
    case observable
    case async

    /// Uses the form written in this style; `show` receives what it shows.
    @MainActor
    public func use(show: @escaping (String) -> Void = { _ in }) async {
        switch self {
        case .weir: await WeirForm.use(show: show)
        case .traced: await TracedForm.use(show: show)
        case .async: await AsyncForm.use(show: show)
        case .observable:
            if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) { await ObservableForm.use(show: show) }
        }
    }
}
