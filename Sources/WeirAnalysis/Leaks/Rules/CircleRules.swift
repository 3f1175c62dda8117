import WeirTrace

/// `retain-cycle` and `held-cycle`: the circles of a snapshot.
enum CircleRules {
    static func instances(_ scene: LeakScene) -> [LeakInstance] {
        let snapshot = scene.snapshot
        return snapshot.circles.indices.compactMap { place in
            let circle = snapshot.circles[place]
            let references = snapshot.references(of: circle)
            let objects = references.map { snapshot.objects[Int($0.source)] }
            guard !references.isEmpty, !isCutByWeir(references, objects) else { return nil }
            // `outlived-scope` tells that already.
            if !circle.isProven, objects.contains(where: scene.isExpected) { return nil }
            var found = LeakInstance(
                rule: circle.isProven ? .retainCycle : .heldCycle,
                signature: LeakSignature(circle: references, in: snapshot), example: .circle(place),
                snapshot: scene.number)
            found.bytes = max(circle.retainedSize, circle.componentBytes)
            found.toldSubscriptions = objects.compactMap(\.subscription)
            found.subscription = found.toldSubscriptions.first
            found.isDisposable = !circle.isProven && found.subscription != nil && objects.allSatisfy(isWeirs)
            if circle.isProven {
                let expected = objects.filter(scene.isExpected)
                found.expected = expected.compactMap(\.trackedObject)
                found.missed = found.expected.lazy.compactMap(scene.missed).first
                found.receivers =
                    expected.isEmpty
                    ? []
                    : found.toldSubscriptions + found.expected.flatMap { scene.ownedSubscriptions[$0] ?? [] }
            }
            return found
        }
    }

    /// What is no object of the program: Weir's own, and what closures and collections need.
    private static func isWeirs(_ object: SnapshotObject) -> Bool {
        object.isInternal || object.kind == .closure || object.kind == .box || object.kind == .storage
    }

    /// An input holds what a combiner computes, which holds the input: Weir cuts that when the combiner is released.
    private static func isCutByWeir(_ references: [SnapshotReference], _ objects: [SnapshotObject]) -> Bool {
        objects.contains { $0.isInternal && $0.type.hasPrefix("InputCell<") }
            && objects.allSatisfy(isWeirs)
            && references.allSatisfy { !$0.isClosure || $0.isHiddenClosure }
    }
}
