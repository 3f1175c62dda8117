import CWeirCore
import WeirRecording

/// A node of the data-flow graph, which a trace can name.
///
/// Its subclasses are `Signal`, `Observable`, `Emitter`, `Combiner` and `Observer`. A node has the label that `Trace.adopt` gives
/// it, or else the line that made it.
public class Node {
    /// The generation of the recording in which the node was last defined (high half), and its code (low half).
    @usableFromInline @exclusivity(unchecked) final var word: UInt64 = 0
    final let file: UnsafePointer<UInt8>
    final let line: UInt32
    @usableFromInline @exclusivity(unchecked) final var hidesValues: Bool
    /// Whether traces hold no value of it; permanent once set.
    @inlinable final var isPrivate: Bool { weir_load_bool(&hidesValues) }
    /// Whether it is being released: it can still be named, but its value is gone.
    @exclusivity(unchecked) final var isEnding = false
    #if Recording
    /// The program's annotations of the node; guarded by the registry's lock.
    final var remarks: Remarks?
    @exclusivity(unchecked) final var hasRemarks = false
    /// Its index in the registry of live objects; 0: no recording knows it.
    @exclusivity(unchecked) private final var entry: UInt32 = 0
    #endif

    @usableFromInline
    init(file: StaticString, line: UInt, privacy: TracePrivacy) {
        self.file = file.utf8Start
        self.line = UInt32(clamping: line)
        hidesValues = privacy == .private || weir_hides_nodes()
        #if Recording
        Bootstrap.run()
        #else
        weir_gate_prepare()
        #endif
    }

    init(file: UnsafePointer<UInt8>, line: UInt32, isPrivate: Bool) {
        self.file = file
        self.line = line
        hidesValues = isPrivate
    }

    /// Replaces `former`, which is being released, in traces from now on.
    final func takeIdentity(of former: Node) {
        word = weir_load_acquire_u64(&former.word)
        weir_store_u64(&former.word, 0)
        #if Recording
        Registry.shared.moveRemarks(from: former, to: self)
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        let code = knownCode(log)
        if code != 0 { LiveRegistry.Entry.add(self, .node, place: &entry, code: code, session: log.session) }
        #endif
    }

    deinit {
        isEnding = true
        if weir_recording() != 0, !hasReportedEnd { recordReleased() }
        #if Recording
        if entry != 0 { LiveRegistry.Entry.remove(entry) }
        #endif
    }

    var kind: NodeKind { .observable }
    /// The technique with which the program made the node.
    var technique: NodeTechnique { .weir }
    /// The updates of inputs that it evaluates; nil: it is no combiner.
    var tracedStrategy: NodeStrategy? { nil }
    /// Whether a trace already holds its release.
    var hasReportedEnd: Bool { false }
    /// The name that the program gave it, used if it has not been adopted.
    var givenLabel: String? { nil }
    var valueType: Any.Type? { nil }
    /// Whether adoption may find and name it.
    var canBeAdopted: Bool { true }
    /// The node that represents this node in a trace: the node itself or a substitute.
    var tracedNode: Node { self }
    /// The same, or nil if the substitute does not exist yet.
    var nodeIfTraced: Node? { self }
    /// The current value, if it may contain models and a trace may show where.
    var heldModels: Any? { nil }
    #if Recording
    /// The current value in the trace's encoding; empty: there is none.
    func encodedValue(_ log: ThreadLog) -> [UInt8] { [] }
    #endif

    /// Whether the program allows traces to hold its values, regardless of their sources.
    var isDisclosed: Bool { false }
    /// Called when the node has become private: makes the nodes private whose values come from this node.
    func passPrivacyOn() {}

    /// From now on no trace records its values, nor values that are computed from them.
    ///
    /// Call this before a private value reaches the node, and outside of locks.
    final func becomePrivate() {
        guard !isDisclosed, !weir_exchange_bool(&hidesValues, true) else { return }
        if weir_recording() != 0 { recordPrivacy() }
        passPrivacyOn()
    }

    /// The maximum number of combiners on a path from a source to this node.
    var height: Int32 { 0 }

    /// Whether it delivers values independently of its subscribers.
    var isHot: Bool { false }

    /// The evaluation of a combiner; it stays when an heir replaces the combiner.
    var evaluation: Evaluation? { nil }

    /// Whether it has a subscriber; for subjects.
    var isHeard: Bool { false }

    /// Ends the subscription with that key; for subjects.
    func removeSubscription(_ key: UInt64, _ reason: SubscriptionEndReason) {}

    /// Implements `Signal.forLater`.
    func nodeForLater(_ others: LaterSignals) -> () -> Node? { { self } }

    #if Recording
    /// Implements `HeapOwner`.
    package func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void) {}
    #endif

    /// The sources of the node that are known without a subscription.
    var inputs: [Node] { [] }

    /// Whether the node depends on `other`, directly or through other nodes.
    final func depends(on other: Node, visited: inout Set<ObjectIdentifier>) -> Bool {
        guard visited.insert(ObjectIdentifier(self)).inserted else { return false }
        return inputs.contains { $0 === other || $0.depends(on: other, visited: &visited) }
    }
}

/// Whether a trace may hold a node's values.
public enum TracePrivacy: Sendable {
    /// Values are recorded according to the value policy.
    case `public`
    /// Only the fact that the value changed is recorded: never the value, its length or a fingerprint.
    ///
    /// The same applies to everything that Weir computes from the value: see <doc:Privacy>.
    case `private`
}

// MARK: Recording

#if Recording
extension Node {
    /// The node's code for a record in the log's generation; 0: nothing can be recorded now.
    @inlinable @inline(__always)
    final func code(_ log: ThreadLog) -> UInt32 {
        let known = weir_load_acquire_u64(&word)
        if _fastPath(UInt32(truncatingIfNeeded: known &>> 32) == log.generation) {
            return UInt32(truncatingIfNeeded: known)
        }
        return define(log)
    }

    /// The node's code, if it has been defined in the log's generation; else 0.
    final func knownCode(_ log: ThreadLog) -> UInt32 {
        let known = weir_load_acquire_u64(&word)
        return UInt32(truncatingIfNeeded: known &>> 32) == log.generation ? UInt32(truncatingIfNeeded: known) : 0
    }

    @usableFromInline @inline(never)
    final func define(_ log: ThreadLog) -> UInt32 {
        guard mayBeDefined() else { return 0 }
        var code: UInt32 = 0
        if !weir_has_interrupted_recorder() {
            if weir_load_bool(&hasRemarks) { defineOwner(log) }
            weir_enter_inside()
            code = redefine(log, again: false)
            weir_leave_inside()
        }
        if code == 0 {
            log.countLost(1)
            return 0
        }
        // Describing the value may have run foreign code, which may have recorded, stopped or started anything.
        guard log.isReady(weir_recording()) else { return 0 }
        return UInt32(truncatingIfNeeded: weir_load_acquire_u64(&word) >> 32) == log.generation ? code : define(log)
    }

    /// Defines the object that owns the node, before the node: its release, recorded with it, could not be recorded inside.
    private func defineOwner(_ log: ThreadLog) {
        guard let owner = Registry.shared.adoption(of: self)?.owner else { return }
        var generation: UInt32
        // Recording the release may have begun another generation on this thread, which knows nothing of the owner yet.
        repeat { generation = log.generation } while owner.code(log) != 0 && log.generation != generation
    }

    /// Defines the node; `again`: even if this generation has a definition.
    final func redefine(_ log: ThreadLog, again: Bool) -> UInt32 {
        // Checked first: most nodes have no remarks, so the registry need not be read.
        let hasRemarks = weir_load_bool(&hasRemarks)
        let adoption = hasRemarks ? Registry.shared.adoption(of: self) : nil
        let description = NodeDescription(
            kind: kind, isPrivate: isPrivate, technique: technique, strategy: tracedStrategy, valueType: valueType,
            file: file, line: line, owner: adoption?.owner?.code(log) ?? 0)
        let code = log.define(
            description, label: adoption?.label ?? givenLabel,
            value: isPrivate ? log.encodedPrivacy : isEnding ? [] : encodedValue(log), word: &word, again: again)
        if code != 0 {
            if adoption == nil, !again, canBeAdopted { AdoptedModels.countUnnamed() }
            if hasRemarks {
                for intention in Registry.shared.intentions(of: self) { log.define(intention, of: code) }
            }
            if !isEnding {
                LiveRegistry.Entry.add(self, .node, place: &entry, code: code, session: log.session)
            }
        }
        return code
    }

    /// Call this last in an initializer, when the value exists.
    ///
    /// - Parameter isTimed: false for a node that is created while a body's time is measured: it takes the time of the event before.
    @inlinable @inline(__always)
    final func recordCreated(isTimed: Bool = true) {
        if _slowPath(weir_recording() != 0) { recordCreatedNow(isTimed: isTimed) }
    }

    @usableFromInline @inline(never)
    final func recordCreatedNow(isTimed: Bool) {
        let log = ThreadLog()
        guard !isLeftOut, log.isReady(weir_recording()) else { return }
        let code = code(log)
        if code != 0 { log.fact(.nodeCreated, code, isTimed: isTimed) }
    }

    @usableFromInline @inline(never)
    final func recordSuppressed(_ reason: SuppressionReason) {
        let log = ThreadLog()
        guard !isLeftOut, log.isReady(weir_recording()) else { return }
        let hop = _slowPath(weir_tasks_carry_causes()) ? TaskHop(of: self) : nil
        if weir_has_write_sites() { recordWriteSite(isDelivering: false, isBatched: reason == .batched) }
        let node = code(log)
        if node != 0 { log.suppressed(node, reason) }
        hop?.end()
    }

    /// Records that a node that a trace knows as public is private.
    private func recordPrivacy() {
        let log = ThreadLog()
        if !isLeftOut, log.isReady(weir_recording()), knownCode(log) != 0 { _ = redefine(log, again: true) }
    }

    final func recordReleased() {
        let known = weir_load_u64(&word)
        // No trace knows most signals: their identities are in it.
        if known == 0 { return }
        let log = ThreadLog()
        guard known >> 63 == 0, log.isReady(weir_recording()), log.knows(weir_load_u64(&word)) else { return }
        // Defines the node again if necessary: a flight recorder may have overwritten its definition.
        let code = code(log)
        if code != 0 { log.fact(.nodeReleased, code) }
        if weir_load_bool(&hasRemarks), let owner = remarks?.adoption?.owner { owner.recordIfReleased(log) }
    }
}
#else
extension Node {
    @_alwaysEmitIntoClient @inline(__always)
    final func recordCreated(isTimed: Bool = true) {}
    @_alwaysEmitIntoClient @inline(__always)
    final func recordSuppressed(_ reason: SuppressionReason) {}
    private func recordPrivacy() {}
    final func recordReleased() {}
}
#endif
