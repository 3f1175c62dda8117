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
    private var objects: [TrackedObject] = []

    func adoption(of node: Node) -> Adoption? { lock.withLock { node.adoption } }

    /// Labels `nodes` as parts of `object`; the first owner of a node keeps it. Returns those that are new to it.
    func adopt(_ nodes: [(node: Node, label: String)], by object: TrackedObject) -> [Node] {
        lock.withLock {
            objects.append(object)
            return nodes.compactMap { node, label in
                guard node.adoption == nil || node.adoption?.owner.object == nil else { return nil }
                node.adoption = Adoption(label: label, owner: object)
                return node
            }
        }
    }

    func isTracked(_ object: AnyObject) -> Bool {
        lock.withLock { objects.contains { $0.object === object } }
    }

    /// Records the end of objects that are gone, and forgets them.
    func sweep(_ log: ThreadLog) {
        let gone = lock.withLock { () -> [TrackedObject] in
            guard objects.contains(where: { $0.object == nil }) else { return [] }
            defer { objects.removeAll { $0.object == nil } }
            return objects.filter { $0.object == nil }
        }
        for object in gone { object.recordIfReleased(log) }
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
        guard object == nil, log.isReady(weir_recording()), log.knows(word) else { return }
        guard !weir_exchange_bool(&isReleaseRecorded, true) else { return }
        log.object(.objectReleased, code(log))
    }
}
