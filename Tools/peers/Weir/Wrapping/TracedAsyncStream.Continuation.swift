import CWeir
import WeirTrace

extension TracedAsyncStream {
    /// Where the elements of a traced stream come from; used as `AsyncStream.Continuation`.
    public struct Continuation: Sendable {
        /// What has become of an element that was yielded, as of an `AsyncStream`.
        public typealias YieldResult = AsyncStream<Element>.Continuation.YieldResult
        /// How a stream has ended, as of an `AsyncStream`.
        public typealias Termination = AsyncStream<Element>.Continuation.Termination

        let base: AsyncStream<Carried<Element>>.Continuation
        let probe: TraceProbe
        /// Whether a full buffer drops the element that comes, and not the one that has waited longest.
        let keepsOldest: Bool

        /// Gives `element` to the stream, as caused by what is being delivered here; says what has become of it.
        ///
        /// Returns at once. Any thread may call it. Cost while nothing is recorded: a check.
        @discardableResult
        public func yield(_ element: sending Element) -> YieldResult {
            switch base.yield(Carried(element: element, cause: TaskCause.here)) {
            case .enqueued(let remaining): return .enqueued(remaining: remaining)
            case .dropped(let dropped):
                if weir_recording() != 0 { probe.recordSuppressed(keepsOldest ? .filtered : .superseded) }
                return .dropped(dropped.element)
            case .terminated:
                if weir_recording() != 0 { probe.recordSuppressed(.afterCompletion) }
                return .terminated
            @unknown default: return .terminated
            }
        }

        /// Ends the stream: the loop ends when it has taken what is in the buffer.
        public func finish() { base.finish() }

        /// Called once, when the stream has been finished, or a loop over it cancelled or left.
        public var onTermination: (@Sendable (Termination) -> Void)? {
            get {
                guard let told = base.onTermination else { return nil }
                return { told($0.isCancelled ? .cancelled : .finished) }
            }
            nonmutating set {
                guard let told = newValue else { return base.onTermination = nil }
                base.onTermination = { told($0.isCancelled ? .cancelled : .finished) }
            }
        }
    }
}

extension AsyncStream.Continuation.Termination {
    fileprivate var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }
}

extension TracedAsyncStream.Continuation where Element == Void {
    /// Says that something has happened.
    @discardableResult
    public func yield() -> YieldResult { yield(()) }
}
