import WeirRecording

extension Signal {
    /// All values except the first `count`; a trace says 'filtered' for those.
    ///
    ///     source:  --1--2--3--|
    ///     skip(1): -----2--3--|
    ///
    /// - Precondition: `count` is not negative.
    @inlinable
    public func skip(_ count: Int, file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        precondition(count >= 0, "skip(\(count)): the number of values cannot be negative")
        return Operator(.skip, Skip(count: count), to: self, file: file, line: line)
    }
}

@usableFromInline
struct Skip<Value>: Operation {
    @usableFromInline let count: Int

    @inlinable
    init(count: Int) { self.count = count }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let left = OperatorState(count)
        return source.attach(
            InputSink<Value, Value>(feeding: downstream) { value in
                guard left.value > 0 else { return downstream.emit(value) }
                left.value -= 1
                downstream.suppress(.filtered)
            })
    }
}
