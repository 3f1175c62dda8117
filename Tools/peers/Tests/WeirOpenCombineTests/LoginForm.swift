import OpenCombine
import Weir
import WeirOpenCombine

/// A login form as people write them, with typical faults.
final class LoginForm: ObservableObject {
    @Published var name = ""
    @Published var password = ""
    @Published private(set) var isEnabled = false
    @Published private(set) var hint = ""
    var cancellables: Set<AnyCancellable> = []

    /// - Parameter holdsItself: binds `isEnabled` with `assign(to:on:)`, which holds the form, which holds the binding.
    init(scheduler: ManualScheduler, holdsItself: Bool = false) {
        let isNameValid = $name.debounce(for: 300, scheduler: scheduler).map { $0.count >= 6 }
        let isPasswordValid = $password.map { $0.count >= 6 }
        let isEnabled = isNameValid.combineLatest(isPasswordValid).map { $0 && $1 }
        if holdsItself {
            isEnabled.assign(to: \.isEnabled, on: self).store(in: &cancellables)
        } else {
            isEnabled.sink { [weak self] in self?.isEnabled = $0 }.store(in: &cancellables)
        }
        // The name is trimmed where it is typed, so a name with a blank is written twice.
        $name.sink { [weak self] name in
            self?.hint = name.isEmpty ? "your name" : ""
            if name.hasSuffix(" ") { self?.name = String(name.dropLast()) }
        }.store(in: &cancellables)
    }
}

/// The same form with `.traced`.
final class TracedLoginForm: ObservableObject {
    @Published var name = ""
    @Published var password = ""
    @Published private(set) var isEnabled = false
    @Published private(set) var hint = ""
    var cancellables: Set<AnyCancellable> = []

    init(scheduler: ManualScheduler, holdsItself: Bool = false) {
        let isNameValid = $name.traced("name")
            .debounce(for: 300, scheduler: scheduler.traced).map { $0.count >= 6 }.traced("isNameValid")
        let isPasswordValid = $password.traced("password", privacy: .private)
            .map { $0.count >= 6 }.traced("isPasswordValid")
        let isEnabled = isNameValid.combineLatest(isPasswordValid).map { $0 && $1 }.traced("isEnabled")
        if holdsItself {
            isEnabled.assign(to: \.isEnabled, on: self).store(in: &cancellables)
        } else {
            isEnabled.sink { [weak self] in self?.isEnabled = $0 }.store(in: &cancellables)
        }
        $name.traced("typed name").sink { [weak self] name in
            self?.hint = name.isEmpty ? "your name" : ""
            if name.hasSuffix(" ") { self?.name = String(name.dropLast()) }
        }.store(in: &cancellables)
    }
}

/// The common part of both forms.
protocol Form: ObservableObject {
    var name: String { get set }
    var password: String { get set }
    var isEnabled: Bool { get }
    var cancellables: Set<AnyCancellable> { get set }
    init(scheduler: ManualScheduler, holdsItself: Bool)
}

extension LoginForm: Form {}
extension TracedLoginForm: Form {}
