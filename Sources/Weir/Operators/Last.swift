import WeirRecording

extension Signal {
    /// The last value, at completion; without values, it just completes.
    ///
    ///     source: --1--2--3--|
    ///     last(): -----------(3|)
    ///
    /// A failure is delivered at once; the value is lost with it, and also when the source is released. A trace says 'waiting'
    /// for the first value, and 'superseded' for each later one.
    @inlinable
    public func last(file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        Operator(.last, Last(substitute: nil), to: self, file: file, line: line)
    }

    /// The last value, at completion; without values, `substitute`.
    ///
    ///     source:           -----------|
    ///     last(default: 0): -----------(0|)
    ///
    /// Otherwise the same as `last()`.
    @inlinable
    public func last(
        default substitute: Value, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(.last, Last(substitute: substitute), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Last<Value>: Operation {
    /// Nil: without a last value, nothing is emitted.
    @usableFromInline let substitute: Value?

    @inlinable
    init(substitute: Value?) { self.substitute = substitute }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let latest = Latest<Value>()
        let links = SourceLinks(feeding: downstream, onCut: latest.clear)
        let sink = InputSink<Value, Value>(feeding: downstream) { value in
            let isFirst = latest.take() == nil
            latest.replace(by: value)
            downstream.suppress(isFirst ? .waiting : .superseded)
        } end: { [substitute] ending in
            if case .completed = ending, let last = latest.take() ?? substitute { downstream.emit(last) }
            links.finish(ending)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
