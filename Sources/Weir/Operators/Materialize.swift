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
        source.attach(
            InputSink<Value, Event<Value>>(feeding: downstream) {
                downstream.emit(.next($0))
            } end: { ending in
                switch ending {
                case .completed: downstream.emit(.completed)
                case .failed(let error): downstream.emit(.failed(error))
                case .released: return downstream.finish(.released)
                }
                downstream.finish(.completed)
            })
    }
}
