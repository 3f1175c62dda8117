import WeirRecording

extension Signal where Value: Sendable {
    /// The same values and the same end, delivered on `scheduler`, in the same order.
    ///
    ///     source:      --1--2--3--|
    ///     deliver(on): ---1--2--3--|   when the scheduler takes a moment
    ///
    /// Values are delivered one after the other, even on a concurrent queue. Values that wait when the source fails or is
    /// released are still delivered, followed by the end; values that wait when the subscription is disposed are not. If the
    /// scheduler refuses, the signal fails with its error.
    ///
    /// Cost: that of the scheduler; for a Dispatch queue a few allocations for each value.
    @inlinable
    public func deliver(
        on scheduler: some Scheduler, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(.deliver, Deliver(scheduler: scheduler), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Deliver<Value>: Operation {
    @usableFromInline let scheduler: any Scheduler

    @inlinable
    init(scheduler: any Scheduler) { self.scheduler = scheduler }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let handover = Handover<Value>(on: scheduler)
        let links = SourceLinks(feeding: downstream) { [weak handover] in handover?.letGo() }
        let sink = InputSink<Value, Value>(feeding: downstream) {
            handover.send(.value($0), links)
        } end: {
            handover.send(.end($0), links)
        }
        return links.token { links.attach(sink, to: source, key: 0, isSerial: false) }
    }
}
