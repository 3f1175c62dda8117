import Weir

/// Uses the travel list in one fixed way.
@MainActor public enum TravelDemo {
    /// Makes the screen, uses it, and releases it.
    ///
    /// - Parameters:
    ///   - network: the scheduler on which the server answers and images are loaded.
    ///   - main: the scheduler on which the screen is updated.
    ///   - acting: performs an action of the user. If the server answers during it, it may refuse the first request of a load
    ///     before the second is made.
    ///   - wait: lets time pass until the given condition is true.
    ///   - show: receives each line that the screen shows after each action.
    public static func use(
        network: some Scheduler, main: some Scheduler = .main, acting: (() -> Void) -> Void = { $0() },
        wait: (() -> Bool) -> Void, show: (String) -> Void = { _ in }
    ) {
        do {
            // The second load fails.
            let loads = Serial(0)
            let server = TravelServer(on: network) {
                loads.change { $0 += 1 }
                return loads.change { $0 } == 2
            }
            let model = TravelModel(server: server, loadingImagesOn: network, deliveringOn: main)
            let view = TravelView()
            Trace.adopt(server)
            Trace.adopt(model)
            Trace.adopt(view)
            view.bind(to: model)

            func act(_ name: String, _ action: @escaping () -> Void) {
                show("# \(name)")
                acting(action)
                wait { !view.isRefreshing && view.hasAllImages }
                view.shown.forEach(show)
            }
            act("pull to refresh") { view.pullToRefresh() }
            act("scroll down") { view.scroll(to: 2) }
            act("arrive in Shanghai") {
                Trace.stimulus("arrive in Shanghai") { model.currentCity.value = 2 }
                Trace.frame()
            }
            act("tap the first row on the screen") { view.tap(row: 0) }
            show("visited \(view.visited.joined(separator: ", "))")
            act("pull to refresh") { view.pullToRefresh() }
            act("close the alert") { view.closeAlert() }

            show("# headline")
            // Shared values are delivered where the subscriptions are made, so no answer arrives before both subscriptions exist.
            let scenics = server.scenics().deliver(on: main)
            show(headline("headline", scenics, server, wait))
            show(headline("shared headline", scenics.share(), server, wait))
        }
        Trace.checkpoint("travel closed")
    }

    private static func headline(
        _ name: String, _ scenics: Signal<[Scenic]>, _ server: TravelServer, _ wait: (() -> Bool) -> Void
    ) -> String {
        let model = HeadlineModel(scenics)
        Trace.adopt(model, as: name)
        let bag = DisposeBag()
        var (count, lowestPrice, requests) = ("", "", 0)
        server.requested.subscribe { _ in requests += 1 }.disposed(by: bag)
        Trace.stimulus("show \(name)") {
            model.count.subscribe { count = $0 }.disposed(by: bag)
            model.lowestPrice.subscribe { lowestPrice = $0 }.disposed(by: bag)
        }
        wait { !count.isEmpty && !lowestPrice.isEmpty }
        return "\(name): \(count), \(lowestPrice); requests: \(requests)"
    }
}
