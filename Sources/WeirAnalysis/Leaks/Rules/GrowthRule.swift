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
            objects.formUnion(group.toldObjects)
            subscriptions.formUnion(group.toldSubscriptions)
        }
        func unexplained(_ growths: [LineGrowth]) -> [LineGrowth] {
            let explained = ExplainedThings(
                objects: objects, subscriptions: subscriptions, in: scene.snapshot, pass.topology)
            let counts = explained.aliveByLine(pass)
            return growths.filter { $0.last - counts[$0.line, default: 0] > $0.first }
        }
        let growths = longest(withoutNodesBesideOthers(all))
        let told = Set(objects.compactMap { definitions.objects[$0].map(LineGrowth.Line.init) })
        let ofObjects = unexplained(growths.filter { $0.line.isOfObjects && !told.contains($0.line) })
        let grown = Set(ofObjects.map(\.line))
        for object in pass.lives.objects {
            if let line = definitions.objects[object.id].map(LineGrowth.Line.init), grown.contains(line) {
                objects.insert(object.id)
            }
        }
        return (ofObjects + unexplained(growths.filter { !$0.line.isOfObjects })).map(instance)
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
    /// How many live and explained things each line of the program has.
    fileprivate func aliveByLine(_ pass: LeakPass) -> [LineGrowth.Line: Int] {
        let (topology, lives) = (pass.topology, pass.lives)
        var counts: [LineGrowth.Line: Int] = [:]
        for (id, life) in zip(topology.nodeIDs, lives.nodes) where life == .alive && nodes.contains(id) {
            if let node = topology.definitions.nodes[id] { counts[LineGrowth.Line(node), default: 0] += 1 }
        }
        for (subscription, life) in zip(topology.subscriptions, lives.subscriptions)
        where life == .alive && subscriptions.contains(subscription.id) {
            counts[LineGrowth.Line(subscription), default: 0] += 1
        }
        for object in lives.objects where object.life == .alive && objects.contains(object.id) {
            if let known = topology.definitions.objects[object.id] {
                counts[LineGrowth.Line(known), default: 0] += 1
            }
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
