import WeirTrace

/// The input of the rules: a snapshot, expectations, and further facts from a trace.
struct LeakScene {
    let snapshot: TraceSnapshot
    /// The number of the snapshot; nil if there is no other.
    let number: UInt32?
    /// Whether an object of the snapshot was expected to be gone.
    let isExpected: (SnapshotObject) -> Bool
    /// The deadline that an object missed.
    var missed: (UInt32) -> ObjectLife.Deadline? = { _ in nil }
    /// Whether an object was released after all.
    var isLate: (UInt32) -> Bool = { _ in false }
    /// The ids of the subscriptions that work for an object or bring values into its nodes.
    var ownedSubscriptions: [UInt32: [UInt32]] = [:]
    /// The definitions of the trace; nil if there is none.
    var definitions: TraceDefinitions?

    /// For each garbage object that a weak reference from outside leads to, the object that this reference reaches.
    private let weaklyReached: [Int: Int]
    /// For each object, the first object on its path that was expected to be gone, perhaps itself; nil if none.
    private let firstOverdue: [Int?]
    /// For each object, the object at the beginning of its path, which is held from outside.
    private let heads: [Int]

    init(snapshot: TraceSnapshot, number: UInt32? = nil, isExpected: @escaping (SnapshotObject) -> Bool) {
        self.snapshot = snapshot
        self.number = number
        self.isExpected = isExpected
        weaklyReached = snapshot.weaklyReached()
        firstOverdue = snapshot.alongWays(nil) { place, first in
            first ?? (isExpected(snapshot.objects[place]) ? place : nil)
        }
        heads = snapshot.alongWays(-1) { place, head in head < 0 ? place : head }
    }

    /// The first object on the path to `place` that was expected to be gone, without the object itself; nil if none.
    func overdueHolder(of place: Int) -> Int? {
        firstOverdue[place].flatMap { $0 == place ? nil : $0 }
    }

    /// The object through which a weak reference from outside reaches one of these garbage objects; nil if none does.
    func weakEntry(to places: [Int]) -> Int? { places.lazy.compactMap { weaklyReached[$0] }.first }

    /// Whether a static or global variable is known to hold one of these objects, or a static object holds it or is it.
    func isHeldPermanently(_ places: [Int]) -> Bool { places.contains { snapshot.objects[heads[$0]].isPermanent } }

    /// The static or global variable that holds an object or the beginning of its path; nil if none is known.
    private func variable(holding place: Int) -> String? {
        snapshot.objects[heads[place]].outsideVariable
    }

    /// The signature of the path that holds an object.
    func signature(ofWayTo place: Int) -> LeakSignature {
        LeakSignature(wayTo: place, from: variable(holding: place), in: snapshot)
    }

    /// The subscriptions through which an object receives values, of those on its path and those that work for it.
    ///
    /// Only the last operator of a chain counts: each value arrives there once.
    func receivers(of id: UInt32, onWay subscriptions: [UInt32] = []) -> [UInt32] {
        let all = subscriptions + (ownedSubscriptions[id] ?? [])
        let sources = Set(all.compactMap { definitions?.subscriptions[$0]?.source })
        return all.filter { definitions?.subscriptions[$0]?.target.map(sources.contains) != true }
    }

    /// The object at an index, as a companion of the object that holds it.
    func companion(_ place: Int) -> LeakCompanion {
        let object = snapshot.objects[place]
        return LeakCompanion(
            id: object.trackedObject, type: object.type, isLate: object.trackedObject.map(isLate) ?? false)
    }

    /// The ids of the subscriptions on the path to an object, outermost first, in the part of the path that findings look at.
    func subscriptions(onWayTo place: Int) -> [UInt32] {
        snapshot.way(to: place, most: LeakSignature.mostReferences).flatMap {
            [snapshot.object($0.source)?.subscription, snapshot.object($0.target)?.subscription]
        }
        .reduce(into: []) { found, id in if let id, found.last != id { found.append(id) } }
    }
}

/// The nodes, subscriptions and tracked objects that should be gone, each once.
struct OverdueCount {
    private(set) var identities: Set<TracedThing> = []
    let garbage: Int

    /// A node, subscription or object that the trace knows.
    enum TracedThing: Hashable {
        case node(UInt32), subscription(UInt32), object(UInt32)
    }

    /// Counts the garbage in a scene's snapshot that no weak reference reaches, and the objects that were expected to be gone.
    init(_ scene: LeakScene, isExpected: (SnapshotObject) -> Bool) {
        for (place, object) in scene.snapshot.objects.enumerated() where object.isGarbage {
            if let thing = object.identity.thing, scene.weakEntry(to: [place]) == nil { identities.insert(thing) }
        }
        garbage = identities.count
        for object in scene.snapshot.objects where isExpected(object) {
            if let thing = object.identity.thing { identities.insert(thing) }
        }
    }

    /// Adds what the trace shows beyond the snapshot.
    mutating func take(_ instance: LeakInstance, _ pass: LeakPass) {
        if case .orphan(let id) = instance.example { identities.insert(.subscription(id)) }
        guard instance.rule == .outlivedScope else { return }
        for id in instance.expected + instance.companions.compactMap(\.id) {
            if pass.lives.object(id)?.life == .alive {
                identities.insert(.object(id))
            } else {
                identities.remove(.object(id))
            }
        }
    }
}

extension SnapshotObject.Identity {
    fileprivate var thing: OverdueCount.TracedThing? {
        switch self {
        case .none: nil
        case .node(let id): .node(id)
        case .subscription(let id): .subscription(id)
        case .object(let id): .object(id)
        }
    }
}
