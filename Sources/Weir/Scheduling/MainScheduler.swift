import CWeir
import Dispatch

/// Runs work on the main queue: at once when already there and nothing waits before it.
public final class MainScheduler: Scheduler, @unchecked Sendable {  // `waiting` is atomic.
    fileprivate static let shared = MainScheduler()
    private static let mark = DispatchSpecificKey<Void>()

    /// Work that has not begun, apart from delayed work.
    @exclusivity(unchecked) private var waiting: UInt64 = 0

    private init() { DispatchQueue.main.setSpecific(key: Self.mark, value: ()) }

    /// The processor's uptime.
    public var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Runs `work` before it returns if called on the main queue while nothing else waits; otherwise on that queue.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> Disposable {
        if DispatchQueue.getSpecific(key: Self.mark) != nil, weir_load_u64(&waiting) == 0 {
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

extension Scheduler where Self == MainScheduler {
    /// On the main queue.
    public static var main: MainScheduler { .shared }
}
