import Dispatch

/// Decides when and on which thread work runs.
///
/// ```swift
/// viewModel.results.deliver(on: .main).subscribe { show($0) }
/// ```
/// Ready-made: `.immediate`, `.main`, `.queue(_:)`; for tests, `VirtualScheduler` in the module `WeirTesting`. Every
/// function may be called from any thread.
///
/// A stopped scheduler may refuse work by throwing; the signal that needed it then fails with that error. A *serial* scheduler
/// runs one piece of work at a time, in the order of their times, and of scheduling if the times are equal. Only a serial
/// scheduler keeps values in order.
public protocol Scheduler: AnyObject, Sendable {
    /// Nanoseconds since some fixed moment; never goes back.
    var now: UInt64 { get }

    /// Runs `work` as soon as possible, possibly before it returns. Disposing the result cancels work that has not begun.
    func schedule(_ work: @escaping @Sendable () -> Void) throws -> Disposable

    /// Runs `work` after `delay`: as soon as possible if it is negative, never if it is `.never`.
    ///
    /// Disposing the result cancels work that has not begun.
    func schedule(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) throws -> Disposable
}
