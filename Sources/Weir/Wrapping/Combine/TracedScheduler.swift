#if canImport(Combine)
import Combine

extension Combine.Scheduler {
    /// The same scheduler, which carries the current delivery as the cause of later work.
    ///
    /// ```swift
    /// $query.traced("query")
    ///     .debounce(for: .milliseconds(300), scheduler: DispatchQueue.main.traced)
    ///     .traced("settled query")
    /// ```
    /// For a repeated action (`schedule(after:interval:)`), each run is caused by the delivery during which it was scheduled.
    /// Cost of an action, while nothing is recorded: one check.
    public var traced: TracedScheduler<Self> { TracedScheduler(base: self) }
}

/// A scheduler that carries causes; see `traced`.
public struct TracedScheduler<Base: Combine.Scheduler>: Combine.Scheduler {
    /// The time type of the base scheduler.
    public typealias SchedulerTimeType = Base.SchedulerTimeType
    /// The options of the base scheduler.
    public typealias SchedulerOptions = Base.SchedulerOptions

    let base: Base

    /// The time of the base scheduler.
    public var now: SchedulerTimeType { base.now }

    /// The tolerance of the base scheduler.
    public var minimumTolerance: SchedulerTimeType.Stride { base.minimumTolerance }

    /// Performs `action` as soon as possible, caused by the current delivery.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        base.schedule(options: options, carryingCause(action))
    }

    /// Performs `action` some time after `date`, caused by the current delivery.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        base.schedule(after: date, tolerance: tolerance, options: options, carryingCause(action))
    }

    /// Performs `action` repeatedly, each time caused by the current delivery.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        base.schedule(
            after: date, interval: interval, tolerance: tolerance, options: options, carryingCause(action))
    }
}

/// The scheduler may call `action` on any thread, as it may without tracing.
private func carryingCause(_ action: @escaping () -> Void) -> () -> Void {
    nonisolated(unsafe) let action = action
    return Trace.carryingCause { action() }
}
#endif
