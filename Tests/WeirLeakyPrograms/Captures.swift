import Weir

// Captures that are easily overlooked.

private final class Panel {
    private var isOpen = true
    private var onClose: (() -> Void)?

    init() {
        if isCured {
            onClose = { [weak self] in self?.hide() }
        } else {
            onClose = hide  // leaks
        }
    }

    private func hide() { isOpen = false }
}

@MainActor func closeWithMethod() {
    close { Panel() }
    Trace.checkpoint("closed")
}

private final class Formatter {
    private var unit = "m"
    private lazy var format: (Int) -> String =
        isCured
        ? { [weak self] in "\($0) \(self?.unit ?? "")" }
        : { "\($0) \(self.unit)" }  // leaks

    init() { _ = format(1) }
}

@MainActor func formatLazily() {
    close { Formatter() }
    Trace.checkpoint("closed")
}

private final class Poll: @unchecked Sendable {
    private let votes = Observable(0)
    private let bag = DisposeBag()
    private var last = 0

    init() {
        let bag = bag
        if isCured {
            votes.subscribe { [weak bag, weak self] in
                self?.last = $0
                bag?.dispose()
            }.disposed(by: bag)
        } else {
            votes.subscribe { [weak self] in  // leaks
                self?.last = $0
                bag.dispose()
            }.disposed(by: bag)
        }
    }
}

@MainActor func disposeInHandler() {
    close { Poll() }
    Trace.checkpoint("closed")
}

private class Item {}

private final class LinkedItem: Item {
    var list: List?
}

private final class CuredItem: Item {
    weak var list: List?
}

private final class List: @unchecked Sendable {
    private let selected = Observable<Item?>(nil)

    init() {
        let (item, cured) = (LinkedItem(), CuredItem())
        if isCured { cured.list = self } else { item.list = self }
        selected.value = isCured ? cured : item
    }
}

@MainActor func selectItem() {
    close { List() }
    Trace.checkpoint("closed")
}

private final class Account: Sendable {
    static let shared = Account()
    let name = Observable("")
}

private final class AccountScreen: @unchecked Sendable {
    private let bag = DisposeBag()
    private var title = ""

    init() {
        if isCured {
            Account.shared.name.subscribe { [weak self] in self?.title = $0 }.disposed(by: bag)
        } else {
            Account.shared.name.subscribe { self.title = $0 }  // leaks
        }
    }
}

@MainActor func observeShared() {
    close { AccountScreen() }
    Trace.checkpoint("closed")
    Account.shared.name.value = "Maruko"
}

/// A screen whose subscription is in its own bag, which the captured screen keeps alive.
private final class NameScreen: @unchecked Sendable {
    private let bag = DisposeBag()
    private var title = ""

    init() {
        if isCured {
            Account.shared.name.map { $0.uppercased() }.subscribe { [weak self] in self?.title = $0 }.disposed(by: bag)
        } else {
            Account.shared.name.map { $0.uppercased() }
                .subscribe { self.title = $0 }  // leaks
                .disposed(by: bag)
        }
    }
}

@MainActor func observeInOwnBag() {
    close { NameScreen() }
    Trace.checkpoint("closed")
}

/// A screen that operators and a combiner on a longer-lived observable capture.
private final class GreetingScreen: @unchecked Sendable {
    private let bag = DisposeBag()
    private var title = ""
    private let prefix = "Hello"

    init() {
        if isCured {
            Account.shared.name.map { [weak self] in self?.greet($0) ?? "" }
                .subscribe { [weak self] in self?.title = $0 }.disposed(by: bag)
        } else {
            Account.shared.name
                .map { self.greet($0) }  // leaks
                .subscribe { [weak self] in self?.title = $0 }.disposed(by: bag)
        }
    }

    private func greet(_ name: String) -> String { "\(prefix), \(name)" }
}

@MainActor func observeThroughMap() {
    close { GreetingScreen() }
    Trace.checkpoint("closed")
}

private final class LengthScreen: @unchecked Sendable {
    private let factor = 2
    private var length: Combiner<Int>?

    init() {
        if isCured {
            length = .combine(Account.shared.name) { [weak self] in $0.count * (self?.factor ?? 1) }
        } else {
            length = .combine(Account.shared.name) { $0.count * self.factor }  // leaks
        }
    }
}

@MainActor func combineShared() {
    close { LengthScreen() }
    Trace.checkpoint("closed")
}

private final class Badge: @unchecked Sendable {
    let bag = DisposeBag()
}

@MainActor func forgetOwner() {
    let session = Session()
    Trace.adopt(session)
    func show() {
        let badge = Badge()
        let subscription = session.user.subscribe(owner: badge) { _ in }  // leaks
        if isCured { subscription.disposed(by: badge.bag) }
    }
    show()
    session.user.value = "Maruko"
    stop(holding: session)
}

private struct Actions {
    var onSave: (() -> Void)?
    var onCancel: (() -> Void)?
}

private final class Sheet {
    private var actions = Actions()
    private var isSaved = false

    init() {
        if isCured {
            actions.onSave = { [weak self] in self?.isSaved = true }
        } else {
            actions.onSave = { self.isSaved = true }  // leaks
        }
    }
}

@MainActor func saveInStruct() {
    close { Sheet() }
    Trace.checkpoint("closed")
}

private final class Button: @unchecked Sendable {
    let tapped = Emitter<Void>()
}

private final class Toolbar: @unchecked Sendable {
    private let button = Button()
    private var taps = 0

    init() {
        if isCured {
            button.tapped.map { 1 }.filter { $0 > 0 }.subscribe { [weak self] in self?.taps += $0 }
        } else {
            button.tapped.map { 1 }.filter { $0 > 0 }.subscribe { self.taps += $0 }  // leaks
        }
    }
}

@MainActor func observeThroughOperators() {
    close { Toolbar() }
    Trace.checkpoint("closed")
}

private final class Loader: @unchecked Sendable {
    private var handlers: [String: (Int) -> Void] = [:]
    private var loaded = 0

    init() {
        if isCured {
            handlers["image"] = { [weak self] in self?.loaded = $0 }
        } else {
            handlers["image"] = { self.loaded = $0 }  // leaks
        }
    }
}

@MainActor func keepHandlers() {
    close { Loader() }
    Trace.checkpoint("closed")
}

private final class Editor: @unchecked Sendable {
    private let text = Observable("")
    private let saved = Observable("")
    private let bag = DisposeBag()
    private var prefix = "> "

    init() {
        if isCured {
            text.map { [weak self] in (self?.prefix ?? "") + $0 }.removeDuplicates().throttle(
                .seconds(60), on: .main
            ).subscribe { [saved] in saved.value = $0 }.disposed(by: bag)
        } else {
            text.map { self.prefix + $0 }.removeDuplicates().throttle(  // leaks
                .seconds(60), on: .main
            ).subscribe { [saved] in saved.value = $0 }.disposed(by: bag)
        }
    }
}

@MainActor func saveThrottled() {
    close { Editor() }
    Trace.checkpoint("closed")
}
