import Weir

// A coordinator of screens that are pushed, presented and popped: a list of recipes, a recipe, an editor with a result, and a
// log-in that a guest meets first. The session lives in a store of another library, which a probe makes visible.

/// A store as another library has it: a state, actions, and listeners.
@MainActor private final class Store<State: Equatable & Sendable, Action> {
    private(set) var state: State
    private var listeners: [Int: (State) -> Void] = [:]
    private var nextToken = 0
    private let reduce: (inout State, Action) -> Void

    init(_ state: State, reduce: @escaping (inout State, Action) -> Void) {
        self.state = state
        self.reduce = reduce
    }

    func dispatch(_ action: Action) {
        var new = state
        reduce(&new, action)
        guard new != state else { return }
        state = new
        for (_, listener) in listeners.sorted(by: { $0.key < $1.key }) { listener(new) }
    }

    func listen(_ listener: @escaping (State) -> Void) -> () -> Void {
        nextToken += 1
        let token = nextToken
        listeners[token] = listener
        return { [weak self] in self?.listeners[token] = nil }
    }
}

extension Store {
    /// Listens, and records it.
    func traced(by probe: TraceProbe, line: UInt = #line, _ listener: @escaping (State) -> Void) -> Disposable {
        let subscription = probe.subscribed(line: line)
        let stop = listen { state in subscription.emitted(state) { listener(state) } }
        return Disposable { @MainActor in
            stop()
            subscription.disposed()
        }
    }
}

private struct SessionState: Hashable, Sendable {
    var user: String?
    var favourites: Set<Int> = []
}

private enum SessionAction { case logIn(String), logOut, toggleFavourite(Int) }

private struct Recipe: Hashable, Sendable {
    let id: Int
    var title: String
    var minutes: Int
}

@MainActor private final class Services {
    let recipes = ObservableArray([
        Recipe(id: 1, title: "Miso soup", minutes: 15), Recipe(id: 2, title: "Curry", minutes: 40),
        Recipe(id: 3, title: "Onigiri", minutes: 20),
    ])
    let session = Store<SessionState, SessionAction>(SessionState()) { state, action in
        switch action {
        case .logIn(let name): state.user = name
        case .logOut: state = SessionState()
        case .toggleFavourite(let id): state.favourites.formSymmetricDifference([id])
        }
    }
    let sessionProbe = TraceProbe("session", of: SessionState.self)
}

@MainActor private class Screen {
    let bag = DisposeBag()
    let title = Label()

    init() {}
}

@MainActor private final class RecipeListScreen: Screen {
    private(set) var rows: [String] = []
    private(set) var stars: Set<Int> = []
    let opened = Emitter<Int>()

    init(_ services: Services) {
        super.init()
        services.recipes.subscribe(initial: true) { [weak self] recipes in
            self?.rows = recipes.map(\.title)
            self?.title.text = "\(recipes.count) recipes"
        }.disposed(by: bag)
        services.session.traced(by: services.sessionProbe) { [weak self] in self?.stars = $0.favourites }
            .disposed(by: bag)
    }
}

@MainActor private final class RecipeScreen: Screen {
    let minutes = Label()
    let star = Button("☆")
    let edit = Button("Edit")
    let close = Button("Close")

    init(_ id: Int, _ services: Services) {
        super.init()
        let recipe = services.recipes.current.compactMap { $0.first { $0.id == id } }.removeDuplicates()
        recipe.map(\.title).removeDuplicates().bind(to: title, \.text).disposed(by: bag)
        recipe.map { "\($0.minutes) min" }.removeDuplicates().bind(to: minutes, \.text).disposed(by: bag)
        show(services.session.state, id)
        services.session.traced(by: services.sessionProbe) { [weak self] in self?.show($0, id) }.disposed(by: bag)
        star.onTap = { [weak services] in services?.session.dispatch(.toggleFavourite(id)) }
    }

    private func show(_ state: SessionState, _ id: Int) {
        star.title = state.favourites.contains(id) ? "★" : "☆"
        star.isEnabled = state.user != nil
    }
}

@MainActor private final class RecipeEditor: Screen {
    let draft: Observable<Recipe>
    let save = Button("Save")
    let cancel = Button("Cancel")
    /// The edited recipe; nil if the user has cancelled.
    let finished = Emitter<Recipe?>()

    init(_ recipe: Recipe) {
        draft = Observable(recipe)
        super.init()
        draft.current.map { $0 != recipe && !$0.title.isEmpty }.removeDuplicates().bind(to: save, \.isEnabled)
            .disposed(by: bag)
        save.onTap = { [weak self] in self.map { $0.finished.emit($0.draft.value) } }
        cancel.onTap = { [weak self] in self?.finished.emit(nil) }
    }
}

@MainActor private final class LogInScreen: Screen {
    let name = Observable("")
    let loggedIn = Emitter<Void>()
    let logIn: Command<String, String>

    override init() {
        logIn = Command(enabledIf: Observable.combine(name) { $0.count >= 3 }) { name in
            try await Task.sleep(for: .milliseconds(20))
            return name
        }
        super.init()
        logIn.isExecuting.current.map { $0 ? "Logging in …" : "Log in" }.bind(to: title, \.text).disposed(by: bag)
    }
}

/// Owns the open screens; a closed one has no owner left.
@MainActor private final class Coordinator {
    private(set) var stack: [Screen] = []
    private(set) var presented: Screen?
    let path = Observable<[String]>([])
    private let services: Services

    init(_ services: Services) { self.services = services }

    func start() {
        let list = RecipeListScreen(services)
        list.opened.subscribe { [weak self] in self?.open($0) }.disposed(by: list.bag)
        push(list)
    }

    func open(_ id: Int) {
        let screen = RecipeScreen(id, services)
        screen.close.onTap = { [weak self] in self?.pop() }
        screen.edit.onTap = { [weak self] in self?.edit(id) }
        push(screen)
    }

    private func edit(_ id: Int) {
        guard services.session.state.user != nil else { return logIn { [weak self] in self?.edit(id) } }
        guard let recipe = services.recipes.value.first(where: { $0.id == id }) else { return }
        let editor = RecipeEditor(recipe)
        editor.finished.take(1).subscribe { [weak self] edited in
            self?.dismiss()
            guard let edited else { return }
            self?.services.recipes.update { recipes in
                recipes = recipes.map { $0.id == edited.id ? edited : $0 }
            }
        }.disposed(by: editor.bag)
        present(editor)
    }

    private func logIn(then continueWith: @escaping () -> Void) {
        let screen = LogInScreen()
        screen.logIn.values.subscribe { [weak self] name in
            self?.services.session.dispatch(.logIn(name))
            self?.dismiss()
            continueWith()
        }.disposed(by: screen.bag)
        present(screen)
    }

    private func push(_ screen: Screen) {
        Trace.adopt(screen)
        stack.append(screen)
        updatePath()
    }

    func pop() {
        guard stack.count > 1, let screen = stack.popLast() else { return }
        Trace.expectReleased(screen)
        updatePath()
    }

    private func present(_ screen: Screen) {
        Trace.adopt(screen)
        presented = screen
        updatePath()
    }

    func dismiss() {
        if let presented { Trace.expectReleased(presented) }
        presented = nil
        updatePath()
    }

    private func updatePath() { path.value = (stack + [presented].compactMap(\.self)).map { "\(type(of: $0))" } }
}

@MainActor func coordinator() async {
    let services = Services()
    let coordinator = Coordinator(services)
    Trace.adopt(services)
    Trace.adopt(coordinator)
    Trace.stimulus("launch") { coordinator.start() }
    await wait(milliseconds: 20)

    func open(_ id: Int) async -> RecipeScreen {
        Trace.stimulus("tap a recipe") { (coordinator.stack[0] as? RecipeListScreen)?.opened.emit(id) }
        await wait(milliseconds: 20)
        return coordinator.stack.last as! RecipeScreen
    }
    func close(_ screen: RecipeScreen) async {
        screen.close.tap()
        await wait(milliseconds: 20)
    }
    // A guest must log in to edit.
    await {
        let screen = await open(2)
        screen.edit.tap()
        await wait(milliseconds: 20)
        if let logIn = coordinator.presented as? LogInScreen {
            Trace.stimulus("type the name") { logIn.name.value = "Maruko" }
            Trace.stimulus("tap Log in") { logIn.logIn.execute(logIn.name.value) }
        }
        await wait(milliseconds: 60)
        if let editor = coordinator.presented as? RecipeEditor {
            Trace.stimulus("type the title") { editor.draft.value.title = "Hot curry" }
            await wait(milliseconds: 20)
            Trace.stimulus("set the time") { editor.draft.value.minutes = 45 }
            editor.save.tap()
        }
        await wait(milliseconds: 20)
        await reach(screen.title.text == "Hot curry" && screen.star.isEnabled)
        screen.star.tap()
        await wait(milliseconds: 20)
        await close(screen)
    }()
    Trace.checkpoint("home")
    for id in [1, 3] {
        let screen = await open(id)
        screen.star.tap()
        await wait(milliseconds: 20)
        screen.edit.tap()
        await wait(milliseconds: 20)
        (coordinator.presented as? RecipeEditor)?.cancel.tap()
        await wait(milliseconds: 20)
        await close(screen)
    }
    await wait(milliseconds: 20)
    Trace.checkpoint("home")
    await reach(coordinator.stack.count == 1 && coordinator.presented == nil)
    Window.screens = [coordinator, services]
}
