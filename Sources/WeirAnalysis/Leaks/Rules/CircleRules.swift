import WeirTrace

/// `retain-cycle` and `held-cycle`: the circles of a snapshot.
enum CircleRules {
    static func instances(_ scene: LeakScene) -> [LeakInstance] {
        let snapshot = scene.snapshot
        return snapshot.circles.indices.compactMap { place in
            let circle = snapshot.circles[place]
            let references = snapshot.references(of: circle)
            guard !references.isEmpty else { return nil }
            let objects = references.map { snapshot.objects[Int($0.source)] }
            var found = LeakInstance(
                rule: circle.isProven ? .retainCycle : .heldCycle,
                signature: LeakSignature(circle: references, in: snapshot), example: .circle(place),
                snapshot: scene.number)
            found.bytes = max(circle.retainedSize, circle.componentBytes)
            found.subscription = objects.lazy.compactMap(\.subscription).first
            if circle.isProven {
                let expected = objects.filter(scene.isExpected)
                found.expected = expected.compactMap(\.trackedObject)
                found.missed = found.expected.lazy.compactMap(scene.missed).first
                found.receivers =
                    expected.isEmpty
                    ? []
                    : objects.compactMap(\.subscription)
                        + found.expected.flatMap { scene.ownedSubscriptions[$0] ?? [] }
            }
            return found
        }
    }
}
