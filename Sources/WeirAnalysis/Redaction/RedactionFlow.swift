import WeirTrace

/// Which nodes may hold what another node held: privacy follows the flow, as in the recorder, and what code did with a value.
///
/// A node feeds another one by a subscription. And it may have given its value to each node that was made, written or ended while
/// its value was being delivered on that thread: by a handler, by a closure of `flatMap`, by a combiner's function. What code did
/// later, in a task or on a queue, is not known.
///
/// Memory grows with the nodes and the pairs of them of which one fed the other.
struct RedactionFlow {
    private let definitions: TraceDefinitions
    private var targets: [UInt32: Set<UInt32>] = [:]
    private var threads: [UInt32: [OpenEmission]] = [:]
    /// Nodes that the program has declared public, whatever feeds them.
    private let disclosed: Set<UInt32>

    /// An emission, or a hop, that may be open.
    private struct OpenEmission {
        var sequence: UInt64
        var node: UInt32
    }

    init(_ definitions: TraceDefinitions) {
        self.definitions = definitions
        // Combiners that are public although private nodes feed them: the program has said so.
        let combiners = Disclosure.all(in: definitions).filter { $0.kind == .combiner }.map(\.node)
        let operators = definitions.nodes.values.filter { $0.kind == .disclose }.map(\.id)
        disclosed = Set(combiners + operators)
        for subscription in definitions.subscriptions.values {
            if let target = subscription.target { add(subscription.source, target) }
        }
    }

    /// Takes up the next event of the trace.
    mutating func take(_ event: TraceEvent) {
        if event.kind != .hopBegan { leave(event) }
        switch event.kind {
        case .nodeCreated, .emitted, .suppressed, .failed:
            if let subscription = definitions.subscriptions[event.deliveringTo] {
                add(subscription.source, event.subject)
            }
            if let open = threads[event.id.thread]?.last { add(open.node, event.subject) }
        default: break
        }
        if event.delivers || event.kind == .hopBegan {
            threads[event.id.thread, default: []].append(OpenEmission(sequence: event.id.sequence, node: event.subject))
        }
    }

    /// Forgets closed emissions: an event names as its cause the innermost emission or hop around it.
    private mutating func leave(_ event: TraceEvent) {
        let cause = event.cause?.sequence ?? 0
        while let last = threads[event.id.thread]?.last, last.sequence > cause {
            threads[event.id.thread]?.removeLast()
        }
    }

    private mutating func add(_ source: UInt32, _ target: UInt32) {
        guard source != target, source != 0, definitions.nodes[target]?.kind != .observer else { return }
        if targets[source]?.contains(target) == true { return }
        targets[source, default: []].insert(target)
    }

    /// The nodes themselves, and all that their values may have reached; not through nodes of `kept`, nor what is disclosed.
    func reached(from nodes: Set<UInt32>, without kept: Set<UInt32>) -> Set<UInt32> {
        var reached = nodes
        var next = Array(nodes)
        while let node = next.popLast() {
            for target in targets[node] ?? [] where !kept.contains(target) && !disclosed.contains(target) {
                if reached.insert(target).inserted { next.append(target) }
            }
        }
        return reached
    }

    /// The public nodes from which values of `nodes` may have come, directly or through others.
    func feeding(_ nodes: Set<UInt32>) -> [UInt32] {
        var sources: [UInt32: [UInt32]] = [:]
        for (source, targets) in targets { for target in targets { sources[target, default: []].append(source) } }
        var found = nodes
        var next = Array(nodes)
        while let node = next.popLast() {
            for source in sources[node] ?? [] where found.insert(source).inserted { next.append(source) }
        }
        return found.subtracting(nodes).sorted().filter { id in
            // A tap has no value that could tell anything.
            definitions.nodes[id].map { !$0.isPrivate && $0.valueType != "()" } ?? false
        }
    }
}
