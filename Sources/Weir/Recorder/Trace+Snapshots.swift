import CWeir
import WeirTrace

extension Trace {
    /// Marks a moment: records which tracked objects are gone by then, and the reference graph around what is alive.
    ///
    /// The graph is walked from all nodes, subscriptions and tracked objects that this recording knows, along strong
    /// references: `weir leaks` finds circles in it, and what holds whatever should be gone. On Linux a forked child walks it,
    /// so nothing in this process is changed, stopped or brought down by it. The calling thread waits for the child, mostly
    /// some milliseconds and at most ten seconds; other threads go on. Callable from any thread, in handlers and in
    /// deinits too, and by several threads at once. The program's handlers of `SIGCHLD` see a child that they did not start.
    /// On other platforms the calling thread walks, and no other thread may change what it walks; no test has run there yet.
    ///
    /// Values are not recorded with it: labels are names of properties, and keys of dictionaries are left out.
    /// `TraceSnapshots.none` does without the graph.
    public static func checkpoint(_ name: String) {
        Bootstrap.run()
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        let probe = prepareProbe(log)
        log.checkpoint(name)
        if let probe { log.snapshotTaken(probe.walk(), in: probe.session) }
    }

    /// Before a recording ends: what is gone, and what is left.
    static func endWithSnapshot() {
        guard weir_recording() != 0 else { return }
        CallbackProbes.shared.recordEnds()
        let log = ThreadLog()
        if let probe = prepareProbe(log) { log.snapshotTaken(probe.walk(), in: probe.session) }
    }

    /// Records what is gone, and sees to it that the recording knows all tracked objects. Nil: no snapshot is wanted.
    private static func prepareProbe(_ log: ThreadLog) -> HeapProbe? {
        AdoptedModels.shared.lookAgain()
        Registry.shared.sweep(log)
        guard TraceWriter.active?.configuration.takesSnapshots == true, log.isReady(weir_recording()) else {
            return nil
        }
        Registry.shared.defineAll(log)
        // That may have run anything, and so have ended the recording.
        guard log.isReady(weir_recording()) else { return nil }
        return HeapProbe(
            session: log.session, room: log.snapshotRoom,
            searchesHolders: Registry.shared.hasOverdue(in: log.session))
    }

}
