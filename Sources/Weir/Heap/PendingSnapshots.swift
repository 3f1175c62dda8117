#if Recording && os(Linux)
import CWeirCore
import WeirRecording

/// The snapshots whose walks are running, in the order of their checkpoints, and the thread that waits for them.
///
/// One child walks at a time; the others have been forked at their checkpoints, and wait for their turn. The thread exists
/// only while there is a walk, and receives no signals.
final class PendingSnapshots: @unchecked Sendable {  // `lock` guards the mutable state.
    static let shared = PendingSnapshots()

    /// The maximum number of children at once. For each, the system keeps a copy of the memory that the program changes.
    static let most = 4

    let lock = SystemLock()
    /// The thread waits for the first one.
    private var pending: [(walk: ForkedWalk, place: SnapshotPlace)] = []
    private var isWorking = false

    /// If there are too many walks, waits until the first of them is over.
    func makeRoom() {
        lock.withLock { while pending.count >= Self.most { lock.wait() } }
    }

    /// Ensures that the snapshot is written to its place in the trace.
    func add(_ walk: ForkedWalk, _ place: SnapshotPlace) {
        let needsThread = lock.withLock {
            pending.append((walk, place))
            defer { isWorking = true }
            return !isWorking
        }
        if needsThread, !weir_thread_start_alone({ _ in PendingSnapshots.shared.work() }, nil) { work() }
    }

    private func work() {
        while let (walk, place) = next() {
            place.write(walk.snapshot())
            lock.withLock {
                pending.removeFirst()
                lock.broadcast()
            }
        }
    }

    private func next() -> (walk: ForkedWalk, place: SnapshotPlace)? {
        lock.withLock {
            isWorking = !pending.isEmpty
            return pending.first
        }
    }

    /// Waits until no walk is running: at most the maximum time of one walk.
    func finish() {
        WalkingChild.endSoon(true)
        lock.withLock { while !pending.isEmpty { lock.wait() } }
        WalkingChild.endSoon(false)
    }

    /// The number of walks that are running or waiting.
    var count: Int { lock.withLock { pending.count } }

    /// Does once in the parent what a forked child does.
    ///
    /// Without optimization, the runtime looks up types the first time. It does so under locks of its own, which another thread of the
    /// parent may have held when it forked: the child would wait for ever.
    func prepareForFork() { lock.withLock { if pending.isEmpty { forgetInForkedChild() } } }

    /// Called inside the lock in a forked child of the program, in which the thread does not exist.
    func forgetInForkedChild() {
        weir_forget_children()
        pending = []
        isWorking = false
    }
}
#endif
