@_spi(Records) import WeirTrace

/// The nodes that may hold a value of another node: values follow subscriptions, as in the recorder, and code.
///
/// A node feeds another one through a subscription. While its value is delivered on a thread, it may also have given the value
/// to each node that is made, written or ended there: by a handler, a closure of `flatMap`, or a combiner's function. So it may to
/// those of a hop that the handler scheduled. Later uses by the code in an untraced task or on a queue are unknown.
///
/// Memory grows with the nodes and the pairs of nodes of which one feeds the other.
struct RedactionFlow {
    private let definitions: TraceDefinitions
    private var targets: [UInt32: Set<UInt32>] = [:]
    /// The open frames of each thread, with their nodes.
    private var threads: [UInt32: FrameWalk<UInt32>] = [:]
    /// Nodes that the program declares public, whatever feeds them.
    private let disclosed: Set<UInt32>

    init(_ definitions: TraceDefinitions) {
        self.definitions = definitions
        // The program declares these combiners public although private nodes feed them.
        let combiners = Disclosure.all(in: definitions).filter { $0.kind == .combiner }.map(\.node)
        let operators = definitions.nodes.values.filter { $0.kind == .disclose }.map(\.id)
        disclosed = Set(combiners + operators)
        for subscription in definitions.subscriptions.values {
            if let target = subscription.target { add(subscription.source, target) }
        }
    }

    /// Takes the next event of the trace.
    mutating func take(_ event: TraceEvent) {
        var open = threads.removeValue(forKey: event.id.thread) ?? FrameWalk()
        open.settle(before: event)
        switch event.kind {
        case .nodeCreated, .emitted, .suppressed, .failed:
            let around = event.deliveringTo == 0 ? event.scheduledBy : event.deliveringTo
            if let subscription = definitions.subscriptions[around] {
                add(subscription.source, event.subject)
            }
            if let place = open.causing { add(open[place], event.subject) }
        default: break
        }
        open.follow(event, event.subject)
        threads[event.id.thread] = open
    }

    private mutating func add(_ source: UInt32, _ target: UInt32) {
        guard source != target, source != 0, definitions.nodes[target]?.kind != .observer else { return }
        if targets[source]?.contains(target) == true { return }
        targets[source, default: []].insert(target)
    }

    /// The nodes and everything their values may have reached, except through `kept` or disclosed nodes.
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

    /// The public nodes from which values of `nodes` may have come, directly or through other nodes.
    func feeding(_ nodes: Set<UInt32>) -> [UInt32] {
        var sources: [UInt32: [UInt32]] = [:]
        for (source, targets) in targets { for target in targets { sources[target, default: []].append(source) } }
        var found = nodes
        var next = Array(nodes)
        while let node = next.popLast() {
            for source in sources[node] ?? [] where found.insert(source).inserted { next.append(source) }
        }
        return found.subtracting(nodes).sorted().filter { id in
            // A tap has no value that could reveal anything.
            definitions.nodes[id].map { !$0.isPrivate && $0.valueType != "()" } ?? false
        }
    }
}
