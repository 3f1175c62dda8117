import WeirTrace

extension Observable {
    /// The current value for each new subscriber, then every change: what a view binds to.
    ///
    ///     observable: 1----2--3--
    ///     current:      ^1-2--3--   (subscribed at ^)
    ///
    /// An operator on the observable itself hears changes only: `name.map { … }` is silent until the name changes, while
    /// `name.current.map { … }` starts with the name. A change that another thread makes meanwhile is not lost, and comes
    /// after the current value. A trace names it by the line that made the observable.
    public final var current: Signal<Value> { Operator(.current, CatchUp(), to: self, file: file, line: line) }
}
