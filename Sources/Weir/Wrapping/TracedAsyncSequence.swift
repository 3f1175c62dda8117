import WeirRecording

extension AsyncSequence {
    /// The same sequence, whose elements, failure, end and cancellation are recorded under `name`.
    ///
    /// ```swift
    /// for try await price in prices.traced("prices") {
    ///     let text = await format(price)
    ///     model.title.value = text
    /// }
    /// ```
    /// A trace shows each element as an emission of one node, delivered to the loop. The element is the cause of the loop's body,
    /// even after an `await`, until the loop asks for the next one. This applies to 64 bodies at a time, and to a task that the body
    /// starts only if that is a `Trace.task`; with `forEach`, to all bodies and tasks. Each iteration is a subscription of its own.
    /// Leaving the loop, and cancelling its task, dispose it.
    ///
    /// Cost: four allocations for an iteration; for an element, while nothing is recorded, one predictable branch.
    ///
    /// - Parameter privacy: `.private` keeps elements and errors out of every trace.
    public func traced(
        _ name: String, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) -> TracedAsyncSequence<Self, Element> {
        TracedAsyncSequence(
            base: self, carried: { Carried(element: $0, cause: nil) },
            probe: .ofSequence(name, of: Element.self, privacy: privacy, file: file, line: line), file: file, line: line
        )
    }
}

/// An asynchronous sequence whose iterations are recorded; see `traced`.
///
/// Streams that are traced at their source are such sequences too: ``TracedAsyncStream``, ``TracedAsyncThrowingStream``. It
/// throws the errors of its base.
public struct TracedAsyncSequence<Base: AsyncSequence, Element>: AsyncSequence {
    let base: Base
    /// Returns the element to deliver, with its cause, for an element of the base.
    let carried: @Sendable (Base.Element) -> Carried<Element>
    let probe: TraceProbe
    let file: StaticString
    let line: UInt

    /// Begins an iteration, which is a subscription.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            base: base.makeAsyncIterator(), carried: carried, subscription: probe.subscribed(file: file, line: line))
    }

    /// Runs `body` for each element, one after the other, caused by the element, even after an `await`.
    ///
    /// Emissions in `body`, and in tasks that it starts, are caused by the element, unless there is a nearer cause.
    public func forEach(
        isolation: isolated (any Actor)? = #isolation, _ body: (Element) async throws -> Void
    ) async rethrows {
        // Only this call uses it, one step after the other, although steps of older systems leave the caller's actor.
        nonisolated(unsafe) var iterator = makeAsyncIterator()
        while let element = try await iterator.next() {
            try await TaskCause.carried(iterator.cause, isolation: isolation) { try await body(element) }
        }
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let carried: @Sendable (Base.Element) -> Carried<Element>
        let subscription: TraceProbe.Subscription
        /// The last element's emission; nil: it was not recorded.
        var cause: ThreadLog.Place?
        let body = LoopBody()

        /// The next element; nil: the sequence has ended.
        public mutating func next() async rethrows -> Element? {
            body.end()
            do {
                return report(try await base.next())
            } catch {
                if error is CancellationError { subscription.disposed() } else { subscription.failed(error) }
                throw error
            }
        }

        private mutating func report(_ next: Base.Element?) -> Element? {
            cause = nil
            guard let next else {
                if Task.isCancelled { subscription.disposed() } else { subscription.completed() }
                return nil
            }
            let carried = carried(next)
            cause = subscription.emitted(carried.element, cause: carried.cause) { TaskCause.here }
            body.begin(causedBy: cause)
            return carried.element
        }
    }
}

extension TracedAsyncSequence: Sendable where Base: Sendable {}

/// An element between `yield` and the loop, with the delivery that was open at `yield`.
public struct Carried<Element> {
    let element: Element
    let cause: ThreadLog.Place?
}

extension Carried: Sendable where Element: Sendable {}

extension TraceProbe {
    /// A probe for an asynchronous sequence or stream.
    static func ofSequence(
        _ name: String, of type: Any.Type, privacy: TracePrivacy, file: StaticString, line: UInt
    ) -> TraceProbe {
        TraceProbe(name, of: type, technique: .asyncSequence, privacy: privacy, file: file, line: line)
    }
}
