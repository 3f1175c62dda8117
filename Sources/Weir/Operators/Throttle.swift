import Dispatch
import WeirRecording

extension Signal where Value: Sendable {
    /// At most one value in each `interval`: the first at once, then the latest of those that arrived during the interval.
    ///
    ///     source:                         -1-2-3----4-----|
    ///     throttle(4, on:):               -1---3----4-----|
    ///     throttle(4, latest: false, on): -1--------4-----|
    ///
    /// A trace says 'superseded' for a value that a later one replaces, and 'filtered' for a value dropped because `latest` is
    /// false. At completion the waiting value is delivered at once; at a failure, and when the source is released, it is lost.
    /// Everything is delivered on `scheduler`; if it refuses, the signal fails with its error.
    ///
    /// - Parameter latest: whether the latest value that came too soon is delivered after the interval, or dropped.
    @inlinable
    public func throttle(
        _ interval: DispatchTimeInterval, latest: Bool = true, on scheduler: some Scheduler,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        let throttle = Throttle<Value>(interval: interval.waitingTime, latest: latest, scheduler: scheduler)
        return Operator(.throttle, throttle, to: self, file: file, line: line)
    }
}

@usableFromInline
struct Throttle<Value>: Operation {
    @usableFromInline let interval: UInt64
    @usableFromInline let latest: Bool
    @usableFromInline let scheduler: any Scheduler

    @inlinable
    init(interval: UInt64, latest: Bool, scheduler: any Scheduler) {
        self.interval = interval
        self.latest = latest
        self.scheduler = scheduler
    }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let waiting = Waiting<Value>(on: scheduler, pause: interval)
        let links = waiting.links(feeding: downstream)
        let sink = InputSink<Value, Value>(feeding: downstream) { [interval, latest] value in
            let now = waiting.alarm.now
            if let due = waiting.state.withState({ $0.pass(at: now, pause: interval) }) {
                guard latest else { return downstream.suppress(.filtered) }
                waiting.keep(value, until: due, postpones: false, links)
            } else {
                waiting.handover.send(.value(value), links)
            }
        } end: {
            waiting.end($0, keepsLast: true, links)
        }
        return links.token { links.attach(sink, to: source, key: 0, isSerial: false) }
    }
}

extension Waiting.State {
    /// Lets a value pass; or, if it comes too soon, returns the time of the next.
    @inlinable
    mutating func pass(at now: UInt64, pause: UInt64) -> UInt64? {
        switch self {
        case .idle(let next) where next <= now: self = .idle(next: now.addingWait(pause))
        case .taken(let next) where next <= now: self = .taken(next: now.addingWait(pause))
        case .idle(let next), .taken(let next), .waiting(_, let next, _): return next
        }
        return nil
    }
}
