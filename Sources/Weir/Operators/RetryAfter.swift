import WeirRecording

extension Signal {
    /// The source, subscribed to again after each failure, with a wait.
    ///
    ///     source:                                 --1--#
    ///     retry(1, after: .constant(3), on: …):   --1-------1--#
    ///
    /// ```swift
    /// load.retry(5, after: .exponential(from: .seconds(1), upTo: .seconds(30)), on: .main)
    /// ```
    /// The consecutive failures, which `backoff` receives, are counted anew after each value. The source is subscribed to on
    /// `scheduler`; if it refuses, the signal fails with its error. It keeps no hot source alive: if one has been released by
    /// then, the failure is passed on.
    ///
    /// - Parameters:
    ///   - times: the maximum number of retries; then the failure is passed on.
    ///   - backoff: the wait before each retry.
    ///   - condition: whether to try again after an error; otherwise the failure is passed on at once.
    /// - Precondition: `times` is not negative.
    @inlinable
    public func retry(
        _ times: Int = .max, after backoff: Backoff, on scheduler: some Scheduler,
        if condition: @escaping @Sendable (any Error) -> Bool = { _ in true }, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Signal<Value> {
        precondition(times >= 0, "retry(\(times)): the number of retries must not be negative")
        let retry = RetryAfter<Value>(times: times, backoff: backoff, scheduler: scheduler, condition: condition)
        return Operator(.retry, retry, to: self, file: file, line: line)
    }
}

@usableFromInline
struct RetryAfter<Value>: Operation {
    @usableFromInline let times: Int
    @usableFromInline let backoff: Backoff
    @usableFromInline let scheduler: any Scheduler
    @usableFromInline let condition: @Sendable (any Error) -> Bool

    @inlinable
    init(times: Int, backoff: Backoff, scheduler: any Scheduler, condition: @escaping @Sendable (any Error) -> Bool) {
        self.times = times
        self.backoff = backoff
        self.scheduler = scheduler
        self.condition = condition
    }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let attempts = LaterAttempts(self, at: source.forLater(), feeding: downstream)
        // The subscriber holds the source to retry, even while there is no subscription to it.
        return attempts.links.token(holding: [source]) { attempts.begin() }
    }
}

/// The consecutive subscriptions to a source that is retried after a wait.
@usableFromInline
final class LaterAttempts<Value>: @unchecked Sendable {
    private struct State {
        var left: Int
        /// The number of consecutive failures without a value.
        var failures = 0
        /// The number of subscriptions to make, one after the other, by the call that made it 1: a scheduler may run work at once.
        var due = 0
        /// The end of the last attempt, if there was one.
        var ending = Ending.released
    }

    @usableFromInline let links: SourceLinks<Value>
    private let source: Later<Value>
    private let backoff: Backoff
    private let condition: @Sendable (any Error) -> Bool
    private let alarm: Alarm
    private let state: Guarded<State>

    @usableFromInline
    init(_ retry: RetryAfter<Value>, at source: Later<Value>, feeding downstream: Sink<Value>) {
        let alarm = Alarm(on: retry.scheduler)
        self.alarm = alarm
        self.source = source
        backoff = retry.backoff
        condition = retry.condition
        links = SourceLinks(feeding: downstream) { alarm.cancel() }
        state = Guarded(State(left: retry.times))
    }

    /// Subscribes to the source, and again as long as it fails at once and the scheduler does not wait.
    @usableFromInline
    func begin() {
        let isFirst = state.withState {
            $0.due += 1
            return $0.due == 1
        }
        guard isFirst else { return }
        var isDue = true
        while isDue {
            subscribe()
            isDue = state.withState {
                $0.due -= 1
                return $0.due > 0
            }
        }
    }

    private func subscribe() {
        guard let source = source.signal() else { return links.finish(state.withState { $0.ending }) }
        let downstream = links.downstream
        let sink = InputSink<Value, Value>(
            feeding: downstream,
            next: { [self] in
                state.withState { $0.failures = 0 }
                downstream.emit($0)
            }, end: { [self] in ended($0) },
            // Cancelled by `ended`, or by the token, which has already notified the downstream.
            cancelled: { _ in })
        links.attach(sink, to: source, key: 0)
    }

    private func ended(_ ending: Ending) {
        guard case .failed(let error) = ending, condition(error) else { return links.finish(ending) }
        let failures = state.withState { state -> Int? in
            guard state.left > 0 else { return nil }
            state.left -= 1
            state.failures += 1
            return state.failures
        }
        guard let failures else { return links.finish(ending) }
        var former = ending
        state.withState { swap(&$0.ending, &former) }
        links.cut(0)
        let hop = Hop()
        alarm.set(after: backoff.wait(failures), links) { [self] in
            hop.run(of: links.downstream) { begin() }
        }
    }
}
