import WeirTrace

/// Whether turns happen as recorded if what other threads write to some nodes arrives later, on one thread; or if what some handlers
/// change does.
///
/// It is assumed that a thread's values arrive in the order in which they were written: after the rest of its turn or stimulus,
/// and before the next turn of the thread that receives them. What handlers change comes after the rest of their stimulus, too, and
/// no later than the handlers would take once more.
struct LaterWrites {
    private let nodes: PlaceSet
    /// Subscriptions whose handlers may leave what they change to later.
    private let handlers: PlaceSet
    private let topology: Topology
    /// The number of the main thread; nil: the first thread that writes a node receives the values.
    private let main: UInt32?
    /// By node, the thread of its first write.
    private var firstThreads: [Int: UInt32] = [:]
    /// By thread, the stimulus in which it wrote values, and when they arrived, in the order of the trace.
    private var waiting: [UInt32: (stimulus: RecordedTurn.Stimulus?, arrival: UInt64)] = [:]
    /// The nodes that such values change, and those that depend on them.
    private var dependents: Set<Int> = []
    /// When the last change of a handler has come.
    private var end: UInt64 = 0
    /// For each node that such changes have reached since none was waiting, the subscription of the handler.
    private var changers: [Int: Int] = [:]

    init(_ nodes: PlaceSet, _ topology: Topology, handlers: PlaceSet = PlaceSet([])) {
        self.nodes = nodes
        self.handlers = handlers
        self.topology = topology
        main = topology.definitions.runners.first { $0.value == .main }?.key
    }

    /// Takes the next turn.
    ///
    /// - Parameter isOverlapped: Whether a turn of another thread ended while it was open.
    mutating func take(_ turn: RecordedTurn, isOverlapped: Bool) throws(Replay.Stop) {
        guard !turn.facts.isEmpty else { return }
        let thread = turn.facts[0].event.thread
        // Turns come in the order of their ends.
        let beginning = turn.facts[0].event.order
        if handlers.isEmpty, main.map({ $0 == thread }) ?? firstThreads.values.contains(thread) {
            waiting = waiting.mapValues { ($0.stimulus, min($0.arrival, beginning)) }
        }
        if let earlier = waiting[thread], earlier.stimulus !== turn.stimulus || earlier.arrival < beginning,
            turn.facts[0].event.ticks >= end
        {
            waiting[thread] = nil
        }
        if waiting.isEmpty, turn.facts[0].event.ticks >= end, !changers.isEmpty { changers = [:] }
        let written = handlers.isEmpty ? written(in: turn) : try changed(in: turn)
        var isWaiting =
            handlers.isEmpty ? waiting[thread] != nil : !waiting.isEmpty || turn.facts[0].event.ticks < end
        guard !written.isEmpty || isWaiting else { return }
        if turn.isIncomplete { throw Replay.Stop(reason: .incomplete, node: nil) }
        if isOverlapped, !handlers.isEmpty, let first = written.first {
            throw Replay.Stop(reason: .overtaken, node: place(turn.facts[first].role))
        }
        let order = TurnOrder(turn)
        var moved: Set<Int> = []
        for fact in written { moved.insert(handlers.isEmpty ? try root(of: fact, order) : try act(fact, order)) }
        for root in moved {
            for fact in order.within(root) {
                guard let place = place(turn.facts[fact].role) else { continue }
                add(place)
                if !handlers.isEmpty { try note(place, changedBy: order.delivery(around: root)) }
            }
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
        if handlers.isEmpty ? isWaiting : !moved.isEmpty { waiting[thread] = (turn.stimulus, .max) }
    }

    /// Whether something may still arrive, so that the next turn matters.
    var isWaiting: Bool { !waiting.isEmpty }

    /// The changes that the handlers make; also notes when these will have come.
    private mutating func changed(in turn: RecordedTurn) throws(Replay.Stop) -> [Int] {
        var changed: [Int] = []
        for flow in turn.flows.elements where handlers.contains(flow.subscription) {
            for delivery in turn.tree.deliveries(flow) {
                let acts = turn.tree.children(of: delivery).filter { ![.nothing, .mark].contains(turn.facts[$0].role) }
                if acts.isEmpty { continue }
                guard let ended = turn.facts[delivery].endTicks else {
                    throw Replay.Stop(reason: .incomplete, node: topology.sources[flow.subscription])
                }
                changed += acts
                end = max(end, ended.addingReportingOverflow(turn.facts[delivery].ticks).partialValue)
            }
        }
        return changed
    }

    /// Stops if another handler changes the node, too: which of them takes longer is unknown.
    private mutating func note(_ place: Int, changedBy handler: Int?) throws(Replay.Stop) {
        guard let handler else { return }
        if changers.updateValue(handler, forKey: place) ?? handler != handler {
            throw Replay.Stop(reason: .overtaken, node: place)
        }
    }

    /// A change of a handler, if it is a single write or event.
    private func act(_ fact: Int, _ order: TurnOrder) throws(Replay.Stop) -> Int {
        switch order.turn.facts[fact].role {
        case .write, .broadcast, .cold:
            if order.batch(around: fact) == nil { return fact }
        default: break
        }
        throw Replay.Stop(reason: .delayedHandler, node: place(order.turn.facts[fact].role))
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
                guard isOnlyWrite(root, order) else { throw Replay.Stop(reason: .delayedHandler, node: place(role)) }
                return root
            }
            if order.batch(around: root) != nil, !isOnlyWrite(root, order) {
                throw Replay.Stop(reason: .delayedHandler, node: place(role))
            }
            return root
        }
    }

    /// Whether a batch holds back a single write, of which this is a record: the value may as well come without the batch.
    private func isOnlyWrite(_ fact: Int, _ order: TurnOrder) -> Bool {
        guard let batch = order.batch(around: fact), order.heldWrites[batch] == 1 else { return false }
        return order.turn.facts[fact].event.suppressionReason == .batched || order.parent(of: fact) == batch
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
    /// By fact, the outermost batch around it, or -1.
    private var batches: [Int]
    /// How many writes each batch holds back.
    private(set) var heldWrites: [Int: Int] = [:]

    init(_ turn: RecordedTurn) {
        self.turn = turn
        parents = Array(repeating: -1, count: turn.facts.count)
        places = parents
        ends = parents
        batches = parents
        facts.reserveCapacity(turn.facts.count)
        for root in turn.roots { add(root, to: -1, batch: -1) }
    }

    private mutating func add(_ fact: Int, to parent: Int, batch: Int) {
        parents[fact] = parent
        batches[fact] = batch
        places[fact] = facts.count
        facts.append(fact)
        if turn.facts[fact].event.suppressionReason == .batched { heldWrites[batch, default: 0] += 1 }
        var inside = batch
        switch turn.facts[fact].role {
        case .batch where batch < 0: inside = fact
        // It holds nothing back while it emits at its end.
        case .result where batch == parent: inside = -1
        default: break
        }
        for child in turn.tree.children(of: fact) { add(child, to: fact, batch: inside) }
        ends[fact] = facts.count
    }

    /// The outermost batch around a fact.
    func batch(around fact: Int) -> Int? { batches[fact] < 0 ? nil : batches[fact] }

    func parent(of fact: Int) -> Int? { parents[fact] < 0 ? nil : parents[fact] }

    /// The subscription of the delivery that contains a fact directly.
    func delivery(around fact: Int) -> Int? {
        guard let parent = parent(of: fact), case .delivery(let subscription, _) = turn.facts[parent].role else {
            return nil
        }
        return subscription
    }

    /// A fact and all that is in it.
    func within(_ fact: Int) -> ArraySlice<Int> { facts[places[fact]..<ends[fact]] }
}
