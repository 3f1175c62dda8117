import Dispatch
import WeirRecording

extension Signal where Value: Sendable {
    /// Each value and the completion, delayed by `interval`; a failure is delivered at once, and waiting values are lost.
    ///
    ///     source:        --1--2--3--|
    ///     delay(2, on:): ----1--2--3--|
    ///
    /// Values that wait when the source is released are still delivered. Everything is delivered on `scheduler`; if it refuses,
    /// the signal fails with its error.
    @inlinable
    public func delay(
        _ interval: DispatchTimeInterval, on scheduler: some Scheduler, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        let delay = Delay<Value>(interval: interval.waitingTime, scheduler: scheduler)
        return Operator(.delay, delay, to: self, file: file, line: line)
    }
}

@usableFromInline
struct Delay<Value>: Operation {
    @usableFromInline let interval: UInt64
    @usableFromInline let scheduler: any Scheduler

    @inlinable
    init(interval: UInt64, scheduler: any Scheduler) {
        self.interval = interval
        self.scheduler = scheduler
    }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let line = DelayLine<Value>(interval: interval, on: scheduler)
        let links = SourceLinks(feeding: downstream) { [weak line, downstream] in line?.letGo(downstream) }
        let sink = InputSink<Value, Value>(feeding: downstream) {
            line.send(.value($0), links)
        } end: { ending in
            guard case .failed = ending else { return line.send(.end(ending), links) }
            line.clear { downstream.suppress(.afterCompletion) }
            line.handover.send(.end(ending), links)
        }
        return links.token { links.attach(sink, to: source, key: 0, isSerial: false) }
    }
}

/// Delayed events in order; one alarm is set, for the first of them.
@usableFromInline
final class DelayLine<Value>: Sendable {
    @usableFromInline typealias Entry = (item: Handover<Value>.Item, hop: Hop, due: UInt64)

    @usableFromInline
    struct State {
        @usableFromInline var waiting = Queue<Entry>()
        /// Whether an alarm is set.
        @usableFromInline var isSet = false

        @inlinable
        init() {}
    }

    @usableFromInline let interval: UInt64
    @usableFromInline let alarm: Alarm
    @usableFromInline let handover: Handover<Value>
    @usableFromInline let state = Guarded(State())

    @inlinable
    init(interval: UInt64, on scheduler: any Scheduler) {
        self.interval = interval
        alarm = Alarm(on: scheduler)
        handover = Handover(on: scheduler)
    }

    @inlinable
    func send(_ item: Handover<Value>.Item, _ links: SourceLinks<Value>) {
        // No subscriber is notified of it, so it only must not overtake a value.
        if case .end(let ending) = item, ending.isReleased, !state.withState({ $0.isSet }) {
            return links.finish(ending)
        }
        let entry = (item, Hop(), alarm.now.addingWait(interval))
        let isUnset = state.withState { state in
            state.waiting.append(entry)
            defer { state.isSet = true }
            return !state.isSet
        }
        if isUnset { set(after: interval, links) }
    }

    @inlinable
    func set(after wait: UInt64, _ links: SourceLinks<Value>) {
        alarm.set(after: wait, links) { self.ring(links) }
    }

    @inlinable
    func ring(_ links: SourceLinks<Value>) {
        while true {
            // Read for each event: a handler may have sent one that is already due, and `immediate` cannot wait for it.
            let now = alarm.now
            let (next, due) = state.withState { state -> (Entry?, UInt64?) in
                let due = state.waiting.first?.due
                if let due, due <= now { return (state.waiting.popFirst(), nil) }
                state.isSet = due != nil
                return (nil, due)
            }
            if let due { return set(after: due == .max ? .max : due - now, links) }
            guard let next else { return }
            links.serializer.run { next.item.deliver(next.hop, links) }
        }
    }

    /// Drops the waiting events, and calls `dropped` for each value.
    @inlinable
    func clear(_ dropped: () -> Void) {
        var former = Queue<Entry>()
        state.withState { swap(&$0.waiting, &former) }
        while let next = former.popFirst() {
            if case .value = next.item { dropped() }
        }
    }

    /// Releases everything after the end or a disposal.
    @usableFromInline
    func letGo(_ downstream: Sink<Value>) {
        alarm.cancel()
        handover.letGo()
        clear { downstream.suppress(.disposed) }
    }
}
