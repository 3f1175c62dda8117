import WeirTrace

/// What the rules look at: a snapshot, what was expected, and what else a trace tells.
struct LeakScene {
    let snapshot: TraceSnapshot
    /// The number of the snapshot; nil: there is no other.
    var number: UInt32?
    /// Whether an object of the snapshot was expected to be gone.
    let isExpected: (SnapshotObject) -> Bool
    /// The deadline that an object missed.
    var missed: (UInt32) -> ObjectLife.Deadline? = { _ in nil }
    /// Whether an object was released after all.
    var isLate: (UInt32) -> Bool = { _ in false }
    /// The ids of the subscriptions that work for an object.
    var ownedSubscriptions: [UInt32: [UInt32]] = [:]

    /// What one of these is garbage for, `retain-cycle` tells.
    var hasProvenCircle: Bool { snapshot.circles.contains(where: \.isProven) }

    /// The ids of the subscriptions on a way, from outside to the object.
    func subscriptions(on way: [SnapshotReference]) -> [UInt32] {
        way.flatMap { [snapshot.object($0.source)?.subscription, snapshot.object($0.target)?.subscription] }
            .reduce(into: []) { found, id in if let id, found.last != id { found.append(id) } }
    }
}
