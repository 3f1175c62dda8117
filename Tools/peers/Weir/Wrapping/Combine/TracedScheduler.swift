#if canImport(Combine)
    import Combine

    extension Combine.Scheduler {
        /// The same scheduler, over which a value remains the cause of what is done with it later.
        ///
        /// ```swift
        /// $query.traced("query")
        ///     .debounce(for: .milliseconds(300), scheduler: DispatchQueue.main.traced)
        ///     .traced("settled query")
        /// ```
        /// Of what is repeated (`schedule(after:interval:)`), each run is caused by what was being delivered when it
        /// was scheduled. Cost of an action, while nothing is recorded: a check.
        public var traced: TracedScheduler<Self> { TracedScheduler(base: self) }
    }

    /// A scheduler that carries causes along; see `traced`.
    public struct TracedScheduler<Base: Combine.Scheduler>: Combine.Scheduler {
        /// As of the scheduler that does the work.
        public typealias SchedulerTimeType = Base.SchedulerTimeType
        /// As of the scheduler that does the work.
        public typealias SchedulerOptions = Base.SchedulerOptions

        let base: Base

        /// As of the scheduler that does the work.
        public var now: SchedulerTimeType { base.now }

        /// As of the scheduler that does the work.
        public var minimumTolerance: SchedulerTimeType.Stride { base.minimumTolerance }

        /// Performs `action` as soon as possible, as caused by what is being delivered here.
        public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
            base.schedule(options: options, carryingCause(action))
        }

        /// Performs `action` some time after `date`, as caused by what is being delivered here.
        public func schedule(
            after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
            _ action: @escaping () -> Void
        ) {
            base.schedule(after: date, tolerance: tolerance, options: options, carryingCause(action))
        }

        /// Performs `action` again and again, each time as caused by what is being delivered here now.
        public func schedule(
            after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
            options: SchedulerOptions?, _ action: @escaping () -> Void
        ) -> any Cancellable {
            base.schedule(
                after: date, interval: interval, tolerance: tolerance, options: options, carryingCause(action))
        }
    }

    /// The scheduler may call `action` where it will, as it may without us.
    private func carryingCause(_ action: @escaping () -> Void) -> () -> Void {
        nonisolated(unsafe) let action = action
        return Trace.carryingCause { action() }
    }
#endif
