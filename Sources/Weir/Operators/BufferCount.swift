import WeirRecording

extension Signal {
    /// Arrays of `count` values each; at completion, an array of the remaining values.
    ///
    ///     source:           --1--2--3--|
    ///     buffer(count: 2): -----[1,2]-([3]|)
    ///
    /// A trace says 'waiting' for a value that has to wait for others. A failure is delivered at once; the remaining values are
    /// lost with it, and also when the source is released.
    ///
    /// - Precondition: `count` is positive.
    @inlinable
    public func buffer(
        count: Int, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<[Value]> {
        precondition(count > 0, "buffer(count: \(count)): an array has to hold at least one value")
        return Operator(.buffer, BufferCount(count: count), to: self, file: file, line: line)
    }
}

@usableFromInline
struct BufferCount<Value>: Operation {
    @usableFromInline let count: Int

    @inlinable
    init(count: Int) { self.count = count }

    @inlinable
    func attach(_ downstream: Sink<[Value]>, to source: Signal<Value>) -> Disposable {
        let buffer = OperatorState([Value]())
        // At the end two events may follow each other, and the subscriber may dispose of its subscription in between.
        let links = SourceLinks(feeding: downstream)
        let sink = InputSink<Value, [Value]>(feeding: downstream) { [count] value in
            buffer.value.append(value)
            guard buffer.value.count == count else { return downstream.suppress(.waiting) }
            var full: [Value] = []
            swap(&buffer.value, &full)
            downstream.emit(full)
        } end: { ending in
            var rest: [Value] = []
            swap(&buffer.value, &rest)
            if case .completed = ending, !rest.isEmpty { downstream.emit(rest) }
            links.finish(ending)
        }
        return links.token { links.attach(sink, to: source, key: 0) }
    }
}
