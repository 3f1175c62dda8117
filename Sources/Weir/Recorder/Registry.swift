#if Recording
import CWeirCore
import WeirRecording

/// The label and the owner that adoption gives to a node.
struct Adoption {
    let label: String
    /// Nil for a node that was adopted itself.
    let owner: TrackedObject?
    /// Adoption with another name replaces this one.
    var isProvisional = false
}

/// The program's annotations of a node.
final class Remarks {
    var adoption: Adoption?
    /// The declared intentions; each once.
    var intentions: [IntentionDescription] = []
}

/// The registry of adopted nodes, their owners and intentions. Guards `Node.remarks` and the labels of objects.
final class Registry: @unchecked Sendable {  // `lock` guards the mutable state.
    static let shared = Registry()

    let lock = SystemLock()
    /// Objects whose end must be looked for.
    private var objects = TrackedTable()
    /// Objects that report their own end.
    private var selfReporting: [ObjectIdentifier: TrackedObject] = [:]
    /// Released objects whose addresses were reused before a sweep.
    private var departed: [TrackedObject] = []
    /// Objects that a recording expects to be released.
    private var expected: [TrackedObject] = []
    private var growth = TrackedGrowth()
    private var limit = 64
    private var lastNumber: UInt64 = 0
    /// The generation in which all objects up to a number were last defined.
    private var lookedForUnknown: (generation: UInt32, number: UInt64) = (0, 0)

    func adoption(of node: Node) -> Adoption? {
        weir_load_bool(&node.hasRemarks) ? lock.withLock { node.remarks?.adoption } : nil
    }

    func intentions(of node: Node) -> [IntentionDescription] {
        weir_load_bool(&node.hasRemarks) ? lock.withLock { node.remarks?.intentions ?? [] } : []
    }

    /// Stores `intention` with its node; false: it already exists, or there are too many.
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

    /// Called inside the lock.
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

    /// Labels `nodes`, as parts of `object` if there is one; the first name of a node stays until its owner is released. Returns
    /// the newly adopted nodes.
    func adopt(
        _ nodes: [(node: Node, label: String)], by object: TrackedObject?, isProvisional: Bool = false
    ) -> [Node] {
        nodes.compactMap { node, label in
            // Read outside of the lock: this may hold and then release the last reference to the owner.
            let adoption = adoption(of: node)
            let former = adoption?.owner
            if isProvisional, former === object, adoption?.label == label { return nil }
            let isFree = adoption == nil || former.map { $0.object == nil } == true || adoption?.isProvisional == true
            guard isFree else { return nil }
            return lock.withLock {
                let current = node.remarks?.adoption
                guard current?.owner === former, (current == nil) == (adoption == nil) else { return nil }
                remarks(on: node).adoption = Adoption(label: label, owner: object, isProvisional: isProvisional)
                return node
            }
        }
    }

    /// The news about an object.
    enum News { case isTracked, hasName }

    /// The tracked object for `object`; made if it is not yet tracked. Its first name stays.
    func track(_ object: AnyObject, label: String?) -> (object: TrackedObject, news: News?) {
        purge()
        return lock.withLock {
            let identity = ObjectIdentifier(object)
            // The caller holds `object`, and the former object at its address has been released: no last reference ends here.
            if let known = objects[identity] ?? selfReporting[identity], known.object === object {
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

    /// Same as `track`, without a name; also records the news.
    func tracked(_ object: AnyObject) -> TrackedObject {
        let (tracked, news) = track(object, label: nil)
        if weir_recording() != 0, news != nil { tracked.recordTracked(ThreadLog()) }
        return tracked
    }

    /// Registers that `ended` will be called when that object ends: it need not be looked for.
    func expectsToBeNotified(of tracked: TrackedObject) {
        // Held, so that its identity stays unique during this call.
        guard let object = tracked.object else { return }
        lock.withLock {
            let identity = ObjectIdentifier(object)
            guard objects[identity] === tracked else { return }
            objects.remove(tracked, identity)
            if let old = selfReporting.updateValue(tracked, forKey: identity) { departed.append(old) }
        }
    }

    /// Records that the object has been released, and removes it; if it is still alive, its end will be looked for.
    func ended(_ tracked: TrackedObject, identity: ObjectIdentifier) {
        let isGone = tracked.isGone
        lock.withLock {
            guard selfReporting[identity] === tracked else { return }
            selfReporting[identity] = nil
            if !isGone { _ = objects.update(tracked, identity) }
        }
        if isGone, weir_recording() != 0 { tracked.recordIfReleased(ThreadLog()) }
    }

    func label(of object: TrackedObject) -> String? { lock.withLock { object.label } }

    /// Defines the objects that the recording does not know yet because they were tracked before it began.
    ///
    /// An object that an earlier recording knew belongs to that one, until something in this recording mentions it.
    func defineAll(_ log: ThreadLog) {
        let generation = log.generation
        let unknown: [TrackedObject] = lock.withLock {
            if lookedForUnknown == (generation, lastNumber) { return [] }
            lookedForUnknown = (generation, lastNumber)
            let isUnknown = { (object: TrackedObject) in
                !object.isKnown(in: generation) && !object.isOfRecording(before: log.session)
            }
            return objects.filter(isUnknown) + selfReporting.values.filter(isUnknown)
        }
        for object in unknown.sorted(by: { $0.number < $1.number }) {
            guard log.isReady(weir_recording()), object.code(log) != 0 else {
                lock.withLock { lookedForUnknown.generation = 0 }
                return
            }
        }
    }

    /// Whether an object is alive that the recording expects to be released.
    func hasOverdue(in session: UInt32) -> Bool {
        lock.withLock { expected }.contains { $0.isExpected(in: session) && !$0.isGone }
    }

    /// Counts the objects that the recording knows, at a checkpoint.
    func count(atCheckpoint name: String, in session: UInt32) {
        lock.withLock {
            var counts: [ObjectIdentifier: Int] = [:]
            func count(_ tracked: TrackedObject) {
                if tracked.code(in: session) != nil, !tracked.isGone { counts[tracked.typeID, default: 0] += 1 }
            }
            objects.forEach(count)
            selfReporting.values.forEach(count)
            growth.add(counts, at: name, in: session)
        }
    }

    /// Whether objects of any type became more from each checkpoint of one name to the next.
    func hasGrowth(in session: UInt32) -> Bool { lock.withLock { growth.isThere(in: session) } }

    /// All tracked objects; some may have been released.
    var allTracked: [TrackedObject] { lock.withLock { objects.filter { _ in true } + selfReporting.values } }

    /// The number of the registry's own weak references to the live object at an address.
    func weakReferences(to address: UInt) -> Int {
        let identity = unsafeBitCast(address, to: ObjectIdentifier.self)
        return lock.withLock {
            // A reference to a former object at this address does not count.
            (objects[identity] ?? selfReporting[identity]).map { $0.isGone ? 0 : 1 } ?? 0
        }
    }

    func expectRelease(of object: TrackedObject) { lock.withLock { expected.append(object) } }

    /// Whether any object is tracked; it may have been released.
    var tracksAny: Bool { lock.withLock { !objects.isEmpty || !selfReporting.isEmpty } }

    /// Passes each live object that the recording knows to `body`; called inside the lock, or if no other thread is running.
    func forEachTracked(of session: UInt32, _ body: (TrackedObject, AnyObject, _ code: UInt32) -> Void) {
        func hand(_ tracked: TrackedObject) {
            guard let code = tracked.code(in: session), let object = tracked.object else { return }
            body(tracked, object, code)
        }
        objects.forEach(hand)
        selfReporting.values.forEach(hand)
    }

    /// Removes released objects, so that the cost of adoption stays constant, even while nothing is recorded.
    private func purge() {
        let isDue = lock.withLock { objects.count + departed.count > limit }
        if isDue { sweep(ThreadLog()) }
        if isDue { lock.withLock { limit = max(64, objects.count * 2) } }
    }

    /// Records the end of released objects, and removes them.
    func sweep(_ log: ThreadLog) {
        let (all, before, expected) = lock.withLock {
            defer { departed = [] }
            return (objects, departed, self.expected)
        }
        // Outside of the lock: this may hold and then release the last reference, and so run any code.
        let gone = all.gone
        if !gone.isEmpty { lock.withLock { for (identity, object) in gone { objects.remove(object, identity) } } }
        let met = Set(expected.filter(\.isGone).map(ObjectIdentifier.init))
        if !met.isEmpty { lock.withLock { self.expected.removeAll { met.contains(ObjectIdentifier($0)) } } }
        for object in before { object.recordIfReleased(log) }
        for (_, object) in gone.sorted(by: { $0.object.number < $1.object.number }) { object.recordIfReleased(log) }
    }
}
#endif
