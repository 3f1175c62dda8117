import WeirRecording

/// The values of a signal as an asynchronous sequence; see `values`.
public struct AsyncValues<Element: Sendable>: AsyncSequence, Sendable {
    private let stream: AsyncStream<Carried<Element>>
    private let failure = Guarded<(any Error)?>(nil)

    init(
        of signal: Signal<Element>, _ policy: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy,
        isOfAwait: Bool = false, file: UnsafePointer<UInt8>, line: UInt32
    ) {
        stream = AsyncStream(bufferingPolicy: Self.policy(policy)) { [failure] continuation in
            let receive = { (value: Element) in
                _ = continuation.yield(Carried(element: value, cause: TaskCause.here))
            }
            let end = { (ending: Ending) in
                if case .failed(let error) = ending { failure.withState { $0 = error } }
                continuation.finish()
            }
            let sink: Sink<Element> =
                isOfAwait
                ? AwaitSink(receive, onEnd: end, file: file, line: line)
                : TerminalSink(receive, target: nil, onEnd: end, file: file, line: line)
            // Weakened: the source holds the sink, which holds the continuation, which holds this.
            let subscription = signal.attach(sink).weakened()
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }

    private static func policy(
        _ policy: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
    ) -> AsyncStream<Carried<Element>>.Continuation.BufferingPolicy {
        switch policy {
        case .unbounded: .unbounded
        case .bufferingOldest(let limit): .bufferingOldest(limit)
        case .bufferingNewest(let limit): .bufferingNewest(limit)
        @unknown default: .unbounded
        }
    }

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator(), failure: failure) }

    /// One loop.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<Carried<Element>>.Iterator
        let failure: Guarded<(any Error)?>
        private let body = LoopBody()

        init(base: AsyncStream<Carried<Element>>.Iterator, failure: Guarded<(any Error)?>) {
            (self.base, self.failure) = (base, failure)
        }

        /// The next value; nil: the signal has ended, or the task was cancelled. Throws the failure of the signal.
        public mutating func next() async throws -> Element? {
            body.end()
            return try report(await base.next())
        }

        /// The same, without leaving the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            body.end()
            return try report(await base.next(isolation: actor))
        }

        private func report(_ next: Carried<Element>?) throws -> Element? {
            if let next {
                body.begin(causedBy: next.cause)
                return next.element
            }
            if let error = failure.withState({ $0 }) { throw error }
            return nil
        }
    }
}

/// The end of a chain, like `TerminalSink`, for which an `await` waits: the program has no subscription that it could dispose.
private final class AwaitSink<Value>: Sink<Value> {
    private let onEnd: (Ending) -> Void

    init(
        _ handler: @escaping (Value) -> Void, onEnd: @escaping (Ending) -> Void, file: UnsafePointer<UInt8>,
        line: UInt32
    ) {
        self.onEnd = onEnd
        super.init(handler, isTerminal: true, file: file, line: line)
    }

    override func end(_ ending: Ending) { onEnd(ending) }
    #if Recording
    override var isOfAwait: Bool { true }
    #endif
}
