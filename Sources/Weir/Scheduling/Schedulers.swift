import CWeirCore
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

/// Runs work on a Dispatch queue; serial if the queue is.
public final class QueueScheduler: Scheduler {
    private let queue: DispatchQueue

    /// A scheduler that runs work on `queue`.
    public init(_ queue: DispatchQueue) { self.queue = queue }

    /// The processor's uptime.
    public var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Runs `work` on the queue, never before it returns.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> Disposable {
        let scheduled = ScheduledWork(work)
        queue.async { scheduled.run() }
        return scheduled
    }

    /// Runs `work` on the queue after `delay`.
    public func schedule(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) -> Disposable {
        let time = delay.waitingTime
        let scheduled = ScheduledWork(work)
        if time != .max { queue.asyncAfter(deadline: .now() + .waiting(time)) { scheduled.run() } }
        return scheduled
    }
}

extension Scheduler where Self == QueueScheduler {
    /// On a Dispatch queue.
    public static func queue(_ queue: DispatchQueue) -> QueueScheduler { QueueScheduler(queue) }
}

/// Runs work on the main queue: at once if already there and no other work waits.
public final class MainScheduler: Scheduler, @unchecked Sendable {  // `waiting` is atomic.
    fileprivate static let shared = MainScheduler()

    /// The number of pieces of work that have not begun, except delayed work.
    @exclusivity(unchecked) private var waiting: UInt64 = 0

    /// The processor's uptime.
    public var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Runs `work` before it returns if called on the main queue while no other work waits; otherwise later on that queue.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> Disposable {
        if MainQueue.isCurrent, weir_load_u64(&waiting) == 0 {
            work()
            return Disposable {}
        }
        _ = weir_add_u64(&waiting, 1)
        let scheduled = ScheduledWork(work)
        DispatchQueue.main.async { [self] in
            _ = weir_add_u64(&waiting, .max)
            scheduled.run()
        }
        return scheduled
    }

    /// Runs `work` on the main queue after `delay`, never before it returns.
    public func schedule(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) -> Disposable {
        QueueScheduler(.main).schedule(after: delay, work)
    }
}

/// The main queue, which the main thread need not serve: after `dispatchMain()` any thread does.
enum MainQueue {
    private static let mark = {
        let mark = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: mark, value: ())
        return mark
    }()

    /// Whether the code that now runs on this thread is on the main queue.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }
}

extension Scheduler where Self == MainScheduler {
    /// On the main queue.
    public static var main: MainScheduler { .shared }
}
