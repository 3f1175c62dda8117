import WeirTrace

/// `outlived-scope`: objects that were expected to be gone by a checkpoint, and were not.
enum OutlivedScopeRule {
    /// The instance for the object at an index of the scene's snapshot, which was expected to be gone.
    static func instance(_ place: Int, _ scene: LeakScene) -> LeakInstance {
        let object = scene.snapshot.objects[place]
        let subscriptions = scene.subscriptions(onWayTo: place)
        var found = LeakInstance(
            rule: .outlivedScope, signature: scene.signature(ofWayTo: place), example: .object(place),
            snapshot: scene.number)
        found.bytes = object.retainedSize
        found.subscription = subscriptions.last
        found.reportedSubscriptions = subscriptions
        if let id = object.trackedObject {
            found.expected = [id]
            found.missed = scene.missed(id)
            found.isLate = scene.isLate(id)
            found.receivers = scene.receivers(of: id, onWay: subscriptions)
            found.reportedObjects = [id]
        }
        return found
    }

    /// The overdue objects in the scene's snapshot; garbage only if no cycle reports it.
    static func instances(_ scene: LeakScene, includesGarbage: Bool) -> [LeakInstance] {
        let places = scene.snapshot.objects.indices.filter { place in
            let object = scene.snapshot.objects[place]
            return scene.isExpected(object) && (includesGarbage || !object.isGarbage)
        }
        return folded(places, scene)
    }

    /// One instance for each object, except that an object held by another of them is merged into that instance.
    private static func folded(_ places: [Int], _ scene: LeakScene) -> [LeakInstance] {
        let isReported = Set(places)
        let holders = places.map { scene.overdueHolder(of: $0).flatMap { isReported.contains($0) ? $0 : nil } }
        var instances: [LeakInstance] = []
        var placeOfInstance: [Int: Int] = [:]
        for (place, holder) in zip(places, holders) where holder == nil {
            placeOfInstance[place] = instances.count
            instances.append(instance(place, scene))
        }
        for (place, holder) in zip(places, holders) {
            guard let holder, let first = placeOfInstance[holder] else { continue }
            instances[first].take(scene.companion(place), scene)
        }
        return instances
    }

    /// The overdue objects that the scene's snapshot lacks; many were released later.
    ///
    /// The snapshot of the checkpoint that they missed shows their holders.
    static func others(
        _ scene: LeakScene, _ pass: LeakPass, _ snapshot: (UInt32) -> TraceSnapshot?
    ) -> [LeakInstance] {
        let reported = Set(scene.snapshot.objects.lazy.compactMap(\.trackedObject))
        var others: [UInt32?: [ObjectLife]] = [:]
        for object in pass.lives.objects where object.missed != nil && !reported.contains(object.id) {
            guard case .checkpoint(let place) = object.missed else {
                others[nil, default: []].append(object)
                continue
            }
            others[pass.checkpoints.all[place].snapshot, default: []].append(object)
        }
        return others.sorted { $0.key ?? .max < $1.key ?? .max }.flatMap { number, objects in
            var then = LeakScene(
                snapshot: number.flatMap(snapshot) ?? TraceSnapshot(), number: number, isExpected: scene.isExpected)
            (then.missed, then.isLate, then.ownedSubscriptions) = (scene.missed, scene.isLate, scene.ownedSubscriptions)
            then.definitions = scene.definitions
            let places = Dictionary(
                then.snapshot.objects.indices.compactMap { place in
                    then.snapshot.objects[place].trackedObject.map { ($0, place) }
                }, uniquingKeysWith: { first, _ in first })
            let others = objects.filter { places[$0.id] == nil }.map { unseen($0, scene, pass) }
            return folded(objects.compactMap { places[$0.id] }, then) + others
        }
    }

    private static func unseen(_ object: ObjectLife, _ scene: LeakScene, _ pass: LeakPass) -> LeakInstance {
        let type = pass.topology.definitions.objects[object.id]?.type ?? "object"
        var found = LeakInstance(
            rule: .outlivedScope, signature: LeakSignature([.init(text: type)]), example: .tracked(object.id))
        found.expected = [object.id]
        found.missed = object.missed
        found.isLate = object.isLate
        found.receivers = scene.receivers(of: object.id)
        found.reportedObjects = [object.id]
        return found
    }
}
