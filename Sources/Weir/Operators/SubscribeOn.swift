import WeirRecording

extension Signal where Value: Sendable {
    /// The same signal, subscribed to on `scheduler`: the start of a cold source runs there.
    ///
    ///     source:        --1--2--|
    ///     subscribe(on): ---1--2--|   when the scheduler takes a moment
    ///
    /// Values are delivered on the emitting thread. If the scheduler refuses, the signal fails with its error.
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
        // The scheduler holds it for a moment, then the token, which holds all sources.
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
