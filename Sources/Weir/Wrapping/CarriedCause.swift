extension Trace {
    /// `body`, to be called later or on another thread, with the current delivery as its cause.
    ///
    /// ```swift
    /// queue.async(execute: Trace.carryingCause { [weak model] in
    ///     withTracing("search is done") { model?.isSearching = false }
    /// })
    /// ```
    /// Use it for completion handlers, timers and queues; ``task(priority:_:)`` does the same for code that awaits. The cause
    /// takes effect if `body` emits while no other delivery is open. It may run on any thread, any number of times. If nothing is
    /// recorded or being delivered, this returns `body` itself.
    public static func carryingCause(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        guard let cause = TaskCause.here else { return body }
        return { TaskCause.carried(cause, body) }
    }
}
