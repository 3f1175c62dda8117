import WeirTrace

extension Signal where Value: Sendable {
    /// The same signal, subscribed to on `scheduler`: what a cold source does to begin runs there.
    ///
    ///     source:        --1--2--|
    ///     subscribe(on): ---1--2--|   when the scheduler takes a moment
    ///
    /// Values come on the thread that emits them. If the scheduler refuses, the signal fails with its error.
    @inlinable
    public func subscribe(
        on scheduler: some Scheduler, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(.subscribe, SubscribeOn(scheduler: scheduler), to: self, file: file, line: line)
    }
}

@usableFromInline
struct SubscribeOn<Value>: Operation {
    @usableFromInline let scheduler: any Scheduler

    @inlinable
    init(scheduler: any Scheduler) { self.scheduler = scheduler }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let alarm = Alarm(on: scheduler)
        let links = SourceLinks(feeding: downstream) { alarm.cancel() }
        let hop = Hop()
        // Held by the scheduler for a moment, and then by the token, which is what signals are held by.
        nonisolated(unsafe) let source = source
        return links.token {
            alarm.set(links) {
                hop.run(of: links.downstream) {
                    let sink = InputSink<Value, Value>(feeding: links.downstream) {
                        links.downstream.emit($0)
                    } end: {
                        links.finish($0)
                    }
                    links.attach(sink, to: source, key: 0)
                }
            }
        }
    }
}
