#if Recording
import CWeirCore
import Dispatch
import WeirRecording

/// The models that were adopted on the main queue, which are searched again for new models in their properties.
///
/// They are searched only if nodes without a name have been defined since; between checkpoints, less and less often while nothing
/// is found; and a few at a time, so that each search costs the same for any number of models. They are searched only on the main
/// queue, because no other thread may change a model while it is read.
final class AdoptedModels: @unchecked Sendable {  // The lock guards the mutable state; `unnamed` is atomic.
    static let shared = AdoptedModels()

    private struct Root {
        let object: TrackedObject
        let name: String?
        let order: UInt64
    }

    /// The maximum number of searches that are skipped between two rounds.
    private static let longestPause: UInt32 = 63
    /// The maximum number of models per search; in a release build each costs about 6 µs.
    private static let mostAtMoment = 8
    /// The maximum number of models per checkpoint.
    static let mostAtCheckpoint = 64

    private let lock = SystemLock()
    private var roots: [ObjectIdentifier: Root] = [:]
    /// The roots in cyclic order, and the index of the next one to search.
    private var rotation: [ObjectIdentifier] = []
    private var next = 0
    /// The number of roots left in this round, and the value of `unnamed` when it began.
    private var left = 0
    private var unnamedBefore: UInt64 = 0
    private var limit = 64
    private var lastOrder: UInt64 = 0
    /// The number of nodes defined without a name, in all recordings.
    @exclusivity(unchecked) nonisolated(unsafe) private static var unnamed: UInt64 = 0
    /// The value of `unnamed` when the last finished round began.
    private var seen: UInt64 = 0
    private var pause: UInt32 = 0
    private var rest: UInt32 = 0

    private init() {}

    /// Counts a node that was defined without a name.
    static func countUnnamed() { _ = weir_add_u64(&unnamed, 1) }

    /// Names everything that can be reached from `model`, now and later.
    func adopt(_ model: AnyObject, as name: String?) {
        if let nodes = Self.nodes(of: model, as: name ?? "") { return adopt(nodes, as: name) }
        let object = look(through: model, as: name).object
        guard MainQueue.isCurrent else { return }
        purge()
        lock.withLock {
            lastOrder += 1
            let root = Root(object: object, name: name, order: lastOrder)
            if roots.updateValue(root, forKey: ObjectIdentifier(model)) == nil {
                // It comes next.
                rotation.append(ObjectIdentifier(model))
                rotation.swapAt(next, rotation.count - 1)
                if left > 0 { left += 1 }
            } else if let place = rotation.firstIndex(of: ObjectIdentifier(model)) {
                // So does one at the address of a released model; a new round begins with it.
                rotation.swapAt(next, place)
                left = 0
            }
            // Other models without news do not delay the search of this one.
            (pause, rest) = (0, 0)
        }
    }

    /// The nodes of an observable, a signal or a command, which is no model; nil for a model.
    private static func nodes(of object: AnyObject, as name: String) -> [(node: Node, label: String)]? {
        let (node, composite) = (object as? Node, object as? any Composite)
        guard node != nil || composite != nil else { return nil }
        return (node.map { [($0.tracedNode, name)] } ?? [])
            + (composite?.parts.map { ($0.node.tracedNode, "\(name).\($0.name)") } ?? [])
    }

    private func adopt(_ nodes: [(node: Node, label: String)], as name: String?) {
        guard name != nil else { return LeftOutModels.shared.noteUnnamed() }
        let adopted = Registry.shared.adopt(nodes, by: nil)
        let log = ThreadLog()
        guard weir_recording() != 0, log.isReady(weir_recording()) else { return }
        for node in adopted where !node.isLeftOut { _ = node.redefine(log, again: true) }
    }

    /// Searches for models that were made since, if due; called between checkpoints.
    func lookAgainIfDue() {
        if _fastPath(weir_load_u64(&Self.unnamed) == weir_load_u64(&seen)) { return }
        guard MainQueue.isCurrent else { return }
        let isDue = lock.withLock {
            if rest > 0 { rest -= 1 } else { return true }
            return false
        }
        if isDue { lookAgain(atMost: Self.mostAtMoment) }
    }

    /// Searches at most `most` adopted models for models that were made since.
    func lookAgain(atMost most: Int) {
        guard weir_load_u64(&Self.unnamed) != weir_load_u64(&seen) || followsClasses, MainQueue.isCurrent else {
            return
        }
        if most >= Self.mostAtCheckpoint { purge(from: Self.mostAtCheckpoint) }
        var found = false
        for root in lock.withLock({ nextRoots(atMost: most) }) {
            guard let model = root.object.object else { continue }
            if look(through: model, as: root.name).found { found = true }
        }
        lock.withLock {
            if found { pause = 0 } else if left == 0 { pause = min(pause * 2 + 1, Self.longestPause) }
            rest = left == 0 ? pause : 0
        }
    }

    /// The next roots in order, each once. Called inside the lock.
    private func nextRoots(atMost most: Int) -> [Root] {
        if left == 0 || most >= rotation.count {
            (left, unnamedBefore) = (rotation.count, weir_load_u64(&Self.unnamed))
        }
        let count = min(most, left)
        let turn = (0..<count).compactMap { roots[rotation[(next + $0) % rotation.count]] }
        next = rotation.isEmpty ? 0 : (next + count) % rotation.count
        left -= count
        if left == 0 { weir_store_u64(&seen, unnamedBefore) }
        return turn.sorted { $0.order < $1.order }
    }

    /// Whether a newly found model may belong to a class whose models are all followed.
    private var followsClasses: Bool {
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) { return ObservedClasses.shared.followsAny }
        return false
    }

    /// Names the models that a property of `model` now holds, and begins to follow them; called where the property may be read.
    ///
    /// - Parameter isPrivate: whether the property is private, so that its keys and indices stay out of names.
    func look(in value: Any, of model: AnyObject, as path: String, isProvisional: Bool, isPrivate: Bool) {
        let walk = ModelWalk(in: value, of: model, name: path, isProvisional: isProvisional, isPrivate: isPrivate)
        _ = name(walk, as: nil, isProvisional: isProvisional)
    }

    /// Names the models in `model`, which is followed with all its properties, until it is adopted; follows these too.
    func lookAround(_ model: AnyObject, as name: String) {
        let walk = ModelWalk(from: model, name: name, isProvisional: true)
        _ = self.name(walk, as: nil, isProvisional: true)
    }

    /// Names the unnamed nodes of `model` and of the models in it.
    private func look(through model: AnyObject, as name: String?) -> (object: TrackedObject, found: Bool) {
        let walk = ModelWalk(from: model, name: name ?? RuntimeNames.distinctName(of: type(of: model)))
        let (root, found) = self.name(walk, root: model, as: name)
        // The first model that the walk finds is its starting point.
        return (root ?? Registry.shared.track(model, label: name).object, found)
    }

    private func name(
        _ walk: ModelWalk, root: AnyObject? = nil, as name: String?, isProvisional: Bool = false
    ) -> (root: TrackedObject?, found: Bool) {
        let log = ThreadLog()
        var found = false
        var rootObject: TrackedObject?
        for family in walk.models {
            let isRoot = family.model === root
            guard isRoot || !family.nodes.isEmpty else { continue }
            let (object, news) = Registry.shared.track(family.model, label: isRoot ? name : nil)
            if isRoot { rootObject = object }
            let adopted = Registry.shared.adopt(family.nodes, by: object, isProvisional: isProvisional)
            if !adopted.isEmpty { found = true }
            guard weir_recording() != 0, log.isReady(weir_recording()) else { continue }
            object.record(news, log)
            for node in adopted where !node.isLeftOut { _ = node.redefine(log, again: true) }
        }
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) { ModelRecords.followHeld(in: walk) }
        if let path = walk.firstLeftOut { LeftOutModels.shared.note(walk.leftOut, at: path) }
        return (rootObject, found)
    }

    /// Removes models that have been released, if there are at least so many; nil: if there may be many.
    private func purge(from count: Int? = nil) {
        let all = lock.withLock { () -> [ObjectIdentifier: Root] in roots.count < count ?? limit ? [:] : roots }
        if all.isEmpty { return }
        // Checked outside of the lock: this may hold and then release the last reference, and so run any code.
        let gone = all.filter { $0.value.object.isGone }
        lock.withLock {
            for (identity, root) in gone where roots[identity]?.order == root.order { roots[identity] = nil }
            limit = max(64, roots.count * 2)
            if gone.isEmpty { return }
            // Another round begins, at the root that comes next.
            rotation = (rotation[next...] + rotation[..<next]).filter { roots[$0] != nil }
            (next, left) = (0, 0)
        }
    }
}
#endif
