import CWeirCore
import WeirRecording

extension Trace {
    /// Marks a point in time: records the tracked objects released by then, and the reference graph around live objects.
    ///
    /// The graph is walked from all nodes, subscriptions and tracked objects that this recording knows, along strong references.
    /// `weir leaks` finds cycles in it, and the holders of objects that should have been released. On Linux a forked child walks
    /// it, so it cannot change or crash this process, and the program continues during the walk. The calling thread searches
    /// adopted models for new models (at most 64 of them, 6 µs for each in a release build, and only on the main queue), and
    /// waits for the fork, usually one or two milliseconds. A fifth checkpoint during four walks waits for the first of them.
    /// `weir info` shows these pauses. A walk takes some microseconds for each object, and at most ten seconds; the end of the
    /// recording waits for it. Under a virtual clock each checkpoint waits for its walk, so that the trace is the same on every
    /// run.
    ///
    /// Callable from any thread, including handlers and deinits, and by several threads at once. The program's handlers of
    /// `SIGCHLD`, and a `wait` for any child, see a child that the program did not start. On other platforms the calling thread
    /// walks, and no other thread may change the walked objects; no test has run there yet.
    ///
    /// The snapshot holds no values: labels are names of properties, and keys of dictionaries are left out. `TraceSnapshots.none`
    /// omits the graph.
    public static func checkpoint(_ name: String) {
        #if Recording
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
        Registry.shared.count(atCheckpoint: name, in: probe.session)
        #if os(Linux)
        if isTimed, probe.hasRoots { return takeSnapshot(probe, log, since: start) }
        #endif
        let snapshot = probe.walk()
        log.snapshotTaken(snapshot, in: probe.session, pause: isTimed ? weir_monotonic() - start : 0)
        #endif
    }
}

#if Recording
extension Trace {
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

    /// Ends the recording, with the released objects and a last snapshot. Returns the number of lost events; nil: there was none.
    ///
    /// No thread records after the fork: what happens while the end waits for the walk would push out what led to it.
    static func endWithSnapshot() -> UInt64? {
        var last = beginLastSnapshot()
        let lost = TraceWriter.stop {
            let snapshot = last?.snapshot()
            #if os(Linux)
            PendingSnapshots.shared.finish()
            #endif
            if let snapshot { last?.write(snapshot) }
            last = nil
        }
        last?.giveUp()
        return lost
    }

    private static func beginLastSnapshot() -> LastSnapshot? {
        guard weir_recording() != 0 else { return nil }
        CallbackProbes.shared.recordEnds()
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) { ViewBodies.shared.recordEnds() }
        let log = ThreadLog()
        let start = weir_monotonic()
        return prepareProbe(log, lookingAtMost: .max, isLast: true).flatMap { LastSnapshot($0, log, since: start) }
    }

    /// Records released objects, and defines all tracked objects in the recording. Nil: snapshots are off.
    private static func prepareProbe(
        _ log: ThreadLog, lookingAtMost models: Int, isLast: Bool = false
    ) -> HeapProbe? {
        let isWanted = TraceWriter.active?.configuration.takesSnapshots == true
        #if os(Linux)
        if isWanted { ForkedWalk.prepare() }
        #endif
        AdoptedModels.shared.lookAgain(atMost: models)
        Registry.shared.sweep(log)
        guard isWanted, log.isReady(weir_recording()) else { return nil }
        Registry.shared.defineAll(log)
        // That may have run any code, and so have ended the recording.
        guard log.isReady(weir_recording()) else { return nil }
        return HeapProbe(
            session: log.session, room: log.snapshotRoom,
            searchesHolders: Registry.shared.hasOverdue(in: log.session)
                || isLast && Registry.shared.hasGrowth(in: log.session))
    }
}

/// The snapshot at the end of a recording.
private struct LastSnapshot {
    private let log: ThreadLog
    private let probe: HeapProbe
    private let start: UInt64
    private let isTimed = TraceWriter.active?.configuration.isVirtualClock == false
    #if os(Linux)
    private let walk: ForkedWalk?
    #endif

    /// Nil: it could not be recorded.
    init?(_ probe: HeapProbe, _ log: ThreadLog, since start: UInt64) {
        (self.probe, self.log, self.start) = (probe, log, start)
        #if os(Linux)
        walk = probe.hasRoots ? ForkedWalk(probe) : nil
        #endif
        // The program's handlers of forks may have recorded.
        guard log.hasRoomForSnapshot(in: probe.session) else {
            giveUp()
            return nil
        }
    }

    /// Waits for the walk. To be called once.
    func snapshot() -> [UInt8] {
        #if os(Linux)
        return walk?.snapshot() ?? probe.walk()
        #else
        return probe.walk()
        #endif
    }

    func write(_ snapshot: [UInt8]) {
        log.lastSnapshotTaken(snapshot, pause: isTimed ? weir_monotonic() - start : 0)
    }

    /// To be called in place of `snapshot`.
    func giveUp() {
        #if os(Linux)
        walk?.giveUp()
        #endif
    }
}
#endif
