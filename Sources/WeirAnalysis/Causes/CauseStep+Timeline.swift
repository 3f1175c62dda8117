import WeirTrace

extension Timeline {
    /// The event with this id and all its causes; nil if the trace has no such event.
    ///
    /// Moves the timeline to another position. The cost is that of going there; see `Timeline`.
    public func causeStep(of id: EventID) -> CauseStep? { causeSteps(of: [id])[id]?.step }

    /// The events with these ids that the trace has. Each comes with its causes and the ids of the frames open around it,
    /// innermost first.
    ///
    /// The cost is that of going from the checkpoint before the first event to the last event.
    func causeSteps(of ids: [EventID]) -> [EventID: (step: CauseStep, around: [EventID])] {
        var open = Set(ids)
        guard !open.isEmpty else { return [:] }
        var found: [EventID: (step: CauseStep, around: [EventID])] = [:]
        restoreCheckpoint(before: ids)
        forward { event in
            guard open.remove(event.id) != nil else { return }
            let around = state.openFrames(ofThread: event.id.thread).suffix(Self.framesReported).reversed().map(\.id)
            found[event.id] = (CauseStep(event, before: state), around)
        } while: { _ in
            !open.isEmpty
        }
        return found
    }

    private static let framesReported = 300
}

extension CauseStep {
    /// The event with its causes, read from the state just before the event happens.
    init(_ event: TraceEvent, before state: TraceState) {
        let place = event.isOfNode ? state.topology.place(ofNode: event.subject) : nil
        let frame = state.openFrames(ofThread: event.id.thread).last { $0.id == event.cause }
        self.event = event
        way = Self.way(of: event, openedBy: frame?.opener)
        writeSite = state.lastWrite(ofThread: event.id.thread).flatMap { write in
            let isOfEvent = write.id.sequence &+ 1 == event.id.sequence && write.subject == event.subject
            let isKind = event.kind == .suppressed || event.kind == .emitted && !event.isReplayed
            return isOfEvent && isKind ? state.topology.definitions.writeSite(of: write) : nil
        }
        heldValue = place.flatMap { Self.heldValue(of: $0, state) }
        inputs =
            event.kind == .emitted || event.kind == .suppressed ? Self.inputs(of: place, event, way, state) : []
        mainCause = Self.mainCause(event, way, inputs, in: frame, state)
    }

    /// The value that a node holds; nil for kinds of node that hold none.
    private static func heldValue(of place: Int, _ state: TraceState) -> TraceValue? {
        guard holdsValue(place, state.topology) else { return nil }
        switch state.nodes[place].value {
        case .notRecorded, .withheld, .opaque, .void, .unknown: return nil
        case let value: return value
        }
    }

    /// Whether a node is of a kind that holds a value.
    static func holdsValue(_ place: Int, _ topology: Topology) -> Bool {
        switch topology.definitions.nodes[topology.nodeIDs[place]]?.kind {
        case .observable, .combiner, .channel, .array, .binding: true
        default: false
        }
    }

    private static func mainCause(
        _ event: TraceEvent, _ way: Way, _ inputs: [Input], in frame: OpenFrame?, _ state: TraceState
    ) -> EventID? {
        // Work that the node itself gave to a scheduler is listed as such.
        if frame?.opener == .hopBegan, frame?.node == event.subject { return way.cause }
        if inputs.contains(where: { $0.role == .triggered }) { return way.cause }
        // The latest in time, not in the order of the inputs: it has the longest path behind it.
        func order(_ input: Input) -> UInt64 {
            state.topology.place(ofSubscription: input.subscription).map { state.inputChange($0) } ?? 0
        }
        return inputs.filter { $0.role == .changed }.max { order($0) < order($1) }?.emission ?? way.cause
    }

    /// How the cause brought the event about, derived from the kind of the cause; `.root` if no cause is recorded.
    static func way(of event: TraceEvent, openedBy opener: EventKind?) -> Way {
        guard let cause = event.cause else { return .root }
        if event.kind == .hopBegan { return .scheduled(by: cause) }
        switch opener {
        case .stimulusBegan, .hopBegan, .batchBegan: return .within(cause)
        default: break
        }
        if event.isSettling { return .settling(of: cause) }
        if event.kind == .deliveryBegan || event.kind == .deliveryNext {
            return .delivery(of: cause, through: event.subject)
        }
        return event.deliveringTo != 0 ? .delivery(of: cause, through: event.deliveringTo) : .settling(of: cause)
    }

    private static func inputs(of place: Int?, _ event: TraceEvent, _ way: Way, _ state: TraceState) -> [Input] {
        guard let place else { return [] }
        let topology = state.topology
        return topology.inputs[place].compactMap { edge in
            let (input, subscription) = (state.subscriptions[edge], topology.subscriptions[edge])
            var isTrigger = false
            if case .delivery(_, subscription.id) = way { isTrigger = true }
            let hasChanged = state.hasInputChanged(edge)
            guard isTrigger || input.life == .alive || input.life == .ended && hasChanged else { return nil }
            let source = topology.sources[edge]
            if !isTrigger, let write = state.nodes[source].heldWrite {
                return Input(
                    subscription: subscription.id, source: subscription.source, role: .written, value: .notRecorded,
                    emission: write, isTiming: subscription.isTiming)
            }
            let isDelivered = input.deliveryOrder > 0 && (isTrigger || !state.isReadWhenNeeded(edge))
            return Input(
                subscription: subscription.id, source: subscription.source,
                role: isTrigger ? .triggered : hasChanged ? .changed : .tookPart,
                value: isDelivered ? input.lastValue : state.nodes[source].value,
                emission: isDelivered ? input.lastEmission : state.nodes[source].lastChange,
                isTiming: subscription.isTiming)
        }
    }

    /// Whether a node computes from the value that this input holds at that time, whether or not it was delivered by then.
    ///
    /// Any other node uses the value that it received last.
    static func readsWhenNeeded(_ edge: Int, _ topology: Topology) -> Bool {
        guard topology.targets[edge] >= 0, holdsValue(topology.sources[edge], topology) else { return false }
        return topology.definitions.nodes[topology.nodeIDs[topology.targets[edge]]]?.kind == .combiner
    }
}

extension TraceState {
    /// Whether the node that this subscription feeds computes from the value that the source holds.
    ///
    /// A subscription that has ended gives no more than it has delivered.
    fileprivate func isReadWhenNeeded(_ edge: Int) -> Bool {
        subscriptions[edge].life == .alive && CauseStep.readsWhenNeeded(edge, topology)
    }

    /// The position of the last change of an input, in the order of the trace, from 1; 0 if there was none.
    fileprivate func inputChange(_ edge: Int) -> UInt64 {
        let input = subscriptions[edge]
        guard isReadWhenNeeded(edge) else { return input.deliveryOrder }
        let change = nodes[topology.sources[edge]].changeOrder
        // The node was computed from earlier values when it was connected.
        return input.deliveryOrder > 0 || change > input.startOrder ? change : 0
    }

    /// Whether an input has changed since the last change of the node that it feeds.
    fileprivate func hasInputChanged(_ edge: Int) -> Bool {
        let node = nodes[topology.targets[edge]]
        guard inputChange(edge) > node.changeOrder else { return false }
        guard isReadWhenNeeded(edge), let last = node.lastChange,
            let batch = nodes[topology.sources[edge]].changeBatch,
            topology.definitions.nodes[topology.subscriptions[edge].source]?.kind != .combiner
        else { return true }
        // At the end of a batch, all written values are stored before the first one is emitted. Combiners evaluate later.
        return !(last.thread == batch.thread && last.sequence > batch.sequence)
    }
}

extension TraceEvent {
    /// Whether the event's subject is a node.
    package var isOfNode: Bool {
        switch kind {
        case .emitted, .completed, .failed, .suppressed, .nodeCreated, .nodeReleased, .hopBegan, .written: true
        default: false
        }
    }
}
