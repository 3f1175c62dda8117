import Weir

/// Looks users up in one fixed way.
@MainActor public enum LookupDemo {
    /// Makes the screen, uses it, and releases it.
    ///
    /// - Parameters:
    ///   - network: the scheduler on which the server answers.
    ///   - main: the scheduler on which the screen is updated.
    ///   - acting: performs an action of the user. If the server answers during it, it may refuse the first request of a look-up
    ///     before the second is made.
    ///   - wait: lets time pass until the given condition is true.
    ///   - show: receives each line that the screen shows after each action.
    public static func use(
        network: some Scheduler, main: some Scheduler = .main, acting: (() -> Void) -> Void = { $0() },
        wait: (() -> Bool) -> Void, show: (String) -> Void = { _ in }
    ) {
        do {
            let server = LookupServer(on: network)
            let model = LookupModel(server: server, deliveringOn: main)
            let view = LookupView()
            Trace.adopt(server)
            Trace.adopt(model)
            Trace.adopt(view)
            view.bind(to: model, on: main)

            func act(_ name: String, _ action: @escaping () -> Void) {
                show("# \(name)")
                acting(action)
                wait {
                    !model.fetch.isExecuting.value && !model.loadMore.isExecuting.value
                        && view.table == model.table.value
                }
                view.shown.forEach(show)
            }
            act("type 'maruko!'") { view.type(username: "maruko!") }
            act("type 'maruko'") { view.type(username: "maruko") }
            act("tap Go") { view.tapGo() }
            act("scroll to the end, three times") { for _ in 1...3 { view.scrollToEnd() } }
            act("scroll to the end") { view.scrollToEnd() }
            act("look 'tama' up") {
                view.type(username: "tama")
                view.tapGo()
            }
            act("look 'nobody' up") {
                view.type(username: "nobody")
                view.tapGo()
            }
            act("close the alert") { view.closeAlert() }
            show("table reloads: \(view.reloads)")
        }
        Trace.checkpoint("look-up closed")
    }
}
