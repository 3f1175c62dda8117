import WeirTrace

/// The properties that two alike subscriptions share, which refresh a handler or write a state: one may be the other, made again.
struct Likeness: Hashable {
    private let site: TraceSite
    private let owner: UInt32
    /// The index of the target; -1 for none. The node of a binding, which each call of `bind` makes anew, is no target.
    private let target: Int
    /// The hot nodes from which the values come, in ascending order.
    private let origins: [Int]

    /// Whether owner or target show that alike subscriptions are of one view.
    var isOfOneView: Bool { owner != 0 || target >= 0 }

    /// Nil: the subscription is like no other one, because it feeds an operator or a combiner, its line is unknown, or its values come
    /// from no hot node.
    init?(_ place: Int, _ topology: Topology, _ kind: (Int) -> NodeKind?) {
        let subscription = topology.subscriptions[place]
        let target = topology.targets[place]
        guard let site = subscription.site,
            !subscription.isInternal || target >= 0 && kind(target)?.isBoundTo == true
        else { return nil }
        origins = Self.origins(of: place, topology) { kind($0)?.isHot == true }
        if origins.isEmpty { return nil }
        self.site = site
        owner = subscription.owner ?? 0
        let isBinding = target >= 0 && kind(target) == .binding
        self.target = isBinding ? -1 : target
    }

    private static func origins(of place: Int, _ topology: Topology, _ isHot: (Int) -> Bool) -> [Int] {
        var found: Set<Int> = []
        var visited: Set<Int> = []
        // Each call of `Trace.render` makes a body of its own.
        let source = topology.sources[place]
        let isBody = topology.definitions.nodes[topology.nodeIDs[source]]?.technique == .render
        var next = isBody ? topology.inputs[source].map { topology.sources[$0] } : [source]
        while let node = next.popLast(), visited.count < mostVisited {
            guard visited.insert(node).inserted else { continue }
            if isHot(node) { found.insert(node) } else { next += topology.inputs[node].map { topology.sources[$0] } }
        }
        return found.sorted()
    }

    /// Limits the search in the graph of a hostile trace.
    private static let mostVisited = 1000
}

extension Topology {
    /// For each of these subscriptions, the first one that is like it; for each internal one that only feeds some of them, one of
    /// those.
    func repetitions(of subscriptions: Set<Int>) -> (first: [Int: Int], feeders: [Int: Int]) {
        if subscriptions.isEmpty { return ([:], [:]) }
        let kinds = nodeIDs.map { definitions.nodes[$0]?.kind }
        let sites = Set(subscriptions.compactMap { self.subscriptions[$0].site })
        var eldest: [Likeness: Int] = [:]
        var first: [Int: Int] = [:]
        for place in self.subscriptions.indices {
            guard let site = self.subscriptions[place].site, sites.contains(site),
                let likeness = Likeness(place, self, { kinds[$0] })
            else { continue }
            let known = eldest[likeness] ?? place
            eldest[likeness] = known
            if known != place, subscriptions.contains(place) { first[place] = known }
        }
        var feeders: [Int: Int] = [:]
        var next = Array(first.keys)
        while let place = next.popLast() {
            let node = sources[place]
            guard kinds[node]?.isHot == false, let one = first[place] == nil ? feeders[place] : place,
                outputs[node].allSatisfy({ first[$0] != nil || feeders[$0] != nil })
            else { continue }
            for input in inputs[node] where feeders.updateValue(one, forKey: input) == nil { next.append(input) }
        }
        return (first, feeders)
    }
}

extension NodeKind {
    /// Whether it is a state that `bind(to:)` writes.
    package var isBoundTo: Bool { [.observable, .channel, .array, .observer].contains(self) }
}
