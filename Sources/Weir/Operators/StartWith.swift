import WeirRecording

extension Signal {
    /// `value` at once, then the values of the source.
    ///
    ///     source:       --1--2--|
    ///     startWith(0): 0-1--2--|
    ///
    /// The source is subscribed to after `value` has been delivered.
    @inlinable
    public func startWith(
        _ value: Value, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        Operator(.startWith, StartWith(value: value), to: self, file: file, line: line)
    }
}

@usableFromInline
struct StartWith<Value>: StatelessOperation {
    @usableFromInline typealias Input = Value
    @usableFromInline typealias Output = Value
    @usableFromInline let value: Value

    @inlinable
    init(value: Value) { self.value = value }

    @inlinable
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        downstream.emit(value)
        guard downstream.isHeard else { return downstream.idleToken() }
        return source.attach(StatelessSink(self, downstream))
    }

    @inlinable @inline(__always)
    func receive(_ value: Value, _ downstream: Sink<Value>) { downstream.emit(value) }
}
