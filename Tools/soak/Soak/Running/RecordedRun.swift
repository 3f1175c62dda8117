import Weir

extension SoakProgram {
    /// Records the program under a virtual clock, its threads one after the other on this thread: every run in every
    /// process must write the same bytes.
    ///
    /// - Throws: `TraceError` when nothing can be recorded at `path`.
    package func record(to path: String, _ history: History) throws {
        try Trace.start(writingTo: path, clock: VirtualClock())
        defer { Trace.stop() }
        usesText ? runInOrder(of: SoakText.self, history) : runInOrder(of: Int.self, history)
    }

    private func runInOrder<Value: SoakValue>(of type: Value.Type, _ history: History) {
        let queues = (0..<Self.queues).map { _ in PacedQueue(unfinished: LockedBox(0)) }
        let run = ProgramRun<Value>(self, history, schedulers: queues)
        run.subscribeEarly()
        for thread in threads.indices {
            run.runThread(thread)
            while queues.contains(where: { $0.runNext() }) {}
        }
        Trace.checkpoint("at rest")
    }
}
