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

    /// The first object on the way that holds the one at `place` that was expected to be gone; nil: none.
    func overdueHolder(of place: Int) -> Int? {
        let held = UInt32(place)
        return snapshot.way(to: place).lazy.map(\.source)
            .first { $0 != held && isExpected(snapshot.objects[Int($0)]) }.map(Int.init)
    }

    /// The object at a place, as one that hangs on another.
    func companion(_ place: Int) -> LeakCompanion {
        let object = snapshot.objects[place]
        return LeakCompanion(
            id: object.trackedObject, type: object.type, isLate: object.trackedObject.map(isLate) ?? false)
    }

    /// The ids of the subscriptions on a way, from outside to the object.
    func subscriptions(on way: [SnapshotReference]) -> [UInt32] {
        way.flatMap { [snapshot.object($0.source)?.subscription, snapshot.object($0.target)?.subscription] }
            .reduce(into: []) { found, id in if let id, found.last != id { found.append(id) } }
    }
}
