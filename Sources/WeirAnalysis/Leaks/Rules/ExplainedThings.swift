import WeirTrace

/// Things that other findings report, and things that these hold or own: they need no finding of their own.
struct ExplainedThings {
    private(set) var nodes: Set<UInt32> = []
    private(set) var subscriptions: Set<UInt32>
    private(set) var objects: Set<UInt32>

    /// Collects the garbage in a snapshot, these objects and subscriptions, and everything that they hold or own.
    init(
        objects: Set<UInt32>, subscriptions: Set<UInt32>, in snapshot: TraceSnapshot, _ topology: Topology
    ) {
        (self.objects, self.subscriptions) = (objects, subscriptions)
        let own = self
        let verdicts = snapshot.alongWays(false) { place, isHeldBySuch in
            isHeldBySuch || own.isReported(snapshot.objects[place])
        }
        for (object, verdict) in zip(snapshot.objects, verdicts) where verdict {
            switch object.identity {
            case .node(let id): nodes.insert(id)
            case .subscription(let id): self.subscriptions.insert(id)
            case .object(let id): self.objects.insert(id)
            case .none: break
            }
        }
        for subscription in topology.subscriptions {
            if let owner = subscription.owner, self.objects.contains(owner) {
                self.subscriptions.insert(subscription.id)
            }
        }
        for id in topology.nodeIDs {
            if let owner = topology.definitions.nodes[id]?.owner, self.objects.contains(owner) { nodes.insert(id) }
        }
    }

    private func isReported(_ object: SnapshotObject) -> Bool {
        object.isGarbage || object.trackedObject.map(objects.contains) ?? false
            || object.subscription.map(subscriptions.contains) ?? false
    }
}
