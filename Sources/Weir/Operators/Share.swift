import WeirTrace

extension Signal {
    /// The same values for all subscribers, from one subscription to the source.
    ///
    ///     source:  --1--2--3--|
    ///     first:  ^--1--2--3--|
    ///     second:      ^2--3--|   (subscribed at ^)
    ///
    /// The source is subscribed to with the first subscriber, and that is disposed with the last. Who comes later misses
    /// what was before (see `replay`), as does who comes while another thread is about to subscribe to the source. Who comes
    /// after the end, or after all have gone, starts the source anew.
    ///
    /// **Ownership.** The shared signal holds its source, and each subscription the shared signal. To drop a `Disposable`
    /// ends nothing, so it counts as a subscriber until the source ends.
    @inlinable
    public func share(file: StaticString = #fileID, line: UInt = #line) -> Signal<Value> {
        Shared(self, memory: 0, file: file, line: line, receive: ConnectionSink<Value>.pass)
    }

    /// The same values for all subscribers, from one subscription to the source; a new one first gets the last `count`.
    ///
    ///     source:           --1--2--3--|
    ///     first:           ^--1--2--3--|
    ///     second, replay(1):     ^2-3--|   (subscribed at ^)
    ///
    /// Otherwise as `share()`, but for the end: who comes after the source has completed gets the last values and the
    /// completion; a failure or the last disposal forgets the values, and the next subscriber starts the source anew. A value
    /// that another thread emits meanwhile comes after the replayed ones.
    ///
    /// The values are held until the source fails, the last subscriber has gone, or nobody holds the signal any more.
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
