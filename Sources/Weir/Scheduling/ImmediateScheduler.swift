import Dispatch

/// Runs work at once, on the thread that schedules it.
///
/// It cannot wait: it refuses delayed work with `SchedulerError.cannotWait`, unless the delay is zero.
public final class ImmediateScheduler: Scheduler {
    fileprivate static let shared = ImmediateScheduler()

    /// The processor's uptime.
    public var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Runs `work` before it returns.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> Disposable {
        work()
        return Disposable {}
    }

    /// Refuses every delay except zero.
    public func schedule(
        after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void
    ) throws -> Disposable {
        switch delay.waitingTime {
        case 0: return schedule(work)
        case .max: return Disposable {}
        default: throw SchedulerError.cannotWait
        }
    }
}

extension Scheduler where Self == ImmediateScheduler {
    /// At once, on the current thread.
    public static var immediate: ImmediateScheduler { .shared }
}
