import CWeir
import Observation
import WeirHeap
import WeirTrace

/// A property of an observable model as a node of the graph; holds neither the model nor, but for numbers and text, its value.
///
/// Writes come to it on two ways. Through a wrapper: recorded while they are made (`Property.write`). Anywhere else: the
/// model announces them before the value is stored (`announced`); recorded when that is over (`settle`), as caused by
/// what was being delivered when they were announced.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
class PropertyNode: Node, InputDependent, @unchecked Sendable {
    /// What a trace needs to know of an announced write.
    struct Announcement {
        let cause: ThreadLog.Place?
    }

    let name: String
    private let typeName: String
    /// Where a write is delivered to, so that what runs inside of it is caused by it.
    private let ownSink: PropertySink
    fileprivate(set) final weak var record: ModelRecord?

    fileprivate final let lock = SystemLock()
    /// To what is computed from it. Guarded by the lock, as all below.
    private final var edges: [InputEdge] = []
    /// Where it is computed: from what, and as an access list told that.
    private final var feeds: [InputEdge] = []
    private final var readLast: [AccessList.Access] = []
    fileprivate final var announcement: Announcement?
    fileprivate final var isTracked = false
    fileprivate final var isStale = true
    /// What an input's change said that it is to be computed anew for.
    fileprivate final var inputCause: ThreadLog.Place?
    private final var isMadeOfOthers = false
    private final var hasBegun = false

    fileprivate init(
        name: String, typeName: String, in record: ModelRecord, file: StaticString, line: UInt
    ) {
        self.name = name
        self.typeName = typeName
        self.record = record
        ownSink = PropertySink(file: file, line: line)
        super.init(file: file, line: line, privacy: .public)
    }

    deinit {
        isEnding = true
        for edge in edges { edge.end(of: self) }
        for edge in feeds { edge.cut() }
    }

    /// Records that it is there, once; to be called when what it holds is known, or never will be.
    final func begin() {
        let isNew = lock.withLock {
            defer { hasBegun = true }
            return !hasBegun
        }
        if isNew { recordCreated() }
    }

    override var givenLabel: String? { "\(typeName).\(name)" }
    /// Whether it is computed from other properties, as far as is known.
    final var isComputed: Bool { lock.withLock { isMadeOfOthers } }
    /// What it was computed from.
    final var accesses: [AccessList.Access] { lock.withLock { readLast } }

    /// Whether `access` is a read of it.
    func isKnown(by access: AccessList.Access) -> Bool {
        guard record?.registrars.contains(access.registrar) == true else { return false }
        return KeyPathName.of(access.keyPath) == name
    }

    /// From now on, no trace gets to know its values.
    final func becomePrivate() {
        guard !weir_exchange_bool(&hidesValues, true), weir_recording() != 0 else { return }
        let log = ThreadLog()
        if log.isReady(weir_recording()), knownCode(log) != 0 { _ = redefine(log, again: true) }
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
        lock.withLock { if inputCause == nil { inputCause = cause } }
        for edge in liveEdges { edge.dependent?.note(cause: cause) }
    }

    /// It has just been read, and that has read `accesses`; nil: that cannot be told.
    fileprivate final func setInputs(_ accesses: [AccessList.Access]?, file: StaticString, line: UInt) {
        let isMadeOfOthers =
            accesses.map { !$0.isEmpty && !($0.count == 1 && isKnown(by: $0[0])) } ?? !isStoredInModel
        let former = lock.withLock {
            self.isMadeOfOthers = isMadeOfOthers
            readLast = isMadeOfOthers ? accesses ?? [] : []
            isStale = false
            return feeds
        }
        guard isMadeOfOthers, let accesses, weir_recording() != 0 else { return }
        let inputs = InputEdge.properties(of: accesses, file: file, line: line).filter { $0 !== self }
        if valueType != Bool.self, inputs.contains(where: \.isPrivate) { becomePrivate() }
        let current = InputEdge.connect(former, to: inputs, for: self, file: file, line: line)
        lock.withLock { feeds = current }
    }

    fileprivate final var inputProperties: [PropertyNode] { lock.withLock { feeds }.compactMap(\.source) }

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

    /// Follows writes that come on any way from now on, and records them in turns of `scheduler`.
    func track(on scheduler: any Scheduler) {}
}

/// The place of a write inside its own emission.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
private final class PropertySink: Sink<Void> {
    init(file: StaticString, line: UInt) {
        super.init({ _ in }, isTerminal: false, file: file.utf8Start, line: UInt32(clamping: line))
    }
}

/// A property whose type is known.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class Property<Value>: PropertyNode, @unchecked Sendable {
    private let get: (AnyObject) -> Value
    private let isEqual: (Value, Value) -> Bool
    private let siteFile: StaticString, siteLine: UInt
    /// Whether keeping a value can keep no object alive.
    private let isPlain: Bool
    // Guarded by the lock.
    /// The last value known, if it is plain; while the node is being defined, any.
    private var last: Value?
    /// Whether there is a value that a later one differs from.
    private var isJudged = false
    private var scheduler: (any Scheduler)?

    init<Model>(
        _ keyPath: KeyPath<Model, Value>, name: String, in record: ModelRecord, typeName: String, file: StaticString,
        line: UInt
    ) {
        // Only objects of the class that the key path is of are asked.
        get = { unsafeBitCast($0, to: Model.self)[keyPath: keyPath] }
        isEqual = Equality.function(for: Value.self)
        isPlain = PlainType.contains(Value.self)
        (siteFile, siteLine) = (file, line)
        super.init(name: name, typeName: typeName, in: record, file: file, line: line)
    }

    override var valueType: Any.Type? { Value.self }
    override func encodedValue(_ log: ThreadLog) -> [UInt8] {
        lock.withLock { last }.map(log.encoded) ?? log.encodedAbsence
    }

    // MARK: Through a wrapper

    /// Makes a write through a wrapper, and records it.
    func write(_ new: Value, old: Value, _ perform: () -> Void) {
        let thread = ObservedThread.current
        settle()
        begin(with: old)
        guard !isEqual(old, new) else {
            recordSuppressed(.equal)
            return thread.writing(self, perform)
        }
        let body = thread.bodies.last.flatMap { $0.hasRead(self) ? $0 : nil }
        let hop = TaskHop(of: self)
        keep(new)
        let depth = ThreadLog().depth
        recordWrite(new) {
            thread.writing(self, perform)
            // What the property's own observer has written elsewhere.
            thread.settle(depth: depth + 1)
        }
        hop.end()
        // What the body shows is of before the write, and nothing runs it again.
        body?.node.recordSuppressed(.unsettled)
    }

    /// Reads through a wrapper; of what is computed, records what came of it.
    func read(_ model: AnyObject) -> Value {
        let thread = ObservedThread.current
        defer { thread.bodies.last?.note(self) }
        let value = lock.withLock { isStale } ? watch(model) : nil
        if let value { begin(with: value) }
        if isComputed {
            thread.bodies.last?.inner.formUnion(accesses)
            if let value { judge(value) }
        }
        return value ?? get(model)
    }

    // MARK: Anywhere

    override func track(on scheduler: any Scheduler) {
        guard let model = record?.model else { return }
        let isNew = lock.withLock { () -> Bool in
            defer { isTracked = true }
            if self.scheduler == nil { self.scheduler = scheduler }
            return !isTracked
        }
        guard isNew else { return }
        let value = AccessList.untracked { watch(model) }
        lock.withLock { isJudged = true }
        keep(value)
        begin(with: value)
    }

    /// Reads, notes what that reads, and hears of the next change of it.
    private func watch(_ model: AnyObject) -> Value {
        var accesses: [AccessList.Access]?
        let value = withObservationTracking {
            let value = get(model)
            accesses = AccessList.current()
            return value
        } onChange: { [self] in
            announced()
        }
        setInputs(accesses, file: siteFile, line: siteLine)
        return value
    }

    /// The model says that it is about to change; on the thread that writes.
    private func announced() {
        guard let model = record?.model else { return }
        let thread = ObservedThread.current
        thread.announcements += 1
        defer { thread.announcements -= 1 }
        let isComputed = isComputed
        let isTracked = lock.withLock {
            isStale = isStale || isComputed
            return self.isTracked
        }
        defer { invalidateDependents() }
        guard isTracked else { return }
        let isOwn = thread.takeAnnouncement(of: self)
        if isComputed {
            // It must not be read now: what it is computed from may be in the middle of a change in place.
            if weir_recording() != 0 { note(on: thread) }
            return settleLater()
        }
        if isOwn || weir_recording() == 0 {
            lock.withLock { announcement = nil }
        } else {
            // The value that is there is that of the write before.
            settle()
            note(on: thread)
            settleLater()
        }
        _ = AccessList.untracked { watch(model) }
    }

    private func note(on thread: ObservedThread) {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        let new = Announcement(cause: TaskCause.here)
        lock.withLock { if announcement == nil { announcement = new } }
        thread.announce(self, depth: log.depth)
    }

    private func settleLater() {
        guard let scheduler = lock.withLock({ scheduler }) else { return }
        _ = try? scheduler.schedule(after: .nanoseconds(0)) { [weak self] in
            // A scheduler that runs it at once: the value is not there yet.
            guard ObservedThread.current.announcements == 0 else { return }
            self?.settle()
        }
    }

    override func settle() {
        let taken = lock.withLock { () -> Announcement? in
            defer { announcement = nil }
            return announcement
        }
        let isComputed = isComputed
        if isComputed { for input in inputProperties { input.settle() } }
        guard taken != nil || isComputed && isTracked, let model = record?.model else { return }
        guard lock.withLock({ !isComputed || isStale }) else { return }
        let value = AccessList.untracked { isComputed ? watch(model) : get(model) }
        guard weir_recording() != 0, let taken else { return keep(value) }
        let input = lock.withLock {
            defer { inputCause = nil }
            return inputCause
        }
        caused(by: input ?? taken.cause) { judge(value) }
    }

    // MARK: Values

    /// Records a value that was found: as a change, unless it is known to equal the last one.
    private func judge(_ value: Value) {
        let (former, isFirst) = lock.withLock {
            defer { isJudged = true }
            return (last, !isJudged)
        }
        keep(value)
        // What it is computed as first is what it was before.
        guard !isFirst else { return }
        if let former, isEqual(former, value) { return recordSuppressed(.equal) }
        recordWrite(value)
    }

    private func keep(_ value: Value) {
        if isPlain { lock.withLock { last = value } }
    }

    /// As `begin`; the definition says what it holds.
    private func begin(with value: Value) {
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()), knownCode(log) == 0 else { return begin() }
        lock.withLock { last = value }
        begin()
        _ = code(log)
        if !isPlain { lock.withLock { last = nil } }
    }
}

/// Types whose values hold no object: numbers and the like, text, and what is made of these.
private enum PlainType {
    static func contains(_ type: Any.Type) -> Bool {
        if type == String.self { return true }
        if let wrapper = type as? any PlainWrapper.Type { return wrapper.isPlain }
        func isTrivial<Value>(_: Value.Type) -> Bool { _isPOD(Value.self) }
        return _openExistential(type, do: isTrivial)
    }
}

private protocol PlainWrapper {
    static var isPlain: Bool { get }
}

extension Optional: PlainWrapper {
    static var isPlain: Bool { PlainType.contains(Wrapped.self) }
}

extension Array: PlainWrapper {
    static var isPlain: Bool { PlainType.contains(Element.self) }
}
