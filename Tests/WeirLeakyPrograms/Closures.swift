import Weir

// Closures that capture what holds them.

private final class UserScreen: @unchecked Sendable {
    private let bag = DisposeBag()
    private var name = ""

    init(_ session: Session) {
        if isCured {
            session.user.subscribe { [weak self] in self?.name = $0 }.disposed(by: bag)
        } else {
            session.user.subscribe { self.name = $0 }.disposed(by: bag)  // leaks
        }
    }
}

@MainActor func observeSession() {
    let session = Session()
    Trace.adopt(session)
    close { UserScreen(session) }
    Trace.checkpoint("closed")
    session.user.value = "Maruko"
    stop(holding: session)
}

@MainActor func observeEndedSession() {
    let session = Session()
    close { UserScreen(session) }
}

private final class TitleScreen: @unchecked Sendable {
    private let title = Observable("")
    private var length = 0

    init() {
        if isCured {
            title.subscribe { [weak self] in self?.length = $0.count }
        } else {
            title.subscribe { self.length = $0.count }  // leaks
        }
    }
}

@MainActor func observeOwnTitle() {
    close { TitleScreen() }
    Trace.checkpoint("closed")
}

private final class PriceModel: @unchecked Sendable {
    private let price = Observable(0)
    private var currency = "€"
    private(set) var text: Signal<String>?

    init() {
        if isCured {
            text = price.map { [weak self] in "\($0) \(self?.currency ?? "")" }
        } else {
            text = price.map { "\($0) \(self.currency)" }  // leaks
        }
    }
}

@MainActor func mapWithSelf() {
    close { PriceModel() }
    Trace.checkpoint("closed")
}

private final class NameView: @unchecked Sendable {
    private var name = ""
    private(set) var onName: Observer<String>?

    init() {
        if isCured {
            onName = Observer { [weak self] in self?.name = $0 }
        } else {
            onName = Observer { self.name = $0 }  // leaks
        }
    }
}

@MainActor func observeWithSelf() {
    close { NameView() }
    Trace.checkpoint("closed")
}

private final class SearchModel: @unchecked Sendable {
    private let query = Observable("")
    private(set) var results: Signal<Int>?

    init() {
        if isCured {
            results = query.flatMap(.latest) { [weak self] in self?.search($0) ?? .empty() }
        } else {
            results = query.flatMap(.latest) { self.search($0) }  // leaks
        }
    }

    private func search(_ text: String) -> Signal<Int> { .just(text.count) }
}

@MainActor func searchWithSelf() {
    close { SearchModel() }
    Trace.checkpoint("closed")
}

private final class Clock: @unchecked Sendable {
    private let bag = DisposeBag()
    private var ticks = 0

    init() {
        if isCured {
            Signal<Int>.interval(.seconds(60), on: .main).subscribe { [weak self] in self?.ticks = $0 }
                .disposed(by: bag)
        } else {
            Signal<Int>.interval(.seconds(60), on: .main).subscribe { self.ticks = $0 }.disposed(by: bag)  // leaks
        }
    }
}

@MainActor func tickWithSelf() {
    close { Clock() }
    Trace.checkpoint("closed")
}

private final class Form: @unchecked Sendable {
    private var text = "draft"
    private(set) var save: Command<Void, Int>?

    init() {
        if isCured {
            save = Command { [weak self] in .just(self?.text.count ?? 0) }
        } else {
            save = Command { .just(self.text.count) }  // leaks
        }
    }
}

@MainActor func saveWithSelf() {
    close { Form() }
    Trace.checkpoint("closed")
}

private final class Basket: @unchecked Sendable {
    private let price = Observable(0)
    private var rate = 19
    private(set) var total: Combiner<Int>?

    init() {
        if isCured {
            total = Observable.combine(price) { [weak self] in $0 * (self?.rate ?? 0) }
        } else {
            total = Observable.combine(price) { $0 * self.rate }  // leaks
        }
    }
}

@MainActor func combineWithSelf() {
    close { Basket() }
    Trace.checkpoint("closed")
}

private final class Dialog {
    private var isOpen = true
    private var onClose: (() -> Void)?

    init() {
        if isCured {
            onClose = { [weak self] in self?.isOpen = false }
        } else {
            onClose = { self.isOpen = false }  // leaks
        }
    }
}

@MainActor func closeWithSelf() {
    close { Dialog() }
    Trace.checkpoint("closed")
}

private final class Alert {
    private var isConfirmed = false
    private var later: [() -> Void] = []
    private var onTap: (() -> Void)?

    init() {
        if isCured {
            onTap = { [weak self] in self?.later.append { [weak self] in self?.isConfirmed = true } }
        } else {
            onTap = { self.later.append { [weak self] in self?.isConfirmed = true } }  // leaks
        }
        onTap?()
    }
}

@MainActor func confirmWithSelf() {
    close { Alert() }
    Trace.checkpoint("closed")
}

private final class Countdown {
    var left = 3
}

@MainActor func countDown() {
    close {
        let countdown = Countdown()
        if isCured {
            func step() {
                countdown.left -= 1
                if countdown.left > 0 { step() }
            }
            step()
        } else {
            var step: (() -> Void)?
            step = {  // leaks
                countdown.left -= 1
                if countdown.left > 0 { step?() }
            }
            step?()
        }
        return countdown
    }
    Trace.checkpoint("closed")
}

private final class PlayerService {
    private var callbacks: [() -> Void] = []

    func onEnd(_ callback: @escaping () -> Void) { callbacks.append(callback) }

    func end() { for callback in callbacks { callback() } }
}

private final class PlayerScreen {
    private var isPlaying = true

    init(_ player: PlayerService) {
        if isCured {
            player.onEnd { [weak self] in self?.isPlaying = false }
        } else {
            player.onEnd { self.isPlaying = false }  // leaks
        }
    }
}

@MainActor func listenToPlayer() {
    let player = PlayerService()
    Trace.track(player)
    close { PlayerScreen(player) }
    Trace.checkpoint("closed")
    player.end()
    stop(holding: player)
}

private final class Label: @unchecked Sendable {
    private let size = Observable(1)
    private let shown = Observable("")
    private let bag = DisposeBag()
    private var unit = "px"

    init() {
        if isCured {
            size.map { [weak self] in "\($0) \(self?.unit ?? "")" }.bind(to: shown).disposed(by: bag)
        } else {
            size.map { "\($0) \(self.unit)" }.bind(to: shown).disposed(by: bag)  // leaks
        }
    }
}

@MainActor func bindWithSelf() {
    close { Label() }
    Trace.checkpoint("closed")
}

private final class Cell {
    var onTap: (() -> Void)?
}

private final class ListScreen {
    private var cells: [Cell] = []
    private var selected = 0

    init() {
        for row in 1...3 {
            let cell = Cell()
            if isCured {
                cell.onTap = { [weak self] in self?.selected = row }
            } else {
                cell.onTap = { self.selected = row }  // leaks
            }
            cells.append(cell)
        }
    }
}

@MainActor func configureCells() {
    close { ListScreen() }
    Trace.checkpoint("closed")
}

/// A form whose command makes a signal of an asynchronous function.
@MainActor private final class SignUp {
    private(set) var name = ""
    private(set) lazy var register =
        isCured
        ? Command<String, Int> { [weak self] name in Signal { [weak self] in await self?.check(name) ?? 0 } }
        : Command<String, Int> { name in Signal { await self.check(name) } }  // leaks

    func check(_ name: String) async -> Int { name.count }
}

@MainActor func registerWithSelf() {
    close {
        let form = SignUp()
        _ = form.register
        return form
    }
    Trace.checkpoint("closed")
}
