@_spi(Records) import WeirTrace

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
        /// Whether the last write that a batch held back is sought, and since when the batch may be open.
        private var isHeldWriteOpen = false
        private var batchTicks: UInt64 = 0
        /// Whether the innermost frame around the event is unknown.
        private var isFrameUnknown = false
        /// The subscriptions that are not settled.
        private var open: [Int] = []
        private var trigger: UInt32?
        /// The subscription that began the run, if the node has several; its last delivery is the run's last change.
        private var output: Int?
        private var hasOwnChange = true
        private var isOfRow = false
        private var isLate = false
        /// For a flatMap: the input whose beginning shows the value that began the signal.
        private var signal: Int?
        /// The inputs in whose deliveries others began, and those of them that are not settled.
        private var openers: Set<Int> = []
        private var openOpeners: [Int] = []
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
        /// The last value that it sent itself, as a side of a channel, and the emission that has the value.
        var echoed = Latest()
        var echoedEmission: EventID?
        /// The last new value, or value that went no further.
        var write = Latest()
        /// Whether a batch holds that value back.
        var isHeld = false
        /// The last value that a batch held back.
        var held = Latest()
        var heldWrite: HeldWrite?
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
        /// The subscription during whose delivery it began; 0: none.
        var opener: UInt32 = 0
        /// The event during whose delivery through that subscription it began.
        var opening: EventID?
        /// Whether it began in a hop, not in a delivery.
        var isInHop = false
        var isMentioned = false
        var hasEnded = false
        var endReason: UInt8 = 0
    }
}

extension TracePast.Facts {
    /// Asks for what the `CauseStep` of an event needs.
    ///
    /// - Parameter run: the number of the run that the event belongs to; nil: unknown, or the node has no runs.
    mutating func add(_ place: Int, _ event: TraceEvent, trigger: UInt32?, run: Int?, _ topology: Topology) {
        self.place = place
        self.trigger = trigger
        let holdsValue = CauseStep.holdsValue(place, topology)
        isValueOpen = holdsValue
        let inputs = event.kind == .emitted || event.kind == .suppressed ? ask(place, event, run, topology) : []
        if holdsValue || !inputs.isEmpty { nodes[place] = .init() }
        for edge in inputs {
            self.inputs[edge] = .init()
            nodes[topology.sources[edge]] = .init()
        }
        open = inputs
        signal = topology.runs.isFlatMap(place) ? topology.input(behind: event, of: place) : nil
        if let output {
            self.inputs[output] = .init()
            open.append(output)
        }
    }

    /// The inputs to ask for.
    private mutating func ask(_ place: Int, _ event: TraceEvent, _ run: Int?, _ topology: Topology) -> [Int] {
        let runs = topology.runs
        let division = runs.division(of: place)
        if division != .none, event.isReplayed { return [] }
        isOfRow = runs.isZip(place)
        if division == .none || division == .single { return topology.inputs[place] }
        hasOwnChange = false
        output = isOfRow ? nil : run.flatMap { runs.output(ofRun: $0) }
        if runs.hasOneSource(place), let behind = topology.input(behind: event, of: place) { return [behind] }
        guard let run else { return topology.inputs[place].filter { topology.subscriptions[$0].id == trigger } }
        isLate = division == .late
        return isLate ? topology.inputs[place] : Array(runs.inputs(ofRun: run))
    }

    /// Asks for the write that a batch held back, if the event may be the end of the batch for the node.
    ///
    /// - Parameter opener: the cause of the event.
    mutating func askForHeldWrite(_ event: TraceEvent, inside opener: TraceEvent, _ topology: Topology) {
        guard CauseStep.isWritten(place, topology), CauseStep.mayBeOfBatch(event) else { return }
        isFrameUnknown = event.depth > opener.depth + 1
        let isLeftByBatch = opener.kind == .hopBegan && opener.subject == event.subject
        guard isFrameUnknown || isLeftByBatch || opener.kind == .batchBegan else { return }
        (isHeldWriteOpen, batchTicks) = (true, isLeftByBatch ? 0 : opener.ticks)
        if nodes[place] == nil { nodes[place] = .init() }
    }

    /// Whether the answer depends on the frames between the cause of the event and the event.
    func needsFrames(inside cause: EventID, _ state: TraceState) -> Bool {
        isFrameUnknown && state.heldWrites[place]?.isInside(cause) == true
    }

    /// Whether nothing is left to find.
    var areSettled: Bool { !isValueOpen && !isHeldWriteOpen && open.isEmpty && openOpeners.isEmpty }

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
        if isHeldWriteOpen, let own = nodes[place] {
            isHeldWriteOpen = max(own.held.ticks, own.change.ticks, own.created.ticks, batchTicks) <= unread
        }
        var left: [Int] = []
        for edge in open where !isSettled(edge, unread, past) || !isRunSettled(edge, unread, past) { left.append(edge) }
        open = left
        while let opener = openOpeners.last, isRunSettled(opener, unread, past) {
            openOpeners.removeAll { $0 == opener }
        }
        return areSettled
    }

    /// Whether the run of an input is known. Asks for that of the input during whose delivery it began.
    private mutating func isRunSettled(_ edge: Int, _ unread: UInt64, _ past: TracePast) -> Bool {
        guard isLate, edge != output, past.topology.runs.run(ofInput: edge) == nil, let input = inputs[edge] else {
            return true
        }
        if !openers.contains(edge), isOver(edge, unread, past) { return true }
        guard input.started.ticks > unread else { return false }
        if let opener = opener(of: edge, past.topology), openers.insert(opener).inserted { openOpeners.append(opener) }
        return true
    }

    /// The input of the same node during whose delivery an input began.
    private func opener(of edge: Int, _ topology: Topology) -> Int? {
        guard let opener = inputs[edge]?.opener, let found = topology.place(ofSubscription: opener),
            topology.targets[found] == place
        else { return nil }
        return found
    }

    /// Whether an input has ended and has no part in the event.
    private func isOver(_ edge: Int, _ unread: UInt64, _ past: TracePast) -> Bool {
        guard let input = inputs[edge], past.topology.subscriptions[edge].id != trigger, !isKept(edge, past) else {
            return false
        }
        return !hasChanged(edge) && input.hasEnded && lastChange.ticks > unread
    }

    /// Whether the node goes on using the last value of an input that has ended.
    private func isKept(_ edge: Int, _ past: TracePast) -> Bool {
        guard let input = inputs[edge], input.hasEnded else { return false }
        return past.topology.keepsValue(edge, endedFor: input.endReason)
    }

    /// The last change of the node, or of its run.
    private var lastChange: Latest {
        if hasOwnChange { return nodes[place]?.change ?? Latest() }
        return output.flatMap { inputs[$0]?.delivery } ?? Latest()
    }

    private func hasChanged(_ edge: Int) -> Bool {
        guard let input = inputs[edge], input.delivery.id != nil else { return false }
        return lastChange.isBefore(input.delivery)
    }

    private mutating func isSettled(_ edge: Int, _ unread: UInt64, _ past: TracePast) -> Bool {
        guard let input = inputs[edge] else { return true }
        if edge == signal, input.started.ticks <= unread { return false }
        let isDelivered = input.delivery.ticks > unread || input.started.ticks > unread
        let isTrigger = past.topology.subscriptions[edge].id == trigger
        if edge == output || isOfRow && !isTrigger { return isDelivered }
        guard let source = nodes[past.topology.sources[edge]] else { return true }
        let hasChanged = hasChanged(edge)
        if isOver(edge, unread, past) { return true }
        guard isDelivered else { return false }
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
            if facts.emitted.id != nil { state.nodes[place].value = past.value(of: facts) }
            state.nodes[place].lastChange = facts.change.id
            state.nodes[place].changeOrder = orders[facts.change.mark] ?? 0
            state.nodes[place].heldWrite = facts.isHeld ? facts.write.id : nil
        }
        if let held = own.heldWrite, own.change.isBefore(own.held) {
            if Mark.areTied([own.change.mark, own.held.mark]) { return false }
            state.heldWrites[place] = held
        }
        for edge in read.keys {
            guard findBatch(of: past.topology.sources[edge], after: own.change.id, &state, past) else { return false }
        }
        for (edge, facts) in inputs {
            state.subscriptions[edge].life =
                facts.hasEnded ? .ended : facts.isMentioned || facts.started.id != nil ? .alive : .unmentioned
            state.subscriptions[edge].endReason = facts.endReason
            state.subscriptions[edge].deliveryOrder = orders[facts.delivery.mark] ?? 0
            state.subscriptions[edge].startOrder = orders[facts.started.mark] ?? 0
            state.subscriptions[edge].lastEmission = facts.emission
            if edge == signal { state.subscriptions[edge].opening = opening(of: edge, past) }
            if past.isUnsure { return false }
            guard let emission = facts.emission else { continue }
            let isListed =
                isOfRow || !facts.hasEnded || isKept(edge, past) || hasChanged(edge)
                || past.topology.subscriptions[edge].id == trigger
            if isListed { state.subscriptions[edge].lastValue = value(of: emission, edge, past) }
        }
        return !isLate || setRuns(of: &state)
    }

    /// The value during whose delivery the node subscribed to an input. Which value has waited longest is unsure.
    private func opening(of edge: Int, _ past: TracePast) -> SubscriptionState.Opening? {
        guard let input = opener(of: edge, past.topology), let opening = inputs[edge]?.opening else { return nil }
        guard past.event(opening)?.event.kind == .emitted, inputs[edge]?.isInHop == false else {
            past.isUnsure = true
            return nil
        }
        return .init(input: past.topology.subscriptions[input].id, emission: opening)
    }

    /// Sets the runs of inputs to which the node subscribed late; false if that takes too long.
    private func setRuns(of state: inout TraceState) -> Bool {
        for edge in inputs.keys where edge != output {
            var (next, steps): (Int?, Int) = (edge, 0)
            while let input = next, state.run(ofInput: input) == nil {
                steps += 1
                if steps > Self.mostOpeners { return false }
                next = opener(of: input, state.topology)
            }
            if let run = next.flatMap({ state.run(ofInput: $0) }) { state.setRun(run, ofLateInput: edge) }
        }
        return true
    }

    /// Each of these began during a delivery through the next one.
    static var mostOpeners: Int { 16 }

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
        state.heldWrites = [:]
        let topology = state.topology
        for place in nodes.keys {
            let value = topology.definitions.nodes[topology.nodeIDs[place]]?.value ?? .notRecorded
            state.nodes[place] = NodeState(value: value)
        }
        for edge in inputs.keys {
            state.subscriptions[edge] = SubscriptionState()
            if isLate { state.setRun(nil, ofLateInput: edge) }
        }
    }
}

extension TracePast.NodeFacts {
    fileprivate mutating func take(_ event: TraceEvent, _ mark: Mark) {
        switch event.kind {
        case .nodeCreated: created.offer(mark)
        case .suppressed:
            let isHeld = event.suppressionReason == .batched
            if write.offer(mark) { self.isHeld = isHeld }
            if isHeld, held.offer(mark) { heldWrite = HeldWrite(event) }
            guard event.suppressionReason == .echoed else { return }
            emitted.offer(mark)
            if echoed.offer(mark) { echoedEmission = event.cause }
        default:
            if emitted.offer(mark) { value = event.value }
            guard !event.isReplayed else { return }
            if change.offer(mark) { (changeCause, changeDepth) = (event.cause, event.depth) }
            if write.offer(mark) { isHeld = false }
        }
    }

    fileprivate var isTied: Bool {
        change.isTied || emitted.isTied || write.isTied || held.isTied || echoed.isTied
    }

    /// The event at which it got a value that it sent itself, if it has not changed since, and the emission that has the value.
    var echo: (event: EventID, emission: EventID?)? {
        guard let event = echoed.id, change.isBefore(echoed) else { return nil }
        return (event, echoedEmission)
    }
}

extension TracePast.InputFacts {
    fileprivate mutating func take(_ event: TraceEvent, _ mark: Mark) {
        switch event.kind {
        case .subscriptionStarted:
            guard started.offer(mark) else { return }
            opener = event.deliveringTo == 0 ? event.scheduledBy : event.deliveringTo
            opening = event.cause
            isInHop = event.deliveringTo == 0
        case .subscriptionEnded: (hasEnded, endReason) = (true, event.reason)
        default:
            isMentioned = true
            if event.deliversEnd || event.isSettling { return }
            guard delivery.offer(mark) else { return }
            (emission, emissionTicks) = (event.cause, nil)
            isTooDeep = event.depth >= TracePast.deepest
        }
    }
}
