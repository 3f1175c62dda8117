import Dispatch
import WeirRecording

extension Signal where Value: Sendable {
    /// Each value that no other value follows within `interval`, after that interval.
    ///
    ///     source:           --1-2-----3|
    ///     debounce(3, on:): -------2--(3|)
    ///
    /// A value that is followed too soon is dropped; a trace says 'superseded'. At completion the last value is delivered at
    /// once; at a failure, and when the source is released, it is lost. Everything is delivered on `scheduler`; if it refuses,
    /// the signal fails with its error.
    @inlinable
    public func debounce(
        _ interval: DispatchTimeInterval, on scheduler: some Scheduler, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        let debounce = Debounce<Value>(interval: interval.waitingTime, scheduler: scheduler)
        return Operator(.debounce, debounce, to: self, file: file, line: line)
    }
}

@usableFromInline
struct Debounce<Value>: Operation {
    @usableFromInline let interval: UInt64
    @usableFromInline let scheduler: any Scheduler

    @inlinable
    init(interval: UInt64, scheduler: any Scheduler) {
        self.interval = interval
        self.scheduler = scheduler
    }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let waiting = Waiting<Value>(on: scheduler)
        let links = waiting.links(feeding: downstream)
        let sink = InputSink<Value, Value>(feeding: downstream) { [interval] in
            waiting.keep($0, until: waiting.alarm.now.addingWait(interval), postpones: true, links)
        } end: {
            waiting.end($0, keepsLast: true, links)
        }
        return links.token { links.attach(sink, to: source, key: 0, isSerial: false) }
    }
}
