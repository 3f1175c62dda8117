import WeirRecording

extension ReadOnlyObservable {
    /// The current value for each new subscriber, then every change; bind a view to it.
    ///
    ///     observable: 1----2--3--
    ///     current:      ^1-2--3--   (subscribed at ^)
    ///
    /// An operator on the observable itself receives changes only: `name.map { … }` emits nothing until the name changes, while
    /// `name.current.map { … }` starts with the name. A change that another thread makes at the same time is not lost, and
    /// follows the current value. In a trace, its call site is the line that made the observable.
    public final var current: Signal<Value> { Operator(.current, Current(), to: self, file: file, line: line) }
}

/// An observable's current value, then its deliveries.
@usableFromInline
struct Current<Value>: StatelessOperation {
    @usableFromInline typealias Input = Value
    @usableFromInline typealias Output = Value

    @usableFromInline
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        source.attachCurrent(StatelessSink(self, downstream))
    }

    @inlinable @inline(__always)
    func receive(_ value: Value, _ downstream: Sink<Value>) { downstream.emit(value) }
}
