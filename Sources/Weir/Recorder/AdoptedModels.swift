import CWeir
import Dispatch
import WeirTrace

/// The models that were adopted on the main queue, to be looked through again for what they have come to hold.
///
/// Not each time: only when nodes without a name have been defined since, and, between checkpoints, less and less often while
/// that finds nothing; and a few at a time, so that a moment costs the same however many there are. Only on the main queue, as no
/// other thread may change a model while it is read.
final class AdoptedModels: @unchecked Sendable {  // The lock guards what varies; `unnamed` is atomic.
    static let shared = AdoptedModels()

    private struct Root {
        let object: TrackedObject
        let name: String?
        let order: UInt64
    }

    /// Most moments that go by between two looks at all.
    private static let longestPause: UInt32 = 63
    /// Most models that are looked through at one moment; in a release build each costs some 6 µs.
    private static let mostAtMoment = 8
    /// Most models that are looked through at a checkpoint.
    static let mostAtCheckpoint = 64

    private let lock = SystemLock()
    private var roots: [ObjectIdentifier: Root] = [:]
    /// The roots in a circle, and which of them is the next to be looked through.
    private var circle: [ObjectIdentifier] = []
    private var next = 0
    /// How many are still to be looked through in this round, and what `unnamed` was when it began.
    private var left = 0
    private var unnamedBefore: UInt64 = 0
    private var limit = 64
    private var lastOrder: UInt64 = 0
    /// Nodes that were defined without a name, in all recordings.
    @exclusivity(unchecked) private var unnamed: UInt64 = 0
    /// As many of them as there were when the last round began that is over.
    private var seen: UInt64 = 0
    private var pause: UInt32 = 0
    private var rest: UInt32 = 0

    private init() {}

    /// A node was defined that nobody has named.
    func countUnnamed() { _ = weir_add_u64(&unnamed, 1) }

    /// Names what can be reached from `model`, now and later.
    func adopt(_ model: AnyObject, as name: String?) {
        let object = look(through: model, as: name).object
        guard MainQueue.isCurrent else { return }
        purge()
        lock.withLock {
            lastOrder += 1
            let root = Root(object: object, name: name, order: lastOrder)
            if roots.updateValue(root, forKey: ObjectIdentifier(model)) == nil {
                // It comes next.
                circle.append(ObjectIdentifier(model))
                circle.swapAt(next, circle.count - 1)
                if left > 0 { left += 1 }
            }
            // That other models hold nothing new says nothing of this one.
            (pause, rest) = (0, 0)
        }
    }

    /// Between checkpoints: looks for models that were made since, if there is reason to.
    func lookAgainIfDue() {
        if _fastPath(weir_load_u64(&unnamed) == weir_load_u64(&seen)) { return }
        guard MainQueue.isCurrent else { return }
        let isDue = lock.withLock {
            if rest > 0 { rest -= 1 } else { return true }
            return false
        }
        if isDue { lookAgain(atMost: Self.mostAtMoment) }
    }

    /// Looks for models that were made since, in as many of the adopted ones.
    func lookAgain(atMost most: Int) {
        guard weir_load_u64(&unnamed) != weir_load_u64(&seen) || followsClasses, MainQueue.isCurrent else { return }
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

    /// Those whose turn it is, each once. Inside the lock.
    private func nextRoots(atMost most: Int) -> [Root] {
        if left == 0 || most >= circle.count { (left, unnamedBefore) = (circle.count, weir_load_u64(&unnamed)) }
        let count = min(most, left)
        let turn = (0..<count).compactMap { roots[circle[(next + $0) % circle.count]] }
        next = circle.isEmpty ? 0 : (next + count) % circle.count
        left -= count
        if left == 0 { weir_store_u64(&seen, unnamedBefore) }
        return turn.sorted { $0.order < $1.order }
    }

    /// Whether a model that comes up may be of a class of which all models are followed.
    private var followsClasses: Bool {
        if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) { return ObservedClasses.shared.followsAny }
        return false
    }

    /// Names what a property of `model` has come to hold, and begins to follow it; to be called where that may be read.
    ///
    /// - Parameter isPrivate: whether the property is, so that its keys and indices stay out of names.
    func look(in value: Any, of model: AnyObject, as path: String, isProvisional: Bool, isPrivate: Bool) {
        let walk = ModelWalk(in: value, of: model, name: path, isProvisional: isProvisional, isPrivate: isPrivate)
        _ = name(walk, as: nil, isProvisional: isProvisional)
    }

    /// Names the nodes of `model` and of the models in it that have no name yet.
    private func look(through model: AnyObject, as name: String?) -> (object: TrackedObject, found: Bool) {
        let walk = ModelWalk(from: model, name: name ?? RuntimeNames.name(of: type(of: model)))
        let (root, found) = self.name(walk, root: model, as: name)
        // The first model that the walk finds is the one that it begins at.
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
            for node in adopted { _ = node.redefine(log, again: true) }
        }
        if let path = walk.firstLeftOut { LeftOutModels.shared.note(walk.leftOut, at: path) }
        return (rootObject, found)
    }

    /// Forgets models that are gone.
    private func purge() {
        let all = lock.withLock { () -> [ObjectIdentifier: Root] in roots.count < limit ? [:] : roots }
        if all.isEmpty { return }
        // Asked outside of the lock: this may hold, and then release, the last reference, and with it run anything.
        let gone = all.filter { $0.value.object.isGone }
        lock.withLock {
            for (identity, root) in gone where roots[identity]?.order == root.order { roots[identity] = nil }
            circle = roots.sorted { $0.value.order < $1.value.order }.map(\.key)
            (next, left) = (0, 0)
            limit = max(64, roots.count * 2)
        }
    }
}
