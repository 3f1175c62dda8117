#if Recording
import CWeirCore
import Observation
import WeirRecording

/// A property with a known type.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
final class Property<Value>: PropertyNode, @unchecked Sendable {  // The lock guards the mutable state.
    private let get: (AnyObject) -> Value
    /// The path to the value, if the value may be missing.
    private let element: ElementPath?
    private let isEqual: (Value, Value) -> Bool
    /// Whether a value may contain observable models.
    private let mayHoldModels: Bool
    private let siteFile: StaticString, siteLine: UInt
    /// Whether keeping a value never keeps an object alive.
    private let isPlain: Bool
    // Guarded by the lock.
    /// The last known value, if there is one: a plain one, or while the node is being defined, any. No optional: code that is not
    /// specialised would ask the runtime for the optional type at each write.
    private let last = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    private var hasLast = false
    /// Whether the models in its value are known; never true if its writes are not followed.
    private var knowsModels = false
    /// Whether there is an earlier value to compare with.
    private var isJudged = false
    private var scheduler: (any Scheduler)?
    private var attention = Attention.none
    /// The model whose next change is followed.
    private weak var watchedModel: AnyObject?
    /// Whether its scheduler has work that records the announced write.
    private var settlesLater = false

    init<Model>(
        _ keyPath: KeyPath<Model, Value>, name: String, in record: ModelRecord, typeName: String,
        element: ElementPath?, file: StaticString, line: UInt
    ) {
        // Only objects of the key path's class are passed.
        get = { unsafeBitCast($0, to: Model.self)[keyPath: keyPath] }
        isEqual = Equality.function(for: Value.self)
        isPlain = PlainType.contains(Value.self)
        mayHoldModels = ModelValue.mayHoldModels(Value.self)
        self.element = element
        (siteFile, siteLine) = (file, line)
        super.init(keyPath, name: name, typeName: typeName, in: record, file: file, line: line)
    }

    override var valueType: Any.Type? { Value.self }
    override var leadsToElement: Bool { element != nil }
    override func encodedValue(_ log: ThreadLog) -> [UInt8] {
        lock.withLock { hasLast ? last.pointee : nil }.map(log.encoded) ?? log.encodedAbsence
    }

    deinit {
        forget()
        last.deallocate()
    }

    // MARK: Through a wrapper

    /// Makes a write through a wrapper, and records it.
    func write(_ new: Value, old: Value, _ perform: () -> Void) {
        let thread = ObservedThread.current
        settle()
        begin(with: old)
        let writeSite = weir_has_write_sites() ? WriteSites.current(isDelivering: false) : nil
        guard !isEqual(old, new) else {
            writeSite?.record(writeOf: self)
            recordSuppressed(.equal)
            return thread.writing(self, perform)
        }
        let body = thread.bodyThatHasRead(self)
        let hop = TaskHop(of: self)
        keep(new)
        let depth = ThreadLog().depth
        writeSite?.record(writeOf: self)
        recordWrite(new) {
            thread.writing(self, perform)
            // Records the writes of the property's own observer to other properties.
            thread.settle(depth: depth + 1)
        }
        hop.end()
        // The body shows the value from before the write, and nothing runs it again.
        body?.recordSuppressed(.unsettled)
        modelsChanged()
    }

    /// Reads through a wrapper; for a computed property, records the result.
    func read(_ model: AnyObject) -> Value {
        let thread = ObservedThread.current
        defer { thread.bodies.last?.note(self) }
        guard lock.withLock({ isStale }) else {
            guard isComputed else { return get(model) }
            thread.bodies.last?.inner.formUnion(accesses)
            return thread.collectingValues { get(model) }.value
        }
        if isComputed { for input in inputProperties { input.settle() } }
        guard let value = watch(model) else { return get(model) }
        begin(with: value)
        if isComputed {
            thread.bodies.last?.inner.formUnion(accesses)
            // The cause of the computation is the current delivery.
            lock.withLock { (announcement, inputCause) = (nil, nil) }
            judge(value)
        }
        return value
    }

    // MARK: Anywhere

    override func track(on scheduler: any Scheduler) {
        guard let model = record?.model else { return }
        let (isNew, isWatched) = lock.withLock { () -> (Bool, Bool) in
            defer { isTracked = true }
            if self.scheduler == nil { self.scheduler = scheduler }
            return (!isTracked, attention == .nextChange && !isStale)
        }
        guard isNew else { return weir_recording() == 0 ? () : wake() }
        if element?.isUnreadable == true { LeftOutModels.shared.noteUnreadable(record?.label(of: self) ?? name) }
        let isLooking = !isWatched && scheduler is MainScheduler && weir_recording() == 0 && AccessList.isAvailable
        if let value = AccessList.untracked({
            isWatched ? valueIfThere(model) : isLooking ? look(model) : watch(model)
        }) {
            lock.withLock { isJudged = true }
            keep(value)
            begin(with: value)
        }
        // Only the main queue is known to run soon after a recording has begun, so that the value is found then.
        if isLooking, storedKeyPath == nil || !fallAsleep() { _ = AccessList.untracked { watch(model) } }
        if isComputed { followInputs(on: scheduler) }
        lookForModels()
    }

    override func wake() {
        guard wakes(), let model = record?.model, let keyPath = storedKeyPath else { return }
        willWatch(model)
        AccessList.untracked {
            withObservationTracking {
                Registrars.access(keyPath, of: model)
            } onChange: { [self] in
                lock.withLock { attention = .none }
                announced()
            }
        }
    }

    private func wakes() -> Bool {
        lock.withLock {
            guard attention == .dormant else { return false }
            attention = .none
            return true
        }
    }

    /// Weir reads it here, not the program, so this returns nil if the value is missing.
    private func valueIfThere(_ model: AnyObject) -> Value? { element?.isThere(model) == false ? nil : get(model) }

    override func recall() {
        guard lock.withLock({ scheduler is MainScheduler }) else { return }
        settle()
        guard let model = record?.model, !lock.withLock({ hasLast }),
            let value = AccessList.untracked({ valueIfThere(model) })
        else { return }
        keep(value)
    }

    /// Reads the value, and notes the reads; nil: the value is missing.
    private func look(_ model: AnyObject) -> Value? {
        let ((value, accesses), read) = ObservedThread.current.collectingValues {
            AccessList.collecting { valueIfThere(model) }
        }
        if !isStored { setInputs(accesses, read, file: siteFile, line: siteLine) }
        return value
    }

    /// Reads the value, notes the reads, and follows the next change; nil: the value is missing.
    private func watch(_ model: AnyObject) -> Value? {
        if isStored, element == nil { return watchAgain(model) }
        let isStored = isStored
        var accesses: [AccessList.Access]?
        willWatch(model)
        let (value, read) = ObservedThread.current.collectingValues {
            withObservationTracking {
                let value = valueIfThere(model)
                if !isStored { accesses = AccessList.current() }
                return value
            } onChange: { [self] in
                announced()
            }
        }
        if !isStored { setInputs(accesses, read, file: siteFile, line: siteLine) }
        return value
    }

    /// Reads the value and follows the next change; only of a stored property that is no element.
    private func watchAgain(_ model: AnyObject) -> Value {
        willWatch(model)
        return follow(model)
    }

    private func willWatch(_ model: AnyObject) { lock.withLock { (attention, watchedModel) = (.nextChange, model) } }

    /// The same as `watchAgain`, after `willWatch`.
    private func follow(_ model: AnyObject) -> Value {
        withObservationTracking {
            get(model)
        } onChange: { [self] in
            announced()
        }
    }

    /// Called when the model announces a change, on the writing thread.
    private func announced() {
        let isRecording = weir_recording() != 0
        lock.lock()
        let model = watchedModel
        let (isTracked, isComputed, mayIgnore) = (self.isTracked, origin == .computed, announcedKeyPath != nil)
        let isSimple = isTracked && isRecording && origin == .stored && element == nil && model != nil
        (isStale, attention, knowsModels) = (isStale || isComputed, isSimple ? .nextChange : .none, false)
        var former: Announcement?
        if isTracked, !isComputed { swap(&former, &announcement) }
        lock.unlock()
        guard let model else { return }
        let thread = ObservedThread.current
        thread.announcements += 1
        defer {
            invalidateDependents()
            thread.announcements -= 1
        }
        guard isTracked else { return }
        if !isRecording, mayIgnore, fallAsleep() { return }
        let isOwn = thread.takeAnnouncement(of: self)
        if isComputed {
            // It must not be read now: its inputs may be in the middle of a change in place.
            return settleLater(noting: isRecording ? announcement(on: thread, isSeen: false) : nil)
        }
        // The current value is that of the previous write.
        if isSimple {
            let value = AccessList.untracked { follow(model) }
            if let former, !isOwn { settle(former, value, causedBy: nil) }
        } else {
            settleFormer(isRecording && !isOwn ? former : nil, of: model)
        }
        if isRecording, !isOwn { settleLater(noting: announcement(on: thread, isSeen: true)) }
    }

    /// Follows the next change, and records the write before the announced one, if there was one.
    ///
    /// A function of its own: code that is not specialised asks the runtime for the type of the optional value when it begins.
    @inline(never)
    private func settleFormer(_ former: Announcement?, of model: AnyObject) {
        let value = AccessList.untracked { watch(model) }
        if let former, let value { settle(former, value, causedBy: nil) }
    }

    /// Called while nothing is recorded: whether it can ignore further writes for now. A computed property cannot: to follow it
    /// again, Weir would have to read it.
    private func fallAsleep() -> Bool {
        lock.withLock {
            (announcement, attention) = (nil, .dormant)
            forget()
        }
        guard DormantProperties.shared.add(self) else {
            lock.withLock { attention = .none }
            return false
        }
        record.map(ModelRecords.shared.letGo)
        return true
    }

    /// The facts about the write that this thread announces; nil: it cannot be recorded.
    ///
    /// - Parameter isSeen: whether the body that is running here may have read the property.
    private func announcement(on thread: ObservedThread, isSeen: Bool) -> Announcement? {
        let log = ThreadLog()
        guard isLeftOut || log.isReady(weir_recording()) else { return nil }
        let cause = TaskCause.here
        thread.announce(self, depth: log.depth)
        return Announcement(
            cause: cause, isOfUntracedTask: cause == nil && UntracedTask.isHere(log),
            writeSite: weir_has_write_sites() ? WriteSites.current(isDelivering: false) : nil,
            body: isSeen ? thread.bodyThatHasRead(self).map(Body.init) : nil)
    }

    private func settleLater(noting new: Announcement?) {
        lock.lock()
        if announcement == nil { announcement = new }
        let scheduler = settlesLater ? nil : self.scheduler
        settlesLater = true
        lock.unlock()
        do {
            _ = try scheduler?.schedule(after: .nanoseconds(0)) { [weak self] in
                self?.lock.withLock { self?.settlesLater = false }
                // If the scheduler runs it at once, the value is not stored yet.
                guard let self, ObservedThread.current.announcements == 0 else { return }
                settle()
                lookForModels()
            }
        } catch {
            // The end of the stimulus or the next write records this one; that write may find the scheduler willing again.
            lock.withLock { settlesLater = false }
        }
    }

    override func settle() {
        let taken = takeAnnouncement()
        let isComputed = isComputed
        if isComputed { for input in inputProperties { input.settle() } }
        guard taken != nil || isComputed && isTracked, let model = record?.model else { return }
        guard lock.withLock({ !isComputed || isStale }) else { return }
        let read = AccessList.untracked { isComputed ? watch(model) : valueIfThere(model) }
        let input = lock.withLock {
            defer { inputCause = nil }
            return inputCause
        }
        guard let value = read else { return }
        guard let taken else { return keep(value) }
        settle(taken, value, causedBy: input)
    }

    private func takeAnnouncement() -> Announcement? {
        lock.withLock {
            defer { announcement = nil }
            return announcement
        }
    }

    /// Records the announced write, now that its value is known; `input`: what changed the value of a computed property.
    private func settle(_ taken: Announcement, _ value: Value, causedBy input: ThreadLog.Place?) {
        guard weir_recording() != 0 else { return keep(value) }
        let log = ThreadLog()
        let isUntraced = taken.isOfUntracedTask && input == nil && log.openPlace == nil
        let turn = isUntraced ? UntracedTask.begin(log) : .none
        if turn.isOpen {
            judge(value, writtenAt: taken.writeSite)
            turn.close()
        } else {
            caused(by: input ?? taken.cause) { judge(value, writtenAt: taken.writeSite) }
        }
        // The body shows the value from before the write, and nothing runs it again.
        taken.body?.node?.recordSuppressed(.unsettled)
    }

    // MARK: Models in it

    /// Called after a write through a wrapper: looks for models later, or here if this is not known to be the main queue.
    private func modelsChanged() {
        guard mayHoldModels, !isComputed else { return }
        let scheduler = lock.withLock {
            knowsModels = false
            return self.scheduler ?? (MainQueue.isCurrent ? .main : nil)
        }
        guard let scheduler else { return lookForModels() }
        _ = try? scheduler.schedule(after: .nanoseconds(0)) { [weak self] in self?.lookForModels() }
    }

    override func lookForModels() {
        if isComputed {
            for input in inputProperties { input.lookForModels() }
            return
        }
        guard mayHoldModels, weir_recording() != 0, let record, let model = record.model else { return }
        let isDue = lock.withLock {
            defer { knowsModels = isTracked }
            return !knowsModels
        }
        guard isDue else { return }
        guard let value = AccessList.untracked({ valueIfThere(model) }) else { return }
        AdoptedModels.shared.look(
            in: value, of: model, as: "\(record.label).\(name)", isProvisional: record.isLabelProvisional,
            isPrivate: isPrivate)
    }

    // MARK: Values

    /// Records a found value as a change, unless it is known to equal the last one.
    private func judge(_ value: Value, writtenAt writeSite: WriteSite? = nil) {
        lock.lock()
        let isFirst = !isJudged
        isJudged = true
        guard hasLast, !isFirst else {
            remember(value)
            lock.unlock()
            // The first computed value is not a change.
            if isFirst { return }
            writeSite?.record(writeOf: self)
            return recordWrite(value)
        }
        let former = last.pointee
        remember(value)
        lock.unlock()
        writeSite?.record(writeOf: self)
        isEqual(former, value) ? recordSuppressed(.equal) : recordWrite(value)
    }

    private func keep(_ value: Value) { lock.withLock { remember(value) } }

    /// Keeps a plain value. Called inside the lock.
    private func remember(_ value: Value) {
        guard isPlain else { return }
        if hasLast { last.pointee = value } else { last.initialize(to: value) }
        hasLast = true
    }

    /// Called inside the lock.
    private func forget() {
        if hasLast { last.deinitialize(count: 1) }
        hasLast = false
    }

    /// As `begin`; the definition contains the value.
    private func begin(with value: Value) {
        let log = ThreadLog()
        guard weir_recording() != 0, !isLeftOut, log.isReady(weir_recording()), knownCode(log) == 0 else {
            return begin()
        }
        lock.withLock {
            forget()
            last.initialize(to: value)
            hasLast = true
        }
        begin()
        _ = code(log)
        if !isPlain { lock.withLock { forget() } }
    }
}
#endif
