import WeirRecording

extension Signal where Value: Sendable {
    /// The values from now on, for `for try await`; buffered without limit until they are read.
    ///
    /// ```swift
    /// for try await name in model.username.values { print(name) }
    /// ```
    /// See `values(bufferingPolicy:)`. A property cannot capture its call site: in a trace, the subscription has the call site of
    /// the signal.
    public var values: AsyncValues<Value> {
        AsyncValues(of: self, .unbounded, file: file, line: line)
    }

    /// The values from now on, for `for try await`; the subscription is made by this call.
    ///
    /// Ends when the signal completes or its source is released; throws its failure. Cancelling the iterating task, or dropping
    /// the sequence, disposes the subscription. The sequence does not hold its source, so a task that waits for values keeps no
    /// model alive. Several loops over one sequence share its values: each value goes to one of them. After one of these loops was
    /// cancelled, the others end.
    ///
    /// In a trace, a value is the cause of what the loop's body does, even after an `await`; of a task that the body starts only if
    /// that is a `Trace.task`. This applies to 64 bodies at a time.
    public func values(
        bufferingPolicy: AsyncThrowingStream<Value, any Error>.Continuation.BufferingPolicy,
        file: StaticString = #fileID, line: UInt = #line
    ) -> AsyncValues<Value> {
        AsyncValues(of: self, bufferingPolicy, file: file.utf8Start, line: UInt32(clamping: line))
    }

    /// The first value from now on; nil: the signal ended without one. Throws its failure.
    ///
    /// For an observable, this is its next change; `observable.current.first` does not wait. Cancelling the task ends the
    /// subscription and throws `CancellationError`. In a trace, the subscription has the call site of the signal.
    public var first: Value? {
        get async throws {
            let one = Operator(.take, Take(count: 1), to: self, file: file, line: line)
            for try await value in AsyncValues(of: one, .bufferingOldest(1), isOfAwait: true, file: file, line: line) {
                return value
            }
            try Task.checkCancellation()
            return nil
        }
    }
}
