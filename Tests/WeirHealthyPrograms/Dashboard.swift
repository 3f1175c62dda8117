import Observation
import Weir

// A dashboard: several independent loads at once, each with its own state, a total, a refresh by hand and by a clock, and errors
// that leave the other tiles alone.

private enum DashboardError: Error { case noData }

private struct DashboardServer: Sendable {
    private let round = Round()

    private actor Round {
        private var number = 0
        func next() -> Int {
            number += 1
            return number
        }
    }

    func sales() async throws -> [Int] {
        try await Task.sleep(for: .milliseconds(24))
        let round = await round.next()
        return [1200, 1350, 900 + round * 10]
    }

    func visitors() async throws -> Int {
        try await Task.sleep(for: .milliseconds(48))
        return 4_321
    }

    func weather(attempt: Int) async throws -> String {
        try await Task.sleep(for: .milliseconds(20))
        if attempt == 1 { throw DashboardError.noData }
        return "sunny"
    }

    func tasks() async throws -> [String] {
        try await Task.sleep(for: .milliseconds(72))
        return ["Order tea", "Call Tamae"]
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@Observable @MainActor private final class Tile<Value: Equatable & Sendable> {
    enum State: Equatable {
        case empty
        case loading
        case loaded(Value)
        case failed
    }

    private(set) var state = State.empty
    private(set) var isStale = false

    var value: Value? { if case .loaded(let value) = state { value } else { nil } }

    /// Loads anew. A value that is shown stays until the new one arrives.
    func load(_ load: @escaping @Sendable () async throws -> Value) async {
        if value == nil { state = .loading } else { isStale = true }
        do {
            let new = try await load()
            if value != new { state = .loaded(new) }
        } catch {
            if value == nil { state = .failed }
        }
        if isStale { isStale = false }
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@Observable @MainActor private final class DashboardModel {
    let sales = Tile<[Int]>()
    let visitors = Tile<Int>()
    let weather = Tile<String>()
    let tasks = Tile<[String]>()
    private(set) var loadedTiles = 0
    private(set) var isRefreshing = false
    @ObservationIgnored private let server = DashboardServer()
    @ObservationIgnored private var weatherAttempts = 0

    var revenue: Int? { sales.value.map { $0.reduce(0, +) } }

    /// Loads all tiles at once.
    func refresh() async {
        guard !isRefreshing else { return }
        isRefreshing = true
        weatherAttempts += 1
        let (server, attempt) = (server, weatherAttempts)
        async let sales: Void = sales.load { try await server.sales() }
        async let visitors: Void = visitors.load { try await server.visitors() }
        async let weather: Void = weather.load { try await server.weather(attempt: attempt) }
        async let tasks: Void = tasks.load { try await server.tasks() }
        _ = await (sales, visitors, weather, tasks)
        isRefreshing = false
        count()
    }

    func retryWeather() async {
        weatherAttempts += 1
        let (server, attempt) = (server, weatherAttempts)
        await weather.load { try await server.weather(attempt: attempt) }
        count()
    }

    private func count() {
        let isLoaded = [sales.value != nil, visitors.value != nil, weather.value != nil, tasks.value != nil]
        loadedTiles = isLoaded.count { $0 }
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor private final class DashboardScreen {
    let sales = Label()
    let visitors = Label()
    let weather = Label()
    let tasks = Label()
    let footer = Label()
    private var bodies: [Disposable] = []
    private var clock: Task<Void, Never>?

    init(_ model: DashboardModel) {
        show("Sales.body", in: sales) { [weak model] in
            Self.text(model?.sales) { _ in model?.revenue.map { "\($0 / 100) €" } ?? "" }
        }
        show("Visitors.body", in: visitors) { [weak model] in Self.text(model?.visitors) { "\($0) visitors" } }
        show("Weather.body", in: weather) { [weak model] in Self.text(model?.weather) { $0 } }
        show("Tasks.body", in: tasks) { [weak model] in Self.text(model?.tasks) { $0.joined(separator: ", ") } }
        show("Footer.body", in: footer) { [weak model] in
            guard let model else { return "" }
            return model.isRefreshing ? "Updating …" : "\(model.loadedTiles) of 4"
        }
    }

    private func show(_ name: String, in label: Label, _ text: @escaping () -> String) {
        bodies.append(
            Trace.render(name) { [weak label] in
                let text = text()
                label?.text = text
                return text
            })
    }

    private static func text<Value>(_ tile: Tile<Value>?, _ show: (Value) -> String) -> String {
        guard let tile else { return "" }
        return switch tile.state {
        case .empty: ""
        case .loading: "…"
        case .loaded(let value): show(value) + (tile.isStale ? " (updating)" : "")
        case .failed: "not available"
        }
    }

    /// Refreshes at each beat until the screen is closed.
    func follow(_ model: DashboardModel) {
        clock = Task { [weak model] in
            while true {
                await wait(milliseconds: 250)
                guard !Task.isCancelled, let model else { return }
                await withTracing("clock") { Trace.task { await model.refresh() } }.value
            }
        }
    }

    func close() {
        clock?.cancel()
        for body in bodies { body.dispose() }
    }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor func dashboard() async {
    let model = DashboardModel()
    Trace.adopt(model)
    Trace.observe(model, \.isRefreshing, \.loadedTiles, \.revenue)
    var screen: DashboardScreen? = DashboardScreen(model)
    if let screen { Trace.track(screen) }
    await wait(milliseconds: 30)

    let opened = Trace.stimulus("open") { Trace.task { await model.refresh() } }
    await opened.value
    await reach(screen?.weather.text == "not available" || model.weather.state == .failed)
    await wait(milliseconds: 40)
    let retried = Trace.stimulus("tap the weather") { Trace.task { await model.retryWeather() } }
    await retried.value
    await wait(milliseconds: 40)
    let pulled = Trace.stimulus("pull to refresh") { Trace.task { await model.refresh() } }
    await pulled.value
    await wait(milliseconds: 40)
    await reach(screen?.footer.text == "4 of 4" && screen?.sales.text == "34 €")
    screen?.follow(model)
    await wait(milliseconds: 420)

    Trace.stimulus("close") {
        screen?.close()
        if let screen { Trace.expectReleased(screen) }
        screen = nil
    }
    Trace.checkpoint("closed")
    await wait(milliseconds: 300)
}
