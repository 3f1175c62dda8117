import WeirTrace

/// What the rules look at: a snapshot, what was expected, and what else a trace tells.
struct LeakScene {
    let snapshot: TraceSnapshot
    /// The number of the snapshot; nil: there is no other.
    let number: UInt32?
    /// Whether an object of the snapshot was expected to be gone.
    let isExpected: (SnapshotObject) -> Bool
    /// The deadline that an object missed.
    var missed: (UInt32) -> ObjectLife.Deadline? = { _ in nil }
    /// Whether an object was released after all.
    var isLate: (UInt32) -> Bool = { _ in false }
    /// The ids of the subscriptions that work for an object.
    var ownedSubscriptions: [UInt32: [UInt32]] = [:]

    /// For each object the first on the way that holds it that was expected to be gone, perhaps itself; nil: none.
    private let firstOverdue: [Int?]
    /// For each object the one that is held from outside, at the beginning of its way.
    private let heads: [Int]

    init(snapshot: TraceSnapshot, number: UInt32? = nil, isExpected: @escaping (SnapshotObject) -> Bool) {
        self.snapshot = snapshot
        self.number = number
        self.isExpected = isExpected
        firstOverdue = snapshot.alongWays(nil) { place, first in
            first ?? (isExpected(snapshot.objects[place]) ? place : nil)
        }
        heads = snapshot.alongWays(-1) { place, head in head < 0 ? place : head }
    }

    /// The first object on the way that holds the one at `place` that was expected to be gone; nil: none.
    func overdueHolder(of place: Int) -> Int? {
        firstOverdue[place].flatMap { $0 == place ? nil : $0 }
    }

    /// Whether a static or global variable is known to hold one of these objects.
    func isHeldByVariable(_ places: [Int]) -> Bool {
        places.contains {
            snapshot.objects[heads[$0]].outsideName != nil && !snapshot.objects[heads[$0]].isHolderGuessed
        }
    }

    /// The object at a place, as one that hangs on another.
    func companion(_ place: Int) -> LeakCompanion {
        let object = snapshot.objects[place]
        return LeakCompanion(
            id: object.trackedObject, type: object.type, isLate: object.trackedObject.map(isLate) ?? false)
    }

    /// The ids of the subscriptions on the way to an object, from outside; of the part of it that findings look at.
    func subscriptions(onWayTo place: Int) -> [UInt32] {
        snapshot.way(to: place, most: LeakSignature.mostReferences).flatMap {
            [snapshot.object($0.source)?.subscription, snapshot.object($0.target)?.subscription]
        }
        .reduce(into: []) { found, id in if let id, found.last != id { found.append(id) } }
    }
}
