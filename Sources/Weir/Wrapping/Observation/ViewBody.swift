#if Recording
import CWeirCore
import Observation
import WeirRecording

/// The body of a view that something else runs, such as SwiftUI; a node of the graph, and its own screen.
///
///     body = (write* run)*
///
/// Its value is the number of runs that showed something new. Lives as long as the process; see `ViewBodies`.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class ViewBody: BodyNode<Int>, LivesForever, @unchecked Sendable {  // The lock guards the mutable state.
    // Guarded by the lock.
    private var runs = 0
    private var changes = 0
    /// Whether a property that it has read was written with another value since the last run.
    private var isChanged = false
    private var runningThread: UnsafeMutablePointer<weir_thread>?
    /// Whether a model announces its next change to this node itself.
    private var isArmed = false
    /// Whether it has read a model whose writes are not followed.
    private var readsUnknown = true
    private var shown: Int?
    private var state: AnyHashable?
    /// The number of the last write before its last run.
    private var lastWrite: UInt64 = 0

    init(_ name: String, file: StaticString, line: UInt) {
        super.init(
            name, to: ViewScreen(file: file, line: line), on: .main, privacy: .public, file: file, line: line)
        recordCreated()
        screen.recordStarted(source: self)
    }

    /// A body has no end of its own: its subscription ends with the recording.
    func recordingEnds() {
        forgetValues()
        screen.recordEnded(source: self, .sourceReleased)
    }

    // MARK: Changes

    override func inputWillChange() {
        let here = TaskCause.here
        lock.withLock {
            guard runningThread != weir_thread_current() else { return }
            if case .none = cause { cause = .announcement(here) }
        }
    }

    override func note(cause place: ThreadLog.Place?) {
        lock.withLock {
            guard runningThread != weir_thread_current() else { return }
            if case .write = cause { return }
            cause = .write(place)
        }
    }

    override func inputChanged(at place: ThreadLog.Place?) {
        note(cause: place)
        let waits = lock.withLock {
            isChanged = isChanged || runningThread != weir_thread_current()
            return runningThread != weir_thread_current()
        }
        if waits { recordSuppressed(.waiting) }
    }

    // MARK: Running

    /// Runs the content and records the run; `state`: what it shows beside observable models, if the program says so.
    func run<Content>(state: AnyHashable?, _ content: () -> Content) -> Content {
        noteThread()
        settleSources()
        let (place, isFirst, arms) = lock.withLock {
            defer { (cause, runs, runningThread) = (.none, runs + 1, weir_thread_current()) }
            return (cause.place, runs == 0, readsUnknown && !isArmed)
        }
        guard !isFirst, let place else { return record(arms: arms, isCaused: false, state: state, content) }
        var result: Content?
        caused(by: place) { result = record(arms: arms, isCaused: true, state: state, content) }
        // It has run exactly once.
        return result.unsafelyUnwrapped
    }

    private func record<Content>(
        arms: Bool, isCaused: Bool, state: AnyHashable?, _ content: () -> Content
    ) -> Content {
        let thread = ObservedThread.current
        let running = RunningBody(of: self)
        thread.bodies.append(running)
        let signposts = DeliverySignposts(of: self, to: screen)
        let start = weir_now()
        let (result, accesses) = AccessList.collecting { arms ? armed(content) : content() }
        let end = weir_now()
        thread.bodies.removeLast()
        AccessList.untracked { readFrom(running, accesses) }
        let now = (result as? any Hashable).map { $0.hashValue }
        let former = lock.withLock { self.changes }
        let changes = lock.withLock {
            runningThread = nil
            readsUnknown = accesses == nil || edges.contains { $0.source?.record?.model == nil }
            if isNew(shown: now, state: state, isCaused: isCaused) { self.changes += 1 }
            (shown, self.state, isChanged) = (now, state, false)
            return self.changes
        }
        show(Run(shown: changes, accesses: nil, start: start, end: end))
        signposts?.end(unchanged: changes == former)
        return result
    }

    /// Whether the run shows something else than the one before. Called inside the lock.
    ///
    /// Without a cause that Weir knows, it may be due to a state of the view, so it counts as new.
    private func isNew(shown now: Int?, state: AnyHashable?, isCaused: Bool) -> Bool {
        if runs <= 1 || state != self.state { return true }
        if let now, let shown { return now != shown }
        if isChanged { return true }
        return isCaused ? readsUnknown : state == nil
    }

    /// Runs the content; the next change of a value that it reads is announced to this node.
    private func armed<Content>(_ content: () -> Content) -> Content {
        lock.withLock { isArmed = true }
        return withObservationTracking {
            content()
        } onChange: { [weak self] in
            self?.lock.withLock { self?.isArmed = false }
            self?.inputWillChange()
        }
    }

    /// Records a run whose reads and duration are unknown; its cause is the first observed write since the last one.
    func ran() {
        noteThread()
        ObservedThread.current.settle(depth: 0)
        let (place, run) = lock.withLock {
            runs += 1
            return (ObservedWrites.shared.first(since: &lastWrite), runs)
        }
        let now = weir_now()
        let known = Run(shown: run, accesses: nil, start: now, end: now)
        guard run > 1, let place else { return showBriefly(known) }
        caused(by: place) { showBriefly(known) }
    }

    private func showBriefly(_ run: Run) {
        let signposts = DeliverySignposts(of: self, to: screen)
        show(run)
        signposts?.end()
    }

    private func noteThread() { if !MainQueue.isCurrent { ViewBodies.shared.noteOffMain(name) } }
}

/// The screen of a view's body, which records its refreshes.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private final class ViewScreen: Sink<Int>, LivesForever {
    init(file: StaticString, line: UInt) {
        super.init({ _ in }, isTerminal: true, file: file.utf8Start, line: UInt32(clamping: line))
    }
}

/// The bodies of views: one for each name, line and id, so their number is limited.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@usableFromInline
final class ViewBodies: @unchecked Sendable {  // The lock guards the mutable state.
    @usableFromInline static let shared = ViewBodies()
    /// The maximum number of bodies of one line; further ids share the first body.
    private static let mostIDs = 1000

    private struct Site: Hashable {
        let name: String
        let file: UnsafePointer<UInt8>
        let line: UInt
        var id: AnyHashable?
    }

    private let lock = SystemLock()
    private var known: [Site: ViewBody] = [:]
    private var counts: [Site: Int] = [:]
    /// In the order of creation.
    private var all: [ViewBody] = []
    private var offMain: Set<String> = []

    func recordEnds() { for body in lock.withLock({ all }) { body.recordingEnds() } }

    /// Reports once for each name that a body does not run on the main thread.
    func noteOffMain(_ name: String) {
        if lock.withLock({ offMain.count < 100 && offMain.insert(name).inserted }) {
            Complaint.say("\(name) ran off the main thread, where another thread may write its models")
        }
    }

    func body(_ name: String, id: AnyHashable?, file: StaticString, line: UInt) -> ViewBody {
        var site = Site(name: name, file: file.utf8Start, line: line, id: id)
        let shared = Site(name: name, file: file.utf8Start, line: line)
        let (found, number) = lock.withLock { () -> (ViewBody?, Int) in
            if let found = known[site] { return (found, 0) }
            return (nil, counts[shared, default: 0])
        }
        if let found { return found }
        if number >= Self.mostIDs { site = shared }
        let new = ViewBody(
            site.id.map { "\(name)[\(Self.text($0) ?? "#\(number + 1)")]" } ?? name, file: file, line: line)
        return lock.withLock {
            // Another thread may have come first.
            if let found = known[site] { return found }
            known[site] = new
            counts[shared, default: 0] += 1
            all.append(new)
            return new
        }
    }

    /// A number as text. Other ids may be private.
    private static func text(_ id: AnyHashable) -> String? { (id.base as? any BinaryInteger).map { "\($0)" } }

    @usableFromInline @inline(never)
    func run<Content, Failure: Error>(
        _ name: String, id: AnyHashable?, state: AnyHashable?, file: StaticString, line: UInt,
        _ content: () throws(Failure) -> Content
    ) throws(Failure) -> Content {
        Bootstrap.run()
        guard weir_recording() != 0 else { return try content() }
        let result = body(name, id: id, file: file, line: line).run(state: state) { () -> Result<Content, Failure> in
            do throws(Failure) { return .success(try content()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    @usableFromInline @inline(never)
    func ran(_ view: Any.Type, file: StaticString, line: UInt) {
        Bootstrap.run()
        guard weir_recording() != 0 else { return }
        body(RuntimeNames.name(of: view), id: nil, file: file, line: line).ran()
    }
}
#endif
