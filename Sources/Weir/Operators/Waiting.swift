import WeirTrace

/// What an operator keeps until its time has come: of `debounce`, `throttle`, `sample(every:)` and `buffer(time:)`.
///
/// Everything is delivered on the scheduler. At most one timer is set; it is not moved with each value, but looks, when it
/// rings, whether it is time.
@usableFromInline
final class Waiting<Value>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var value: Value?
        /// When the value is to be delivered; without one, before when the next may not be.
        @usableFromInline var due: UInt64 = 0
        @usableFromInline var hop = Hop.uncaused
        /// The alarm will ring.
        @usableFromInline var isSet = false

        @inlinable
        init() {}
    }

    @usableFromInline let state = Guarded(State())
    @usableFromInline let alarm: Alarm
    @usableFromInline let handover: Handover<Value>
    /// How long nothing may come after a delivery.
    @usableFromInline let pause: UInt64

    @inlinable
    init(on scheduler: any Scheduler, pause: UInt64 = 0) {
        alarm = Alarm(on: scheduler)
        handover = Handover(on: scheduler)
        self.pause = pause
    }

    /// Keeps `value`, in place of another one, until `due`; or until the other one's time, if not `postpones`.
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

    /// The source has ended: delivers what waits if it has completed and `keepsLast`, and the end.
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

    /// Everything has ended, or was disposed.
    @usableFromInline
    func letGo(_ downstream: Sink<Value>) {
        alarm.cancel()
        handover.letGo()
        var dropped: Value?
        state.withState { swap(&$0.value, &dropped) }
        if dropped != nil { downstream.suppress(.disposed) }
    }

    /// What ends everything that feeds `downstream`.
    @inlinable
    func links(feeding downstream: Sink<Value>) -> SourceLinks<Value> {
        SourceLinks(feeding: downstream) { [weak self, downstream] in self?.letGo(downstream) }
    }
}

extension UInt64 {
    /// The moment that comes `wait` later; never, if either is `.max`.
    @inlinable
    func addingWait(_ wait: UInt64) -> UInt64 {
        let (sum, isNever) = addingReportingOverflow(wait)
        return isNever ? .max : sum
    }

    /// The next moment, this one at the earliest, that is a positive multiple of `period` after `begin`.
    @inlinable
    func nextBeat(of period: UInt64, since begin: UInt64) -> UInt64 {
        let (whole, rest) = (self - begin).quotientAndRemainder(dividingBy: period)
        let (time, isNever) = Swift.max(1, whole + (rest > 0 ? 1 : 0)).multipliedReportingOverflow(by: period)
        return isNever ? .max : begin.addingWait(time)
    }
}
