import CWeirCore
import Dispatch
import WeirRecording

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

/// The reason why a scheduler refuses work.
public enum SchedulerError: Error, Equatable, CustomStringConvertible {
    /// It has been stopped.
    case stopped
    /// It runs work at once or not at all.
    case cannotWait

    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .stopped: "the scheduler has been stopped and runs nothing any more"
        case .cannotWait: "the immediate scheduler cannot wait; give '.main' or '.queue(…)' to what takes time"
        }
    }
}

/// Work that a scheduler runs once, unless it is disposed before; disposal releases the work at once.
final class ScheduledWork: Disposable, @unchecked Sendable {  // `isTaken` gives `work` to one thread.
    private var work: (@Sendable () -> Void)?
    @exclusivity(unchecked) private var isTaken = false

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
        super.init()
    }

    func run() { take()?() }

    override func end(_ reason: SubscriptionEndReason) { _ = take() }

    /// The scheduler holds the work.
    override func weakened() -> Disposable { WeakWork(self) }

    private func take() -> (@Sendable () -> Void)? {
        if weir_exchange_bool(&isTaken, true) { return nil }
        defer { work = nil }
        return work
    }
}

/// The cancellation of scheduled work, for an object that the work holds.
private final class WeakWork: Disposable, @unchecked Sendable {  // Set once.
    private weak var work: ScheduledWork?

    init(_ work: ScheduledWork) {
        self.work = work
        super.init()
    }

    override func end(_ reason: SubscriptionEndReason) { work?.dispose(reason) }
}

extension DispatchTimeInterval {
    /// In nanoseconds, not negative; `UInt64.max`: never.
    @usableFromInline package var waitingTime: UInt64 {
        let (count, unit): (Int, Int64) =
            switch self {
            case .seconds(let count): (count, 1_000_000_000)
            case .milliseconds(let count): (count, 1_000_000)
            case .microseconds(let count): (count, 1000)
            case .nanoseconds(let count): (count, 1)
            case .never: (Int.max, Int64.max)
            @unknown default: (Int.max, Int64.max)
            }
        guard count > 0 else { return 0 }
        let (product, isTooLong) = UInt64(count).multipliedReportingOverflow(by: UInt64(unit))
        return isTooLong ? .max : product
    }

    /// An interval of that many nanoseconds; more than 292 years mean never.
    static func waiting(_ time: UInt64) -> DispatchTimeInterval {
        Int(exactly: time).map { .nanoseconds($0) } ?? .never
    }
}
