import CWeir
import WeirTrace

/// What adoption says of a node.
struct Adoption {
    let label: String
    let owner: TrackedObject
    /// Adoption that gives another name wins.
    var isProvisional = false
}

/// What a program says of a node, beyond making it.
final class Remarks {
    var adoption: Adoption?
    /// What is meant so; each once.
    var intentions: [IntentionDescription] = []
}

/// Which nodes have been adopted, by whom, and what is meant so. Guards `Node.remarks` and what objects are called.
final class Registry: @unchecked Sendable {  // `lock` guards what varies.
    static let shared = Registry()

    let lock = SystemLock()
    /// Those whose end has to be looked for.
    private var objects: [ObjectIdentifier: TrackedObject] = [:]
    /// Those that say themselves when they end.
    private var telling: [ObjectIdentifier: TrackedObject] = [:]
    /// Gone, and their addresses given to others before a sweep.
    private var departed: [TrackedObject] = []
    /// Those that should be gone, as some recording was told.
    private var expected: [TrackedObject] = []
    private var limit = 64
    private var lastNumber: UInt64 = 0

    func adoption(of node: Node) -> Adoption? {
        weir_load_bool(&node.hasRemarks) ? lock.withLock { node.remarks?.adoption } : nil
    }

    func intentions(of node: Node) -> [IntentionDescription] {
        weir_load_bool(&node.hasRemarks) ? lock.withLock { node.remarks?.intentions ?? [] } : []
    }

    /// Keeps `intention` with its node; false: it is there, or there are too many.
    func declare(_ intention: IntentionDescription, of node: Node) -> Bool {
        lock.withLock {
            let remarks = remarks(on: node)
            guard remarks.intentions.count < TraceIntention.most, !remarks.intentions.contains(intention) else {
                return false
            }
            remarks.intentions.append(intention)
            return true
        }
    }

    /// Inside the lock.
    func moveRemarks(from former: Node, to node: Node) {
        guard weir_load_bool(&former.hasRemarks) else { return }
        lock.withLock {
            swap(&node.remarks, &former.remarks)
            weir_store_bool(&node.hasRemarks, true)
        }
    }

    private func remarks(on node: Node) -> Remarks {
        if let known = node.remarks { return known }
        let new = Remarks()
        node.remarks = new
        weir_store_bool(&node.hasRemarks, true)
        return new
    }

    /// Labels `nodes` as parts of `object`; the first owner of a node keeps it. Returns those that are new to it.
    func adopt(
        _ nodes: [(node: Node, label: String)], by object: TrackedObject, isProvisional: Bool = false
    ) -> [Node] {
        nodes.compactMap { node, label in
            // Asked outside of the lock: this may hold, and then release, the last reference to the owner.
            let adoption = adoption(of: node)
            let former = adoption?.owner
            if isProvisional, former === object, adoption?.label == label { return nil }
            guard former?.object == nil || adoption?.isProvisional == true else { return nil }
            return lock.withLock {
                guard node.remarks?.adoption?.owner === former else { return nil }
                remarks(on: node).adoption = Adoption(label: label, owner: object, isProvisional: isProvisional)
                return node
            }
        }
    }

    /// What is new about an object.
    enum News { case isTracked, hasName }

    /// What stands for `object`; made, if it was not yet tracked. The first name that it is given stays.
    func track(_ object: AnyObject, label: String?) -> (object: TrackedObject, news: News?) {
        purge()
        return lock.withLock {
            let identity = ObjectIdentifier(object)
            // The caller holds `object`, and what had its address before is gone: no last reference ends here.
            if let known = objects[identity] ?? telling[identity], known.object === object {
                guard known.label == nil, let label else { return (known, nil) }
                known.label = label
                return (known, .hasName)
            }
            lastNumber += 1
            let new = TrackedObject(object, label: label, number: lastNumber)
            if let old = objects.updateValue(new, forKey: identity) { departed.append(old) }
            return (new, .isTracked)
        }
    }

    /// As `track`, without a name; what is new is recorded.
    func tracked(_ object: AnyObject) -> TrackedObject {
        let (tracked, news) = track(object, label: nil)
        if weir_recording() != 0, news != nil { tracked.recordTracked(ThreadLog()) }
        return tracked
    }

    /// Somebody is there who calls `ended` when that object ends: it need not be looked for.
    func expectsToBeTold(of tracked: TrackedObject) {
        // Held: its identity stays its own as long as this runs.
        guard let object = tracked.object else { return }
        lock.withLock {
            let identity = ObjectIdentifier(object)
            guard objects[identity] === tracked else { return }
            objects[identity] = nil
            if let old = telling.updateValue(tracked, forKey: identity) { departed.append(old) }
        }
    }

    /// Records that the object is gone, and forgets it; if it is not, its end will be looked for.
    func ended(_ tracked: TrackedObject, identity: ObjectIdentifier) {
        let isGone = tracked.object == nil
        lock.withLock {
            guard telling[identity] === tracked else { return }
            telling[identity] = nil
            if !isGone { objects[identity] = tracked }
        }
        if isGone, weir_recording() != 0 { tracked.recordIfReleased(ThreadLog()) }
    }

    func label(of object: TrackedObject) -> String? { lock.withLock { object.label } }

    /// Defines what the recording does not know yet: it was tracked before that began.
    func defineAll(_ log: ThreadLog) {
        let generation = log.generation
        let unknown = lock.withLock {
            objects.values.filter { !$0.isKnown(in: generation) }
                + telling.values.filter { !$0.isKnown(in: generation) }
        }
        for object in unknown.sorted(by: { $0.number < $1.number }) {
            guard log.isReady(weir_recording()) else { return }
            _ = object.code(log)
        }
    }

    /// Whether an object that should be gone by now, as the recording was told, is alive.
    func hasOverdue(in session: UInt32) -> Bool {
        lock.withLock { expected }.contains { $0.isExpected(in: session) && $0.object != nil }
    }

    fileprivate func expectRelease(of object: TrackedObject) { lock.withLock { expected.append(object) } }

    /// Whether any object is tracked, which may be gone.
    var tracksAny: Bool { lock.withLock { !objects.isEmpty || !telling.isEmpty } }

    /// Hands `body` each object that is alive, and that the recording knows; where no other thread is, or in the lock.
    func forEachTracked(of session: UInt32, _ body: (TrackedObject, AnyObject, _ code: UInt32) -> Void) {
        for all in [objects, telling] {
            for tracked in all.values {
                guard let code = tracked.code(in: session), let object = tracked.object else { continue }
                body(tracked, object, code)
            }
        }
    }

    /// Forgets objects that are gone, so that adopting costs the same however often, also while nothing is recorded.
    private func purge() {
        let isDue = lock.withLock { objects.count + departed.count > limit }
        if isDue { sweep(ThreadLog()) }
        if isDue { lock.withLock { limit = max(64, objects.count * 2) } }
    }

    /// Records the end of objects that are gone, and forgets them.
    func sweep(_ log: ThreadLog) {
        let (all, before, expected) = lock.withLock {
            defer { departed = [] }
            return (objects, departed, self.expected)
        }
        // Outside of the lock: asking may hold, and then release, the last reference, and with it run anything.
        let gone = all.filter { $0.value.object == nil }
        if !gone.isEmpty {
            lock.withLock {
                for (identity, object) in gone where objects[identity] === object { objects[identity] = nil }
            }
        }
        let met = Set(expected.filter { $0.object == nil }.map(ObjectIdentifier.init))
        if !met.isEmpty { lock.withLock { self.expected.removeAll { met.contains(ObjectIdentifier($0)) } } }
        for object in before { object.recordIfReleased(log) }
        for object in gone.values.sorted(by: { $0.number < $1.number }) { object.recordIfReleased(log) }
    }
}

/// An object whose lifetime is recorded: adopted, or the owner of a subscription. Not held.
final class TrackedObject: @unchecked Sendable {  // Words are atomic, `label` is guarded by the registry.
    private(set) weak var object: AnyObject?
    private let type: Any.Type
    /// The order in which objects came to be tracked: records of several follow it.
    fileprivate let number: UInt64
    /// Guarded by the registry's lock.
    fileprivate(set) var label: String?
    @exclusivity(unchecked) private var word: UInt64 = 0
    /// The generation in which its release was last recorded; 0: in none.
    @exclusivity(unchecked) private var release: UInt64 = 0
    /// The recording that was told to expect its release; 0: none was.
    @exclusivity(unchecked) private var expectation: UInt64 = 0

    init(_ object: AnyObject, label: String?, number: UInt64) {
        self.object = object
        self.number = number
        type = Swift.type(of: object)
        self.label = label
    }

    /// Its code; may run foreign code and record its release, so `log` may not be ready any more.
    func code(_ log: ThreadLog) -> UInt32 {
        let known = weir_load_acquire_u64(&word)
        if UInt32(truncatingIfNeeded: known >> 32) == log.generation { return UInt32(truncatingIfNeeded: known) }
        let code = define(log, again: false)
        // Released before the recording began; or what said so may have been overwritten since.
        if code != 0 { recordRelease(log, again: true) }
        return code
    }

    private func define(_ log: ThreadLog, again: Bool) -> UInt32 {
        log.define(objectOfType: type, label: Registry.shared.label(of: self), word: &word, again: again)
    }

    fileprivate func isKnown(in generation: UInt32) -> Bool {
        UInt32(truncatingIfNeeded: weir_load_acquire_u64(&word) >> 32) == generation
    }

    /// Its code in the recording; nil: that does not know it.
    fileprivate func code(in session: UInt32) -> UInt32? {
        let known = weir_load_acquire_u64(&word)
        return UInt32(truncatingIfNeeded: known >> 32) >= session ? UInt32(truncatingIfNeeded: known) : nil
    }

    /// Says its name, which it did not have when it was defined.
    private func redefine(_ log: ThreadLog) { _ = define(log, again: true) }

    func recordTracked(_ log: ThreadLog) {
        guard log.isReady(weir_recording()) else { return }
        log.object(.objectTracked, code(log))
    }

    func record(_ news: Registry.News?, _ log: ThreadLog) {
        switch news {
        case .isTracked: recordTracked(log)
        case .hasName: redefine(log)
        case nil: break
        }
    }

    /// Records that it should be gone by the next checkpoint.
    func recordExpected(_ log: ThreadLog) {
        guard log.isReady(weir_recording()) else { return }
        log.object(.objectExpected, code(log))
        if isExpected(in: log.session) { return }
        weir_store_u64(&expectation, UInt64(log.session))
        Registry.shared.expectRelease(of: self)
    }

    fileprivate func isExpected(in session: UInt32) -> Bool { weir_load_u64(&expectation) == UInt64(session) }

    func recordIfReleased(_ log: ThreadLog) { recordRelease(log, again: false) }

    /// Records that it is gone: once in a recording, or `again`, once in a generation.
    private func recordRelease(_ log: ThreadLog, again: Bool) {
        guard object == nil, log.isReady(weir_recording()), log.knows(weir_load_u64(&word)) else { return }
        let last = weir_load_u64(&release)
        guard last < UInt64(again ? log.generation : log.session),
            weir_compare_exchange_u64(&release, last, UInt64(log.generation))
        else { return }
        log.object(.objectReleased, code(log))
    }
}
