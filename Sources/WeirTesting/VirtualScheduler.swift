import Dispatch
import Weir
import WeirTrace

/// A scheduler whose time stands still until a test moves it on.
///
/// ```swift
/// let time = VirtualScheduler()
/// query.debounce(.milliseconds(300), on: time).subscribe { search($0) }
/// query.value = "weir"
/// time.advance(by: .milliseconds(300))     // searches now
/// ```
/// Work runs only inside `advance` and `runUntilIdle`, on the calling thread, in the order of its due times; work due at
/// the same time runs in the order of scheduling. Any thread may schedule and dispose; only one thread at a time may
/// advance. Pending work holds what it uses until it runs or is disposed, or until the scheduler stops.
///
/// A trace that is recorded at the same time shows the virtual time: its events after `advance` are later by that time.
public final class VirtualScheduler: Scheduler, @unchecked Sendable {
    private struct Entry {
        let time: UInt64
        let number: UInt64
        let work: @Sendable () -> Void
    }

    private let lock = SystemLock()
    private let clock: VirtualClock?
    private var time: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private var isStopped = false
    /// The next entry is the last one.
    private var entries: [Entry] = []

    /// A scheduler at time 0.
    ///
    /// - Parameter clock: advances together with this scheduler, so that a trace recorded with it shows virtual times only.
    public init(clock: VirtualClock? = nil) { self.clock = clock }

    /// The virtual time, in nanoseconds.
    public var now: UInt64 { lock.withLock { time } }

    /// Whether no work is pending.
    public var isIdle: Bool { lock.withLock { entries.isEmpty } }

    /// Runs `work` with the next `advance`, at the current virtual time.
    public func schedule(_ work: @escaping @Sendable () -> Void) throws -> Disposable {
        try schedule(after: .nanoseconds(0), work)
    }

    /// Runs `work` once time has advanced by `delay`.
    public func schedule(
        after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void
    ) throws -> Disposable {
        let delay = delay.waitingTime
        let number = try lock.withLock { () throws(SchedulerError) -> UInt64 in
            if isStopped { throw .stopped }
            lastNumber += 1
            if delay == .max { return lastNumber }
            let (sum, isTooFar) = time.addingReportingOverflow(delay)
            let due = isTooFar ? .max : sum
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].time > due { low = middle + 1 } else { high = middle }
            }
            entries.insert(Entry(time: due, number: lastNumber, work: work), at: low)
            return lastNumber
        }
        return Disposable { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: UInt64) {
        let removed = lock.withLock {
            entries.lastIndex { $0.number == number }.map { entries.remove(at: $0) }
        }
        // Only here, outside of the lock: releasing it may run any code.
        withExtendedLifetime(removed) {}
    }

    // MARK: Time

    /// Advances time by `interval` and runs the work that becomes due.
    public func advance(by interval: DispatchTimeInterval) {
        let (sum, isTooFar) = now.addingReportingOverflow(interval.waitingTime)
        advance(to: isTooFar ? .max : sum)
    }

    /// Advances time to `moment`, in nanoseconds, and runs the work due by then. Time never goes back.
    public func advance(to moment: UInt64) {
        while let work = next(until: moment) { work() }
        move(to: moment)
    }

    /// Advances time until no work is pending.
    ///
    /// - Parameter mostWork: the most work items to run; work that reschedules itself would otherwise run forever.
    /// - Returns: whether no work is pending.
    @discardableResult
    public func runUntilIdle(mostWork: Int = 100_000) -> Bool {
        for _ in 0..<mostWork {
            guard let work = next(until: .max) else { return true }
            work()
        }
        return isIdle
    }

    /// Refuses all work from now on, and cancels pending work.
    public func stop() {
        let cancelled = lock.withLock {
            isStopped = true
            defer { entries = [] }
            return entries
        }
        withExtendedLifetime(cancelled) {}
    }

    private func next(until moment: UInt64) -> (@Sendable () -> Void)? {
        guard let entry = lock.withLock({ entries.last.flatMap { $0.time <= moment ? entries.popLast() : nil } })
        else { return nil }
        move(to: entry.time)
        return entry.work
    }

    private func move(to moment: UInt64) {
        let passed = lock.withLock {
            defer { time = max(time, moment) }
            return max(time, moment) - time
        }
        clock?.advance(nanoseconds: passed)
        VirtualClock.hasPassed(nanoseconds: passed)
    }
}
