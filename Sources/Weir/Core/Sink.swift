import CWeirCore
import WeirRecording

/// The receiving end of a subscription: handles values, and records them in a trace.
///
/// Held by its subject, or by the sink before it in a chain of operators. It must not hold its source: otherwise a subject and a
/// chain without other owners would keep each other alive.
///
/// A subject delivers to a sink with `receive`; a cold signal, whose emission goes to one sink only, calls `emit` and `finish`.
@usableFromInline
class Sink<Value> {
    // Constants, so that calling them through an unretained reference costs no reference counting. Not optional: reading a
    // function from an optional of a generic type costs an allocation.
    @usableFromInline final let handler: (Value) -> Void
    /// Replaces the handler: an operator's work, a function without context, specialised at the call site of the operator.
    @usableFromInline final let operation: (Sink<Value>, Value) -> Void
    @usableFromInline final let isOperation: Bool
    /// Whether the handler belongs to an actor: see `IsolatedSink`.
    @usableFromInline final let isIsolated: Bool
    /// Whether its source was made from a private value, or what it feeds was: then it is private even if the source is not.
    @usableFromInline @exclusivity(unchecked) final var isOfSecret = false
    @usableFromInline @exclusivity(unchecked) final var word: UInt64 = 0
    @usableFromInline @exclusivity(unchecked) final var isActive = true
    /// Whether the sink is a handler, not an edge of the graph: then the delivery is a refresh, and is timed.
    @usableFromInline final let isTerminal: Bool
    /// Whether its values are private.
    @usableFromInline @exclusivity(unchecked) final var originIsPrivate = false
    /// Whether it is a reason to keep a combiner that has no owner. Set before it is attached.
    @exclusivity(unchecked) final var keepsSource = true
    @exclusivity(unchecked) private final var originKind = NodeKind.source
    #if Recording
    /// False: it has no head, because its handler belongs to an actor, or because its values are not written inline.
    @usableFromInline @exclusivity(unchecked) final var mayHaveHead = true
    @usableFromInline @exclusivity(unchecked) final var headNodeLength: UInt8 = 0
    @usableFromInline @exclusivity(unchecked) final var headLength: UInt8 = 0
    #endif
    @usableFromInline final let line: UInt32
    @usableFromInline final let file: UnsafePointer<UInt8>
    @usableFromInline @exclusivity(unchecked) final var originLine: UInt32 = 0
    #if Recording
    /// Its index in the registry of live objects; 0: no recording knows it.
    @exclusivity(unchecked) private final var entry: UInt32 = 0
    /// The generation of `head`, stored last; 0: there is none.
    @usableFromInline @exclusivity(unchecked) final var headGeneration: UInt32 = 0
    /// The code of the source.
    @usableFromInline @exclusivity(unchecked) final var headNode: UInt32 = 0
    #endif
    @usableFromInline @exclusivity(unchecked) final var originFile: UnsafePointer<UInt8>?
    /// The node of its cold source; made when first needed.
    @usableFromInline @exclusivity(unchecked) final var origin: UnsafeMutableRawPointer?

    @inlinable
    init(_ handler: @escaping (Value) -> Void, isTerminal: Bool, file: UnsafePointer<UInt8>, line: UInt32) {
        self.handler = handler
        operation = { _, _ in }
        isOperation = false
        isIsolated = false
        self.isTerminal = isTerminal
        self.file = file
        self.line = line
    }

    @inlinable
    init(
        operation: @escaping (Sink<Value>, Value) -> Void, file: UnsafePointer<UInt8>, line: UInt32
    ) {
        handler = { _ in }
        self.operation = operation
        isOperation = true
        isIsolated = false
        isTerminal = false
        self.file = file
        self.line = line
    }

    /// A sink for a handler that belongs to an actor; `operation` ensures that the handler is called there.
    @inlinable
    init(
        isolated handler: @escaping (Value) -> Void, operation: @escaping (Sink<Value>, Value) -> Void,
        file: UnsafePointer<UInt8>, line: UInt32
    ) {
        self.handler = handler
        self.operation = operation
        isOperation = true
        isIsolated = true
        isTerminal = true
        self.file = file
        self.line = line
    }

    deinit {
        #if Recording
        if entry != 0 { LiveRegistry.Entry.remove(entry) }
        #endif
        if let origin { Unmanaged<OperatorNode>.fromOpaque(origin).release() }
    }

    // MARK: Overridden by subclasses

    /// Called once when the source has ended, but not after the subscription was cancelled.
    @usableFromInline
    func end(_ ending: Ending) {}

    /// Called when the subscription was cancelled; the rest of the chain must be cancelled too.
    @usableFromInline
    func cancelled(_ reason: SubscriptionEndReason) {}

    /// The use of a failure of the source, here or further down the chain.
    var failureUse: FailureUse { .received }

    /// Called if the sink is one of several inputs of an operator: it may receive only inside `serializer`.
    @usableFromInline
    func enter(through serializer: Serializer) {}

    /// Called when the received values have become private; the values computed from them are private too.
    func passPrivacyOn() {}

    /// The node that it feeds; nil: a handler.
    var target: Node? { nil }

    #if Recording
    /// Whether its source gives times, not values.
    var isTiming: Bool { false }

    /// Whether an `await` waits for its first value.
    var isOfAwait: Bool { false }

    /// The code of the target; 0: a handler.
    func targetCode(_ log: ThreadLog) -> UInt32 { target.map { LeftOutModule.code(of: $0, log) } ?? 0 }

    /// The code of the sink if `word` has none for the log's generation; 0: nothing can be recorded now.
    @usableFromInline @inline(never)
    func define(_ log: ThreadLog, source: Node) -> UInt32 { define(log, source: source, owner: nil, word: &word) }

    /// Whether the log's recording has assigned it an id.
    func isKnown(_ log: ThreadLog) -> Bool { log.knows(weir_load_u64(&word)) }
    #endif

    /// Whether a subscriber still waits for values, here or further down the chain; if not, the source may stop.
    @usableFromInline
    var isHeard: Bool { weir_load_bool(&isActive) }

    #if Recording
    // MARK: Handlers that belong to an actor

    /// Whether a value must wait for the actor now.
    @usableFromInline var isAway: Bool { false }

    /// Receives a value that must wait, from an emission that has been recorded.
    func receiveAway(_ value: Value, from source: Node, cause: ThreadLog.Place?) { receive(value) }

    /// Same as `isAway`, for an end.
    func endsAway(_ ending: Ending) -> Bool { false }

    /// Receives a recorded end that must wait; records the end of the subscription after the handler has received it.
    func endAway(_ ending: Ending, from source: Node) { hear(ending) }
    #endif

    // MARK: Receiving

    @inlinable @inline(__always)
    final func receive(_ value: Value) {
        if isOperation { operation(self, value) } else { handler(value) }
    }

    /// Ends the subscription from outside: nothing more is delivered.
    @usableFromInline
    final func cancel(_ reason: SubscriptionEndReason) {
        guard weir_exchange_bool(&isActive, false) else { return }
        if weir_recording() != 0 { recordEnded(reason) }
        cancelled(reason)
    }

    // MARK: Emissions of a cold signal

    final func comes(from signal: Signal<Value>) {
        originKind = signal.operation
        originFile = signal.file
        originLine = signal.line
        let identity = signal.identityIfNeeded?.retain()
        if let identity { origin = identity.toOpaque() }
        if isOfSecret || signal.isPrivate || identity?._withUnsafeGuaranteedRef({ $0.isPrivate }) == true {
            becomePrivate()
        }
    }

    /// Called when the cold signal also emits the values of `signal`, which was unknown when the cold signal was made.
    @inlinable
    final func inheritPrivacy(of signal: Signal<Value>) { if signal.isPrivate { becomePrivate() } }

    @usableFromInline
    final func becomePrivate() {
        // Once only: on many paths through shared signals it would be passed on again and again.
        guard originKind != .disclose, !weir_exchange_bool(&originIsPrivate, true) else { return }
        if let origin = weir_load_acquire_pointer(&origin) {
            Unmanaged<OperatorNode>.fromOpaque(origin).takeUnretainedValue().becomePrivate()
        }
        passPrivacyOn()
    }

    /// The call site of the cold signal: its inner subscriptions have the same call site.
    @inlinable
    final var originSite: (file: UnsafePointer<UInt8>, line: UInt32) { (originFile ?? file, originLine) }

    /// Emits `value` to this sink, the only receiver.
    @inlinable @inline(__always)
    final func emit(_ value: Value) {
        guard weir_load_bool(&isActive) else { return }
        #if Recording
        let generation = weir_recording()
        if _fastPath(generation == 0) {
            receive(value)
        } else if hasHead(generation) {
            emitRecorded(value, generation)
        } else {
            emitRecorded(value, isTurn: false, isCaused: false)
        }
        #else
        receive(value)
        #endif
    }

    /// Emits `value`, as a turn of its own if no delivery is open on this thread.
    @inlinable
    final func emitTurn(_ value: Value) {
        guard weir_load_bool(&isActive), !weir_turn_is_open() else { return emit(value) }
        _ = weir_turn_begin()
        #if Recording
        if weir_recording() == 0 { receive(value) } else { emitRecorded(value, isTurn: true, isCaused: false) }
        #else
        receive(value)
        #endif
        if weir_turn_must_settle() { Settling.settle() }
        weir_turn_end()
    }

    #if Recording
    /// Same as `emitRecorded`, but with the cause of the task, unless there is a nearer one.
    @inlinable @inline(never)
    final func emitInTask(_ value: Value, isTurn: Bool) {
        if originNode.isLeftOut { return receiveLeftOut(value, isTurn: isTurn) }
        let hop = TaskHop(of: originNode)
        if weir_has_signposts() {
            emitWithSignposts(value, isTurn: isTurn)
        } else {
            emitRecorded(value, isTurn: isTurn, isCaused: true)
        }
        hop.end()
    }

    /// Same as below, for a sink that has a head, and no turn of its own: what is usual comes first.
    @inlinable @inline(never)
    final func emitRecorded(_ value: Value, _ generation: UInt32) {
        let log = ThreadLog()
        guard !weir_tasks_carry_causes(),
            log.emitted(
                head, value, isPrivate: weir_load_bool(&originIsPrivate), isTerminal: isTerminal,
                generation: generation)
        else { return emitRecorded(value, isTurn: false, isCaused: false) }
        receive(value)
        guard let canEnd = log.isReady(since: generation) else { return }
        if canEnd { log.deliveryEnded(stamped: isTerminal) }
        log.popFrame()
    }

    /// - Parameters:
    ///   - isTurn: the emission is a turn of its own, and settles before it ends. No default: reading it would cost a call.
    ///   - isCaused: the cause of the task has already been handled.
    @inlinable @inline(never)
    final func emitRecorded(_ value: Value, isTurn: Bool, isCaused: Bool) {
        if _slowPath(weir_tasks_carry_causes()), !isCaused { return emitInTask(value, isTurn: isTurn) }
        if _slowPath(isIsolated), isAway { return emitAway(value) }
        let log = ThreadLog()
        guard _fastPath(log.fits(weir_recording())) || originNode.makesReady(log), let codes = codes(log),
            case let generation = log.generation,
            log.emitted(
                codes.node, value, isPrivate: weir_load_bool(&originIsPrivate), to: codes.subscription,
                isTerminal: isTerminal, redefine: { _ = (originCode(log), code(log)) })
        else {
            if originNode.isLeftOut { return receiveLeftOut(value, isTurn: isTurn) }
            // The emission has been counted as lost; its delivery and its end have not.
            log.countLost(2)
            return receive(value)
        }
        receive(value)
        guard var canEnd = log.isReady(since: generation) else { return }
        if _slowPath(isTurn && weir_turn_must_settle()) {
            if canEnd { log.settlingBegan(stamped: isTerminal) }
            Settling.settle()
            guard let canStillEnd = log.isReady(since: generation) else { return }
            canEnd = canStillEnd
        }
        if canEnd { log.deliveryEnded(stamped: isTerminal) }
        log.popFrame()
    }

    /// Receives a value of a cold signal that the recording leaves out.
    @usableFromInline @inline(never)
    final func receiveLeftOut(_ value: Value, isTurn: Bool) {
        let delivery = LeftOutDelivery(of: originNode)
        receive(value)
        if isTurn && weir_turn_must_settle() { Settling.settle() }
        delivery.end()
    }

    /// Records an emission whose only subscriber receives it in a hop.
    @usableFromInline @inline(never)
    final func emitAway(_ value: Value) {
        let log = ThreadLog()
        let node = originNode.isReady(log, weir_recording()) ? originCode(log) : 0
        let isRecorded =
            node != 0
            && log.emitted(
                node, value, isPrivate: weir_load_bool(&originIsPrivate), redefine: { _ = originCode(log) })
        let leftOut = originNode.isLeftOut ? log.openPlace : nil
        receiveAway(value, from: originNode, cause: isRecorded ? log.lastPlace : leftOut)
    }

    /// Records a value that the cold signal does not emit, with the reason.
    @inlinable @inline(__always)
    final func suppress(_ reason: SuppressionReason) {
        if _slowPath(weir_recording() != 0) { originNode.recordSuppressed(reason) }
    }
    #else
    @_alwaysEmitIntoClient @inline(__always)
    final func suppress(_ reason: SuppressionReason) {}
    #endif

    /// Ends the cold signal, once.
    @usableFromInline
    final func finish(_ ending: Ending) {
        guard weir_exchange_bool(&isActive, false) else { return }
        #if Recording
        guard weir_recording() != 0 else { return hear(ending) }
        if isIsolated, endsAway(ending) {
            EndFrame(ending, of: originNode, to: nil as Sink<Value>?).close()
            return endAway(ending, from: originNode)
        }
        let frame = EndFrame(ending, of: originNode, to: self)
        hear(ending)
        if let reason = reason(of: ending) { recordEnded(reason) }
        frame.close()
        #else
        hear(ending)
        #endif
    }

    /// The node of its cold source.
    @usableFromInline
    final var originNode: OperatorNode { neededOrigin.takeUnretainedValue() }

    #if Recording
    /// The code of that node as a target, without reference counting.
    final func originCodeAsTarget(_ log: ThreadLog) -> UInt32 {
        neededOrigin._withUnsafeGuaranteedRef { LeftOutModule.code(of: $0, log) }
    }
    #endif

    /// The same; alive while the sink is.
    @inline(__always)
    private final var neededOrigin: Unmanaged<OperatorNode> {
        if let known = weir_load_acquire_pointer(&origin) { return .fromOpaque(known) }
        return makeOrigin()
    }

    @inline(never)
    private final func makeOrigin() -> Unmanaged<OperatorNode> {
        let new = Unmanaged.passRetained(
            OperatorNode(
                originKind, type: Value.self, isPrivate: originIsPrivate, file: originFile ?? file, line: originLine))
        if weir_compare_exchange_pointer(&origin, nil, new.toOpaque()) { return new }
        new.release()
        return neededOrigin
    }

    #if Recording
    @inlinable @inline(__always)
    final func originCode(_ log: ThreadLog) -> UInt32 {
        guard let known = weir_load_acquire_pointer(&origin) else { return originNode.code(log) }
        return Unmanaged<OperatorNode>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.code(log) }
    }

    /// The code of the subscription to a cold signal.
    @inlinable @inline(__always)
    final func code(_ log: ThreadLog) -> UInt32 {
        let known = weir_load_acquire_u64(&word)
        if _fastPath(UInt32(truncatingIfNeeded: known &>> 32) == log.generation) {
            return UInt32(truncatingIfNeeded: known)
        }
        return define(log, source: originNode)
    }

    /// `originCode` and `code`; nil: nothing can be recorded now.
    @inlinable @inline(__always)
    final func codes(_ log: ThreadLog) -> (node: UInt32, subscription: UInt32)? {
        guard let known = weir_load_acquire_pointer(&origin) else { return definedCodes(log, source: originNode) }
        return Unmanaged<OperatorNode>.fromOpaque(known)._withUnsafeGuaranteedRef { codes(log, source: $0) }
    }
    #endif
}

extension Ending {
    var reason: SubscriptionEndReason {
        switch self {
        case .completed: .completed
        case .failed: .failed
        case .released, .abandoned: .sourceReleased
        }
    }
}

// MARK: - Recording

#if Recording
extension Sink {
    @inlinable @inline(__always)
    final func code(_ log: ThreadLog, source: Node) -> UInt32 {
        let known = weir_load_acquire_u64(&word)
        if _fastPath(UInt32(truncatingIfNeeded: known &>> 32) == log.generation) {
            return UInt32(truncatingIfNeeded: known)
        }
        return define(log, source: source)
    }

    /// The codes of `source` and of the subscription to it; nil: nothing can be recorded now.
    ///
    /// Called by the thread that delivers to the sink.
    @inlinable @inline(__always)
    final func codes(_ log: ThreadLog, source: Node) -> (node: UInt32, subscription: UInt32)? {
        let (node, known) = (weir_load_acquire_u64(&source.word), weir_load_acquire_u64(&word))
        let generation = log.generation
        if _fastPath(
            UInt32(truncatingIfNeeded: node &>> 32) == generation
                && UInt32(truncatingIfNeeded: known &>> 32) == generation)
        {
            let codes = (node: UInt32(truncatingIfNeeded: node), subscription: UInt32(truncatingIfNeeded: known))
            if mayHaveHead, weir_load_acquire_u32(&headGeneration) != generation { prepareHead(codes, generation) }
            return codes
        }
        return definedCodes(log, source: source)
    }

    /// Whether its head is that of the generation.
    ///
    /// The second test is a constant in specialised code, except for generic types; for most other types it removes code.
    @inlinable @inline(__always)
    final func hasHead(_ generation: UInt32) -> Bool {
        weir_load_acquire_u32(&headGeneration) == generation && ValueEncoding.mayBeInline(Value.self)
    }

    /// How an emission to this sink alone begins in a trace, if `hasHead`.
    @inlinable @inline(__always)
    final var head: EmissionHead {
        EmissionHead(
            node: headNode, headNodeLength, subscription: UInt32(truncatingIfNeeded: weir_load_u64(&word)), headLength)
    }

    @usableFromInline @inline(never)
    final func prepareHead(_ codes: (node: UInt32, subscription: UInt32), _ generation: UInt32) {
        guard !isIsolated, ValueEncoding.mayBeInline(Value.self) else {
            mayHaveHead = false
            return
        }
        headNode = codes.node
        headNodeLength = UInt8(TraceCode.length(codes.node))
        headLength = UInt8(TraceCode.length(codes.subscription))
        weir_store_release_u32(&headGeneration, generation)
    }

    @usableFromInline @inline(never)
    final func definedCodes(_ log: ThreadLog, source: Node) -> (node: UInt32, subscription: UInt32)? {
        let node = source.code(log)
        let session = log.session
        let subscription = node == 0 ? 0 : code(log, source: source)
        // Defining the subscription may have ended in another recording, where the node's code means nothing.
        return subscription != 0 && log.session == session ? (node, subscription) : nil
    }

    final func define(
        _ log: ThreadLog, source: Node, owner: TrackedObject?, word: UnsafeMutablePointer<UInt64>
    ) -> UInt32 {
        guard !weir_has_interrupted_recorder() else {
            log.countLost(1)
            return 0
        }
        let (session, generation) = (log.session, log.generation)
        let ownerCode = owner?.code(log) ?? 0
        let sourceCode = source.code(log)
        if sourceCode == 0 { return 0 }
        let description = SubscriptionDescription(
            source: sourceCode, target: targetCode(log), owner: ownerCode, isInternal: !isTerminal,
            isTiming: isTiming, isOfAwait: isOfAwait, file: file, line: line)
        // If another generation has begun since then, the owner is defined for it too.
        if ownerCode != 0, log.generation != generation {
            guard log.session == session, log.isReady(weir_recording()) else { return 0 }
            return define(log, source: source, owner: owner, word: word)
        }
        let code = log.define(description, word: word)
        if code == 0 {
            log.countLost(1)
            return 0
        }
        LiveRegistry.Entry.add(
            self, isTerminal ? .handler : .edge, place: &entry, code: code, session: log.session)
        guard log.isReady(weir_recording()) else { return 0 }
        let defined = UInt32(truncatingIfNeeded: weir_load_acquire_u64(word) >> 32)
        return defined == log.generation ? code : define(log, source: source, owner: owner, word: word)
    }

    /// Records a subscription to a cold signal.
    final func recordStarted() { neededOrigin._withUnsafeGuaranteedRef { recordStarted(source: $0) } }

    final func recordStarted(source: Node) {
        let log = ThreadLog()
        guard !source.isLeftOut, log.isReady(weir_recording()) else { return }
        let code = code(log, source: source)
        if code != 0 { log.fact(.subscriptionStarted, code, isTimed: isTerminal) }
    }

    /// Records the end of a subscription to a cold signal.
    final func recordEnded(_ reason: SubscriptionEndReason) {
        neededOrigin._withUnsafeGuaranteedRef { recordEnded(source: $0, reason) }
    }

    final func recordEnded(source: Node, _ reason: SubscriptionEndReason) {
        let log = ThreadLog()
        guard !source.isLeftOut, log.isReady(weir_recording()) else { return }
        // The trace holds no record of an unknown subscription, so it needs no end.
        if reason == .sourceReleased && !isKnown(log) { return }
        let code = code(log, source: source)
        if code != 0 { log.subscriptionEnded(code, reason, isTimed: isTerminal) }
    }
}
#else
extension Sink {
    final func recordStarted() {}
    final func recordStarted(source: Node) {}
    final func recordEnded(_ reason: SubscriptionEndReason) {}
    final func recordEnded(source: Node, _ reason: SubscriptionEndReason) {}
}
#endif
