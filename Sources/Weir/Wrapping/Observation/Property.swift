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
    /// Whether there is an earlier value to compare with.
    private var isJudged = false

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
        guard lock.withLock({ state.isStale }) else {
            guard isComputed else { return get(model) }
            thread.bodies.last?.inner.formUnion(computation.reads)
            return thread.collectingValues { get(model) }.value
        }
        if isComputed { for input in inputProperties { input.settle() } }
        guard let value = watch(model) else { return get(model) }
        begin(with: value)
        if isComputed {
            thread.bodies.last?.inner.formUnion(computation.reads)
            // The cause of the computation is the current delivery.
            _ = takeAnnouncement()
            judge(value)
        }
        return value
    }

    // MARK: Anywhere

    override func track(on scheduler: any Scheduler) {
        guard let model = record?.model else { return }
        let beginning = lock.withLock { state.track(on: scheduler) }
        guard beginning != .again else { return weir_recording() == 0 ? () : wake() }
        let isWatched = beginning == .watched
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
        guard lock.withLock({ state.wake() }), let model = record?.model, let keyPath = storedKeyPath else { return }
        willWatch(model)
        AccessList.untracked {
            withObservationTracking {
                Registrars.access(keyPath, of: model)
            } onChange: { [self] in
                announced()
            }
        }
    }

    /// Weir reads it here, not the program, so this returns nil if the value is missing.
    private func valueIfThere(_ model: AnyObject) -> Value? { element?.isThere(model) == false ? nil : get(model) }

    override func recall() {
        guard lock.withLock({ state.scheduler is MainScheduler }) else { return }
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
        let (reaction, watchedModel, isStored) = change(isRecording: isRecording)
        guard let model = watchedModel else { return }
        let thread = ObservedThread.current
        thread.announcements += 1
        defer {
            invalidateDependents()
            thread.announcements -= 1
        }
        switch reaction {
        case .none: return
        case .computeLater:
            return settleLater(noting: isRecording ? announcement(on: thread, isSeen: false) : nil)
        case .sleep:
            if !fallAsleep() { watch(model, settling: nil) }
        case .follow(let former):
            // A write through a wrapper is recorded there.
            let isRecorded = isRecording && !thread.takeAnnouncement(of: self)
            if isStored, element == nil {
                let value = AccessList.untracked { follow(model) }
                if isRecorded, let former { settle(former, value, causedBy: nil) }
            } else {
                watch(model, settling: isRecorded ? former : nil)
            }
            if isRecorded { settleLater(noting: announcement(on: thread, isSeen: true)) }
        }
    }

    /// Follows the next change, and records the write before the announced one: the current value is that of this write.
    ///
    /// A function of its own: code that is not specialised asks the runtime for the type of the optional value when it begins.
    @inline(never)
    private func watch(_ model: AnyObject, settling former: PropertyState.Announcement?) {
        let value = AccessList.untracked { watch(model) }
        if let former, let value { settle(former, value, causedBy: nil) }
    }

    /// Called while nothing is recorded: whether it can ignore further writes for now. A computed property cannot: to follow it
    /// again, Weir would have to read it.
    private func fallAsleep() -> Bool {
        lock.withLock {
            state.fallAsleep()
            forget()
        }
        guard DormantProperties.shared.add(self) else {
            _ = lock.withLock { state.wake() }
            return false
        }
        record.map(ModelRecords.shared.letGo)
        return true
    }

    /// The facts about the write that this thread announces; nil: it cannot be recorded.
    ///
    /// - Parameter isSeen: whether the body that is running here may have read the property.
    private func announcement(on thread: ObservedThread, isSeen: Bool) -> PropertyState.Announcement? {
        let log = ThreadLog()
        guard isLeftOut || log.isReady(weir_recording()) else { return nil }
        let cause = TaskCause.here
        thread.announce(self, depth: log.depth)
        return PropertyState.Announcement(
            cause: cause, isOfUntracedTask: cause == nil && UntracedTask.isHere(log),
            writeSite: weir_has_write_sites() ? WriteSites.current(isDelivering: false) : nil,
            body: isSeen ? thread.bodyThatHasRead(self).map(PropertyState.Body.init) : nil)
    }

    override func settle() {
        let taken = takeAnnouncement()
        let isComputed = isComputed
        if isComputed { for input in inputProperties { input.settle() } }
        let isDue = lock.withLock { isComputed ? state.isStale && (taken != nil || state.isTracked) : taken != nil }
        guard isDue, let model = record?.model else { return }
        let read = AccessList.untracked { isComputed ? watch(model) : valueIfThere(model) }
        guard let value = read else { return }
        guard let taken else { return keep(value) }
        settle(taken, value, causedBy: isComputed ? computation.cause : nil)
    }

    /// Records the announced write, now that its value is known; `input`: what changed the value of a computed property.
    private func settle(_ taken: PropertyState.Announcement, _ value: Value, causedBy input: ThreadLog.Place?) {
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

    /// Called after a write through a wrapper: looks for models later; or here, if no scheduler is known or it refuses.
    private func modelsChanged() {
        guard mayHoldModels, !isComputed else { return }
        let scheduler = lock.withLock {
            state.modelsChange()
            return state.scheduler ?? (MainQueue.isCurrent ? .main : nil)
        }
        let turn = try? scheduler?.schedule(after: .nanoseconds(0)) { [weak self] in self?.lookForModels() }
        // The thread that has written the property may read it.
        if turn == nil { lookForModels() }
    }

    override func lookForModels() {
        if isComputed {
            for input in inputProperties { input.lookForModels() }
            return
        }
        guard mayHoldModels, weir_recording() != 0, let record, let model = record.model,
            lock.withLock({ state.looksForModels() }), let value = AccessList.untracked({ valueIfThere(model) })
        else { return }
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
