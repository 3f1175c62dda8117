import WeirRecording

/// The one piece of work that an operator has scheduled.
///
/// The scheduler holds the work; this object holds only its cancellation.
@usableFromInline
final class Alarm: @unchecked Sendable {  // The lock guards the mutable state.
    private let scheduler: any Scheduler
    private let lock = SystemLock()
    private var ticket: Disposable?
    private var lastSet = 0, lastRung = 0
    private var isCancelled = false

    @usableFromInline
    init(on scheduler: any Scheduler) { self.scheduler = scheduler }

    /// The scheduler's time, in nanoseconds.
    @usableFromInline var now: UInt64 { scheduler.now }

    /// Runs `ring` after `wait` nanoseconds, as soon as possible if nil, never if `UInt64.max`; one alarm must have rung before
    /// the next is set.
    ///
    /// If the scheduler refuses, all of `links` fails.
    @usableFromInline
    func set<Output>(after wait: UInt64? = nil, _ links: SourceLinks<Output>, _ ring: @escaping @Sendable () -> Void) {
        let (number, isOver) = lock.withLock {
            lastSet += 1
            return (lastSet, isCancelled)
        }
        if isOver { return }
        do {
            let work: @Sendable () -> Void = { [self] in
                withExtendedLifetime(take(rung: number)) {}
                ring()
            }
            let ticket = try wait.map { try scheduler.schedule(after: .waiting($0), work) } ?? scheduler.schedule(work)
            let isTooLate = lock.withLock {
                if lastRung < number { self.ticket = ticket.weakened() }
                return isCancelled
            }
            if isTooLate { cancel() }
        } catch {
            links.finish(.failed(error))
        }
    }

    /// Cancels the waiting work, and all work that is set later.
    @usableFromInline
    func cancel() {
        let ticket = lock.withLock {
            isCancelled = true
            defer { self.ticket = nil }
            return self.ticket
        }
        ticket?.dispose()
    }

    private func take(rung number: Int) -> Disposable? {
        lock.withLock {
            lastRung = number
            defer { ticket = nil }
            return ticket
        }
    }
}
