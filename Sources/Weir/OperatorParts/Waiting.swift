import WeirRecording

/// The value that an operator keeps until it is due: in `debounce`, `throttle`, `sample(every:)` and `buffer(time:)`.
///
/// Everything is delivered on the scheduler. At most one timer is set; it is not moved with each value, but when it rings it
/// checks whether the value is due.
@usableFromInline
final class Waiting<Value>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var value: Value?
        /// The time at which the value is due; without a value, the earliest time of the next one.
        @usableFromInline var due: UInt64 = 0
        @usableFromInline var hop = Hop.uncaused
        /// Whether an alarm is set.
        @usableFromInline var isSet = false

        @inlinable
        init() {}
    }

    @usableFromInline let state = Guarded(State())
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
        var former: Value? = value
        let isUnset = state.withState { state in
            swap(&state.value, &former)
            state.hop = hop
            if former == nil || postpones { state.due = due }
            defer { state.isSet = true }
            return !state.isSet
        }
        if former != nil { links.downstream.suppress(.superseded) }
        if isUnset { set(until: due, links) }
    }

    @inlinable
    func set(until due: UInt64, _ links: SourceLinks<Value>) {
        let now = alarm.now
        alarm.set(after: due == .max ? .max : due - min(now, due), links) { self.ring(links) }
    }

    @inlinable
    func ring(_ links: SourceLinks<Value>) {
        let now = alarm.now
        var value: Value?
        let (hop, due) = state.withState { state -> (Hop, UInt64) in
            if state.value != nil, state.due > now { return (state.hop, state.due) }
            state.isSet = false
            if state.value != nil { state.due = now.addingWait(pause) }
            swap(&state.value, &value)
            return (state.hop, 0)
        }
        if due > 0 { return set(until: due, links) }
        if let value { links.serializer.run { hop.run(of: links.downstream) { links.downstream.emit(value) } } }
    }

    /// Handles the end of the source: delivers the waiting value if the source has completed and `keepsLast`, then the end.
    @inlinable
    func end(_ ending: Ending, keepsLast: Bool, _ links: SourceLinks<Value>) {
        var last: Value?
        let hop = state.withState { state in
            swap(&state.value, &last)
            return state.hop
        }
        if let last {
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
        var dropped: Value?
        state.withState { swap(&$0.value, &dropped) }
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
