import WeirTrace

extension Signal where Value: Sendable {
    /// The same values and the same end, delivered on `scheduler`, in the same order.
    ///
    ///     source:      --1--2--3--|
    ///     deliver(on): ---1--2--3--|   when the scheduler takes a moment
    ///
    /// Values come one after the other, also on a concurrent queue. What is on its way when the source fails or is released
    /// is still delivered, and the end after it; what is on its way when the subscription is disposed is not. If the
    /// scheduler refuses, the signal fails with its error.
    ///
    /// Cost: what the scheduler costs; for a Dispatch queue a few allocations for each value.
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
