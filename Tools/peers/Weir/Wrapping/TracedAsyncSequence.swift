import WeirTrace

extension AsyncSequence {
    /// The same sequence, whose elements, failure, end and cancellation are recorded under `name`.
    ///
    /// ```swift
    /// try await prices.traced("prices").forEach { price in
    ///     let text = await format(price)
    ///     model.title.value = text
    /// }
    /// ```
    /// A trace shows each element as an emission of one node, delivered to the loop. What the body of a plain `for await` does
    /// stands outside of that, as no function can tell where it ends: with `forEach`, an element is the cause of its body, also
    /// after an `await`. Each iteration is a subscription of its own. Leaving the loop, and cancelling its task, dispose it.
    ///
    /// Cost: three allocations for an iteration; nothing for an element but, while nothing is recorded, one predictable branch.
    ///
    /// - Parameter privacy: `.private` keeps elements and errors out of every trace.
    public func traced(
        _ name: String, privacy: TracePrivacy = .public, file: StaticString = #fileID, line: UInt = #line
    ) -> TracedAsyncSequence<Self> {
        TracedAsyncSequence(
            base: self, probe: TraceProbe(name, of: Element.self, privacy: privacy, file: file, line: line), file: file,
            line: line)
    }
}

/// An asynchronous sequence whose iterations are recorded; see `traced`.
public struct TracedAsyncSequence<Base: AsyncSequence>: AsyncSequence {
    /// As of the sequence that is recorded.
    public typealias Element = Base.Element

    let base: Base
    let probe: TraceProbe
    let file: StaticString
    let line: UInt

    /// Begins an iteration, which is a subscription.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), subscription: probe.subscribed(file: file, line: line))
    }

    /// Runs `body` for each element, one after the other, as caused by it, also after an `await`.
    ///
    /// What is emitted in `body`, and in tasks that it starts, is caused by the element, unless something nearer causes it.
    public func forEach(
        isolation: isolated (any Actor)? = #isolation, _ body: (Element) async throws -> Void
    ) async throws {
        // Used by this call alone, one step after the other, though steps of older systems leave the caller's actor.
        nonisolated(unsafe) var iterator = makeAsyncIterator()
        while let element = try await iterator.next() {
            try await TaskCause.carried(iterator.cause, isolation: isolation) { try await body(element) }
        }
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let subscription: TraceProbe.Subscription
        /// The last element's emission; nil: it was not recorded.
        var cause: ThreadLog.Place?

        /// The next element; nil: the sequence has ended.
        public mutating func next() async rethrows -> Element? {
            do {
                return tell(try await base.next())
            } catch {
                if error is CancellationError { subscription.disposed() } else { subscription.failed(error) }
                throw error
            }
        }

        private mutating func tell(_ element: Element?) -> Element? {
            cause = nil
            guard let element else {
                if Task.isCancelled { subscription.disposed() } else { subscription.completed() }
                return nil
            }
            cause = subscription.emitted(element) { TaskCause.here }
            return element
        }
    }
}

extension TracedAsyncSequence: Sendable where Base: Sendable {}
