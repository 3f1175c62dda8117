import Weir

/// Two fields and a button.
enum FormScreen {
    private final class FormModel {
        let name = Observable("")
        let email = Observable("")
        let isValid: Combiner<Bool>
        let hint: Combiner<String>
        private let bag = DisposeBag()

        init() {
            isValid = Observable.combine(name, email) { $0.count > 2 && $1.contains("@") }
            hint = Observable.combine(name) { "\($0.count) of 20 letters" }
            email.subscribe { [weak email] in email?.value = $0.lowercased() }.disposed(by: bag)
        }
    }

    private final class CuredFormModel {
        let name = Observable("")
        let typedEmail = Observable("")
        let email: Combiner<String>
        let isValid: Combiner<Bool>

        init() {
            email = Observable.combine(typedEmail) { $0.lowercased() }
            isValid = Observable.combine(name, email) { $0.count > 2 && $1.contains("@") }
        }
    }

    static var all: [Program] {
        [
            Program(
                "A form that corrects its own field, and keeps a hint that nobody shows",
                finds: [
                    .init(.feedback, "FormModel.email", count: 1),
                    .init(.noopEvaluation, "FormModel.isValid", count: 2),
                    .init(.unobserved, "FormModel.hint", count: 1),
                ], redundant: 0, of: 3
            ) { scene in
                let model = scene.adopt(FormModel())
                model.isValid.subscribe { _ in }
                scene.act("type the name") { model.name.value = "Momoko" }
                scene.act("type the address") { model.email.value = "M@Example.org" }
            },
            Program(
                "The same form, which computes what it makes of the field",
                finds: [.init(.noopEvaluation, "CuredFormModel.isValid", count: 1)], redundant: 0, of: 1
            ) { scene in
                let model = scene.adopt(CuredFormModel())
                model.isValid.subscribe { _ in }
                scene.act("type the name") { model.name.value = "Momoko" }
                scene.act("type the address") { model.typedEmail.value = "M@Example.org" }
            },
        ]
    }
}
