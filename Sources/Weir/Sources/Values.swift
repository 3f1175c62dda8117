import WeirRecording

extension Signal where Value: Sendable {
    /// The values from now on, for `for try await`; buffered without limit until they are read.
    ///
    /// ```swift
    /// for try await name in model.username.values { print(name) }
    /// ```
    /// See `values(bufferingPolicy:)`. In a trace, what the loop's body writes has no cause. Where that matters, subscribe, or write
    /// `try await model.username.values.traced("names").forEach { … }`. A property cannot capture its call site: in a trace, the subscription has the call site of
    /// the signal.
    public var values: AsyncThrowingStream<Value, any Error> {
        stream(.unbounded, file: file, line: line)
    }

    /// The values from now on, for `for try await`; the subscription is made by this call.
    ///
    /// Ends when the signal completes or its source is released; throws its failure. Cancelling the iterating task, or dropping
    /// the sequence, disposes the subscription. The sequence does not hold its source, so a task that waits for values keeps no
    /// model alive. Several loops over one sequence share its values: each value goes to one of them. After one of these loops was
    /// cancelled, the others end.
    public func values(
        bufferingPolicy: AsyncThrowingStream<Value, any Error>.Continuation.BufferingPolicy,
        file: StaticString = #fileID, line: UInt = #line
    ) -> AsyncThrowingStream<Value, any Error> {
        stream(bufferingPolicy, file: file.utf8Start, line: UInt32(clamping: line))
    }

    /// The first value from now on; nil: the signal ended without one. Throws its failure.
    ///
    /// For an observable, this is its next change; `observable.current.first` does not wait. Cancelling the task ends the
    /// subscription and throws `CancellationError`. In a trace, the subscription has the call site of the signal.
    public var first: Value? {
        get async throws {
            let one = Operator(.take, Take(count: 1), to: self, file: file, line: line)
            for try await value in one.stream(.bufferingOldest(1), file: file, line: line) { return value }
            try Task.checkCancellation()
            return nil
        }
    }

    private func stream(
        _ policy: AsyncThrowingStream<Value, any Error>.Continuation.BufferingPolicy, file: UnsafePointer<UInt8>,
        line: UInt32
    ) -> AsyncThrowingStream<Value, any Error> {
        let failure = Guarded<(any Error)?>(nil)
        let values = AsyncStream<Value>(bufferingPolicy: Self.policy(policy)) { continuation in
            let sink = TerminalSink<Value>(
                { continuation.yield($0) }, target: nil,
                onEnd: { ending in
                    if case .failed(let error) = ending { failure.withState { $0 = error } }
                    continuation.finish()
                }, file: file, line: line)
            // Weakened: the source holds the sink, which holds the continuation, which holds this.
            let subscription = attach(sink).weakened()
            continuation.onTermination = { _ in subscription.dispose() }
        }
        // Two loops that wait at once would end the program at an `AsyncThrowingStream` with a continuation; here they may.
        return AsyncThrowingStream {
            var iterator = values.makeAsyncIterator()
            if let value = await iterator.next() { return value }
            if let error = failure.withState({ $0 }) { throw error }
            return nil
        }
    }

    private static func policy(
        _ policy: AsyncThrowingStream<Value, any Error>.Continuation.BufferingPolicy
    ) -> AsyncStream<Value>.Continuation.BufferingPolicy {
        switch policy {
        case .unbounded: .unbounded
        case .bufferingOldest(let limit): .bufferingOldest(limit)
        case .bufferingNewest(let limit): .bufferingNewest(limit)
        @unknown default: .unbounded
        }
    }
}
