import CWeir
import Dispatch

/// Runs work on the main queue: at once when already there and nothing waits before it.
public final class MainScheduler: Scheduler, @unchecked Sendable {  // `waiting` is atomic.
    fileprivate static let shared = MainScheduler()

    /// Work that has not begun, apart from delayed work.
    @exclusivity(unchecked) private var waiting: UInt64 = 0

    /// The processor's uptime.
    public var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Runs `work` before it returns if called on the main queue while nothing else waits; otherwise on that queue.
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

    /// Runs `work` on the main queue when `delay` has passed, never before it returns.
    public func schedule(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) -> Disposable {
        QueueScheduler(.main).schedule(after: delay, work)
    }
}

/// The main queue, which need not be served by the main thread: after `dispatchMain()` any thread does.
enum MainQueue {
    private static let mark = {
        let mark = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: mark, value: ())
        return mark
    }()

    /// Whether the code that runs on this thread now is on it.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }
}

extension Scheduler where Self == MainScheduler {
    /// On the main queue.
    public static var main: MainScheduler { .shared }
}
