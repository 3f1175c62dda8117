#if os(Linux)
    import CWeir
    import WeirTrace

    /// Snapshots whose walks are under way, in the order of their checkpoints, and the thread that waits for them.
    ///
    /// One child walks at a time; the others have been forked at their checkpoints, and wait for their turn. The thread is there
    /// only while there is a walk, and takes no signals.
    final class PendingSnapshots: @unchecked Sendable {  // `lock` guards what varies.
        static let shared = PendingSnapshots()

        /// Children at once. For each, the system keeps what the program changes in memory while the child is there.
        static let most = 4

        let lock = SystemLock()
        /// The first one is being waited for.
        private var pending: [(walk: ForkedWalk, place: SnapshotPlace)] = []
        private var isWorking = false

        /// Waits, where there are so many walks, until the first of them is over.
        func makeRoom() {
            lock.withLock { while pending.count >= Self.most { lock.wait() } }
        }

        /// Sees to it that the snapshot comes to its place in the trace.
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

        /// Waits until no walk is under way: at most as long as one may take.
        func finish() {
            WalkingChild.endSoon(true)
            lock.withLock { while !pending.isEmpty { lock.wait() } }
            WalkingChild.endSoon(false)
        }

        /// How many walks are under way, or wait for their turn.
        var count: Int { lock.withLock { pending.count } }

        /// In a forked child of the program, where the thread is not. In the lock.
        func forgetInForkedChild() {
            for (walk, _) in pending { walk.forget() }
            pending = []
            isWorking = false
        }
    }
#endif
