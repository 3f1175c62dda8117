import WeirRecording

/// The value that an operator keeps until it is due: in `debounce`, `throttle`, `sample(every:)` and `buffer(time:)`.
///
/// Everything is delivered on the scheduler. At most one timer is set; it is not moved with each value, but when it rings it
/// checks whether the value is due.
@usableFromInline
final class Waiting<Value>: Sendable {
    /// A pure value. A transition returns what to do outside of the gate, with any replaced value, which is released there.
    ///
    ///     state = idle (waiting (waiting | taken)* idle)*
    @usableFromInline
    enum State {
        /// No value waits, and no timer is set; `next`: the earliest time of the next value.
        case idle(next: UInt64)
        case waiting(Value, due: UInt64, Hop)
        /// The value was taken before the timer has rung.
        case taken(next: UInt64)

        /// Keeps `value` until `due`; if not `postpones`, until the time of the value that it replaces.
        @inlinable
        mutating func keep(_ value: Value, until due: UInt64, postpones: Bool, _ hop: Hop) -> Action {
            switch self {
            case .idle:
                self = .waiting(value, due: due, hop)
                return .setTimer(due: due)
            case .waiting(let former, let formerDue, _):
                self = .waiting(value, due: postpones ? due : formerDue, hop)
                return .suppress(former)
            case .taken:
                self = .waiting(value, due: due, hop)
                return .none
            }
        }

        /// The timer has rung.
        @inlinable
        mutating func ring(at now: UInt64, pause: UInt64) -> Action {
            switch self {
            case .idle: return .none
            case .waiting(_, let due, _) where due > now: return .setTimer(due: due)
            case .waiting(let value, _, let hop):
                self = .idle(next: now.addingWait(pause))
                return .deliver(value, hop)
            case .taken(let next):
                self = .idle(next: next)
                return .none
            }
        }

        /// The value that waits; it waits no longer.
        @inlinable
        mutating func take() -> (value: Value, hop: Hop)? {
            guard case .waiting(let value, let due, let hop) = self else { return nil }
            self = .taken(next: due)
            return (value, hop)
        }
    }

    @usableFromInline
    enum Action {
        case none
        case setTimer(due: UInt64)
        /// A newer value has replaced this one.
        case suppress(Value)
        /// Deliver it here, on the scheduler.
        case deliver(Value, Hop)
        case handOver(Value, Hop)
    }

    @usableFromInline let state = Guarded(State.idle(next: 0))
    @usableFromInline let alarm: Alarm
    @usableFromInline let handover: Handover<Value>
    /// The minimum time between two deliveries.
    @usableFromInline let pause: UInt64

    @inlinable
    init(on scheduler: any Scheduler, pause: UInt64 = 0) {
        alarm = Alarm(on: scheduler)
        handover = Handover(on: scheduler)
        self.pause = pause
    }

    /// Keeps `value`, replacing another one, until `due`; if not `postpones`, until the time of the replaced one.
    @inlinable
    func keep(_ value: Value, until due: UInt64, postpones: Bool, _ links: SourceLinks<Value>) {
        let hop = Hop()
        perform(state.withState { $0.keep(value, until: due, postpones: postpones, hop) }, links)
    }

    @inlinable
    func perform(_ action: Action, _ links: SourceLinks<Value>) {
        switch action {
        case .none: break
        case .setTimer(let due):
            let now = alarm.now
            alarm.set(after: due == .max ? .max : due - min(now, due), links) { self.ring(links) }
        case .suppress: links.downstream.suppress(.superseded)
        case .deliver(let value, let hop):
            links.serializer.run { hop.run(of: links.downstream) { links.downstream.emit(value) } }
        case .handOver(let value, let hop): handover.send(.value(value), links, hop: hop)
        }
    }

    @inlinable
    func ring(_ links: SourceLinks<Value>) {
        let now = alarm.now
        perform(state.withState { $0.ring(at: now, pause: pause) }, links)
    }

    /// Handles the end of the source: delivers the waiting value if the source has completed and `keepsLast`, then the end.
    @inlinable
    func end(_ ending: Ending, keepsLast: Bool, _ links: SourceLinks<Value>) {
        if let (last, hop) = state.withState({ $0.take() }) {
            if case .completed = ending, keepsLast {
                handover.send(.value(last), links, hop: hop)
            } else {
                links.downstream.suppress(.afterCompletion)
            }
        }
        handover.send(.end(ending), links)
    }

    /// Releases everything after the end or a disposal.
    @usableFromInline
    func letGo(_ downstream: Sink<Value>) {
        alarm.cancel()
        handover.letGo()
        let dropped = state.withState { $0.take() }
        if dropped != nil { downstream.suppress(.disposed) }
    }

    /// The links that end all sources of `downstream`.
    @inlinable
    func links(feeding downstream: Sink<Value>) -> SourceLinks<Value> {
        SourceLinks(feeding: downstream) { [weak self, downstream] in self?.letGo(downstream) }
    }
}

extension UInt64 {
    /// The time `wait` later; never, if either is `.max`.
    @inlinable
    func addingWait(_ wait: UInt64) -> UInt64 {
        let (sum, isNever) = addingReportingOverflow(wait)
        return isNever ? .max : sum
    }

    /// The next time, at the earliest this one, that is a positive multiple of `period` after `begin`.
    @inlinable
    func nextBeat(of period: UInt64, since begin: UInt64) -> UInt64 {
        let (whole, rest) = (self - begin).quotientAndRemainder(dividingBy: period)
        let (time, isNever) = Swift.max(1, whole + (rest > 0 ? 1 : 0)).multipliedReportingOverflow(by: period)
        return isNever ? .max : begin.addingWait(time)
    }
}
