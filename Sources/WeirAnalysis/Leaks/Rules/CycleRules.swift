import WeirTrace

/// `retain-cycle` and `held-cycle`: the cycles of a snapshot.
enum CycleRules {
    static func instances(_ scene: LeakScene) -> [LeakInstance] {
        let snapshot = scene.snapshot
        var known: Set<Substance> = []
        return snapshot.cycles.indices.compactMap { place in
            let cycle = snapshot.cycles[place]
            let references = snapshot.references(of: cycle)
            let objects = references.map { snapshot.objects[Int($0.source)] }
            guard !references.isEmpty, !isCutByWeir(references, objects) else { return nil }
            if !cycle.isProven, isOfSystem(references, objects) { return nil }
            // `outlived-scope` reports it already.
            if !cycle.isProven, objects.contains(where: scene.isExpected) { return nil }
            if !cycle.isProven, isCutByBag(references, in: snapshot) { return nil }
            var found = LeakInstance(
                rule: cycle.isProven ? .retainCycle : .heldCycle,
                signature: LeakSignature(cycle: references, in: snapshot), example: .cycle(place),
                snapshot: scene.number)
            if known.insert(Substance(found.signature, references, in: snapshot)).inserted {
                found.bytes = max(cycle.retainedSize, cycle.componentBytes)
            } else {
                found.weight = 0
            }
            found.reportedObjects = objects.compactMap(\.trackedObject)
            found.reportedSubscriptions = objects.compactMap(\.subscription)
            found.subscription = found.reportedSubscriptions.first
            found.isDisposable = !cycle.isProven && found.subscription != nil && objects.allSatisfy(isWeirs)
            found.isHeldForGood = !cycle.isProven && scene.isHeldPermanently(references.map { Int($0.source) })
            if cycle.isProven {
                found.weakEntry = scene.weakEntry(to: references.map { Int($0.source) })
                let expected = objects.filter(scene.isExpected)
                found.expected = expected.compactMap(\.trackedObject)
                found.missed = found.expected.lazy.compactMap(scene.missed).first
                found.receivers =
                    expected.isEmpty
                    ? []
                    : found.expected.enumerated().flatMap { place, id in
                        scene.receivers(of: id, onWay: place == 0 ? found.reportedSubscriptions : [])
                    }
            }
            return found
        }
    }

    /// The program's closures and objects on a cycle: cycles that differ only in Weir's internals count as one.
    private struct Substance: Hashable {
        let signature: LeakSignature
        let places: Set<UInt32>

        init(_ signature: LeakSignature, _ references: [SnapshotReference], in snapshot: TraceSnapshot) {
            self.signature = signature
            let objects = references.map(\.source).filter { place in
                let object = snapshot.objects[Int(place)]
                return object.kind == .instance && !object.isInternal && !object.isOfSystem
            }
            let closures = references.filter { reference in
                reference.isOwnClosure
                    && (reference.site != nil || !snapshot.objects[Int(reference.source)].isOfLibrary)
            }
            let own = objects + closures.map(\.target)
            places = Set(own.isEmpty ? references.map(\.source) : own)
        }
    }

    /// Whether only bags hold the cycle from outside, each by a subscription to a node of Weir on the cycle: once the bag is released,
    /// the node ends its own subscription, through which the cycle passes.
    private static func isCutByBag(_ references: [SnapshotReference], in snapshot: TraceSnapshot) -> Bool {
        let places = Set(references.map { Int($0.source) })
        guard places.contains(where: { snapshot.objects[$0].isSubscription }) else { return false }
        var isHeld = false
        for place in places {
            let way = snapshot.way(to: place)
            if way.isEmpty, snapshot.objects[place].outsideReferences == 0 { continue }
            // The path to another object of the cycle tells.
            if way.contains(where: { places.contains(Int($0.source)) }) { continue }
            guard snapshot.objects[place].isInternal,
                let bag = way.lastIndex(where: { snapshot.objects[Int($0.source)].role == .bag }),
                way[bag...].allSatisfy({ isWeirs(snapshot.objects[Int($0.source)]) && !$0.isOwnClosure })
            else { return false }
            isHeld = true
        }
        return isHeld
    }

    /// Whether an object is not the program's: Weir's own, or a closure, a box or a collection's storage.
    private static func isWeirs(_ object: SnapshotObject) -> Bool {
        object.isInternal || object.kind == .closure || object.kind == .box || object.kind == .storage
    }

    /// Whether a library of the system made the cycle with a closure of its own: it cuts it when its work is done.
    private static func isOfSystem(_ references: [SnapshotReference], _ objects: [SnapshotObject]) -> Bool {
        let closures = references.filter(\.isClosure)
        return !closures.isEmpty && closures.allSatisfy(\.isOfSystem)
            && objects.allSatisfy { $0.kind != .instance || $0.isOfSystem }
    }

    /// Whether Weir cuts the cycle when its combiner is released: an input holds the computation, which holds the input.
    private static func isCutByWeir(_ references: [SnapshotReference], _ objects: [SnapshotObject]) -> Bool {
        objects.contains { $0.role == .input }
            && objects.allSatisfy(isWeirs)
            && references.allSatisfy { !$0.isClosure || $0.isHiddenClosure }
    }
}
