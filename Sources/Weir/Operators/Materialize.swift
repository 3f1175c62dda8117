import WeirRecording

extension Signal {
    /// The events of the source as values: each value, and its failure or completion; then it completes.
    ///
    ///     source:      --1--2--#
    ///     materialize: --n--n--(f|)
    ///
    /// So a failure can be passed to the code that shows it, without ending the signals in between.
    @inlinable
    public func materialize(file: StaticString = #fileID, line: UInt = #line) -> Signal<Event<Value>> {
        Operator(.materialize, Materialize(), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Materialize<Value>: Operation {
    @inlinable
    init() {}

    @inlinable
    func attach(_ downstream: Sink<Event<Value>>, to source: Signal<Value>) -> Disposable {
        // At the end two events follow each other, and the subscriber may dispose of its subscription in between.
        let links = SourceLinks(feeding: downstream)
        let sink = InputSink<Value, Event<Value>>(feeding: downstream) {
            downstream.emit(.next($0))
        } end: { ending in
            switch ending {
            case .completed: downstream.emit(.completed)
            case .failed(let error): downstream.emit(.failed(error))
            case .released, .abandoned: return links.finish(ending)
            }
            links.finish(.completed)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
