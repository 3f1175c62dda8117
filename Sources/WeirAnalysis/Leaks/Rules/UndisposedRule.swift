import WeirTrace

/// `undisposed`: objects that only handlers hold, and subscriptions that nobody ended.
enum UndisposedRule {
    /// Tracked objects that only handlers hold, and that were not expected to be gone.
    static func heldObjects(_ scene: LeakScene) -> [LeakInstance] {
        scene.snapshot.objects.indices.compactMap { place in
            let object = scene.snapshot.objects[place]
            guard object.trackedObject != nil, object.isHeldByHandlersOnly, !object.isGarbage,
                !scene.isExpected(object), scene.overdueHolder(of: place) == nil
            else { return nil }
            var found = LeakInstance(
                rule: .undisposed, signature: scene.signature(ofWayTo: place), example: .object(place),
                snapshot: scene.number)
            found.bytes = object.retainedSize
            found.reportedSubscriptions = scene.subscriptions(onWayTo: place)
            found.subscription = found.reportedSubscriptions.last
            found.reportedObjects = [object.trackedObject].compactMap(\.self)
            return found
        }
    }

    /// Subscriptions that are alive although their owner was released.
    static func orphans(_ pass: LeakPass) -> [LeakInstance] {
        alive(pass).compactMap { subscription in
            guard let owner = subscription.owner, pass.lives.object(owner)?.life == .ended else { return nil }
            let type = pass.topology.definitions.objects[owner]?.type
            return instance(subscription, .orphan(subscription.id), "orphan of \(type ?? "")", pass)
        }
    }

    /// Subscriptions that are alive at the end of a recording, except those in `reported`, which other findings report.
    static func open(_ pass: LeakPass, reported: Set<UInt32>) -> [LeakInstance] {
        guard pass.isAtEnd else { return [] }
        return alive(pass).filter { !$0.isInternal && !reported.contains($0.id) }.map { subscription in
            instance(subscription, .openSubscription(subscription.id), "open", pass)
        }
    }

    private static func alive(_ pass: LeakPass) -> [TraceSubscription] {
        zip(pass.topology.subscriptions, pass.lives.subscriptions).filter { $0.1 == .alive }.map(\.0)
    }

    private static func instance(
        _ subscription: TraceSubscription, _ example: LeakFinding.Example, _ word: String, _ pass: LeakPass
    ) -> LeakInstance {
        var words = [LeakSignature.Word(text: word, site: subscription.site)]
        // A subscription without a known line is reported with the node that it observes.
        if subscription.site == nil {
            words.append(.init(text: pass.topology.definitions.name(ofNode: subscription.source)))
        }
        var found = LeakInstance(rule: .undisposed, signature: LeakSignature(words), example: example)
        found.subscription = subscription.id
        found.reportedSubscriptions = [subscription.id]
        return found
    }
}
