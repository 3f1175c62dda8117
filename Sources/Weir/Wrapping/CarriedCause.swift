extension Trace {
    /// `body`, to be called later or on another thread, as caused by what is being delivered here now.
    ///
    /// ```swift
    /// queue.async(execute: Trace.carryingCause { [weak model] in
    ///     withTracing("search is done") { model?.isSearching = false }
    /// })
    /// ```
    /// For completion handlers, timers and queues; ``task(priority:_:)`` is the same for what awaits. The cause comes
    /// into effect where anything is emitted in `body` while nothing else is being delivered. Any thread, any number of
    /// times. Nothing recorded, or being delivered: `body` itself.
    public static func carryingCause(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        guard let cause = TaskCause.here else { return body }
        return { TaskCause.carried(cause, body) }
    }
}
