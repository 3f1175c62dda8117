import Weir

/// Uses the form in one fixed way.
@MainActor public enum FormDemo {
    /// Makes the form, uses it, and releases it. `show` receives what the screen shows at first and after each action.
    public static func use(show: (String) -> Void = { _ in }) {
        do {
            let model = FormModel()
            let view = FormView()
            _ = model.clear
            Trace.adopt(model)
            view.adopt()
            view.bind(to: model)
            show(view.shown)
            let actions: [() -> Void] = [
                { view.type(phone: "1861234567") },
                { view.type(phone: "18612345678") },
                { view.type(password: "passw0r") },
                { view.tapClear() },
                { view.type(password: "passw0rd") },
                {
                    Trace.stimulus("pick a contact") { model.phone.value = "13810001000" }
                    Trace.frame()
                },
                { view.tapClear() },
            ]
            for action in actions {
                action()
                show(view.shown)
            }
        }
        Trace.checkpoint("form closed")
    }
}
