import CWeir
import WeirTrace

/// What a trace can name: a node of the data-flow graph.
///
/// Made by its subclasses: `Signal`, `Observable`, `Emitter`, `Combiner`, `Observer`. A node is named by the label that
/// `Trace.adopt` gives it, else by the line that made it.
public class Node {
    /// In which generation of the recording the node was last defined (high half), and its code (low half).
    @usableFromInline @exclusivity(unchecked) final var word: UInt64 = 0
    final let file: UnsafePointer<UInt8>
    final let line: UInt32
    @usableFromInline @exclusivity(unchecked) final var hidesValues: Bool
    /// Whether a trace holds no value of it; once it is so, it stays so.
    @inlinable final var isPrivate: Bool { weir_load_bool(&hidesValues) }
    /// Being released: it can still be named, but its value is gone.
    @exclusivity(unchecked) final var isEnding = false
    /// What the program says of it; guarded by the registry's lock.
    final var remarks: Remarks?
    @exclusivity(unchecked) final var hasRemarks = false
    /// Its place in the registry of what is alive; 0: no recording knows it.
    @exclusivity(unchecked) private final var entry: UInt32 = 0

    @usableFromInline
    init(file: StaticString, line: UInt, privacy: TracePrivacy) {
        self.file = file.utf8Start
        self.line = UInt32(clamping: line)
        hidesValues = privacy == .private || weir_hides_nodes()
        Bootstrap.run()
    }

    init(file: UnsafePointer<UInt8>, line: UInt32, isPrivate: Bool) {
        self.file = file
        self.line = line
        hidesValues = isPrivate
    }

    /// Stands for `former`, which is being released, in traces from now on.
    final func takeIdentity(of former: Node) {
        word = weir_load_acquire_u64(&former.word)
        weir_store_u64(&former.word, 0)
        Registry.shared.moveRemarks(from: former, to: self)
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        let code = knownCode(log)
        if code != 0 { LiveRegistry.shared.enter(self, .node, place: &entry, code: code, session: log.session) }
    }

    deinit {
        isEnding = true
        if weir_recording() != 0, !hasToldEnd { recordReleased() }
        if entry != 0 { LiveRegistry.shared.leave(entry) }
    }

    var kind: NodeKind { .observable }
    /// By which means the program made it.
    var technique: NodeTechnique { .weir }
    /// Whether a trace has been told already that it is gone.
    var hasToldEnd: Bool { false }
    /// Its name, where the program gave one and nobody has adopted it.
    var givenLabel: String? { nil }
    var valueType: Any.Type? { nil }
    /// Whether adoption may find it, and name it.
    var canBeAdopted: Bool { true }
    /// What a trace knows the node by: the node itself, or what stands for it.
    var tracedNode: Node { self }
    /// The same, unless nothing stands for the node so far.
    var nodeIfTraced: Node? { self }
    /// The current value, if models may be found in it, and a trace may tell where.
    var heldModels: Any? { nil }
    /// The current value in the trace's form; empty: there is none.
    func encodedValue(_ log: ThreadLog) -> [UInt8] { [] }

    /// Whether the program has said that traces may hold its values, whatever they are made of.
    var isDisclosed: Bool { false }
    /// It has become private: makes the nodes private whose values come from its own.
    func passPrivacyOn() {}

    /// From now on no trace records its values, nor values that are computed from them.
    ///
    /// To be called before a private value reaches it, and outside of locks.
    final func becomePrivate() {
        guard !isDisclosed, !weir_exchange_bool(&hidesValues, true) else { return }
        if weir_recording() != 0 { recordPrivacy() }
        passPrivacyOn()
    }

    /// How many combiners stand, at most, on a way from a source to this node.
    var height: Int32 { 0 }

    /// Whether it delivers its values whoever subscribes.
    var isHot: Bool { false }

    /// What a combiner is computed by; it stays when an heir takes the combiner's place.
    var evaluation: Evaluation? { nil }

    /// Whether anybody is subscribed; for subjects.
    var isHeard: Bool { false }

    /// Ends the subscription with that key; for subjects.
    func removeSubscription(_ key: UInt64, _ reason: SubscriptionEndReason) {}

    /// As `Signal.forLater`, which it is for.
    func nodeForLater(_ others: LaterSignals) -> () -> Node? { { self } }

    /// As `HeapOwner` has it.
    package func visitHeapReferences(_ visit: (_ label: String, _ target: UnsafeRawPointer) -> Void) {}

    /// What the node takes its values from, as far as it is known without a subscription.
    var inputs: [Node] { [] }

    /// Whether the node depends on `other`, directly or through other nodes.
    final func depends(on other: Node, visited: inout Set<ObjectIdentifier>) -> Bool {
        guard visited.insert(ObjectIdentifier(self)).inserted else { return false }
        return inputs.contains { $0 === other || $0.depends(on: other, visited: &visited) }
    }
}

/// Whether a trace may hold a node's values.
public enum TracePrivacy: Sendable {
    /// Values are recorded as the value policy says.
    case `public`
    /// Only that the value changed is recorded: never the value, its length or a fingerprint.
    ///
    /// So it is with everything that Weir makes of the value: see <doc:Contract#Privacy>.
    case `private`
}

// MARK: Recording

extension Node {
    /// The node's code, for a record in the log's generation; 0: nothing can be recorded now.
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
        var code: UInt32 = 0
        if !weir_has_interrupted_recorder() {
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

    /// Defines the node; `again`: even if this generation has a definition.
    final func redefine(_ log: ThreadLog, again: Bool) -> UInt32 {
        // Asked for first: of most nodes nothing more is said, and the registry need not be looked at.
        let hasRemarks = weir_load_bool(&hasRemarks)
        let adoption = hasRemarks ? Registry.shared.adoption(of: self) : nil
        let description = NodeDescription(
            kind: kind, isPrivate: isPrivate, technique: technique, valueType: valueType, file: file, line: line,
            owner: adoption?.owner.code(log) ?? 0)
        let code = log.define(
            description, label: adoption?.label ?? givenLabel,
            value: isPrivate ? log.encodedPrivacy : isEnding ? [] : encodedValue(log), word: &word, again: again)
        if code != 0 {
            if adoption == nil, !again, canBeAdopted { AdoptedModels.shared.countUnnamed() }
            if hasRemarks {
                for intention in Registry.shared.intentions(of: self) { log.define(intention, of: code) }
            }
            if !isEnding {
                LiveRegistry.shared.enter(self, .node, place: &entry, code: code, session: log.session)
            }
        }
        return code
    }

    /// To be called last in an initializer, when the value is there.
    @inlinable @inline(__always)
    final func recordCreated() {
        if _slowPath(weir_recording() != 0) { recordCreatedNow() }
    }

    @usableFromInline @inline(never)
    final func recordCreatedNow() {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        let code = code(log)
        if code != 0 { log.fact(.nodeCreated, code) }
    }

    @usableFromInline @inline(never)
    final func recordSuppressed(_ reason: SuppressionReason) {
        let log = ThreadLog()
        guard log.isReady(weir_recording()) else { return }
        let hop = _slowPath(weir_tasks_carry_causes()) ? TaskHop(of: self) : nil
        let node = code(log)
        if node != 0 { log.suppressed(node, reason) }
        hop?.end()
    }

    /// Says of a node that a trace knows as public that it is private.
    private func recordPrivacy() {
        let log = ThreadLog()
        if log.isReady(weir_recording()), knownCode(log) != 0 { _ = redefine(log, again: true) }
    }

    final func recordReleased() {
        let log = ThreadLog()
        guard log.isReady(weir_recording()), log.knows(weir_load_u64(&word)) else { return }
        // Again, if need be: a flight recorder may have overwritten what was said of it.
        let code = code(log)
        if code != 0 { log.fact(.nodeReleased, code) }
        if weir_load_bool(&hasRemarks), let owner = remarks?.adoption?.owner { owner.recordIfReleased(log) }
    }
}
