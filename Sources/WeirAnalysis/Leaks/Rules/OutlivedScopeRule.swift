import WeirTrace

/// `outlived-scope`: what was expected to be gone by a checkpoint, and was not.
enum OutlivedScopeRule {
    /// The object at a place of the scene's snapshot was expected to be gone.
    static func instance(_ place: Int, _ scene: LeakScene) -> LeakInstance {
        let object = scene.snapshot.objects[place]
        let way = scene.snapshot.way(to: place)
        let subscriptions = scene.subscriptions(on: way)
        var found = LeakInstance(
            rule: .outlivedScope, signature: LeakSignature(wayTo: place, in: scene.snapshot), example: .object(place),
            snapshot: scene.number)
        found.bytes = object.retainedSize
        found.subscription = subscriptions.last
        found.toldSubscriptions = subscriptions
        if let id = object.trackedObject {
            found.expected = [id]
            found.missed = scene.missed(id)
            found.isLate = scene.isLate(id)
            found.receivers = subscriptions + (scene.ownedSubscriptions[id] ?? [])
        }
        return found
    }

    /// Those that the scene's snapshot tells of and that are not garbage.
    static func instances(_ scene: LeakScene) -> [LeakInstance] {
        let isToldAsCircle = scene.hasProvenCircle
        return scene.snapshot.objects.indices.compactMap { place in
            let object = scene.snapshot.objects[place]
            guard scene.isExpected(object), !(object.isGarbage && isToldAsCircle) else { return nil }
            return instance(place, scene)
        }
    }

    /// Those of which the scene's snapshot does not tell; many were released later.
    ///
    /// What held them tells the snapshot of the checkpoint that they missed.
    static func others(
        _ scene: LeakScene, _ pass: LeakPass, _ snapshot: (UInt32) -> TraceSnapshot?
    ) -> [LeakInstance] {
        let told = Set(scene.snapshot.objects.lazy.compactMap(\.trackedObject))
        var others: [UInt32?: [ObjectLife]] = [:]
        for object in pass.lives.objects where object.missed != nil && !told.contains(object.id) {
            guard case .checkpoint(let place) = object.missed else {
                others[nil, default: []].append(object)
                continue
            }
            others[pass.checkpoints.all[place].snapshot, default: []].append(object)
        }
        return others.sorted { $0.key ?? .max < $1.key ?? .max }.flatMap { number, objects in
            var then = LeakScene(
                snapshot: number.flatMap(snapshot) ?? TraceSnapshot(), number: number, isExpected: scene.isExpected)
            (then.missed, then.ownedSubscriptions) = (scene.missed, scene.ownedSubscriptions)
            let places = Dictionary(
                then.snapshot.objects.indices.compactMap { place in
                    then.snapshot.objects[place].trackedObject.map { ($0, place) }
                }, uniquingKeysWith: { first, _ in first })
            return objects.map { object in
                var found = places[object.id].map { instance($0, then) } ?? unseen(object, scene, pass)
                found.isLate = object.isLate
                return found
            }
        }
    }

    private static func unseen(_ object: ObjectLife, _ scene: LeakScene, _ pass: LeakPass) -> LeakInstance {
        let type = pass.topology.definitions.objects[object.id]?.type ?? "object"
        var found = LeakInstance(
            rule: .outlivedScope, signature: LeakSignature([.init(text: type)]), example: .tracked(object.id))
        found.expected = [object.id]
        found.missed = object.missed
        found.receivers = scene.ownedSubscriptions[object.id] ?? []
        return found
    }
}
