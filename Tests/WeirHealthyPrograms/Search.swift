import Weir

// A search in recipes: suggestions while the user types, a request that the next one replaces, filters, recent searches, and an
// offline cache. Signals from the field to the list; the cache is an actor.

private struct Recipe: Equatable, Sendable {
    let name: String
    let minutes: Int
}

private enum RecipeError: Error { case offline }

private actor RecipeServer {
    private let recipes = [
        Recipe(name: "Tea", minutes: 5), Recipe(name: "Tempura", minutes: 40), Recipe(name: "Teriyaki", minutes: 30),
        Recipe(name: "Tofu soup", minutes: 15), Recipe(name: "Cake", minutes: 70), Recipe(name: "Curry", minutes: 60),
    ]
    private var cache: [String: [Recipe]] = [:]
    private var isOnline = true
    private(set) var requests = 0

    func goOffline() { isOnline = false }

    func recipes(named text: String) async throws -> [Recipe] {
        if let known = cache[text] { return known }
        requests += 1
        try await Task.sleep(for: .milliseconds(8))
        guard isOnline else { throw RecipeError.offline }
        let found = recipes.filter { $0.name.lowercased().hasPrefix(text.lowercased()) }
        cache[text] = found
        return found
    }
}

@MainActor private final class RecipeSearch {
    enum Results: Equatable, Sendable {
        case recent
        case found([Recipe])
        case nothing(String)
        case failed
    }

    let text = Observable("")
    let mostMinutes = Observable<Int?>(nil)
    let recent = Observable<[String]>([])
    let results: Signal<Results>
    let submitted = Emitter<Void>()
    private let bag = DisposeBag()

    init(_ server: RecipeServer) {
        let query = text.map { $0.filter { !$0.isWhitespace } }.debounce(.milliseconds(15), on: .main)
            .removeDuplicates().share()
        let found = query.flatMap(.latest) { text -> Signal<Results> in
            if text.count < 2 { return .just(.recent) }
            return Signal { try await server.recipes(named: text) }
                .map { $0.isEmpty ? .nothing(text) : .found($0) }
                .catch { _ in .just(.failed) }
        }.deliver(on: .main)
        results = found.combineLatest(mostMinutes.current) { results, most -> Results in
            guard case .found(let recipes) = results, let most else { return results }
            return .found(recipes.filter { $0.minutes <= most })
        }.removeDuplicates().replay(1)
        submitted.withLatest(from: text.current) { $1 }.filter { !$0.isEmpty }.subscribe { [recent] text in
            recent.modify { searches in
                searches.removeAll { $0 == text }
                searches = Array(([text] + searches).prefix(3))
            }
        }.disposed(by: bag)
    }
}

@MainActor private final class SearchScreen {
    private(set) var rows: [String] = []
    let header = Label()
    let history = Label()
    let field = TextField()
    let quick = Button("Under half an hour")
    private let bag = DisposeBag()

    init(_ search: RecipeSearch) {
        search.results.subscribe { [weak self] results in
            switch results {
            case .recent: self?.show("Recent searches", [])
            case .found(let recipes): self?.show("\(recipes.count) recipes", recipes.map(\.name))
            case .nothing(let text): self?.show("Nothing is named \(text)", [])
            case .failed: self?.show("No connection", [])
            }
        }.disposed(by: bag)
        search.recent.map { $0.joined(separator: ", ") }.bind(to: history, \.text).disposed(by: bag)
        search.mostMinutes.current.map { $0 == nil }.removeDuplicates().bind(to: quick, \.isEnabled).disposed(by: bag)
        field.edited.bind(to: search.text).disposed(by: bag)
        quick.onTap = { [weak search] in search?.mostMinutes.value = 30 }
    }

    private func show(_ text: String, _ names: [String]) {
        header.text = text
        rows = names
    }
}

@MainActor func search() async {
    let server = RecipeServer()
    let model = RecipeSearch(server)
    Trace.adopt(model)
    var screen: SearchScreen? = SearchScreen(model)
    if let screen { Trace.adopt(screen) }

    func type(_ keys: [String]) async {
        for key in keys {
            screen?.field.type(key)
            await wait(milliseconds: 4)
        }
        await wait(milliseconds: 50)
    }
    await type(["t", "te"])
    await reach(screen?.rows == ["Tea", "Tempura", "Teriyaki"])
    await type(["tem", "te", "teq", "teq "])
    await reach(screen?.header.text == "Nothing is named teq")
    await type(["te", "t", "te"])
    screen?.quick.tap()
    await wait(milliseconds: 20)
    await reach(screen?.rows == ["Tea", "Teriyaki"])
    for _ in 1...2 {
        Trace.stimulus("press return") { model.submitted.emit() }
        await wait(milliseconds: 20)
        await type(["to", "tof"])
    }
    await reach(screen?.rows == ["Tofu soup"] && screen?.history.text == "tof, te")
    await server.goOffline()
    await type(["c", "ca"])
    await reach(screen?.header.text == "No connection")
    await type(["te"])
    await reach(screen?.rows == ["Tea", "Teriyaki"])

    Trace.stimulus("close") {
        if let screen { Trace.expectReleased(screen) }
        screen = nil
    }
    Trace.checkpoint("closed")
}
