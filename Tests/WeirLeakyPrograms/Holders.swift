import Observation
import Weir

// Objects that something else holds for too long.

private final class Screen: @unchecked Sendable {
    let title = Observable("")
    let bag = DisposeBag()
    var shown = ""
}

@MainActor private enum Cache {
    static var screens: [Screen] = []
    static var last: Screen?
}

@MainActor func cacheScreens() {
    func show() {
        close {
            let screen = Screen()
            Cache.screens.append(screen)
            return screen
        }
        if isCured { Cache.screens.removeAll() }
    }
    for _ in 1...3 { show() }
    Trace.checkpoint("closed")
}

@MainActor func rememberScreen() {
    close {
        let screen = Screen()
        Cache.last = screen
        return screen
    }
    if isCured { Cache.last = nil }
    Trace.checkpoint("closed")
}

private final class Registry {
    var screens: [Screen] = []
    var byName: [String: Screen] = [:]
}

@MainActor func registerScreen() {
    let registry = Registry()
    Trace.track(registry)
    close {
        let screen = Screen()
        registry.screens.append(screen)
        return screen
    }
    if isCured { registry.screens.removeAll() }
    Trace.checkpoint("closed")
    stop(holding: registry)
}

@MainActor func keepInDictionary() {
    let registry = Registry()
    Trace.track(registry)
    close {
        let screen = Screen()
        registry.byName["profile"] = screen
        return screen
    }
    if isCured { registry.byName["profile"] = nil }
    Trace.checkpoint("closed")
    stop(holding: registry)
}

private func follow(_ session: Session, _ screen: Screen) {
    if isCured {
        session.user.subscribe { [weak screen] in screen?.shown = $0 }.disposed(by: screen.bag)
    } else {
        session.user.subscribe { screen.shown = $0 }  // leaks
    }
}

@MainActor func forgetBag() {
    let session = Session()
    Trace.adopt(session)
    close {
        let screen = Screen()
        follow(session, screen)
        return screen
    }
    Trace.checkpoint("closed")
    session.user.value = "Maruko"
    stop(holding: session)
}

@MainActor func forgetBags() {
    let session = Session()
    Trace.adopt(session)
    func show() {
        let screen = Screen()
        Trace.track(screen)
        follow(session, screen)
    }
    for _ in 1...3 { show() }
    session.user.value = "Maruko"
    Trace.checkpoint("closed")
    stop(holding: session)
}

@MainActor func comeBack() {
    let session = Session()
    Trace.adopt(session)
    var former: Disposable?
    for _ in 1...4 {
        if isCured { former?.dispose() }
        former = session.user.subscribe { _ in }  // leaks
        Trace.checkpoint("back at home")
    }
    if isCured { former?.dispose() }
    stop(holding: session)
}

@MainActor func keepLog() {
    var log: [Screen] = []
    for _ in 1...4 {
        if isCured { log.removeAll() }
        let screen = Screen()
        Trace.track(screen)
        log.append(screen)
        Trace.checkpoint("shown")
    }
    Trace.stop()
    withExtendedLifetime(log) {}
}

private final class Chat {
    var messages: [Screen] = []

    func receive() {
        let screen = Screen()
        Trace.track(screen)
        messages.append(screen)
    }
}

@MainActor func receiveMessages() {
    let chat = Chat()
    Trace.adopt(chat)
    for _ in 1...4 {
        if isCured { chat.messages.removeAll() }
        chat.receive()
        Trace.checkpoint("read")
    }
    stop(holding: chat)
}

@MainActor func useBagOfApp() {
    let (session, bagOfApp) = (Session(), DisposeBag())
    Trace.adopt(session)
    close {
        let screen = Screen()
        if isCured {
            session.user.subscribe { [weak screen] in screen?.shown = $0 }.disposed(by: screen.bag)
        } else {
            session.user.subscribe { screen.shown = $0 }.disposed(by: bagOfApp)  // leaks
        }
        return screen
    }
    Trace.checkpoint("closed")
    session.user.value = "Maruko"
    stop(holding: session)
    bagOfApp.dispose()
}

@Observable private final class Settings: @unchecked Sendable {
    var name = ""
}

private final class SettingsScreen: @unchecked Sendable {
    private let settings: Settings
    private var title = ""

    init(_ settings: Settings) {
        self.settings = settings
        if isCured {
            Trace.render("SettingsScreen.body", on: .main) { [weak self] in self?.title = self?.settings.name ?? "" }
        } else {
            Trace.render("SettingsScreen.body", on: .main) { self.title = self.settings.name }  // leaks
        }
    }
}

@MainActor func renderForever() {
    let settings = Settings()
    Trace.adopt(settings)
    close { SettingsScreen(settings) }
    Trace.checkpoint("closed")
    stop(holding: settings)
}

@MainActor func growInCache() {
    for _ in 1...4 {
        if isCured { Cache.screens.removeAll() }
        let screen = Screen()
        Trace.track(screen)
        Cache.screens.append(screen)
        Trace.checkpoint("shown")
    }
}

/// A screen with several handlers at a session, and closures in a list of a service.
@MainActor private final class Header {
    private var name = ""
    private var position = 0
    private let bag = DisposeBag()

    func show(_ session: Session) {
        if isCured {
            session.user.subscribe { [weak self] in self?.name = $0 }.disposed(by: bag)
            session.position.subscribe { [weak self] in self?.position = $0 }.disposed(by: bag)
            session.user.subscribe { [weak self] name in self?.position = name.count }.disposed(by: bag)
        } else {
            session.user.subscribe { self.name = $0 }.disposed(by: bag)  // leaks
            session.position.subscribe { self.position = $0 }.disposed(by: bag)  // leaks
            session.user.subscribe { name in self.position = name.count }.disposed(by: bag)  // leaks
        }
    }
}

@MainActor func showHeader() {
    let session = Session()
    Trace.adopt(session)
    close {
        let header = Header()
        header.show(session)
        return header
    }
    Trace.checkpoint("closed")
    stop(holding: session)
}

private final class Router {
    private var handlers: [String: [() -> Void]] = [:]

    func on(_ path: String, _ handler: @escaping () -> Void) { handlers[path, default: []].append(handler) }
}

private final class Page {
    private var opened = 0

    func appear(_ router: Router) {
        if isCured {
            router.on("page") { [weak self] in self?.show() }
            router.on("page/edit") { [weak self] in self?.opened += 10 }
        } else {
            router.on("page", show)  // leaks
            router.on("page/edit", edit)  // leaks
        }
    }

    private func show() { opened += 1 }
    private func edit() { opened += 10 }
}

@MainActor func routeToPage() {
    let router = Router()
    Trace.track(router)
    close {
        let page = Page()
        page.appear(router)
        return page
    }
    Trace.checkpoint("closed")
    stop(holding: router)
}
