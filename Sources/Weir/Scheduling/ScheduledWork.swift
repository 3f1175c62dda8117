import CWeirCore
import WeirRecording

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
