import WeirRecording

extension Signal {
    /// Performs the events that the values describe: the reverse of `materialize`.
    ///
    /// The signal ends, with its subscription, at the first failure or completion among the values.
    @inlinable
    public func dematerialize<Output>(
        file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Output> where Value == Event<Output> {
        Operator(.dematerialize, Dematerialize(), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Dematerialize<Value>: Operation {
    @inlinable
    init() {}

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Event<Value>>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        let sink = InputSink<Event<Value>, Value>(feeding: downstream) { event in
            switch event {
            case .next(let value): downstream.emit(value)
            case .failed(let error): links.finish(.failed(error))
            case .completed: links.finish(.completed)
            }
        } end: {
            links.finish($0)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
