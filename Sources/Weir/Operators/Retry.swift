import CWeirCore
import WeirRecording

extension Signal {
    /// The source, subscribed to again each time it fails, at most `times` times; then its failure is passed on.
    ///
    ///     source:   --1--#
    ///     retry(1): --1----1--#
    ///
    /// Values that were delivered before a failure may be delivered again. It keeps no hot source alive; if one has been released
    /// there is nothing to retry. It keeps the closures of the source, such as that of a `flatMap`: capture a hot signal weakly.
    ///
    /// - Parameters:
    ///   - times: the maximum number of retries; RxSwift also counts the first attempt.
    ///   - condition: whether to try again after an error; otherwise the failure is passed on at once.
    /// - Precondition: `times` is not negative.
    @inlinable
    public func retry(
        _ times: Int, if condition: @escaping @Sendable (any Error) -> Bool = { _ in true },
        file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        precondition(times >= 0, "retry(\(times)): the number of retries must not be negative")
        return Operator(.retry, Retry(times: times, condition: condition), to: self, file: file, line: line)
    }

    /// The source, subscribed to again each time it fails.
    ///
    /// This would never end by itself. So it stops retrying a source that fails 1000 times in a row while it is being subscribed
    /// to, without a value in between: its failure is passed on. If a source needs time to recover, use `retry(after:on:)`.
    ///
    /// - Parameter condition: whether to try again after an error; otherwise the failure is passed on at once.
    @inlinable
    public func retry(
        if condition: @escaping @Sendable (any Error) -> Bool = { _ in true }, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Signal<Value> {
        Operator(.retry, Retry(times: nil, condition: condition), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Retry<Value>: Operation {
    /// Nil: unbounded.
    @usableFromInline let times: Int?
    @usableFromInline let condition: @Sendable (any Error) -> Bool

    @inlinable
    init(times: Int?, condition: @escaping @Sendable (any Error) -> Bool) {
        self.times = times
        self.condition = condition
    }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let attempts = Attempts(at: source.forLater(), retries: times, if: condition, feeding: downstream) { attempts in
            InputSink<Value, Value>(feeding: attempts.links.downstream) { [downstream = attempts.links.downstream] in
                weir_store_bool(&attempts.hasEmitted, true)
                downstream.emit($0)
            } end: {
                attempts.ended($0)
            }
        }
        return attempts.links.token { attempts.links.serializer.run { attempts.subscribe(to: source) } }
    }
}

/// The consecutive subscriptions to a source that is retried.
@usableFromInline
final class Attempts<Value>: @unchecked Sendable {
    private struct State {
        /// Nil: any number.
        var retries: Int?
        /// The number of consecutive failures while subscribing, without a value.
        var inVain = 0
        var isSubscribing = true
        /// The source's failure while it was being subscribed to: the subscribing call will try again.
        var due: Ending?
    }

    private enum Decision { case giveUp, leave, tryAgain }

    private static var mostInVain: Int { 1000 }

    @usableFromInline let links: SourceLinks<Value>
    private let source: Later<Value>
    private let condition: @Sendable (any Error) -> Bool
    private let makeSink: (Attempts<Value>) -> Sink<Value>
    private let state: Guarded<State>
    @usableFromInline @exclusivity(unchecked) var hasEmitted = false

    @usableFromInline
    init(
        at source: Later<Value>, retries: Int?,
        if condition: @escaping @Sendable (any Error) -> Bool, feeding downstream: Sink<Value>,
        through makeSink: @escaping (Attempts<Value>) -> Sink<Value>
    ) {
        self.source = source
        self.condition = condition
        self.makeSink = makeSink
        links = SourceLinks(feeding: downstream)
        state = Guarded(State(retries: retries))
    }

    /// Subscribes to `source`, and again as long as it fails at once; the stack does not grow.
    @usableFromInline
    func subscribe(to source: Signal<Value>) {
        var source = source
        while links.downstream.isHeard {
            links.attach(makeSink(self), to: source, key: 0)
            let due = state.withState { state in
                let due = state.due
                state.due = nil
                state.isSubscribing = due != nil
                return due
            }
            guard let due else { return }
            guard let next = next(after: due) else { return }
            source = next
        }
    }

    @usableFromInline
    func ended(_ ending: Ending) {
        guard case .failed(let error) = ending, condition(error) else { return links.finish(ending) }
        let hasEmitted = weir_exchange_bool(&hasEmitted, false)
        let decision = state.withState { state -> Decision in
            if let left = state.retries {
                if left == 0 { return .giveUp }
                state.retries = left - 1
            }
            guard state.isSubscribing else {
                state.inVain = 0
                state.isSubscribing = true
                return .tryAgain
            }
            state.inVain = hasEmitted ? 0 : state.inVain + 1
            if state.retries == nil && state.inVain >= Self.mostInVain { return .giveUp }
            state.due = ending
            return .leave
        }
        switch decision {
        case .giveUp: links.finish(ending)
        case .leave: break
        case .tryAgain: if let next = next(after: ending) { subscribe(to: next) }
        }
    }

    private func next(after ending: Ending) -> Signal<Value>? {
        // Before the previous subscription ends: it may be the only owner of the upstream that both share.
        let next = source.signal()
        links.cut(0)
        if next == nil { links.finish(ending) }
        return next
    }
}
