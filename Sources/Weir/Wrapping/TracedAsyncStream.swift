import WeirRecording

/// An asynchronous stream that carries causes from `yield` to the loop; see `AsyncStream.traced`.
///
/// Each loop is a subscription; as with `AsyncStream`, several loops share the elements. Any thread may yield. Cost: that of
/// ``TracedAsyncSequence``; an element takes 24 bytes more in the buffer.
public typealias TracedAsyncStream<Element> = TracedAsyncSequence<AsyncStream<Carried<Element>>, Element>

extension AsyncStream {
    /// A stream whose elements are recorded under `name`, each caused by the delivery during which it was yielded.
    ///
    /// ```swift
    /// let names = AsyncStream<String>.traced("names") { continuation in
    ///     field.onChange = { text in continuation.yield(text) }
    /// }
    /// for await name in names { form.name = name }
    /// ```
    /// Use it like `AsyncStream(bufferingPolicy:_:)`. An element is recorded when a loop takes it: as an emission, inside a hop
    /// from its `yield`. An element that the buffer drops is recorded at once: as superseded by a newer one or, if the buffer
    /// keeps the oldest, as filtered. An element yielded after the end is recorded as too late. An element that no loop takes is
    /// not recorded. The element is the cause of the body of the loop, as with any traced sequence.
    ///
    /// - Parameter privacy: `.private` keeps elements out of every trace.
    public static func traced(
        _ name: String, privacy: TracePrivacy = .public,
        bufferingPolicy: Continuation.BufferingPolicy = .unbounded, file: StaticString = #fileID, line: UInt = #line,
        _ build: (TracedContinuation) -> Void
    ) -> TracedAsyncStream<Element> {
        let (stream, continuation) = makeTracedStream(
            name, privacy: privacy, bufferingPolicy: bufferingPolicy, file: file, line: line)
        build(continuation)
        return stream
    }

    /// Same as `traced`, but used like `makeStream(of:bufferingPolicy:)`: returns the stream and its continuation.
    public static func makeTracedStream(
        _ name: String, privacy: TracePrivacy = .public,
        bufferingPolicy: Continuation.BufferingPolicy = .unbounded, file: StaticString = #fileID, line: UInt = #line
    ) -> (stream: TracedAsyncStream<Element>, continuation: TracedContinuation) {
        let probe = TraceProbe.ofSequence(name, of: Element.self, privacy: privacy, file: file, line: line)
        let policy: AsyncStream<Carried<Element>>.Continuation.BufferingPolicy
        var keepsOldest = false
        switch bufferingPolicy {
        case .bufferingOldest(let count):
            policy = .bufferingOldest(count)
            keepsOldest = true
        case .bufferingNewest(let count): policy = .bufferingNewest(count)
        default: policy = .unbounded
        }
        let (base, continuation) = AsyncStream<Carried<Element>>.makeStream(bufferingPolicy: policy)
        return (
            TracedAsyncStream(base: base, carried: { $0 }, probe: probe, file: file, line: line),
            TracedContinuation(base: continuation, entry: StreamEntry(probe: probe, keepsOldest: keepsOldest))
        )
    }

    /// The source of a traced stream's elements; used like `AsyncStream.Continuation`.
    public struct TracedContinuation: Sendable {
        let base: AsyncStream<Carried<Element>>.Continuation
        let entry: StreamEntry

        /// Yields `element` to the stream, caused by the current delivery; returns the outcome.
        ///
        /// Returns at once. Any thread may call it. Cost while nothing is recorded: one check.
        @discardableResult
        public func yield(_ element: sending Element) -> Continuation.YieldResult {
            switch base.yield(entry.carried(element)) {
            case .enqueued(let remaining): return .enqueued(remaining: remaining)
            case .dropped(let dropped):
                entry.reportDropped(causedBy: dropped.cause)
                return .dropped(dropped.element)
            case .terminated:
                entry.reportTooLate()
                return .terminated
            @unknown default: return .terminated
            }
        }

        /// Ends the stream: the loop ends after it has taken the elements in the buffer.
        public func finish() { base.finish() }

        /// Called once, when the stream has been finished, or a loop over it has been cancelled or left.
        public var onTermination: (@Sendable (Continuation.Termination) -> Void)? {
            get {
                guard let handler = base.onTermination else { return nil }
                return { if case .cancelled = $0 { handler(.cancelled) } else { handler(.finished) } }
            }
            nonmutating set {
                guard let handler = newValue else { return base.onTermination = nil }
                base.onTermination = { if case .cancelled = $0 { handler(.cancelled) } else { handler(.finished) } }
            }
        }
    }
}

extension AsyncStream.TracedContinuation where Element == Void {
    /// Yields an event without a value.
    @discardableResult
    public func yield() -> AsyncStream<Void>.Continuation.YieldResult { yield(()) }
}
