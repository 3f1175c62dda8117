import WeirTrace

/// Garbage objects that were expected to be gone but lie on no cycle: each is reported with the cycle that keeps it.
enum GarbageExpectations {
    /// Adds each object to the proven cycle that leads to it, or to the first proven cycle if none is known to.
    static func add(to cycles: inout [LeakInstance], _ scene: LeakScene) {
        let snapshot = scene.snapshot
        let proven = cycles.indices.filter { cycles[$0].rule == .retainCycle }
        let reported = Set(proven.flatMap { objects(on: cycles[$0], in: snapshot) })
        let waiting = snapshot.objects.indices.filter { place in
            snapshot.objects[place].isGarbage && scene.isExpected(snapshot.objects[place]) && !reported.contains(place)
        }
        guard let first = proven.first, !waiting.isEmpty else { return }
        let keepers = keepers(
            proven.map { (cycle: $0, objects: objects(on: cycles[$0], in: snapshot)) }, in: snapshot)
        for place in waiting { cycles[keepers[place] ?? first].take(scene.companion(place), scene) }
    }

    private static func objects(on instance: LeakInstance, in snapshot: TraceSnapshot) -> [Int] {
        guard case .cycle(let place) = instance.example else { return [] }
        return snapshot.references(of: snapshot.cycles[place]).map { Int($0.source) }
    }

    /// For each object that cycles lead to, the nearest cycle, by breadth-first search.
    private static func keepers(
        _ cycles: [(cycle: Int, objects: [Int])], in snapshot: TraceSnapshot
    ) -> [Int: Int] {
        var targets: [Int: [Int]] = [:]
        for reference in snapshot.references where reference.ownership == .strong {
            targets[Int(reference.source), default: []].append(Int(reference.target))
        }
        var keepers: [Int: Int] = [:]
        var queue: [Int] = []
        for (cycle, objects) in cycles {
            for place in objects where keepers[place] == nil {
                keepers[place] = cycle
                queue.append(place)
            }
        }
        var next = 0
        while next < queue.count {
            let source = queue[next]
            next += 1
            for target in targets[source] ?? [] where snapshot.object(target) != nil && keepers[target] == nil {
                keepers[target] = keepers[source]
                queue.append(target)
            }
        }
        return keepers
    }
}
