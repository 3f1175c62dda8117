import Dispatch
import WeirRecording

extension Signal where Value: Sendable {
    /// The same values; fails with `SignalTimeout` if `interval` passes without a value after the subscription or a value.
    ///
    ///     source:          --1--2------3--|
    ///     timeout(4, on:): --1--2---#
    ///
    /// Values and the source's own end are delivered at once, on the emitting thread; only the failure is delivered on
    /// `scheduler`. If it refuses, the signal fails with its error. A cold signal that has lost its subscriber without an end, such
    /// as a request whose callback never comes, is silent; a released observable or emitter ends the subscription.
    @inlinable
    public func timeout(
        _ interval: DispatchTimeInterval, on scheduler: some Scheduler, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        let timeout = Timeout<Value>(interval: interval.waitingTime, scheduler: scheduler) { nil }
        return Operator(.timeout, timeout, to: self, file: file, line: line)
    }

    /// The same values until `interval` passes without one; then those of the signal that `substitute` makes.
    ///
    ///     source:          --1--2------3--|
    ///     substitute:               a--b|
    ///     timeout(4, on:): --1--2---a--b|
    ///
    /// The subscription to the source then ends.
    @inlinable
    public func timeout(
        _ interval: DispatchTimeInterval, on scheduler: some Scheduler, file: StaticString = #fileID,
        line: UInt = #line, _ substitute: @escaping @Sendable () -> Signal<Value>
    ) -> Signal<Value> {
        let timeout = Timeout<Value>(interval: interval.waitingTime, scheduler: scheduler) { substitute() }
        return Operator(.timeout, timeout, to: self, file: file, line: line)
    }
}

@usableFromInline
struct Timeout<Value>: Operation {
    @usableFromInline let interval: UInt64
    @usableFromInline let scheduler: any Scheduler
    @usableFromInline let substitute: @Sendable () -> Signal<Value>?

    @inlinable
    init(interval: UInt64, scheduler: any Scheduler, substitute: @escaping @Sendable () -> Signal<Value>?) {
        self.interval = interval
        self.scheduler = scheduler
        self.substitute = substitute
    }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let watch = Watch<Value>(interval: interval, on: scheduler, substitute: substitute)
        let links = SourceLinks(feeding: downstream) { [alarm = watch.alarm] in alarm.cancel() }
        let sink = InputSink<Value, Value>(feeding: downstream) {
            if watch.sees() { downstream.emit($0) } else { downstream.suppress(.afterCompletion) }
        } end: { ending in
            // The scheduler holds the links until the time is over.
            if case .abandoned = ending, watch.interval != .max { return links.cut(0) }
            links.finish(ending)
        } cancelled: { _ in
            // Cancelled by the watch, which continues with the substitute, or by the token, which has notified the downstream.
        }
        return links.token {
            watch.set(after: interval, links)
            links.attach(sink, to: source, key: 0)
        }
    }
}

/// Monitors the silence of a source.
@usableFromInline
final class Watch<Value>: Sendable {
    @usableFromInline let interval: UInt64
    @usableFromInline let alarm: Alarm
    @usableFromInline let substitute: @Sendable () -> Signal<Value>?
    @usableFromInline let state: Guarded<(due: UInt64, hop: Hop, isOver: Bool)>

    @inlinable
    init(interval: UInt64, on scheduler: any Scheduler, substitute: @escaping @Sendable () -> Signal<Value>?) {
        self.interval = interval
        self.substitute = substitute
        alarm = Alarm(on: scheduler)
        state = Guarded((alarm.now.addingWait(interval), Hop(), false))
    }

    /// Registers a value; false: it is too late.
    @inlinable
    func sees() -> Bool {
        let hop = Hop()
        let due = alarm.now.addingWait(interval)
        return state.withState { state in
            if state.isOver { return false }
            (state.due, state.hop) = (due, hop)
            return true
        }
    }

    @inlinable
    func set(after wait: UInt64, _ links: SourceLinks<Value>) {
        // The timer is not moved with each value: when it rings, it checks whether the interval is over.
        alarm.set(after: wait, links) {
            let now = self.alarm.now
            let (due, hop) = self.state.withState { state -> (UInt64, Hop) in
                state.isOver = state.due <= now
                return (state.due, state.hop)
            }
            if due > now { return self.set(after: due == .max ? .max : due - now, links) }
            links.serializer.run { hop.run(of: links.downstream) { self.end(links) } }
        }
    }

    @usableFromInline
    func end(_ links: SourceLinks<Value>) {
        guard let signal = substitute() else { return links.finish(.failed(SignalTimeout(nanoseconds: interval))) }
        links.cut(0)
        let sink = InputSink<Value, Value>(feeding: links.downstream) {
            links.downstream.emit($0)
        } end: {
            links.finish($0)
        }
        links.attach(sink, to: signal, key: 1)
    }
}
