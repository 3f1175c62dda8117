import CWeir
import WeirHeap
import WeirTrace

/// A property of an observable model as a node of the graph; holds neither the model nor, but for numbers and text, its value.
///
/// Writes come to it on two ways. Through a wrapper: recorded while they are made (`Property.write`). Anywhere else: the
/// model announces them before the value is stored (`announced`); recorded when that is over (`settle`), as caused by
/// what was being delivered when they were announced.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
class PropertyNode: Node, InputDependent, @unchecked Sendable {  // The lock guards what varies.
    /// What a trace needs to know of an announced write.
    struct Announcement {
        let cause: ThreadLog.Place?
        /// The body that has read the property before it wrote it, and was running then.
        weak var body: Node?
    }

    let name: String
    final let keyPath: AnyKeyPath
    private let typeName: String
    /// Where a write is delivered to, so that what runs inside of it is caused by it.
    private let ownSink: PropertySink
    final weak var record: ModelRecord?

    final let lock = SystemLock()
    /// To what is computed from it. Guarded by the lock, as all below.
    private final var edges: [InputEdge] = []
    /// Where it is computed: from what, and as an access list told that.
    private final var feeds: [InputEdge] = []
    private final var readLast: [AccessList.Access] = []
    final var announcement: Announcement?
    final var isTracked = false
    final var isStale = true
    /// Where it is computed: where what it is computed from may be read, if that is to be followed, too.
    final var inputScheduler: (any Scheduler)?
    /// What an input's change said that it is to be computed anew for.
    final var inputCause: ThreadLog.Place?
    private final var isMadeOfOthers = false
    private final var isKnownToBeStored = false
    /// Where it is stored: what the model itself says is read or written; nil: not known.
    private final var toldKeyPath: AnyKeyPath?
    private final var hasBegun = false
    @exclusivity(unchecked) private final var toldEnd: Bool = false
    override var hasToldEnd: Bool { weir_load_bool(&toldEnd) }

    init(
        _ keyPath: AnyKeyPath, name: String, typeName: String, in record: ModelRecord, file: StaticString, line: UInt
    ) {
        self.name = name
        self.keyPath = keyPath
        self.typeName = typeName
        self.record = record
        ownSink = PropertySink(file: file, line: line)
        super.init(file: file, line: line, privacy: .public)
        // It was made because it was read, not of what is being made.
        hidesValues = false
    }

    deinit {
        isEnding = true
        for edge in edges { edge.end(of: self) }
        for edge in feeds { edge.cut() }
    }

    /// Its model is gone. Closures of the system may keep the node for a moment longer, and let go of it in any order.
    final func modelEnds() {
        if weir_recording() == 0 { return }
        recordReleased()
        weir_store_bool(&toldEnd, true)
    }

    /// Records that it is there, once; to be called when what it holds is known, or never will be.
    final func begin() {
        let isNew = lock.withLock {
            defer { hasBegun = true }
            return !hasBegun
        }
        if isNew { recordCreated() }
    }

    override final var technique: NodeTechnique { .observation }
    override var givenLabel: String? { "\(typeName).\(name)" }
    /// Whether it is a path to an element of an array.
    var leadsToElement: Bool { false }
    /// Whether it is computed from other properties, as far as is known.
    final var isComputed: Bool { lock.withLock { isMadeOfOthers } }
    /// What it was computed from.
    final var accesses: [AccessList.Access] { lock.withLock { readLast } }

    /// Whether `access` is a read of it.
    func isKnown(by access: AccessList.Access) -> Bool {
        guard record?.registrars.contains(access.registrar) == true else { return false }
        return access.keyPath == keyPath || KeyPathName.of(access.keyPath) == name
    }

    /// Whether a write waits to be recorded.
    final var isAnnounced: Bool { lock.withLock { announcement != nil } }

    // MARK: What is computed from it

    final func add(_ edge: InputEdge) { lock.withLock { edges.append(edge) } }
    final func remove(_ edge: InputEdge) { lock.withLock { edges.removeAll { $0 === edge } } }
    final var liveEdges: [InputEdge] { lock.withLock { edges } }

    /// Tells what is computed from it that it will not be what it was.
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
        // It has been computed since: that was not for this.
        guard isStale else { return }
        for edge in liveEdges { edge.dependent?.note(cause: cause) }
    }

    /// Whether it is known to be computed from nothing else, which cannot change.
    final var isStored: Bool { lock.withLock { isKnownToBeStored } }
    final var storedKeyPath: AnyKeyPath? { lock.withLock { toldKeyPath } }
    final func markFresh() { lock.withLock { isStale = false } }

    /// It has just been read, and that has read `accesses`; nil: that cannot be told.
    final func setInputs(_ accesses: [AccessList.Access]?, file: StaticString, line: UInt) {
        let isMadeOfOthers =
            accesses.map { !$0.isEmpty && !($0.count == 1 && isKnown(by: $0[0])) } ?? !isStoredInModel
        let place = isMadeOfOthers ? nil : accesses?.first?.keyPath ?? keyPathOfOnlyClass
        let (former, inputScheduler) = lock.withLock {
            self.isMadeOfOthers = isMadeOfOthers
            isKnownToBeStored = !isMadeOfOthers && accesses?.isEmpty != true
            readLast = isMadeOfOthers ? accesses ?? [] : []
            toldKeyPath = isKnownToBeStored ? place : nil
            isStale = false
            return (feeds, self.inputScheduler)
        }
        guard isMadeOfOthers, let accesses, weir_recording() != 0 else { return }
        let (found, records) = InputEdge.properties(of: accesses, file: file, line: line)
        let inputs = found.filter { $0 !== self }
        if valueType != Bool.self, inputs.contains(where: \.isPrivate) { becomePrivate() }
        let current = withExtendedLifetime(records) {
            InputEdge.connect(former, to: inputs, for: self, file: file, line: line)
        }
        lock.withLock { feeds = current }
        if let inputScheduler { followInputs(on: inputScheduler) }
    }

    /// Follows what it is computed from.
    final func followInputs(on scheduler: any Scheduler) {
        lock.withLock { if inputScheduler == nil { inputScheduler = scheduler } }
        for input in inputProperties {
            input.isComputed ? input.followInputs(on: scheduler) : input.track(on: scheduler)
        }
    }

    /// Its key path, unless that is of a superclass, which has one of its own.
    private var keyPathOfOnlyClass: AnyKeyPath? {
        guard let record, record.registrars.count == 1, let model = record.model else { return nil }
        return type(of: keyPath).rootType == type(of: model) ? keyPath : nil
    }

    final var inputProperties: [PropertyNode] { lock.withLock { feeds }.compactMap(\.source) }

    /// Whether the macro stores it: where nothing better is known.
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

    /// Records a value, runs `body` as caused by it, and tells what is computed from it.
    final func recordWrite<Value>(_ value: Value, _ body: () -> Void = {}) {
        let session = began(value)
        body()
        guard let session else { return }
        let log = ThreadLog()
        for edge in liveEdges {
            guard log.isReady(weir_recording()), log.session == session else { break }
            let code = edge.code(log, source: self)
            guard code != 0, log.session == session else { break }
            log.deliveryNext(code, stamped: false)
            edge.dependent?.inputChanged(at: log.openPlace)
        }
        let canEnd = log.isReady(weir_recording())
        // Another recording may have begun in the meantime: its frames are not ours to close.
        guard log.session == session else { return }
        if canEnd { log.deliveryEnded(stamped: false) }
        log.popFrame()
    }

    private func began<Value>(_ value: Value) -> UInt32? {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return nil }
        let subscription = ownSink.code(log, source: self)
        let session = log.session
        let node = subscription == 0 ? 0 : code(log)
        guard node != 0, log.session == session,
            log.emitted(node, value, isPrivate: isPrivate, to: subscription, isTerminal: false)
        else {
            log.countLost(2)
            return nil
        }
        return log.session
    }

    // MARK: To be overridden

    /// Records what was announced, now that it is over.
    func settle() {}

    /// A recording has begun: follows writes again. On any thread: the model must not be read.
    func wake() {}

    /// Follows writes that come on any way from now on, and records them in turns of `scheduler`.
    func track(on scheduler: any Scheduler) {}

    /// Knows the models that it has come to hold; to be called where they may be read.
    func lookForModels() {}
}

/// The place of a write inside its own emission.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private final class PropertySink: Sink<Void> {
    init(file: StaticString, line: UInt) {
        super.init({ _ in }, isTerminal: false, file: file.utf8Start, line: UInt32(clamping: line))
    }
}
