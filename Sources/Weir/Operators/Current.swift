import WeirTrace

extension ReadOnlyObservable {
    /// The current value for each new subscriber, then every change: what a view binds to.
    ///
    ///     observable: 1----2--3--
    ///     current:      ^1-2--3--   (subscribed at ^)
    ///
    /// An operator on the observable itself hears changes only: `name.map { … }` is silent until the name changes, while
    /// `name.current.map { … }` starts with the name. A change that another thread makes meanwhile is not lost, and comes
    /// after the current value. A trace names it by the line that made the observable.
    public final var current: Signal<Value> { Operator(.current, Current(), to: self, file: file, line: line) }
}

/// An observable's current value, then what it delivers.
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
