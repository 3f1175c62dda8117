import Dispatch

/// Decides when and on which thread work runs.
///
/// ```swift
/// viewModel.results.deliver(on: .main).subscribe { show($0) }
/// ```
/// Ready-made: `.immediate`, `.main`, `.queue(_:)`; for tests, `VirtualScheduler` in the module `WeirTesting`. Every
/// function may be called from any thread.
///
/// A scheduler may refuse work by throwing, when it has been stopped; the signal that needed it then fails with that error.
/// A *serial* scheduler runs one piece of work at a time, in the order of their times, and of scheduling where those are
/// equal: only such a scheduler keeps values in order.
public protocol Scheduler: AnyObject, Sendable {
    /// Nanoseconds since some fixed moment; never goes back.
    var now: UInt64 { get }

    /// Runs `work` as soon as possible, perhaps before it returns. Disposing the result cancels what has not begun.
    func schedule(_ work: @escaping @Sendable () -> Void) throws -> Disposable

    /// Runs `work` when `delay` has passed: at the earliest moment if it is negative, not at all if it is `.never`.
    ///
    /// Disposing the result cancels what has not begun.
    func schedule(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) throws -> Disposable
}
