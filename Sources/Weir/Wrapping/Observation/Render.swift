import CWeirCore
import Dispatch
import Observation
import WeirRecording

/// A body that runs again when a value that it has read changes; a node of the graph, whose value is what the body shows.
///
///     render = run (write+ run)* [disposed]
///
/// Held by the trackings of the models that it has read, by work in its scheduler, and by its disposable.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class Render<Shown>: BodyNode<Shown>, @unchecked Sendable {  // The lock guards the mutable state.
    /// Whether it is the first run.
    enum Occasion { case first, again }

    /// The actor to which the body belongs.
    private let home: Home?
    private let runsAtOnce: Bool

    // Guarded by the lock.
    private var body: (() -> Shown)?
    /// Whether a run is scheduled.
    private var isScheduled = false
    /// Whether the run waits for a write through a wrapper on this thread; it runs when the value is stored.
    private var waitsForWrite = false
    private var runningThread: UnsafeMutablePointer<weir_thread>?
    private weak var tracking: Tracking?

    /// The reference from a model to a render, for one run.
    private final class Tracking: @unchecked Sendable {  // The lock guards the mutable state.
        private let lock = SystemLock()
        private var render: Render?

        init(_ render: Render) { self.render = render }

        func changed() { take()?.inputWillChange() }
        func end() { _ = take() }

        private func take() -> Render? {
            lock.withLock {
                defer { render = nil }
                return render
            }
        }
    }

    init(
        _ name: String, on scheduler: any Scheduler, home: Home? = nil, privacy: TracePrivacy?, file: StaticString,
        line: UInt, _ body: @escaping () -> Shown
    ) {
        self.home = home
        self.body = body
        runsAtOnce = scheduler is ImmediateScheduler
        super.init(
            name, to: TerminalSink({ _ in }, target: nil, onEnd: nil, file: file, line: line), on: scheduler,
            privacy: privacy, file: file, line: line)
        if runsAtOnce { weir_renders_at_once_add(1) }
        recordCreated()
        if weir_recording() != 0 { screen.recordStarted(source: self) }
    }

    deinit {
        isEnding = true
        if body != nil { finish(edges, .sourceReleased) }
    }

    func dispose() {
        let (body, edges, tracking) = lock.withLock {
            defer { (self.body, self.edges, self.tracking) = (nil, [], nil) }
            return (self.body, self.edges, self.tracking)
        }
        tracking?.end()
        guard body != nil else { return }
        finish(edges, .disposed)
        withExtendedLifetime(body) {}
    }

    private func finish(_ edges: [InputEdge], _ reason: SubscriptionEndReason) {
        if runsAtOnce { weir_renders_at_once_add(-1) }
        for edge in edges { edge.cut() }
        #if Recording
        forgetValues()
        guard weir_exchange_bool(&screen.isActive, false), weir_recording() != 0 else { return }
        if reason == .disposed || screen.isKnown(ThreadLog()) { screen.recordEnded(source: self, reason) }
        #endif
    }

    // MARK: Changes

    override func inputWillChange() {
        let here = TaskCause.here
        let isNew = lock.withLock { () -> Bool in
            // Changes that the running body itself makes are not shown.
            guard body != nil, !isScheduled, runningThread != weir_thread_current() else { return false }
            if case .none = cause { cause = .announcement(here) }
            isScheduled = true
            return true
        }
        guard isNew else { return }
        let thread = ObservedThread.current
        thread.announcements += 1
        defer { thread.announcements -= 1 }
        do {
            _ = try scheduler.schedule(after: .nanoseconds(0)) { [self] in runScheduled() }
        } catch {
            // The scheduler has been stopped: it runs no more work.
            dispose()
        }
    }

    override func note(cause place: ThreadLog.Place?) {
        lock.withLock {
            // Otherwise it has run since, and that was not for this change.
            guard isScheduled, runningThread != weir_thread_current() else { return }
            if case .write = cause { return }
            cause = .write(place)
        }
    }

    override func inputChanged(at place: ThreadLog.Place?) {
        note(cause: place)
        let (waits, mayRun) = lock.withLock { () -> (Bool, Bool) in
            defer { waitsForWrite = false }
            return (isScheduled && runningThread != weir_thread_current(), waitsForWrite)
        }
        if mayRun { run(at: .again) } else if waits { recordSuppressed(.waiting) }
    }

    private func runScheduled() {
        let thread = ObservedThread.current
        guard thread.announcements > 0 else { return run(at: .again) }
        // The scheduler did not wait, and the value is not stored yet.
        guard thread.wrappedWrites > 0 else { return DispatchQueue.main.async { [self] in run(at: .again) } }
        lock.withLock { waitsForWrite = true }
        thread.due.append { [self] in
            let isDue = lock.withLock {
                defer { waitsForWrite = false }
                return waitsForWrite
            }
            if isDue { run(at: .again) }
        }
    }

    // MARK: Running

    func run(at occasion: Occasion) {
        if let home, !home.isHere { return home.run { [self] in run(at: occasion) } }
        #if Recording
        // The writes of its sources are over by now; they determine the cause.
        if occasion == .again { settleSources() }
        #endif
        let next = lock.withLock { () -> (body: (() -> Shown)?, cause: ThreadLog.Place?) in
            isScheduled = false
            defer { cause = .none }
            runningThread = weir_thread_current()
            return (self.body, cause.place)
        }
        defer { lock.withLock { runningThread = nil } }
        guard let body = next.body else { return }
        #if Recording
        guard weir_recording() != 0 else {
            forgetValues()
            return _ = track(body)
        }
        if occasion == .first { return record(body) }
        caused(by: next.cause) { record(body) }
        #else
        _ = track(body)
        #endif
    }

    /// Runs the body, and ensures that the next change of a read value runs it again.
    private func track(_ body: () -> Shown) -> Run {
        let new = Tracking(self)
        let run = withObservationTracking {
            #if Recording
            let start = weir_now()
            let shown = body()
            var run = Run(shown: shown, start: start, end: weir_now())
            if weir_recording() != 0 { run.accesses = AccessList.current() }
            return run
            #else
            return Run(shown: body())
            #endif
        } onChange: {
            new.changed()
        }
        let (former, isOver) = lock.withLock {
            defer { tracking = new }
            return (tracking, self.body == nil)
        }
        former?.end()
        if isOver { new.end() }
        return run
    }

    #if Recording
    private func record(_ body: () -> Shown) {
        let thread = ObservedThread.current
        let running = RunningBody(of: self)
        thread.bodies.append(running)
        let signposts = DeliverySignposts(of: self, to: screen)
        let run = track(body)
        defer { signposts.map { $0.end(unchanged: screen.repeats(run.shown, from: self)) } }
        thread.bodies.removeLast()
        guard lock.withLock({ self.body != nil }) else { return }
        readFrom(running, run.accesses)
        show(run)
    }
    #endif
}
