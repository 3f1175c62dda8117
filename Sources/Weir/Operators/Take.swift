import WeirRecording

extension Signal {
    /// The first `count` values; then it completes and ends its subscription. If `count` is 0, it completes at once.
    ///
    ///     source:  --1--2--3--4--|
    ///     take(2): --1--(2|)
    ///
    /// - Precondition: `count` is not negative.
    @inlinable
    public func take(_ count: Int, file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        precondition(count >= 0, "take(\(count)): the number of values cannot be negative")
        return Operator(.take, Take(count: count), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Take<Value>: Operation {
    @usableFromInline let count: Int

    @inlinable
    init(count: Int) { self.count = count }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let links = SourceLinks(feeding: downstream)
        guard count > 0 else { return links.token { links.finish(.completed) } }
        let left = OperatorState(count)
        let sink = InputSink<Value, Value>(feeding: downstream) { value in
            left.value -= 1
            guard left.value >= 0 else { return downstream.suppress(.afterCompletion) }
            let isLast = left.value == 0
            downstream.emit(value)
            if isLast { links.finish(.completed) }
        } end: {
            links.finish($0)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
