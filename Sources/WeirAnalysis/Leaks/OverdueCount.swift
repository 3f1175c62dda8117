import WeirTrace

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
