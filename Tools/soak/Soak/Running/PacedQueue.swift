import Dispatch
import Weir

/// A serial queue whose thread is one of the paced threads.
final class PacedQueue: Scheduler {
    /// Scheduled work that has not ended, of all queues of a run.
    private let unfinished: LockedBox<Int>
    private let waiting = LockedBox<[@Sendable () -> Void]>([])

    init(unfinished: LockedBox<Int>) { self.unfinished = unfinished }

    var now: UInt64 { 0 }

    func schedule(_ work: @escaping @Sendable () -> Void) -> Disposable {
        let cancellable = LockedBox<(@Sendable () -> Void)?>(work)
        unfinished.change { $0 += 1 }
        waiting.change { $0.append { cancellable.exchange(nil)?() } }
        Pacer.unblockOthers()
        return Disposable { _ = cancellable.exchange(nil) }
    }

    func schedule(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) -> Disposable {
        schedule(work)
    }

    /// Runs scheduled work until the program's threads have ended and no queue has any work.
    func serve(_ pacer: Pacer) {
        while true {
            if runNext() {
                Pacer.unblockOthers()
            } else if !pacer.hasOwnThreads && unfinished.value == 0 {
                return
            } else {
                Pacer.pause(.idle)
            }
        }
    }

    /// Runs the oldest scheduled work; returns false if there is none.
    func runNext() -> Bool {
        guard let work = waiting.change({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        work()
        unfinished.change { $0 -= 1 }
        return true
    }
}
