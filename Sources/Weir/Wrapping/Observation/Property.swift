import CWeir
import Observation
import WeirTrace

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
        super.init(keyPath, name: name, typeName: typeName, in: record, file: file, line: line)
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
        let isStored = isStored
        var accesses: [AccessList.Access]?
        let value = withObservationTracking {
            let value = get(model)
            if !isStored { accesses = AccessList.current() }
            return value
        } onChange: { [self] in
            announced()
        }
        if isStored { markFresh() } else { setInputs(accesses, file: siteFile, line: siteLine) }
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
