import WeirTrace

/// What other findings than those of growth tell, and what hangs on that: it needs no finding of its own.
struct ExplainedThings {
    private(set) var nodes: Set<UInt32> = []
    private(set) var subscriptions: Set<UInt32>
    private(set) var objects: Set<UInt32>

    /// What is garbage in a snapshot, these objects and subscriptions, and what they hold or own.
    init(
        objects: Set<UInt32>, subscriptions: Set<UInt32>, in snapshot: TraceSnapshot, _ topology: Topology
    ) {
        (self.objects, self.subscriptions) = (objects, subscriptions)
        var verdicts = [Bool?](repeating: nil, count: snapshot.objects.count)
        for place in snapshot.objects.indices {
            // Up the way that holds it, to what is known already.
            var (way, next, verdict) = ([Int](), Optional(place), false)
            while let place = next, way.count <= snapshot.objects.count {
                if let known = verdicts[place] {
                    verdict = known
                    break
                }
                way.append(place)
                if isTold(snapshot.objects[place]) {
                    verdict = true
                    break
                }
                next = snapshot.source(holding: place)
            }
            for place in way { verdicts[place] = verdict }
        }
        for (object, verdict) in zip(snapshot.objects, verdicts) where verdict == true {
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

    private func isTold(_ object: SnapshotObject) -> Bool {
        object.isGarbage || object.trackedObject.map(objects.contains) ?? false
            || object.subscription.map(subscriptions.contains) ?? false
    }
}
