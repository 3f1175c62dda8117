import CWeir
import WeirTrace

/// What adoption says of a node.
struct Adoption {
    let label: String
    let owner: TrackedObject
}

/// Which nodes have been adopted, by whom. Guards `Node.adoption`.
final class Registry: @unchecked Sendable {
    static let shared = Registry()

    private let lock = SystemLock()
    private var objects: [ObjectIdentifier: TrackedObject] = [:]
    /// Gone, and their addresses given to others before a sweep.
    private var departed: [TrackedObject] = []
    private var limit = 64

    func adoption(of node: Node) -> Adoption? {
        weir_load_bool(&node.isAdopted) ? lock.withLock { node.adoption } : nil
    }

    /// Labels `nodes` as parts of `object`; the first owner of a node keeps it. Returns those that are new to it.
    func adopt(_ nodes: [(node: Node, label: String)], by object: TrackedObject) -> [Node] {
        nodes.compactMap { node, label in
            // Asked outside of the lock: this may hold, and then release, the last reference to the owner.
            let former = adoption(of: node)?.owner
            guard former?.object == nil else { return nil }
            return lock.withLock {
                guard node.adoption?.owner === former else { return nil }
                node.adoption = Adoption(label: label, owner: object)
                weir_store_bool(&node.isAdopted, true)
                return node
            }
        }
    }

    /// What stands for `object`; made, and `isNew`, if it was not yet tracked.
    func track(_ object: AnyObject, typeName: String, label: String?) -> (object: TrackedObject, isNew: Bool) {
        purge()
        return lock.withLock {
            let identity = ObjectIdentifier(object)
            // The caller holds `object`, and what had its address before is gone: no last reference ends here.
            if let known = objects[identity], known.object === object { return (known, false) }
            let new = TrackedObject(object, typeName: typeName, label: label)
            if let old = objects.updateValue(new, forKey: identity) { departed.append(old) }
            return (new, true)
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
        let (all, before) = lock.withLock { () -> ([ObjectIdentifier: TrackedObject], [TrackedObject]) in
            defer { departed = [] }
            return (objects, departed)
        }
        // Outside of the lock: asking may hold, and then release, the last reference, and with it run anything.
        let gone = all.filter { $0.value.object == nil }
        if !gone.isEmpty {
            lock.withLock {
                for (identity, object) in gone where objects[identity] === object { objects[identity] = nil }
            }
        }
        for object in before { object.recordIfReleased(log) }
        for object in gone.values { object.recordIfReleased(log) }
    }
}

/// An adopted object; not held.
final class TrackedObject: @unchecked Sendable {
    private(set) weak var object: AnyObject?
    private let typeName: String
    private let label: String?
    @exclusivity(unchecked) private var word: UInt64 = 0
    @exclusivity(unchecked) private var isReleaseRecorded = false

    init(_ object: AnyObject, typeName: String, label: String?) {
        self.object = object
        self.typeName = typeName
        self.label = label
    }

    func code(_ log: ThreadLog) -> UInt32 {
        let known = weir_load_acquire_u64(&word)
        if UInt32(truncatingIfNeeded: known >> 32) == log.generation { return UInt32(truncatingIfNeeded: known) }
        return log.define(objectOfType: typeName, label: label, word: &word)
    }

    func recordTracked(_ log: ThreadLog) {
        guard log.isReady(weir_recording()) else { return }
        log.object(.objectTracked, code(log))
    }

    func recordIfReleased(_ log: ThreadLog) {
        guard object == nil, log.isReady(weir_recording()), log.knows(weir_load_u64(&word)) else { return }
        guard !weir_exchange_bool(&isReleaseRecorded, true) else { return }
        log.object(.objectReleased, code(log))
    }
}
