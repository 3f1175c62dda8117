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
    /// The facts that a trace needs about an announced write.
    struct Announcement {
        let cause: ThreadLog.Place?
        /// Whether the write was made by a task without a cause.
        var isOfUntracedTask = false
        /// The line that made the write; nil: not asked for, or unknown.
        var writeSite: WriteSite?
        /// The body that was running at the write and had read the property before.
        var body: Body?
    }

    /// A body, not held.
    final class Body {
        private(set) weak var node: Node?

        init(_ node: Node) { self.node = node }
    }

    /// The source of its value, known from its reads.
    enum Origin { case unknown, stored, computed }

    /// How its model's writes are followed. Not in `Property`: code that is not specialised would look the type up at each write.
    enum Attention {
        case none
        /// The model announces its next change.
        case nextChange
        /// It is tracked, but not notified of writes until a recording begins.
        case dormant
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
    /// For a computed property: the edges from its inputs, and the reads from the access list.
    private final var feeds: [InputEdge] = []
    /// For a computed property: the subscriptions to the observables of Weir that it has read.
    private final var values = ReadValues()
    final var announcement: Announcement?
    final var isTracked = false
    final var isStale = true
    /// For a computed property: the scheduler on which its inputs may be read, if they are followed too.
    final var inputScheduler: (any Scheduler)?
    /// The cause of its next evaluation, from an input's change.
    final var inputCause: ThreadLog.Place?
    private(set) final var origin = Origin.unknown
    /// For a stored property: the key path with which the model reports reads and writes; nil: unknown.
    private(set) final var announcedKeyPath: AnyKeyPath?
    /// For a computed property: the reads of its last computation.
    private final var readLast: [AccessList.Access] = []
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
        for edge in feeds { edge.cut() }
        values.dispose()
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
    final var isComputed: Bool { lock.withLock { origin == .computed } }
    /// The reads of its last computation.
    final var accesses: [AccessList.Access] { lock.withLock { readLast } }

    /// Whether `access` is a read of it.
    func isKnown(by access: AccessList.Access) -> Bool {
        guard record?.registrars.contains(access.registrar) == true else { return false }
        return access.keyPath == keyPath || KeyPathName.of(access.keyPath) == name
    }

    /// Whether a write waits to be recorded.
    final var isAnnounced: Bool { lock.withLock { announcement != nil } }

    // MARK: Dependents

    final func add(_ edge: InputEdge) { lock.withLock { edges.append(edge) } }
    final func remove(_ edge: InputEdge) { lock.withLock { edges.removeAll { $0 === edge } } }
    final var liveEdges: [InputEdge] { weir_load_bool(&hasEdges) ? lock.withLock { edges } : [] }

    /// Notifies its dependents that its value will change.
    final func invalidateDependents() { for edge in liveEdges { edge.dependent?.inputWillChange() } }

    final func inputWillChange() {
        lock.withLock { isStale = true }
        invalidateDependents()
    }

    final func inputChanged(at place: ThreadLog.Place?) {
        recordSuppressed(.waiting)
        note(cause: place)
    }

    final func note(cause: ThreadLog.Place?) {
        let isStale = lock.withLock {
            if self.isStale, inputCause == nil { inputCause = cause }
            return self.isStale
        }
        // It has been computed since: that was not for this change.
        guard isStale else { return }
        for edge in liveEdges { edge.dependent?.note(cause: cause) }
    }

    /// Whether it is known to be stored; this cannot change.
    final var isStored: Bool { lock.withLock { origin == .stored } }
    final var storedKeyPath: AnyKeyPath? { lock.withLock { announcedKeyPath } }

    /// Updates the inputs after a read that has read `accesses` (nil: unknown) and the observables `read`.
    final func setInputs(_ accesses: [AccessList.Access]?, _ read: [Node], file: StaticString, line: UInt) {
        let origin = origin(of: accesses)
        let keyPath = origin == .stored ? accesses?.first?.keyPath ?? keyPathOfOnlyClass : nil
        let (former, inputScheduler) = lock.withLock {
            self.origin = origin
            announcedKeyPath = keyPath
            readLast = origin == .computed ? accesses ?? [] : []
            isStale = false
            return (feeds, self.inputScheduler)
        }
        if valueType != Bool.self, read.contains(where: \.isPrivate) { becomePrivate() }
        guard origin == .computed, let accesses, weir_recording() != 0 else { return }
        let (found, records) = InputEdge.properties(of: accesses, file: file, line: line)
        let inputs = found.filter { $0 !== self }
        if valueType != Bool.self, inputs.contains(where: \.isPrivate) { becomePrivate() }
        let current = withExtendedLifetime(records) {
            InputEdge.connect(former, to: inputs, for: self, file: file, line: line)
        }
        let (values, formerValues) = lock.withLock { self.values }.next(read, for: self, file: file, line: line)
        lock.withLock { (feeds, self.values) = (current, values) }
        formerValues.dispose()
        if let inputScheduler { followInputs(on: inputScheduler) }
    }

    private func origin(of accesses: [AccessList.Access]?) -> Origin {
        let isComputed = accesses.map { !$0.isEmpty && !($0.count == 1 && isKnown(by: $0[0])) } ?? !isStoredInModel
        return isComputed ? .computed : accesses?.isEmpty == true ? .unknown : .stored
    }

    /// Follows its inputs.
    final func followInputs(on scheduler: any Scheduler) {
        lock.withLock { if inputScheduler == nil { inputScheduler = scheduler } }
        for input in inputProperties {
            input.isComputed ? input.followInputs(on: scheduler) : input.track(on: scheduler)
        }
    }

    /// Its key path, unless that is of a superclass, which has its own registrar.
    private var keyPathOfOnlyClass: AnyKeyPath? {
        guard let record, record.registrars.count == 1, let model = record.model else { return nil }
        return type(of: keyPath).rootType == type(of: model) ? keyPath : nil
    }

    final var inputProperties: [PropertyNode] { lock.withLock { feeds }.compactMap(\.source) }

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
