import OpenCombine
import Testing
import Weir
import WeirOpenCombine
import WeirTrace

/// The code of the section 'Combine' of the page 'Wrap your view models in ten minutes', verbatim.
private final class SignInModel: ObservableObject {
    @Published var name = ""
    @Published var password = ""
    @Published private(set) var isEnabled = false
    private var cancellables: Set<AnyCancellable> = []

    init() {
        Trace.observePublished(of: self, hiding: ["password"]).store(in: &cancellables)
        let isNameValid = $name.traced("typed name").map { $0.count >= 6 }.traced("isNameValid")
        isNameValid.combineLatest($password.traced("typed password", privacy: .private))
            .map { isNameValid, password in isNameValid && password.count >= 6 }.traced("canSignIn")
            .sink { [weak self] in self?.isEnabled = $0 }
            .store(in: &cancellables)
    }
}

extension Everything {
    @Suite struct WrappingPageTests {
        @Test func `The page's model, from the key that was typed to the button`() throws {
            weak var gone: SignInModel?
            let recorded = try RecordedFile {
                let model = SignInModel()
                gone = model
                Trace.stimulus("type the password") { model.password = "secret" }
                Trace.stimulus("type the name") { model.name = "Maruko" }
                #expect(model.isEnabled)
            }
            #expect(gone == nil)
            let why = try recorded.weir("why", "SignInModel.isEnabled")
            for step in ["“type the name”", "typed name", "isNameValid", "canSignIn", "SignInModel.isEnabled = true"] {
                #expect(why.text.contains(step), "\(why.text)")
            }
            #expect(try recorded.read().emissions(of: "SignInModel.password") == [.withheld])
        }
    }
}
