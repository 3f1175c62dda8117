import Dispatch

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
