import CWeir
import WeirTrace

extension Trace {
    /// Marks a moment: records which tracked objects are gone by then, and the reference graph around what is alive.
    ///
    /// The graph is walked from all nodes, subscriptions and tracked objects that this recording knows, along strong
    /// references: `weir leaks` finds circles in it, and what holds whatever should be gone. On Linux a forked child walks it,
    /// so nothing in this process is changed or brought down by it, and the program goes on meanwhile. The calling thread
    /// looks for models that adopted ones have come to hold (in 64 of them at most, 6 µs for each in a release build, and only on
    /// the main queue), and waits while the system forks, mostly a millisecond or two; a fifth checkpoint while four walks are
    /// under way waits for the first of them. `weir info` shows these pauses. A walk takes some microseconds for each object,
    /// and at most ten seconds; the end of the recording waits for it.
    /// Under a virtual clock each checkpoint waits for its walk, so that the trace is the same on every run.
    ///
    /// Callable from any thread, in handlers and in deinits too, and by several threads at once. The program's handlers of
    /// `SIGCHLD`, and a `wait` for any child, see a child that the program did not start. On other platforms the calling
    /// thread walks, and no other thread may change what it walks; no test has run there yet.
    ///
    /// Values are not recorded with it: labels are names of properties, and keys of dictionaries are left out.
    /// `TraceSnapshots.none` does without the graph.
    public static func checkpoint(_ name: String) {
        Bootstrap.run()
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        let start = weir_monotonic()
        let isTimed = TraceWriter.active?.configuration.isVirtualClock == false
        #if os(Linux)
            if isTimed { PendingSnapshots.shared.makeRoom() }
        #endif
        let probe = prepareProbe(log, lookingAtMost: AdoptedModels.mostAtCheckpoint)
        log.checkpoint(name)
        guard let probe else { return }
        #if os(Linux)
            if isTimed, probe.hasRoots { return takeSnapshot(probe, log, since: start) }
        #endif
        let snapshot = probe.walk()
        log.snapshotTaken(snapshot, in: probe.session, pause: isTimed ? weir_monotonic() - start : 0)
    }

    #if os(Linux)
        /// Takes a snapshot that is written later.
        private static func takeSnapshot(_ probe: HeapProbe, _ log: ThreadLog, since start: UInt64) {
            let walk = ForkedWalk(probe)
            if let place = log.snapshotTaken(in: probe.session, pause: weir_monotonic() - start) {
                PendingSnapshots.shared.add(walk, place)
            } else {
                walk.giveUp()
            }
        }
    #endif

    /// Before a recording ends: what is gone, and what is left.
    static func endWithSnapshot() {
        guard weir_recording() != 0 else { return }
        CallbackProbes.shared.recordEnds()
        let log = ThreadLog()
        let start = weir_monotonic()
        let isTimed = TraceWriter.active?.configuration.isVirtualClock == false
        let probe = prepareProbe(log, lookingAtMost: .max)
        let snapshot = probe?.walk()
        #if os(Linux)
            PendingSnapshots.shared.finish()
        #endif
        if let probe, let snapshot {
            log.snapshotTaken(snapshot, in: probe.session, pause: isTimed ? weir_monotonic() - start : 0)
        }
    }

    /// Records what is gone, and sees to it that the recording knows all tracked objects. Nil: no snapshot is wanted.
    private static func prepareProbe(_ log: ThreadLog, lookingAtMost models: Int) -> HeapProbe? {
        let isWanted = TraceWriter.active?.configuration.takesSnapshots == true
        #if os(Linux)
            if isWanted { ForkedWalk.prepare() }
        #endif
        AdoptedModels.shared.lookAgain(atMost: models)
        Registry.shared.sweep(log)
        guard isWanted, log.isReady(weir_recording()) else { return nil }
        Registry.shared.defineAll(log)
        // That may have run anything, and so have ended the recording.
        guard log.isReady(weir_recording()) else { return nil }
        return HeapProbe(
            session: log.session, room: log.snapshotRoom,
            searchesHolders: Registry.shared.hasOverdue(in: log.session))
    }

}
