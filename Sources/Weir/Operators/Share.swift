import WeirRecording

extension Signal {
    /// The same values for all subscribers, from one subscription to the source.
    ///
    ///     source:  --1--2--3--|
    ///     first:  ^--1--2--3--|
    ///     second:      ^2--3--|   (subscribed at ^)
    ///
    /// The first subscriber starts the subscription to the source, and the last disposal ends it. A later subscriber misses
    /// earlier values (see `replay`), and so does one that subscribes while another thread is about to subscribe to the source. A
    /// subscriber after the end, or after all others have left, starts the source again.
    ///
    /// **Ownership.** The shared signal holds its source, and each subscription holds the shared signal. Dropping a `Disposable`
    /// ends nothing, so it counts as a subscriber until the source ends.
    @inlinable
    public func share(file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        Shared(self, memory: 0, file: file, line: line, receive: ConnectionSink<Value>.pass)
    }

    /// The same values for all subscribers, from one subscription to the source; a new subscriber first receives the last `count`.
    ///
    ///     source:           --1--2--3--|
    ///     first:           ^--1--2--3--|
    ///     second, replay(1):     ^2-3--|   (subscribed at ^)
    ///
    /// Otherwise the same as `share()`, except for the end. A subscriber after the source has completed receives the last values
    /// and the completion. A failure or the last disposal drops the values, and the next subscriber starts the source again. A
    /// value that another thread emits at the same time follows the replayed ones.
    ///
    /// The values are held until the source fails, the last subscriber leaves, or the signal is released.
    ///
    /// - Precondition: `count` is positive.
    @inlinable
    public func replay(_ count: Int, file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        precondition(count > 0, "replay(\(count)): the number of values has to be positive; 'share()' replays none")
        let shared = Shared(self, memory: count, file: file, line: line, receive: ConnectionSink<Value>.pass)
        return Operator(.replay, CatchUp(), to: shared, file: file, line: line)
    }
}

extension ConnectionSink {
    /// A function without context, to be specialised where a signal is shared.
    @inlinable
    static var pass: (Sink<Value>, Value) -> Void {
        { sink, value in
            let me = unsafeDowncast(sink, to: ConnectionSink<Value>.self)
            me.hub.receive(value, from: me.connection)
        }
    }
}
