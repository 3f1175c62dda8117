import WeirTrace

/// The combineLatest nodes among some nodes, and the nodes from whose values a combiner in their place would compute.
struct LatestJoins {
    private(set) var all: Set<Int> = []
    /// For each one that a combiner can replace, the nodes that hold the values.
    private(set) var roots: [Int: Set<Int>] = [:]
    private(set) var targets: [Int: [Int]] = [:]

    private static let deepest = 1000

    init(_ topology: Topology, _ nodes: [Int]) {
        all = Set(nodes.filter { Self.kind($0, topology) == .combineLatest })
        for node in all.sorted() {
            var found: Set<Int> = []
            guard collect(node, topology, depth: 0, into: &found) else { continue }
            roots[node] = found
            for root in found { targets[root, default: []].append(node) }
        }
    }

    private static func kind(_ node: Int, _ topology: Topology) -> NodeKind? {
        topology.definitions.nodes[topology.nodeIDs[node]]?.kind
    }

    /// Adds the nodes that hold the values behind the inputs; false if an input has no value.
    private func collect(_ node: Int, _ topology: Topology, depth: Int, into found: inout Set<Int>) -> Bool {
        guard depth < Self.deepest else { return false }
        for source in Set(topology.inputs[node].map { topology.sources[$0] }) {
            switch Self.kind(source, topology) {
            case .observable, .combiner, .array: found.insert(source)
            case .map, .current:
                guard collect(source, topology, depth: depth + 1, into: &found) else { return false }
            case .combineLatest where all.contains(source):
                guard collect(source, topology, depth: depth + 1, into: &found) else { return false }
            default: return false
            }
        }
        return !topology.inputs[node].isEmpty
    }

    /// The most combiners on any path to the node, if a combiner replaces each map and combineLatest.
    static func height(_ node: Int, _ topology: Topology, _ program: RecordedProgram) -> Int {
        var heights: [Int: Int] = [:]
        func height(_ node: Int, _ depth: Int) -> Int {
            if let known = heights[node] { return known }
            let kind = program.kinds[node]
            guard depth < deepest, kind == .map || kind == .current || kind == .combineLatest else {
                return program.height(node)
            }
            let highest = topology.inputs[node].map { height(topology.sources[$0], depth + 1) }.max() ?? 0
            let own = kind == .current ? highest : highest + 1
            heights[node] = own
            return own
        }
        return height(node, 0)
    }
}

/// Sources that join several nodes by hand: their closure subscribes to each, and the handlers emit through one subscriber.
///
/// The values that a handler emits then depend on the last values of the others, too. A handler counts from its first emission on.
struct HandJoins {
    /// By handler, the subscriptions to the sources through which it has emitted.
    private var outputs: [Int: [Int]] = [:]
    /// By such a subscription, the handlers.
    private var handlers: [Int: [Int]] = [:]

    var isEmpty: Bool { outputs.isEmpty }

    /// Notes that a handler has emitted through a subscription to a source.
    mutating func note(_ handler: Int, emittingTo output: Int) {
        if outputs[handler]?.contains(output) == true { return }
        outputs[handler, default: []].append(output)
        handlers[output, default: []].append(handler)
    }

    func contains(_ handler: Int) -> Bool { outputs[handler] != nil }

    /// The other handlers that emit through the same subscriptions.
    func others(of handler: Int) -> [Int] {
        (outputs[handler] ?? []).flatMap { handlers[$0] ?? [] }.filter { $0 != handler }
    }
}

extension Replay {
    /// Notes a value for a handler of a join, which emits as in the recording only if the other inputs had the same last values there.
    func checkHandJoin(_ subscription: Int, _ value: RecordedValue, _ model: (facts: FactTree, fact: Int)?) throws(Stop)
    {
        guard program.handJoins.contains(subscription) else { return }
        joinReceived[subscription] = value
        guard let model else { return }
        for other in program.handJoins.others(of: subscription) {
            try spend()
            let last = joinReceived[other] ?? program.lastDelivered[other]
            let recorded = model.facts.isSame(as: facts) ? try lastValue(through: other, before: model.fact) : nil
            if last == nil && recorded == nil && model.facts.isSame(as: facts) { continue }
            if let last, let recorded, last.isEqual(to: recorded) == true { continue }
            throw Stop(reason: .unseenInputs, node: program.topology.sources[subscription])
        }
    }

    /// The last value that was delivered before a fact of the turn.
    private func lastValue(through subscription: Int, before fact: Int) throws(Stop) -> RecordedValue? {
        var last = program.lastDelivered[subscription]
        guard let flow = program.flow(subscription) else { return last }
        for delivery in facts.deliveries(turn.flows[flow]) {
            if delivery >= fact { break }
            try spend()
            if case .delivery(_, let value) = facts[delivery].role { last = value }
        }
        return last
    }

    /// Stops if an input of a join ends the turn with another value than in the recording, from which the next turn starts.
    func checkHandJoins() throws(Stop) {
        for flow in turn.flows.elements
        where program.handJoins.contains(flow.subscription) && isAlive(flow.subscription)
            && !isOfRemovedRun(flow.subscription)
        {
            let last = joinReceived[flow.subscription] ?? program.lastDelivered[flow.subscription]
            if last?.isEqual(to: flow.last) != true {
                throw Stop(reason: .operatorState, node: program.topology.sources[flow.subscription])
            }
        }
        for (subscription, last) in joinReceived where program.flow(subscription) == nil {
            if program.lastDelivered[subscription]?.isEqual(to: last) != true {
                throw Stop(reason: .operatorState, node: program.topology.sources[subscription])
            }
        }
    }
}
