import CWeir
import Dispatch
import Observation
import WeirTrace

/// A body that runs again when a value that it has read changes; a node of the graph, whose value is what the body shows.
///
///     render = run (write+ run)* [disposed]
///
/// Held by the trackings of the models that it has read, by work in its scheduler, and by its disposable.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class Render<Shown>: Node, InputDependent, @unchecked Sendable {  // The lock guards the mutable state.
    /// Whether it is the first run.
    enum Occasion { case first, again }

    private let name: String
    private let scheduler: any Scheduler
    /// The actor to which the body belongs.
    private let home: Home?
    private let runsAtOnce: Bool
    /// Whether the shown value may be recorded, whatever the body reads.
    private let saysPublic: Bool
    private let screen: TerminalSink<Shown>
    private let siteFile: StaticString, siteLine: UInt

    private let lock = SystemLock()
    // Guarded by the lock.
    private var body: (() -> Shown)?
    private var edges: [InputEdge] = []
    /// Whether a run is scheduled.
    private var isScheduled = false
    /// Whether the run waits for a write through a wrapper on this thread; it runs when the value is stored.
    private var waitsForWrite = false
    private var runningThread: UnsafeMutablePointer<weir_thread>?
    private var cause: Cause = .none
    private weak var tracking: Tracking?

    /// The cause of the next run.
    private enum Cause {
        case none
        /// The delivery that was open when a model announced a change.
        case announcement(ThreadLog.Place?)
        /// The first recorded write.
        case write(ThreadLog.Place?)

        var place: ThreadLog.Place? {
            switch self {
            case .none: nil
            case .announcement(let place), .write(let place): place
            }
        }
    }

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
        self.name = name
        self.scheduler = scheduler
        self.home = home
        self.body = body
        runsAtOnce = scheduler is ImmediateScheduler
        screen = TerminalSink({ _ in }, target: nil, onEnd: nil, file: file, line: line)
        (siteFile, siteLine) = (file, line)
        saysPublic = privacy == .public
        super.init(file: file, line: line, privacy: privacy ?? .public)
        if runsAtOnce { weir_renders_at_once_add(1) }
        recordCreated()
        if weir_recording() != 0 { screen.recordStarted(source: self) }
    }

    deinit {
        isEnding = true
        if body != nil { finish(edges, .sourceReleased) }
    }

    override var isDisclosed: Bool { saysPublic }
    override var kind: NodeKind { .combiner }
    override var technique: NodeTechnique { .render }
    override var givenLabel: String? { name }
    override var canBeAdopted: Bool { false }
    override var valueType: Any.Type? { Shown.self }

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
        guard weir_exchange_bool(&screen.isActive, false), weir_recording() != 0 else { return }
        if reason == .disposed || screen.isKnown(ThreadLog()) { screen.recordEnded(source: self, reason) }
    }

    // MARK: Changes

    func inputWillChange() {
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

    func note(cause place: ThreadLog.Place?) {
        lock.withLock {
            // Otherwise it has run since, and that was not for this change.
            guard isScheduled, runningThread != weir_thread_current() else { return }
            if case .write = cause { return }
            cause = .write(place)
        }
    }

    func inputChanged(at place: ThreadLog.Place?) {
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
        // The writes of its sources are over by now; they determine the cause.
        if occasion == .again {
            for edge in lock.withLock({ edges }) {
                edge.source?.settle()
                edge.source?.lookForModels()
            }
        }
        let (body, place) = lock.withLock { () -> ((() -> Shown)?, ThreadLog.Place?) in
            isScheduled = false
            defer { cause = .none }
            runningThread = weir_thread_current()
            return (self.body, cause.place)
        }
        defer { lock.withLock { runningThread = nil } }
        guard let body else { return }
        guard weir_recording() != 0 else { return _ = track(body) }
        if occasion == .first { return record(body) }
        caused(by: place) { record(body) }
    }

    /// A run of the body: what it showed and read, and when it began and ended.
    private struct Run {
        let shown: Shown
        var accesses: [AccessList.Access]?
        let start, end: UInt64
    }

    /// Runs the body, and ensures that the next change of a read value runs it again.
    private func track(_ body: () -> Shown) -> Run {
        let new = Tracking(self)
        let run = withObservationTracking {
            let start = weir_now()
            let shown = body()
            var run = Run(shown: shown, start: start, end: weir_now())
            if weir_recording() != 0 { run.accesses = AccessList.current() }
            return run
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

    private func record(_ body: () -> Shown) {
        let thread = ObservedThread.current
        let running = RunningBody(of: self)
        thread.bodies.append(running)
        let run = track(body)
        thread.bodies.removeLast()
        guard lock.withLock({ self.body != nil }) else { return }
        readFrom(running, run.accesses)
        show(run)
    }

    /// Registers the body's reads.
    private func readFrom(_ running: RunningBody, _ accesses: [AccessList.Access]?) {
        let outer = (accesses ?? []).filter { !running.inner.contains($0) }
        var (sources, records) = InputEdge.properties(of: outer, file: siteFile, line: siteLine)
        defer { withExtendedLifetime(records) { records = [] } }
        let known = Set(sources.map(ObjectIdentifier.init))
        sources += running.read.filter { !known.contains(ObjectIdentifier($0)) }
        let mayShowSecret =
            running.hasReadSecret
            || (accesses == nil ? ModelRecords.shared.hasPrivate : sources.contains(where: \.isPrivate))
        if mayShowSecret, Shown.self != Bool.self { becomePrivate() }
        // Writes before or in this run are over, and no reason for the next run.
        for source in sources { source.settle() }
        for source in sources {
            source.isComputed ? source.followInputs(on: scheduler) : source.track(on: scheduler)
        }
        let former = lock.withLock { edges }
        let current = InputEdge.connect(former, to: sources, for: self, file: siteFile, line: siteLine)
        lock.withLock { edges = current }
    }

    /// Records the run as a delivery that lasted as long as the body: what Weir itself does before and after is not its time.
    private func show(_ run: Run) {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        let subscription = screen.code(log, source: self)
        let session = log.session
        let node = subscription == 0 ? 0 : code(log)
        let value = isPrivate ? log.encodedPrivacy : log.encoded(run.shown)
        guard node != 0, log.session == session,
            log.computed(
                node, value, to: subscription, since: run.start,
                redefine: { _ = (code(log), screen.code(log, source: self)) })
        else { return log.countLost(2) }
        log.deliveryEnded(at: run.end)
        log.popFrame()
    }
}
