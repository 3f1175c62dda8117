import Weir
import WeirTesting

/// How a subscription to `operator(source)` ends.
enum WayOfEnding: String, CaseIterable, Sendable {
    case disposed, disposedForgotten, disposedAfterValues, disposedInHandler
    case bagEmptied, bagReleased, bagReleasedForgotten
    case completed, completedAfterValues, completedAtOnce
    case failed, failedAfterValues, failedAtOnce
    case takenFromBelow, failedFromBelow, limitedFromBelow, limitedForgotten
    case replaced, replacedForgotten, replacedAfterValues
    case timedOut
    case targetReleased
    case dropped, droppedAfterValues
    case commandCancelled, commandCancelledForgotten, commandCancelledAfterValues
    case commandReleased, commandReleasedForgotten
    case executionCompleted

    /// Whether an operator with a value of its own may end the subscription before it subscribes to its source.
    var mayPrecedeSubscription: Bool { [.takenFromBelow, .failedFromBelow, .disposedInHandler].contains(self) }

    var source: CleanupStage.Source {
        switch self {
        case .disposedForgotten, .bagReleasedForgotten, .limitedForgotten, .replacedForgotten, .dropped,
            .commandCancelledForgotten, .commandReleasedForgotten:
            .forgotten
        case .completedAtOnce: .completingAtOnce
        case .failedAtOnce: .failingAtOnce
        default: .kept
        }
    }
}

/// One subscription that is brought to its end.
struct CleanupTrial {
    let stage: CleanupStage
    let way: WayOfEnding
    let apply: @Sendable (Signal<Int>, AppliedOperator.Context) -> Signal<Int>
    /// The problems; empty if there are none.
    private(set) var problems: [String] = []

    /// Runs it; returns the problems, or nil if there are none.
    static func problem(
        _ way: WayOfEnding, _ apply: @escaping @Sendable (Signal<Int>, AppliedOperator.Context) -> Signal<Int>
    ) -> String? {
        var trial = CleanupTrial(stage: CleanupStage(way.source), way: way, apply: apply)
        trial.run()
        return trial.problems.isEmpty ? nil : trial.problems.joined(separator: ", ")
    }

    private mutating func run() {
        weak var token: CleanupStage.Token?
        weak var source: Signal<Int>?
        // Objects that a program keeps after the end must not hold the ended subscription.
        var kept: [AnyObject] = []
        do {
            let made = CleanupStage.Token()
            let context = AppliedOperator.Context(stage: stage, token: made)
            let origin = stage.source(holding: made)
            (token, source) = (made, origin)
            kept = perform(apply(origin, context), made)
        }
        if stage.count > 0 || !way.mayPrecedeSubscription, let problem = stage.problem() { problems.append(problem) }
        stage.forget()
        if source != nil { problems.append("the source is still held") }
        if token != nil { problems.append("captures are still held") }
        withExtendedLifetime(kept) {}
    }

    private mutating func perform(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> [AnyObject] {
        switch way {
        case .disposed, .disposedForgotten, .disposedAfterValues, .disposedInHandler: [dispose(signal, token)]
        case .bagEmptied, .bagReleased, .bagReleasedForgotten: bag(signal, token)
        case .completed, .completedAfterValues, .completedAtOnce: [end(signal, token, failing: false)]
        case .failed, .failedAfterValues, .failedAtOnce: [end(signal, token, failing: true)]
        case .takenFromBelow: [endFromBelow(signal.take(1), token)]
        case .failedFromBelow: [endFromBelow(signal.map { _ in throw CleanupStage.Refusal() }, token)]
        case .limitedFromBelow, .limitedForgotten: limit(signal, token)
        case .replaced, .replacedForgotten, .replacedAfterValues: replace(signal, token)
        case .timedOut: timeOut(signal, token)
        case .targetReleased: [releaseTarget(signal, token)]
        case .dropped, .droppedAfterValues: drop(signal, token)
        case .commandCancelled, .commandCancelledForgotten, .commandCancelledAfterValues, .commandReleased,
            .commandReleasedForgotten, .executionCompleted:
            execute(signal, token)
        }
    }

    /// Subscribes a handler that holds the token, and runs the work that was scheduled at once.
    private func subscribe(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> Disposable {
        let subscription = signal.subscribe { _ in withExtendedLifetime(token) {} }
        stage.time.advance(by: .nanoseconds(0))
        return subscription
    }

    private func dispose(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> Disposable {
        guard way == .disposedInHandler else {
            let subscription = subscribe(signal, token)
            if way == .disposedAfterValues { stage.sendValues() }
            subscription.dispose()
            return subscription
        }
        let bag = DisposeBag()
        let subscription = signal.subscribe { _ in withExtendedLifetime(token) { bag.dispose() } }
        subscription.disposed(by: bag)
        stage.time.advance(by: .nanoseconds(0))
        stage.sendValues()
        // Not every combination has a value to emit.
        bag.dispose()
        return subscription
    }

    private func bag(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> [AnyObject] {
        var bag: DisposeBag? = DisposeBag()
        let subscription = subscribe(signal, token)
        if let bag { subscription.disposed(by: bag) }
        if way == .bagEmptied { bag?.dispose() }
        defer { bag = nil }
        return way == .bagEmptied ? [subscription] + (bag.map { [$0] } ?? []) : [subscription]
    }

    private mutating func end(_ signal: Signal<Int>, _ token: CleanupStage.Token, failing: Bool) -> Disposable {
        let ends = Locked(0)
        let subscription = signal.subscribeEvents {
            if case .next = $0 { return withExtendedLifetime(token) {} }
            ends.change { $0 += 1 }
        }
        stage.time.advance(by: .nanoseconds(0))
        if way == .completedAfterValues || way == .failedAfterValues { stage.sendValues() }
        stage.endAll(failing: failing)
        if ends.value > 1 { problems.append("ended \(ends.value) times") }
        if ends.value == 0 {
            // An unbounded `retry` of a permanent failure subscribes again; nothing else may stay open.
            if !failing { problems.append("the completion was not heard") }
            subscription.dispose()
        }
        return subscription
    }

    /// - Parameter signal: ends with its subscriptions at the first value.
    private func endFromBelow(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> Disposable {
        let subscription = subscribe(signal, token)
        stage.sendValues()
        // Not every combination has a value to emit.
        subscription.dispose()
        return subscription
    }

    private func limit(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> [AnyObject] {
        let limit = Emitter<Void>()
        let subscription = subscribe(signal.takeUntil(limit), token)
        limit.emit()
        return [limit, subscription]
    }

    private mutating func replace(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> [AnyObject] {
        let requests = Emitter<Bool>()
        let replacement = Signal<Int>.never()
        let subscription = subscribe(requests.flatMap(.latest) { $0 ? signal : replacement }, token)
        requests.emit(true)
        stage.time.advance(by: .nanoseconds(0))
        if way == .replacedAfterValues { stage.sendValues() }
        requests.emit(false)
        if let problem = stage.problem() { problems.append("on replacement: \(problem)") }
        subscription.dispose()
        return [requests, subscription]
    }

    private mutating func timeOut(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> [AnyObject] {
        let own = VirtualScheduler()
        let replacement = Signal<Int>.never()
        let subscription = subscribe(signal.timeout(.seconds(1), on: own) { replacement }, token)
        own.advance(by: .seconds(2))
        if let problem = stage.problem() { problems.append("on replacement: \(problem)") }
        subscription.dispose()
        return [own, subscription]
    }

    private func releaseTarget(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> Disposable {
        var target: Observable<Int>? = Observable(0)
        let subscription = signal.map { number in withExtendedLifetime(token) { number } }.bind(to: target!)
        stage.time.advance(by: .nanoseconds(0))
        target = nil
        stage.sendValues()
        // Not every combination has a value to emit.
        subscription.dispose()
        return subscription
    }

    private func drop(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> [AnyObject] {
        let subscription = Locked<Disposable?>(subscribe(signal, token))
        if way == .droppedAfterValues {
            stage.sendValues()
            stage.forget()
        }
        // Released outside of the lock, because this may clean up.
        let former = subscription.change { held in
            defer { held = nil }
            return held
        }
        withExtendedLifetime(former) {}
        // Pending work may hold what it will use.
        stage.time.stop()
        return []
    }

    private func execute(_ signal: Signal<Int>, _ token: CleanupStage.Token) -> [AnyObject] {
        var command: Command<Void, Int>? = Command { signal }
        var kept: [AnyObject] = []
        do {
            let execution = command!.execute()
            execution.subscribe { _ in withExtendedLifetime(token) {} }
            stage.time.advance(by: .nanoseconds(0))
            if way == .commandCancelledAfterValues { stage.sendValues() }
            switch way {
            case .commandReleased, .commandReleasedForgotten: break
            case .executionCompleted:
                stage.endAll(failing: false)
                kept.append(execution)
            default:
                execution.cancel()
                kept.append(execution)
            }
        }
        command = nil
        return kept
    }
}
