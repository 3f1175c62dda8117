#if Recording
import CWeirCore
import WeirRecording

/// A property of an observable model as a node of the graph; holds neither the model nor its value, except numbers and text.
///
/// Writes reach it on two paths. A write through a wrapper is recorded while it is made (`Property.write`). The model announces
/// any other write before the value is stored (`announced`). It is recorded when the write is over (`settle`), and its cause is
/// the delivery that was open at the announcement.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
class PropertyNode: Node, InputDependent, @unchecked Sendable {  // The lock guards the mutable state.
    /// The sources of a computed property.
    private struct Feeds {
        var edges: [InputEdge] = []
        /// The subscriptions to the observables of Weir that it has read.
        var values = ReadValues()
        /// The scheduler on which the properties may be read, if they are followed too.
        var scheduler: (any Scheduler)?
    }

    let name: String
    final let keyPath: AnyKeyPath
    private let typeName: String
    /// The sink to which a write is delivered, so that effects inside it are caused by it.
    private let ownSink: PropertySink
    final weak var record: ModelRecord?

    final let lock = SystemLock()
    /// The edges to its dependents. Guarded by the lock, like all properties below.
    private final var edges: [InputEdge] = [] { didSet { weir_store_bool(&hasEdges, !edges.isEmpty) } }
    /// Whether there is an edge; read outside of the lock.
    @exclusivity(unchecked) private final var hasEdges = false
    private final var feeds = Feeds()
    final var state = PropertyState()
    /// The model whose next change is followed. Not in `state`: a weak reference there would be copied with it.
    private final weak var watchedModel: AnyObject?
    private final var hasBegun = false
    @exclusivity(unchecked) private final var reportedEnd: Bool = false
    override var hasReportedEnd: Bool { weir_load_bool(&reportedEnd) }

    init(
        _ keyPath: AnyKeyPath, name: String, typeName: String, in record: ModelRecord, file: StaticString, line: UInt
    ) {
        self.name = name
        self.keyPath = keyPath
        self.typeName = typeName
        self.record = record
        ownSink = PropertySink(file: file, line: line)
        super.init(file: file, line: line, privacy: .public)
        // A read made it; it is not made from a private value.
        hidesValues = false
    }

    deinit {
        isEnding = true
        for edge in edges { edge.end(of: self) }
        for edge in feeds.edges { edge.cut() }
        feeds.values.dispose()
    }

    /// Called when its model has been released. Closures of the system may keep the node for a moment longer, and release it in
    /// any order.
    final func modelEnds() {
        if weir_recording() == 0 { return }
        recordReleased()
        weir_store_bool(&reportedEnd, true)
    }

    /// Records its creation once; called when its value is known, or will never be.
    final func begin() {
        let isNew = lock.withLock {
            defer { hasBegun = true }
            return !hasBegun
        }
        if isNew { recordCreated(isTimed: false) }
    }

    override final var technique: NodeTechnique { .observation }
    override var givenLabel: String? { "\(typeName).\(name)" }
    /// Whether it is a path to an element of an array.
    var leadsToElement: Bool { false }
    /// Whether it is known to be computed from other properties.
    final var isComputed: Bool { lock.withLock { state.isComputed } }
    /// The reads of its last computation, and the change that caused it.
    final var computation: (reads: [AccessList.Access], cause: ThreadLog.Place?) { lock.withLock { state.computation } }

    /// Whether `access` is a read of it.
    func isKnown(by access: AccessList.Access) -> Bool {
        guard record?.registrars.contains(access.registrar) == true else { return false }
        return access.keyPath == keyPath || KeyPathName.of(access.keyPath) == name
    }

    /// Whether a write waits to be recorded.
    final var isAnnounced: Bool { lock.withLock { state.isAnnounced } }

    // MARK: Dependents

    final func add(_ edge: InputEdge) { lock.withLock { edges.append(edge) } }
    final func remove(_ edge: InputEdge) { lock.withLock { edges.removeAll { $0 === edge } } }
    final var liveEdges: [InputEdge] { weir_load_bool(&hasEdges) ? lock.withLock { edges } : [] }

    /// Notifies its dependents that its value will change.
    final func invalidateDependents() { for edge in liveEdges { edge.dependent?.inputWillChange() } }

    final func inputWillChange() {
        if lock.withLock({ state.inputWillChange() }) { settleLater(noting: nil) }
        invalidateDependents()
    }

    final func inputChanged(at place: ThreadLog.Place?) {
        recordSuppressed(.waiting)
        note(cause: place)
    }

    final func note(cause: ThreadLog.Place?) {
        // Otherwise it has been computed since: that was not for this change.
        guard lock.withLock({ state.note(cause: cause) }) else { return }
        for edge in liveEdges { edge.dependent?.note(cause: cause) }
    }

    // MARK: States

    /// Whether it is known to be stored; this cannot change.
    final var isStored: Bool { lock.withLock { state.isStored } }
    final var storedKeyPath: AnyKeyPath? { lock.withLock { state.storedKeyPath } }

    final func willWatch(_ model: AnyObject) {
        lock.withLock {
            state.willBeWatched()
            watchedModel = model
        }
    }

    /// A change that its model announces: what to do about it, the model unless that has been released, and `isStored`.
    final func change(isRecording: Bool) -> (PropertyState.Reaction, model: AnyObject?, isStored: Bool) {
        lock.withLock { (state.changeIsAnnounced(isRecording: isRecording), watchedModel, state.isStored) }
    }

    final func takeAnnouncement() -> PropertyState.Announcement? { lock.withLock { state.takeAnnouncement() } }

    /// Lets the scheduler record the announced write, unless it is already going to.
    final func settleLater(noting new: PropertyState.Announcement?) {
        do {
            _ = try lock.withLock { state.willSettle(noting: new) }?.schedule(after: .nanoseconds(0)) { [weak self] in
                guard let self else { return }
                lock.withLock { state.turnBegins() }
                // If the scheduler runs it at once, the value is not stored yet.
                guard ObservedThread.current.announcements == 0 else { return }
                settle()
                lookForModels()
            }
        } catch {
            // The end of the stimulus or a later change records this one; that change may find the scheduler willing again.
            lock.withLock { state.turnIsRefused() }
        }
    }

    // MARK: Inputs

    /// Updates the inputs after a read that has read `accesses` (nil: unknown) and the observables `read`.
    final func setInputs(_ accesses: [AccessList.Access]?, _ read: [Node], file: StaticString, line: UInt) {
        let source = source(of: accesses)
        let former = lock.withLock {
            state.hasBeenRead(from: source)
            return feeds
        }
        if valueType != Bool.self, read.contains(where: \.isPrivate) { becomePrivate() }
        guard case .computed = source, let accesses, weir_recording() != 0 else { return }
        let (found, records) = InputEdge.properties(of: accesses, file: file, line: line)
        let properties = found.filter { $0 !== self }
        if valueType != Bool.self, properties.contains(where: \.isPrivate) { becomePrivate() }
        let edges = withExtendedLifetime(records) {
            InputEdge.connect(former.edges, to: properties, for: self, file: file, line: line)
        }
        let (values, formerValues) = lock.withLock { feeds.values }.next(read, for: self, file: file, line: line)
        lock.withLock { (feeds.edges, feeds.values) = (edges, values) }
        formerValues.dispose()
        if let scheduler = former.scheduler { followInputs(on: scheduler) }
    }

    private func source(of accesses: [AccessList.Access]?) -> PropertyState.Source {
        guard let accesses else {
            return isStoredInModel ? .stored(as: keyPathOfOnlyClass) : .computed(reads: [], cause: nil)
        }
        if accesses.isEmpty { return .constant(cause: nil) }
        return accesses.count == 1 && isKnown(by: accesses[0])
            ? .stored(as: accesses[0].keyPath) : .computed(reads: accesses, cause: nil)
    }

    /// Follows its inputs.
    final func followInputs(on scheduler: any Scheduler) {
        lock.withLock { if feeds.scheduler == nil { feeds.scheduler = scheduler } }
        for input in inputProperties {
            input.isComputed ? input.followInputs(on: scheduler) : input.track(on: scheduler)
        }
    }

    /// Its key path, unless that is of a superclass, which has its own registrar.
    private var keyPathOfOnlyClass: AnyKeyPath? {
        guard let record, record.registrars.count == 1, let model = record.model else { return nil }
        return type(of: keyPath).rootType == type(of: model) ? keyPath : nil
    }

    final var inputProperties: [PropertyNode] { lock.withLock { feeds.edges }.compactMap(\.source) }

    /// Whether the macro stores it; used if the reads are unknown.
    private var isStoredInModel: Bool {
        var type: AnyClass? = (record?.model).map { Swift.type(of: $0) }
        guard type != nil else { return true }
        while let current = type {
            if StoredProperty.all(of: current)?.contains(where: { $0.name == "_\(name)" }) == true { return true }
            type = _getSuperclass(current)
        }
        return false
    }

    // MARK: Records

    /// Records a value, runs `body` with it as the cause, and notifies its dependents.
    final func recordWrite<Value>(_ value: Value, _ body: () -> Void = {}) {
        let leftOut = isLeftOut ? LeftOutDelivery(of: self) : nil
        defer { leftOut?.end() }
        let frame = openEmission(of: value, to: ownSink)
        if frame.isOpen { ObservedWrites.shared.note() }
        body()
        let log = ThreadLog()
        if leftOut != nil {
            for edge in liveEdges {
                // Records that the cause is not recorded, if nothing else has: the dependent runs later, and needs a place.
                if edge.dependent?.isLeftOut == false { _ = log.isReady(weir_recording()) }
                edge.dependent?.inputChanged(at: log.openPlace)
            }
        }
        if frame.isOpen {
            for edge in liveEdges {
                guard frame.continues(with: edge, of: self, stamped: false) else { break }
                edge.dependent?.inputChanged(at: log.openPlace)
            }
        }
        frame.close()
    }

    // MARK: Overridden by subclasses

    /// Records the announced write after it is over.
    func settle() {}

    /// Called when a recording has begun: follows writes again. On any thread: the model must not be read.
    func wake() {}

    /// Called after that on the main queue: finds the value, if it may be read there.
    func recall() {}

    /// Follows all writes from now on, through wrappers or not, and records them in turns of `scheduler`.
    func track(on scheduler: any Scheduler) {}

    /// Finds the models that it now holds; called where they may be read.
    func lookForModels() {}
}

/// The target of a write inside its own emission.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private final class PropertySink: Sink<Void> {
    init(file: StaticString, line: UInt) {
        super.init({ _ in }, isTerminal: false, file: file.utf8Start, line: UInt32(clamping: line))
    }
}
#endif
