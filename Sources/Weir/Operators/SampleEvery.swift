import Dispatch
import WeirRecording

extension Signal where Value: Sendable {
    /// The latest value after every `period` since the subscription, unless it has already been delivered.
    ///
    ///     source:               -1-2----3--4-|
    ///     sample(every: 4, on): ----2---3---(4)-
    ///
    /// A trace says 'superseded' for a value that a newer one replaces. A value that waits when the source ends is lost.
    /// Everything is delivered on `scheduler`; if it refuses, the signal fails with its error. No timer runs while no value
    /// waits.
    ///
    /// - Precondition: `period` is positive.
    @inlinable
    public func sample(
        every period: DispatchTimeInterval, on scheduler: some Scheduler, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Signal<Value> {
        precondition(period.waitingTime > 0, "sample(every: \(period)): the period has to be positive")
        let sample = SampleEvery<Value>(period: period.waitingTime, scheduler: scheduler)
        return Operator(.sample, sample, to: self, file: file, line: line)
    }
}

@usableFromInline
struct SampleEvery<Value>: Operation {
    @usableFromInline let period: UInt64
    @usableFromInline let scheduler: any Scheduler

    @inlinable
    init(period: UInt64, scheduler: any Scheduler) {
        self.period = period
        self.scheduler = scheduler
    }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let waiting = Waiting<Value>(on: scheduler)
        let links = waiting.links(feeding: downstream)
        let begin = waiting.alarm.now
        let sink = InputSink<Value, Value>(feeding: downstream) { [period] in
            let due = waiting.alarm.now.nextBeat(of: period, since: begin)
            waiting.keep($0, until: due, postpones: false, links)
        } end: {
            waiting.end($0, keepsLast: false, links)
        }
        return links.token { links.attach(sink, to: source, key: 0, isSerial: false) }
    }
}
