import WeirTrace

// What is read off the graph: heights of combiners, and who can be reached.
extension RecordedProgram {
    func isCombinerInput(_ subscription: Int) -> Bool { topology.isCombinerInput(subscription, kinds) }

    /// The subscriptions that feed a combiner, those left out that have ended.
    func inputs(_ combiner: Int) -> [Int] { edges[combiner, default: []].filter { lives[$0] != .ended } }

    /// How many combiners stand, at most, on a way to this node.
    func height(_ node: Int) -> Int {
        if let known = heights[node] { return known }
        // Until it is known: a way back ends here.
        heights[node] = 0
        let inputs = kinds[node] == .combiner ? inputs(node).filter { !feedback.contains($0) } : []
        let height = kinds[node] == .combiner ? 1 + (inputs.map { self.height(topology.sources[$0]) }.max() ?? 0) : 0
        heights[node] = height
        return height
    }

    /// The graph has changed.
    func forgetShape() {
        if !heights.isEmpty { heights = [:] }
        if !observed.isEmpty { observed = [:] }
    }

    /// The inputs that closed a circle when they were made.
    static func feedback(_ topology: Topology, _ edges: [Int: [Int]]) -> Set<Int> {
        var feedback: Set<Int> = []
        var inputs: [Int: [Int]] = [:]
        for place in edges.values.joined().sorted() {
            let (source, target) = (topology.sources[place], topology.targets[place])
            var visited: Set<Int> = []
            var pending = [source]
            var isFeedback = false
            while let next = pending.popLast(), !isFeedback {
                isFeedback = next == target
                if visited.insert(next).inserted { pending += inputs[next, default: []] }
            }
            if isFeedback { feedback.insert(place) } else { inputs[target, default: []].append(source) }
        }
        return feedback
    }

    // MARK: Who listens

    /// Whether a live handler can be reached from the node, or something else that shows or does something.
    func isObserved(_ node: Int) -> Bool {
        if let known = observed[node] { return known }
        let isObserved = reachesHandler(node)
        observed[node] = isObserved
        return isObserved
    }

    private func reachesHandler(_ node: Int) -> Bool {
        var visited: Set<Int> = [node]
        var pending = [node]
        while let next = pending.popLast() {
            for place in topology.outputs[next] where lives[place] == .alive {
                let target = topology.targets[place]
                guard topology.subscriptions[place].isInternal, target >= 0 else { return true }
                switch kinds[target] {
                case .observer, .binding, .command, .observable, .channel, .array: return true
                default: if visited.insert(target).inserted { pending.append(target) }
                }
            }
        }
        return false
    }

    /// Whether the owner of what the subscription feeds, or its own, has been released.
    func isOwnerReleased(_ subscription: Int) -> Bool {
        let definition = topology.subscriptions[subscription]
        let owners = [definition.owner, definition.target.flatMap { topology.definitions.nodes[$0]?.owner }]
        return owners.contains { $0.map(releasedObjects.contains) ?? false }
    }
}

extension Topology {
    /// Whether it feeds a combiner with the value of one of its inputs.
    func isCombinerInput(_ place: Int, _ kinds: [NodeKind?]) -> Bool {
        guard subscriptions[place].isInternal, targets[place] >= 0, kinds[targets[place]] == .combiner else {
            return false
        }
        // A signal that is bound to a combiner writes into it; only what holds a value is an input.
        switch kinds[sources[place]] {
        case .observable, .combiner, .array: return true
        default: return false
        }
    }
}
