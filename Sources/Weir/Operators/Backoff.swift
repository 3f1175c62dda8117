import Dispatch

/// The time that `retry` waits before each attempt.
///
/// ```swift
/// load.retry(5, after: .exponential(from: .seconds(1), upTo: .seconds(30)), on: .main)
/// ```
public struct Backoff: Sendable {
    /// Nanoseconds; `UInt64.max`: never.
    @usableFromInline let wait: @Sendable (_ failure: Int) -> UInt64

    /// A custom wait before each attempt, for example one with a random part.
    ///
    /// - Parameter delay: receives the number of consecutive failures, 1 at first. It may run on any thread.
    public init(_ delay: @escaping @Sendable (_ failure: Int) -> DispatchTimeInterval) {
        wait = { delay($0).waitingTime }
    }

    /// The same wait before each attempt.
    public static func constant(_ delay: DispatchTimeInterval) -> Backoff { Backoff { _ in delay } }

    /// `first` after the first failure, then `factor` times the previous wait after each further consecutive failure, at most
    /// `most`.
    ///
    /// - Precondition: `factor` is 1 or more.
    public static func exponential(
        from first: DispatchTimeInterval, upTo most: DispatchTimeInterval, factor: Double = 2
    ) -> Backoff {
        precondition(factor >= 1, "exponential(factor: \(factor)): waits cannot become shorter")
        let (first, most) = (first.waitingTime, most.waitingTime)
        return Backoff { failure in
            var wait = Double(first)
            for _ in 1..<max(1, failure) where wait < Double(most) { wait *= factor }
            return .waiting(wait < Double(most) ? UInt64(wait) : most)
        }
    }
}
