import CWeir
import WeirTrace

extension AsyncStream {
    /// A stream whose elements are recorded under `name`, each as caused by what was being delivered where it was yielded.
    ///
    /// ```swift
    /// let names = AsyncStream<String>.traced("names") { continuation in
    ///     field.onChange = { text in continuation.yield(text) }
    /// }
    /// await names.forEach { name in form.name = name }
    /// ```
    /// Used as `AsyncStream(bufferingPolicy:_:)`. An element is recorded when a loop takes it: as an emission, inside a hop
    /// from where it was yielded. An element that the buffer drops is recorded at once, as superseded by a newer one, or, where the
    /// oldest are kept, as filtered; one that is yielded after the end, as too late. Of what nobody takes, nothing is recorded.
    /// With ``TracedAsyncStream/forEach(isolation:_:)`` the element is the cause of its body.
    ///
    /// - Parameter privacy: `.private` keeps elements out of every trace.
    public static func traced(
        _ name: String, privacy: TracePrivacy = .public,
        bufferingPolicy: Continuation.BufferingPolicy = .unbounded, file: StaticString = #fileID, line: UInt = #line,
        _ build: (TracedAsyncStream<Element>.Continuation) -> Void
    ) -> TracedAsyncStream<Element> {
        let (stream, continuation) = makeTracedStream(
            name, privacy: privacy, bufferingPolicy: bufferingPolicy, file: file, line: line)
        build(continuation)
        return stream
    }

    /// As `traced`, used as `makeStream(of:bufferingPolicy:)`: gives the stream and its continuation.
    public static func makeTracedStream(
        _ name: String, privacy: TracePrivacy = .public,
        bufferingPolicy: Continuation.BufferingPolicy = .unbounded, file: StaticString = #fileID, line: UInt = #line
    ) -> (stream: TracedAsyncStream<Element>, continuation: TracedAsyncStream<Element>.Continuation) {
        let probe = TraceProbe(name, of: Element.self, privacy: privacy, file: file, line: line)
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
            TracedAsyncStream(base: base, probe: probe, file: file, line: line),
            TracedAsyncStream.Continuation(base: continuation, probe: probe, keepsOldest: keepsOldest)
        )
    }
}

/// An element on its way from `yield` to the loop, and what was being delivered where it was yielded.
struct Carried<Element> {
    let element: Element
    let cause: ThreadLog.Place?
}

extension Carried: Sendable where Element: Sendable {}

/// An asynchronous stream that carries causes from `yield` to the loop; see `AsyncStream.traced`.
///
/// Each loop is a subscription; as with `AsyncStream`, several loops share the elements. Any thread may yield. Cost: as
/// ``TracedAsyncSequence``; an element takes 24 bytes more in the buffer.
public struct TracedAsyncStream<Element>: AsyncSequence {
    let base: AsyncStream<Carried<Element>>
    let probe: TraceProbe
    let file: StaticString
    let line: UInt

    /// Begins a loop, which is a subscription.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), subscription: probe.subscribed(file: file, line: line))
    }

    /// Runs `body` for each element, one after the other, as caused by it, also after an `await`.
    ///
    /// What is emitted in `body`, and in tasks that it starts, is caused by the element, unless something nearer causes it.
    public func forEach(
        isolation: isolated (any Actor)? = #isolation, _ body: (Element) async throws -> Void
    ) async rethrows {
        // Used by this call alone, one step after the other, though steps of older systems leave the caller's actor.
        nonisolated(unsafe) var iterator = makeAsyncIterator()
        while let element = await iterator.next() {
            try await TaskCause.carried(iterator.cause, isolation: isolation) { try await body(element) }
        }
    }

    /// One loop.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<Carried<Element>>.Iterator
        let subscription: TraceProbe.Subscription
        /// The last element's emission; nil: it was not recorded.
        var cause: ThreadLog.Place?

        /// The next element; nil: the stream has ended.
        public mutating func next() async -> Element? {
            guard let carried = await base.next() else {
                cause = nil
                if Task.isCancelled { subscription.disposed() } else { subscription.completed() }
                return nil
            }
            cause = subscription.emitted(carried.element, cause: carried.cause) { TaskCause.here }
            return carried.element
        }
    }
}

extension TracedAsyncStream: Sendable where Element: Sendable {}
