import WeirTrace

extension TracePast {
    /// The facts on which the causes of an event depend, as known so far.
    ///
    /// A fact is settled once everything later than it was read. `unread` is the latest time that an unread event may have.
    struct Facts {
        /// By index of the node.
        var nodes: [Int: NodeFacts] = [:]
        /// By index of the subscription.
        var inputs: [Int: InputFacts] = [:]
        /// The node whose causes are sought.
        private var place = -1
        private var isValueOpen = false
        /// The subscriptions that are not settled.
        private var open: [Int] = []
        private var trigger: UInt32?
    }

    /// The last events of a node.
    struct NodeFacts {
        /// The last new value.
        var change = Latest()
        var changeCause: EventID?
        var changeDepth = 0
        /// The last value, new or replayed.
        var emitted = Latest()
        var value = TraceValue.notRecorded
        /// The last new value, or value that went no further.
        var write = Latest()
        /// Whether a batch holds that value back.
        var isHeld = false
        var created = Latest()
    }

    /// The last events of a subscription that feeds the node.
    struct InputFacts {
        /// The last delivery of a value, and the event that was delivered.
        var delivery = Latest()
        var emission: EventID?
        var emissionTicks: UInt64?
        var isTooDeep = false
        var started = Latest()
        var isMentioned = false
        var hasEnded = false
    }
}

extension TracePast.Facts {
    /// Asks for what the `CauseStep` of a node needs.
    mutating func add(_ place: Int, holdsValue: Bool, _ inputs: [Int], _ trigger: UInt32?, _ topology: Topology) {
        self.place = place
        self.trigger = trigger
        isValueOpen = holdsValue
        if holdsValue || !inputs.isEmpty { nodes[place] = .init() }
        for edge in inputs {
            self.inputs[edge] = .init()
            nodes[topology.sources[edge]] = .init()
        }
        open = inputs
    }

    /// Whether nothing is left to find.
    var areSettled: Bool { !isValueOpen && open.isEmpty }

    mutating func take(_ event: TraceEvent, _ topology: Topology) {
        let mark = Mark(event)
        switch event.kind {
        case .emitted, .suppressed, .nodeCreated:
            guard let place = topology.place(ofNode: event.subject) else { return }
            nodes[place]?.take(event, mark)
        default:
            guard let place = topology.place(ofSubscription: event.subject) else { return }
            inputs[place]?.take(event, mark)
        }
    }

    /// Settles what it can; returns whether nothing is left.
    mutating func settle(_ unread: UInt64, _ past: TracePast) -> Bool {
        if isValueOpen, let own = nodes[place] {
            isValueOpen = !(own.emitted.ticks > unread || own.created.ticks > unread)
        }
        var left: [Int] = []
        for edge in open where !isSettled(edge, unread, past) { left.append(edge) }
        open = left
        return areSettled
    }

    private func hasChanged(_ edge: Int) -> Bool {
        guard let input = inputs[edge], let own = nodes[place], input.delivery.id != nil else { return false }
        return own.change.isBefore(input.delivery)
    }

    private mutating func isSettled(_ edge: Int, _ unread: UInt64, _ past: TracePast) -> Bool {
        guard let input = inputs[edge], let own = nodes[place], let source = nodes[past.topology.sources[edge]] else {
            return true
        }
        let isTrigger = past.topology.subscriptions[edge].id == trigger
        let hasChanged = hasChanged(edge)
        if !isTrigger, !hasChanged, input.hasEnded, own.change.ticks > unread { return true }
        guard input.delivery.ticks > unread || input.started.ticks > unread else { return false }
        // Without a delivery, the input has the value of its source; a combiner reads that anyway.
        let isSourceKnown = source.change.ticks > unread || source.created.ticks > unread
        let isRead = !input.hasEnded && CauseStep.readsWhenNeeded(edge, past.topology)
        if input.delivery.id == nil || isRead, !isSourceKnown { return false }
        if isTrigger { return true }
        guard source.write.ticks > unread || source.created.ticks > unread else { return false }
        if hasChanged || input.hasEnded || input.started.ticks > unread { return true }
        // Another thread may have recorded the end during the delivery.
        if input.emissionTicks == nil, let emission = input.emission {
            inputs[edge]?.emissionTicks =
                source.emitted.id == emission ? source.emitted.ticks : past.event(emission)?.event.ticks
        }
        return inputs[edge]?.emissionTicks ?? 0 > unread
    }

    // MARK: The state

    /// Sets the facts in a state; false if they depend on the order of two threads at the same time.
    func apply(to state: inout TraceState, _ past: TracePast) -> Bool {
        guard place >= 0, let own = nodes[place] else { return true }
        let deliveries = inputs.values.map(\.delivery)
        if nodes.values.contains(where: { $0.isTied }) || deliveries.contains(where: \.isTied) { return false }
        let read = inputs.filter { CauseStep.readsWhenNeeded($0.key, past.topology) }
        let changes = read.keys.compactMap { nodes[past.topology.sources[$0]]?.change }
        let starts = read.values.filter { $0.delivery.id == nil }.map(\.started)
        if starts.contains(where: \.isTied) { return false }
        let marks = Set((deliveries + changes + starts + [own.change]).map(\.mark)).filter { $0.thread > 0 }.sorted()
        if Mark.areTied(marks) || inputs.values.contains(where: \.isTooDeep) { return false }
        var orders: [Mark: UInt64] = [:]
        for (place, mark) in marks.enumerated() { orders[mark] = UInt64(place) + 1 }
        for (place, facts) in nodes {
            if facts.emitted.id != nil { state.nodes[place].value = facts.value }
            state.nodes[place].lastChange = facts.change.id
            state.nodes[place].changeOrder = orders[facts.change.mark] ?? 0
            state.nodes[place].heldWrite = facts.isHeld ? facts.write.id : nil
        }
        for edge in read.keys {
            guard findBatch(of: past.topology.sources[edge], after: own.change.id, &state, past) else { return false }
        }
        for (edge, facts) in inputs {
            state.subscriptions[edge].life =
                facts.hasEnded ? .ended : facts.isMentioned || facts.started.id != nil ? .alive : .unmentioned
            state.subscriptions[edge].deliveryOrder = orders[facts.delivery.mark] ?? 0
            state.subscriptions[edge].startOrder = orders[facts.started.mark] ?? 0
            state.subscriptions[edge].lastEmission = facts.emission
            guard let emission = facts.emission else { continue }
            let isListed = !facts.hasEnded || hasChanged(edge) || past.topology.subscriptions[edge].id == trigger
            if isListed { state.subscriptions[edge].lastValue = value(of: emission, edge, past) }
        }
        return true
    }

    /// Sets the batch whose end emitted the last value of a node, if `last` happened inside it; false if that is unknown.
    private func findBatch(of source: Int, after last: EventID?, _ state: inout TraceState, _ past: TracePast) -> Bool {
        guard let last, let facts = nodes[source], let change = facts.change.id, change.thread == last.thread,
            change.sequence > last.sequence, facts.changeDepth > 0
        else { return true }
        guard let cause = facts.changeCause, cause.thread == last.thread else { return false }
        if cause.sequence >= last.sequence { return true }
        guard let opener = past.event(cause)?.event, opener.depth + 1 == facts.changeDepth else { return false }
        if opener.kind == .batchBegan { state.nodes[source].changeBatch = cause }
        return true
    }

    /// The value that an emission delivered.
    private func value(of emission: EventID, _ edge: Int, _ past: TracePast) -> TraceValue {
        if let source = nodes[past.topology.sources[edge]], source.emitted.id == emission { return source.value }
        guard let event = past.event(emission)?.event, event.isEmission else { return .notRecorded }
        return event.value
    }

    /// Removes the facts from a state again.
    func remove(from state: inout TraceState) {
        state.closeFrames()
        let topology = state.topology
        for place in nodes.keys {
            let value = topology.definitions.nodes[topology.nodeIDs[place]]?.value ?? .notRecorded
            state.nodes[place] = NodeState(value: value)
        }
        for edge in inputs.keys { state.subscriptions[edge] = SubscriptionState() }
    }
}

extension TracePast.NodeFacts {
    fileprivate mutating func take(_ event: TraceEvent, _ mark: Mark) {
        switch event.kind {
        case .nodeCreated: created.offer(mark)
        case .suppressed: if write.offer(mark) { isHeld = event.suppressionReason == .batched }
        default:
            if emitted.offer(mark) { value = event.value }
            guard !event.isReplayed else { return }
            if change.offer(mark) { (changeCause, changeDepth) = (event.cause, event.depth) }
            if write.offer(mark) { isHeld = false }
        }
    }

    fileprivate var isTied: Bool { change.isTied || emitted.isTied || write.isTied }
}

extension TracePast.InputFacts {
    fileprivate mutating func take(_ event: TraceEvent, _ mark: Mark) {
        switch event.kind {
        case .subscriptionStarted: started.offer(mark)
        case .subscriptionEnded: hasEnded = true
        default:
            isMentioned = true
            if event.deliversEnd || event.isSettling { return }
            guard delivery.offer(mark) else { return }
            (emission, emissionTicks) = (event.cause, nil)
            isTooDeep = event.depth >= TracePast.deepest
        }
    }
}
