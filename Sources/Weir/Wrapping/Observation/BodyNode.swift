import CWeirCore
import Observation
import WeirRecording

/// A body that shows properties of observable models; a node of the graph, fed by the properties that its last run has read.
///
/// Each run is recorded as an emission of the shown value, delivered to a handler that lasted as long as the body.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
class BodyNode<Shown>: Node, @unchecked Sendable {  // The lock guards the mutable state.
    final let name: String
    /// The isolation in which the properties that it reads may be read.
    final let scheduler: any Scheduler
    /// Whether the shown value may be recorded, whatever the body reads.
    private let saysPublic: Bool
    final let screen: Sink<Shown>
    private let siteFile: StaticString, siteLine: UInt

    final let lock = SystemLock()
    // Guarded by the lock.
    final var edges: [InputEdge] = []
    #if Recording
    final var values = ReadValues()
    #endif
    final var cause: Cause = .none

    /// The cause of the next run.
    enum Cause {
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

    /// A run of the body: what it showed and read, and when it began and ended.
    struct Run {
        let shown: Shown
        #if Recording
        var accesses: [AccessList.Access]?
        let start, end: UInt64
        #endif
    }

    init(
        _ name: String, to screen: Sink<Shown>, on scheduler: any Scheduler, privacy: TracePrivacy?,
        file: StaticString, line: UInt
    ) {
        self.name = name
        self.scheduler = scheduler
        self.screen = screen
        (siteFile, siteLine) = (file, line)
        saysPublic = privacy == .public
        super.init(file: file, line: line, privacy: privacy ?? .public)
    }

    override final var isDisclosed: Bool { saysPublic }
    override final var kind: NodeKind { .combiner }
    override final var technique: NodeTechnique { .render }
    override final var givenLabel: String? { name }
    override final var canBeAdopted: Bool { false }
    override final var valueType: Any.Type? { Shown.self }

    // MARK: Overridden by subclasses

    func inputWillChange() {}
    func inputChanged(at place: ThreadLog.Place?) {}
    func note(cause place: ThreadLog.Place?) {}

    #if Recording
    // MARK: Recording

    /// Finishes the writes of its sources; they determine the cause. Called before it runs again.
    final func settleSources() {
        for edge in lock.withLock({ edges }) {
            edge.source?.settle()
            edge.source?.lookForModels()
        }
    }

    /// Registers the body's reads.
    final func readFrom(_ running: RunningBody, _ accesses: [AccessList.Access]?) {
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
        let (values, formerValues) = lock.withLock { self.values }
            .next(running.values, for: self, file: siteFile, line: siteLine)
        lock.withLock { (edges, self.values) = (current, values) }
        formerValues.dispose()
    }

    /// No observable of Weir feeds it any longer, until its next recorded run.
    final func forgetValues() {
        let values = lock.withLock {
            defer { self.values = ReadValues() }
            return self.values
        }
        values.dispose()
    }

    /// Records the run as a delivery that lasted as long as the body: what Weir itself does before and after is not its time.
    final func show(_ run: Run) {
        let log = ThreadLog()
        guard !isLeftOut, log.isReady(weir_recording()) else { return }
        let subscription = screen.code(log, source: self)
        let session = log.session
        let node = subscription == 0 ? 0 : code(log)
        let value = isPrivate ? log.encodedPrivacy : log.encoded(run.shown)
        guard node != 0, log.session == session,
            log.computed(
                node, value, to: subscription, from: run.start, to: run.end,
                redefine: { _ = (code(log), screen.code(log, source: self)) })
        else { return log.countLost(2) }
    }
    #endif
}

#if Recording
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
extension BodyNode: InputDependent {}
#endif
