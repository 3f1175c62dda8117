import WeirTrace

/// `growth`: lines of the program for which each checkpoint of one name finds more alive.
enum GrowthRule {
    /// The growths that other findings do not explain; tracked objects explain subscriptions, and both replace nodes.
    static func instances(_ pass: LeakPass, _ scene: LeakScene, _ others: [LeakGroup]) -> [LeakInstance] {
        let all = pass.lives.lines.growths
        guard !all.isEmpty else { return [] }
        let definitions = pass.topology.definitions
        var objects: Set<UInt32> = []
        var subscriptions: Set<UInt32> = []
        for group in others where group.severity > .note {
            objects.formUnion(group.reportedObjects)
            subscriptions.formUnion(group.reportedSubscriptions)
        }
        func unexplained(_ growths: [LineGrowth]) -> [LineGrowth] {
            let explained = ExplainedThings(
                objects: objects, subscriptions: subscriptions, in: scene.snapshot, pass.topology)
            let remaining = explained.others(of: growths, pass)
            return growths.filter { remaining[$0.line, default: 0] > $0.first }
        }
        let growths = longest(withoutNodesBesideOthers(all))
        let reported = Set(objects.compactMap { definitions.objects[$0].map(LineGrowth.Line.init) })
        let ofObjects = unexplained(growths.filter { $0.line.isOfObjects && !reported.contains($0.line) })
        let grown = Set(ofObjects.map(\.line))
        for object in pass.lives.objects {
            if let line = definitions.objects[object.id].map(LineGrowth.Line.init), grown.contains(line) {
                objects.insert(object.id)
            }
        }
        return (ofObjects + unexplained(growths.filter { !$0.line.isOfObjects })).map { growth in
            var found = instance(growth)
            found.collection = collection(of: growth.line, pass, scene)
            return found
        }
    }

    /// Drops nodes if a tracked object or a subscription grows at the same checkpoints, because these are more specific.
    private static func withoutNodesBesideOthers(_ growths: [LineGrowth]) -> [LineGrowth] {
        let others = Set(growths.lazy.filter { !$0.line.isOfNodes }.map(\.checkpoint))
        let beside = Set(growths.lazy.filter { $0.line.isOfNodes && others.contains($0.checkpoint) }.map(\.line))
        return growths.filter { !beside.contains($0.line) }
    }

    /// One growth for each line: the one with the most checkpoints.
    private static func longest(_ growths: [LineGrowth]) -> [LineGrowth] {
        var longest: [LineGrowth] = []
        var places: [LineGrowth.Line: Int] = [:]
        for growth in growths {
            if let place = places[growth.line] {
                if longest[place].rounds < growth.rounds { longest[place] = growth }
            } else {
                places[growth.line] = longest.count
                longest.append(growth)
            }
        }
        return longest
    }

    /// The collection that holds all living objects of a line, if its owner need not be gone.
    private static func collection(
        of line: LineGrowth.Line, _ pass: LeakPass, _ scene: LeakScene
    ) -> GrowingCollection? {
        guard line.isOfObjects else { return nil }
        let snapshot = scene.snapshot
        let ids = pass.lives.objects.filter { object in
            object.life == .alive && pass.topology.definitions.objects[object.id].map(LineGrowth.Line.init) == line
        }.map(\.id)
        let wanted = Set(ids)
        let places = snapshot.objects.indices.filter { place in
            snapshot.objects[place].trackedObject.map(wanted.contains) ?? false
        }
        guard !ids.isEmpty, places.count == ids.count else { return nil }
        var found: Holder?
        for place in places {
            guard let holder = collection(holding: place, in: snapshot) else { return nil }
            guard found.map({ $0 == holder }) ?? true else { return nil }
            found = holder
        }
        switch found {
        case nil: return nil
        case .variable(let name):
            return GrowingCollection(owner: nil, property: name, count: places.count, isOwnerTracked: false)
        case .property(let owner, let property):
            let object = snapshot.objects[owner]
            guard !object.isGarbage, !scene.isExpected(object) else { return nil }
            return GrowingCollection(
                owner: object.type, property: property, count: places.count,
                isOwnerTracked: object.trackedObject != nil)
        }
    }

    /// A collection that holds an object.
    private enum Holder: Equatable {
        /// The property of an object.
        case property(owner: Int, String)
        /// A static or global variable.
        case variable(String)
    }

    /// The collection that holds an object on the path from outside: in a property of an object of the program, or in a variable.
    private static func collection(holding place: Int, in snapshot: TraceSnapshot) -> Holder? {
        var label = ""
        for reference in snapshot.way(to: place, most: 8).reversed() {
            let source = snapshot.objects[Int(reference.source)]
            label = reference.label + label
            guard !reference.isClosure else { return nil }
            if source.kind == .storage || source.kind == .instance && source.isOfSystem {
                if let variable = source.outsideVariable { return .variable(variable) }
                continue
            }
            let path = ReferenceLabel.withoutIndexes(label)
            guard LeakRemedy.isPlain(reference, in: snapshot), path.hasSuffix("[…]") else { return nil }
            return .property(owner: Int(reference.source), String(path.dropFirst().dropLast(3)))
        }
        return nil
    }

    private static func instance(_ growth: LineGrowth) -> LeakInstance {
        let word: LeakSignature.Word =
            switch growth.line {
            case .nodes(let rawKind, let site): .init(text: "nodes \(rawKind)", site: site)
            case .subscriptions(let site): .init(text: "subscriptions", site: site)
            case .objects(let type, let label): .init(text: "objects \(type ?? "") \(label ?? "")")
            }
        var found = LeakInstance(rule: .growth, signature: LeakSignature([word]), example: .growth(growth))
        found.weight = UInt64(max(0, growth.last - growth.first))
        return found
    }
}

extension ExplainedThings {
    /// How many other things of each growing line were alive at its last checkpoint, and still are.
    fileprivate func others(of growths: [LineGrowth], _ pass: LeakPass) -> [LineGrowth.Line: Int] {
        let (topology, lives) = (pass.topology, pass.lives)
        var lastCheckpoints: [LineGrowth.Line: Int] = [:]
        let checkpoints = pass.checkpoints.all.prefix(lives.checkpoints)
        let lastOfName = Dictionary(checkpoints.enumerated().map { ($1.name, $0) }) { $1 }
        for growth in growths { lastCheckpoints[growth.line] = lastOfName[growth.checkpoint] }
        var counts: [LineGrowth.Line: Int] = [:]
        func count(_ line: LineGrowth.Line, bornAfter checkpoints: Int32) {
            if let last = lastCheckpoints[line], checkpoints <= last { counts[line, default: 0] += 1 }
        }
        for (place, id) in topology.nodeIDs.enumerated() where lives.nodes[place] == .alive && !nodes.contains(id) {
            guard let node = topology.definitions.nodes[id] else { continue }
            count(LineGrowth.Line(node), bornAfter: lives.checkpointsBeforeNodes[place])
        }
        for (place, subscription) in topology.subscriptions.enumerated()
        where lives.subscriptions[place] == .alive && !subscriptions.contains(subscription.id)
            && !subscription.isInternal
        {
            count(LineGrowth.Line(subscription), bornAfter: lives.checkpointsBeforeSubscriptions[place])
        }
        for object in lives.objects where object.life == .alive && !objects.contains(object.id) {
            guard let known = topology.definitions.objects[object.id] else { continue }
            count(LineGrowth.Line(known), bornAfter: object.bornAfter)
        }
        return counts
    }
}

extension LineGrowth.Line {
    fileprivate init(_ node: TraceNode) { self = .nodes(rawKind: node.rawKind, node.site) }
    fileprivate init(_ subscription: TraceSubscription) { self = .subscriptions(subscription.site) }
    fileprivate init(_ object: TraceObject) { self = .objects(type: object.type, label: object.label) }

    fileprivate var isOfObjects: Bool { if case .objects = self { true } else { false } }
    fileprivate var isOfNodes: Bool { if case .nodes = self { true } else { false } }
}
