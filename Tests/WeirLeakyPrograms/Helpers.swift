import Foundation
import Weir

// Closures that a function passes on to what calls them, and objects that stand between a closure and the one that leaks.

/// As `close`, and gives a task time to begin.
@MainActor private func closeInTime<Screen: AnyObject>(_ open: () -> Screen) async {
    close(open)
    try? await Task.sleep(for: .milliseconds(200))
    Trace.checkpoint("closed")
}

private func every(_ seconds: Double, _ body: @escaping @Sendable () -> Void) -> Timer {
    .scheduledTimer(withTimeInterval: seconds, repeats: true) { _ in body() }  // leaks
}

private final class Gauge: @unchecked Sendable {
    private var level = 0
    private weak var timer: Timer?

    func start() {
        if isCured {
            timer = every(60) { [weak self] in self?.level += 1 }
        } else {
            timer = every(60) { self.level += 1 }  // leaks
        }
    }

    func stop() { timer?.invalidate() }
}

@MainActor func measureByHelper() {
    close {
        let gauge = Gauge()
        gauge.start()
        if isCured { gauge.stop() }
        return gauge
    }
    Trace.checkpoint("closed")
    Trace.stop()
}

extension Session {
    fileprivate func onUser(_ body: @escaping @Sendable () -> Void) -> Disposable {
        user.subscribe { _ in body() }  // leaks
    }
}

private final class Avatar: @unchecked Sendable {
    private let bag = DisposeBag()
    private var changes = 0

    func show(_ session: Session) {
        if isCured {
            session.onUser { [weak self] in self?.changes += 1 }.disposed(by: bag)
        } else {
            _ = session.onUser { self.changes += 1 }
        }
    }
}

@MainActor func followByHelper() {
    let session = Session()
    Trace.track(session)
    close {
        let avatar = Avatar()
        avatar.show(session)
        return avatar
    }
    Trace.checkpoint("closed")
    stop(holding: session)
}

private final class Debouncer: @unchecked Sendable {
    private var task: Task<Void, Never>?
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func call() {
        task = Task { [action] in  // leaks
            try? await Task.sleep(for: .seconds(60))
            action()
        }
    }

    func cancel() { task?.cancel() }
}

private final class Suggestions: @unchecked Sendable {
    private var rounds = 0
    private(set) lazy var debouncer =
        isCured ? Debouncer { [weak self] in self?.rounds += 1 } : Debouncer { self.rounds += 1 }
}

@MainActor func debounceSuggestions() async {
    await closeInTime {
        let suggestions = Suggestions()
        suggestions.debouncer.call()
        if isCured { suggestions.debouncer.cancel() }
        return suggestions
    }
}

@MainActor private var shakes: [() -> Void] = []

private final class ShakeProxy {
    weak var weakTarget: Canvas?
    var target: Canvas?

    init(_ target: Canvas) { if isCured { weakTarget = target } else { self.target = target } }

    func shake() { (target ?? weakTarget)?.shakes += 1 }
}

private final class Canvas {
    var shakes = 0
}

@MainActor func shakeByProxy() {
    close {
        let canvas = Canvas()
        let proxy = ShakeProxy(canvas)
        shakes.append { proxy.shake() }
        return canvas
    }
    Trace.checkpoint("closed")
    Trace.stop()
}

private final class RatingPresenter: @unchecked Sendable {
    weak var weakScreen: Rating?
    var screen: Rating?
    var rounds = 0
}

private final class Rating: @unchecked Sendable {
    private let presenter = RatingPresenter()
    private weak var timer: Timer?

    func start() {
        if isCured { presenter.weakScreen = self } else { presenter.screen = self }
        timer = .scheduledTimer(withTimeInterval: 60, repeats: true) { [presenter] _ in  // leaks
            presenter.rounds += 1
        }
    }

    func stop() { timer?.invalidate() }
}

@MainActor func presentByTimer() {
    close {
        let rating = Rating()
        rating.start()
        if isCured { rating.stop() }
        return rating
    }
    Trace.checkpoint("closed")
    Trace.stop()
}

private final class Ticker: @unchecked Sendable {
    private let (numbers, continuation) = AsyncStream<Int>.makeStream()
    private var sum = 0
    private let factor = 2
    private var task: Task<Void, Never>?

    func start() {
        let products =
            isCured
            ? numbers.map { [weak self] in $0 * (self?.factor ?? 0) } : numbers.map { $0 * self.factor }
        task = Task { [weak self] in  // leaks
            for await product in products { self?.sum += product }
        }
    }

    func stop() { task?.cancel() }
}

@MainActor func tickMapped() async {
    await closeInTime {
        let ticker = Ticker()
        ticker.start()
        if isCured { ticker.stop() }
        return ticker
    }
}
