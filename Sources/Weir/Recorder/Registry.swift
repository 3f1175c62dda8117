import CWeir
import WeirHeap
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
    private var objects = TrackedTable()
    /// Those that say themselves when they end.
    private var telling: [ObjectIdentifier: TrackedObject] = [:]
    /// Gone, and their addresses given to others before a sweep.
    private var departed: [TrackedObject] = []
    /// Those that should be gone, as some recording was told.
    private var expected: [TrackedObject] = []
    private var limit = 64
    private var lastNumber: UInt64 = 0
    /// The generation in which all objects up to a number were last made known.
    private var lookedForUnknown: (generation: UInt32, number: UInt64) = (0, 0)

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
            if let old = objects.update(new, identity) { departed.append(old) }
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
            objects.remove(tracked, identity)
            if let old = telling.updateValue(tracked, forKey: identity) { departed.append(old) }
        }
    }

    /// Records that the object is gone, and forgets it; if it is not, its end will be looked for.
    func ended(_ tracked: TrackedObject, identity: ObjectIdentifier) {
        let isGone = tracked.isGone
        lock.withLock {
            guard telling[identity] === tracked else { return }
            telling[identity] = nil
            if !isGone { _ = objects.update(tracked, identity) }
        }
        if isGone, weir_recording() != 0 { tracked.recordIfReleased(ThreadLog()) }
    }

    func label(of object: TrackedObject) -> String? { lock.withLock { object.label } }

    /// Defines what the recording does not know yet: it was tracked before that began.
    func defineAll(_ log: ThreadLog) {
        let generation = log.generation
        let unknown: [TrackedObject] = lock.withLock {
            if lookedForUnknown == (generation, lastNumber) { return [] }
            lookedForUnknown = (generation, lastNumber)
            return objects.filter { !$0.isKnown(in: generation) }
                + telling.values.filter { !$0.isKnown(in: generation) }
        }
        for object in unknown.sorted(by: { $0.number < $1.number }) {
            guard log.isReady(weir_recording()), object.code(log) != 0 else {
                lock.withLock { lookedForUnknown.generation = 0 }
                return
            }
        }
    }

    /// Whether an object that should be gone by now, as the recording was told, is alive.
    func hasOverdue(in session: UInt32) -> Bool {
        lock.withLock { expected }.contains { $0.isExpected(in: session) && !$0.isGone }
    }

    func expectRelease(of object: TrackedObject) { lock.withLock { expected.append(object) } }

    /// Whether any object is tracked, which may be gone.
    var tracksAny: Bool { lock.withLock { !objects.isEmpty || !telling.isEmpty } }

    /// Hands `body` each object that is alive, and that the recording knows; where no other thread is, or in the lock.
    func forEachTracked(of session: UInt32, _ body: (TrackedObject, AnyObject, _ code: UInt32) -> Void) {
        func hand(_ tracked: TrackedObject) {
            guard let code = tracked.code(in: session), let object = tracked.object else { return }
            body(tracked, object, code)
        }
        objects.forEach(hand)
        telling.values.forEach(hand)
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
        let gone = all.gone
        if !gone.isEmpty { lock.withLock { for (identity, object) in gone { objects.remove(object, identity) } } }
        let met = Set(expected.filter(\.isGone).map(ObjectIdentifier.init))
        if !met.isEmpty { lock.withLock { self.expected.removeAll { met.contains(ObjectIdentifier($0)) } } }
        for object in before { object.recordIfReleased(log) }
        for (_, object) in gone.sorted(by: { $0.object.number < $1.object.number }) { object.recordIfReleased(log) }
    }
}
