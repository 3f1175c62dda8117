import WeirTrace

/// Whether turns happen as recorded if what other threads write to some nodes arrives later, on one thread.
///
/// It is assumed that a thread's values arrive in the order in which they were written: after the rest of its turn or stimulus,
/// and before the next turn of the thread that receives them.
struct LaterWrites {
    private let nodes: PlaceSet
    private let topology: Topology
    /// The number of the main thread; nil: the first thread that writes a node receives the values.
    private let main: UInt32?
    /// By node, the thread of its first write.
    private var firstThreads: [Int: UInt32] = [:]
    /// By thread, the stimulus in which it wrote values, and when they arrived, in the order of the trace.
    private var waiting: [UInt32: (stimulus: RecordedTurn.Stimulus?, arrival: UInt64)] = [:]
    /// The nodes that such values change, and those that depend on them.
    private var dependents: Set<Int> = []

    init(_ nodes: PlaceSet, _ topology: Topology) {
        self.nodes = nodes
        self.topology = topology
        main = topology.definitions.runners.first { $0.value == .main }?.key
    }

    /// Takes the next turn.
    mutating func take(_ turn: RecordedTurn) throws(Replay.Stop) {
        guard !turn.facts.isEmpty else { return }
        let thread = turn.facts[0].event.thread
        // Turns come in the order of their ends.
        let beginning = turn.facts[0].event.order
        if main.map({ $0 == thread }) ?? firstThreads.values.contains(thread) {
            waiting = waiting.mapValues { ($0.stimulus, min($0.arrival, beginning)) }
        }
        if let earlier = waiting[thread], earlier.stimulus !== turn.stimulus || earlier.arrival < beginning {
            waiting[thread] = nil
        }
        let written = written(in: turn)
        var isWaiting = waiting[thread] != nil
        guard !written.isEmpty || isWaiting else { return }
        if turn.isIncomplete { throw Replay.Stop(reason: .incomplete, node: nil) }
        let order = TurnOrder(turn)
        var moved: Set<Int> = []
        for fact in written { moved.insert(try root(of: fact, order)) }
        for root in moved {
            for fact in order.within(root) { if let place = place(turn.facts[fact].role) { add(place) } }
        }
        if !moved.isEmpty, let other = dependents.first(where: { !topology.canBatch($0) }) {
            throw Replay.Stop(reason: .delayedHandler, node: other)
        }
        var rest = order.facts[...]
        while let fact = rest.first {
            if moved.contains(fact) {
                isWaiting = true
                rest = rest.dropFirst(order.within(fact).count)
                continue
            }
            rest = rest.dropFirst()
            if isWaiting, let place = place(turn.facts[fact].role), dependents.contains(place) {
                throw Replay.Stop(reason: .overtaken, node: place)
            }
        }
        if isWaiting { waiting[thread] = (turn.stimulus, .max) }
    }

    /// The values that arrive later.
    private mutating func written(in turn: RecordedTurn) -> [Int] {
        turn.facts.indices.filter { fact in
            let event = turn.facts[fact].event
            guard event.kind == .emitted || event.kind == .suppressed, !event.isReplayed,
                let node = topology.place(ofNode: event.subject), nodes.contains(node)
            else { return false }
            return !receives(event.thread, node)
        }
    }

    /// The write that a value follows from: it arrives later, with all that is in it.
    private func root(of fact: Int, _ order: TurnOrder) throws(Replay.Stop) -> Int {
        let turn = order.turn
        var root = fact
        while true {
            let role = turn.facts[root].role
            switch role {
            case .write, .broadcast, .cold, .stopped(_, isEqual: true): break
            case .result, .waiting, .stopped:
                if let delivery = order.parent(of: root), case .delivery(let input, _) = turn.facts[delivery].role,
                    topology.targets[input] >= 0, let emission = order.parent(of: delivery)
                {
                    root = emission
                    continue
                }
                fallthrough
            default:
                // It comes at the end of a batch, or when the turn settles.
                throw Replay.Stop(reason: .delayedHandler, node: place(role))
            }
            let isBatched = order.ancestors(of: root).contains { turn.facts[$0].role == .batch }
            if isBatched { throw Replay.Stop(reason: .delayedHandler, node: place(role)) }
            return root
        }
    }

    /// Whether a thread is the one that the values of a node are handed over to.
    private mutating func receives(_ thread: UInt32, _ node: Int) -> Bool {
        if let main { return thread == main }
        let first = firstThreads[node] ?? thread
        firstThreads[node] = first
        return first == thread
    }

    /// Adds a node that a value changes.
    private mutating func add(_ node: Int) {
        var next = [node]
        while let node = next.popLast() {
            guard dependents.insert(node).inserted else { continue }
            next += topology.outputs[node].map { topology.targets[$0] }.filter { $0 >= 0 }
        }
    }

    /// The node that a fact changes, reads or observes.
    private func place(_ role: FactRole) -> Int? {
        switch role {
        case .write(let node, _), .broadcast(let node, _), .cold(let node, _, _), .replay(let node, _, _),
            .stopped(let node, _), .result(let node), .waiting(let node), .ending(let node), .created(let node, _):
            node
        case .began(let subscription), .ended(let subscription, _): topology.sources[subscription]
        case .nothing, .delivery, .scheduled, .handedOver, .endDelivery, .settling, .stimulus, .batch, .hop, .structure,
            .mark, .released:
            nil
        }
    }
}

/// The facts of a turn in the order in which they happened, with their parents.
private struct TurnOrder {
    let turn: RecordedTurn
    private(set) var facts: [Int] = []
    /// By fact, its parent, or -1; its place in `facts`; and the place after all that is in it.
    private var parents: [Int]
    private var places: [Int]
    private var ends: [Int]

    init(_ turn: RecordedTurn) {
        self.turn = turn
        parents = Array(repeating: -1, count: turn.facts.count)
        places = parents
        ends = parents
        facts.reserveCapacity(turn.facts.count)
        for root in turn.roots { add(root, to: -1) }
    }

    private mutating func add(_ fact: Int, to parent: Int) {
        parents[fact] = parent
        places[fact] = facts.count
        facts.append(fact)
        for child in turn.tree.children(of: fact) { add(child, to: fact) }
        ends[fact] = facts.count
    }

    func parent(of fact: Int) -> Int? { parents[fact] < 0 ? nil : parents[fact] }

    func ancestors(of fact: Int) -> some Sequence<Int> { sequence(first: fact, next: parent(of:)).dropFirst() }

    /// A fact and all that is in it.
    func within(_ fact: Int) -> ArraySlice<Int> { facts[places[fact]..<ends[fact]] }
}
