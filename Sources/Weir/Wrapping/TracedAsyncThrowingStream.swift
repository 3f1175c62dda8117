import WeirRecording

/// An asynchronous stream that may fail, and carries causes from `yield` to the loop; see `AsyncThrowingStream.traced`.
///
/// Same as ``TracedAsyncStream``, but, like `AsyncThrowingStream`, for one loop at a time.
public typealias TracedAsyncThrowingStream<Element> =
    TracedAsyncSequence<AsyncThrowingStream<Carried<Element>, any Error>, Element>

extension AsyncThrowingStream where Failure == any Error {
    /// Same as `AsyncStream.traced`, for a stream that may fail: a failure is recorded when the loop reaches it.
    ///
    /// ```swift
    /// let messages = AsyncThrowingStream<String, any Error>.traced("messages") { continuation in
    ///     socket.onMessage = { continuation.yield($0) }
    ///     socket.onError = { continuation.finish(throwing: $0) }
    /// }
    /// for try await message in messages { form.name = message }
    /// ```
    /// - Parameter privacy: `.private` keeps elements and errors out of every trace.
    public static func traced(
        _ name: String, privacy: TracePrivacy = .public,
        bufferingPolicy: Continuation.BufferingPolicy = .unbounded, file: StaticString = #fileID, line: UInt = #line,
        _ build: (TracedContinuation) -> Void
    ) -> TracedAsyncThrowingStream<Element> {
        let (stream, continuation) = makeTracedStream(
            name, privacy: privacy, bufferingPolicy: bufferingPolicy, file: file, line: line)
        build(continuation)
        return stream
    }

    /// Same as `traced`, but used like `makeStream(of:throwing:bufferingPolicy:)`: returns the stream and its continuation.
    public static func makeTracedStream(
        _ name: String, privacy: TracePrivacy = .public,
        bufferingPolicy: Continuation.BufferingPolicy = .unbounded, file: StaticString = #fileID, line: UInt = #line
    ) -> (stream: TracedAsyncThrowingStream<Element>, continuation: TracedContinuation) {
        let probe = TraceProbe.ofSequence(name, of: Element.self, privacy: privacy, file: file, line: line)
        let policy: AsyncThrowingStream<Carried<Element>, any Error>.Continuation.BufferingPolicy
        var keepsOldest = false
        switch bufferingPolicy {
        case .bufferingOldest(let count):
            policy = .bufferingOldest(count)
            keepsOldest = true
        case .bufferingNewest(let count): policy = .bufferingNewest(count)
        default: policy = .unbounded
        }
        let (base, continuation) = AsyncThrowingStream<Carried<Element>, any Error>.makeStream(bufferingPolicy: policy)
        return (
            TracedAsyncThrowingStream(base: base, carried: { $0 }, probe: probe, file: file, line: line),
            TracedContinuation(base: continuation, entry: StreamEntry(probe: probe, keepsOldest: keepsOldest))
        )
    }

    /// The source of a traced stream's elements; used like `AsyncThrowingStream.Continuation`.
    public struct TracedContinuation: Sendable {
        let base: AsyncThrowingStream<Carried<Element>, any Error>.Continuation
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

        /// Ends the stream, with a failure if there is an `error`: the loop receives it after the elements in the buffer.
        public func finish(throwing error: (any Error)? = nil) { base.finish(throwing: error) }

        /// Called once, when the stream has been finished, or a loop over it has been cancelled or left.
        public var onTermination: (@Sendable (Continuation.Termination) -> Void)? {
            get {
                guard let handler = base.onTermination else { return nil }
                return { if case .finished(let error) = $0 { handler(.finished(error)) } else { handler(.cancelled) } }
            }
            nonmutating set {
                guard let handler = newValue else { return base.onTermination = nil }
                base.onTermination = {
                    if case .finished(let error) = $0 { handler(.finished(error)) } else { handler(.cancelled) }
                }
            }
        }
    }
}
