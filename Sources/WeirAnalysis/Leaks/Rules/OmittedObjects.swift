import WeirTrace

/// Overdue objects that a snapshot had no room for: they count with the finding of the other objects of their type.
///
/// Otherwise one cause would make two findings as soon as a snapshot reaches its limit. If objects of the type belong to several
/// findings, the cause of the omitted ones is unknown, and they keep a finding of their own.
enum OmittedObjects {
    /// The instance that objects of a type belong to.
    private struct Kin: Equatable {
        let rule: LeakRule
        let signature: LeakSignature
        /// Whether another object that should be gone holds them.
        let isCompanion: Bool
        let place: Int

        static func == (left: Kin, right: Kin) -> Bool {
            (left.rule, left.isCompanion) == (right.rule, right.isCompanion) && left.signature == right.signature
        }
    }

    /// Moves the instances of omitted objects to the findings of their types.
    static func assign(in instances: inout [LeakInstance], _ definitions: TraceDefinitions) {
        let isOmitted = { (instance: LeakInstance) in
            if case .tracked = instance.example { true } else { false }
        }
        guard instances.contains(where: isOmitted) else { return }
        // Nil: the objects of the type belong to several findings.
        var kin: [String: Kin?] = [:]
        for (place, instance) in instances.enumerated() where !isOmitted(instance) {
            func note(_ id: UInt32, isCompanion: Bool) {
                guard let type = definitions.objects[id]?.type else { return }
                let own = Kin(
                    rule: instance.rule, signature: instance.signature, isCompanion: isCompanion, place: place)
                if let known = kin[type] { kin[type] = known == own ? known : .some(nil) } else { kin[type] = own }
            }
            for id in instance.expected { note(id, isCompanion: false) }
            for id in instance.companions.compactMap(\.id) { note(id, isCompanion: true) }
        }
        for place in instances.indices where isOmitted(instances[place]) {
            guard let type = instances[place].expected.first.flatMap({ definitions.objects[$0]?.type }),
                case .some(.some(let own)) = kin[type]
            else { continue }
            instances[place] = instances[place].omitted(like: instances[own.place], type, isCompanion: own.isCompanion)
        }
    }

    /// Adds the open subscriptions that a snapshot had no room for to the instance that reports one of the same line.
    static func assignSubscriptions(
        in instances: inout [LeakInstance], _ snapshot: TraceSnapshot, _ pass: LeakPass
    ) {
        let definitions = pass.topology.definitions
        var places: [TraceSite: Int] = [:]
        for (place, instance) in instances.enumerated() {
            for id in instance.reportedSubscriptions {
                if let site = definitions.subscriptions[id]?.site, places[site] == nil { places[site] = place }
            }
        }
        let shown = Set(snapshot.objects.lazy.compactMap(\.subscription))
        for (subscription, life) in zip(pass.topology.subscriptions, pass.lives.subscriptions)
        where life == .alive && !subscription.isInternal && !shown.contains(subscription.id) {
            guard let place = subscription.site.flatMap({ places[$0] }) else { continue }
            instances[place].reportedSubscriptions.append(subscription.id)
        }
    }
}

extension LeakInstance {
    /// The same object as one more of the objects that an instance shows, or of those that it holds.
    fileprivate func omitted(like example: LeakInstance, _ type: String, isCompanion: Bool) -> LeakInstance {
        var moved = LeakInstance(
            rule: example.rule, signature: example.signature, example: example.example, snapshot: example.snapshot)
        (moved.missed, moved.receivers, moved.reportedObjects) = (missed, receivers, reportedObjects)
        (moved.isDisposable, moved.isHeldForGood) = (example.isDisposable, example.isHeldForGood)
        (moved.weakEntry, moved.isOmitted) = (example.weakEntry, true)
        if isCompanion {
            moved.weight = 0
            moved.add(LeakCompanion(id: expected.first, type: type, isLate: isLate))
        } else {
            moved.expected = expected
            moved.isLate = isLate
        }
        return moved
    }
}
