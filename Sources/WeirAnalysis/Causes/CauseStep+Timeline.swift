import WeirTrace

extension Timeline {
    /// The event with this id and all its causes; nil if the trace has no such event.
    ///
    /// Moves the timeline to another position. The cost is that of going there; see `Timeline`.
    package func causeStep(of id: EventID) -> CauseStep? { causeSteps(of: [id])[id]?.step }

    /// The events with these ids that the trace has. Each comes with its causes and the ids of the frames open around it,
    /// innermost first.
    ///
    /// The cost is that of going from the checkpoint before the first event to the last event.
    func causeSteps(of ids: [EventID]) -> [EventID: (step: CauseStep, around: [EventID])] {
        var open = Set(ids)
        guard !open.isEmpty else { return [:] }
        var found: [EventID: (step: CauseStep, around: [EventID])] = [:]
        var older: [(event: EventID, input: Int, delivery: UInt64)] = []
        var opened: [(event: EventID, input: Int, emission: EventID)] = []
        restoreCheckpoint(before: ids)
        forward { event in
            guard open.remove(event.id) != nil else { return }
            let around = state.openFrames(ofThread: event.id.thread).suffix(Self.framesReported).reversed().map(\.id)
            let step = CauseStep(event, before: state)
            for (input, unread) in step.unread {
                guard let place = topology.place(ofSubscription: step.inputs[input].subscription) else { continue }
                switch unread {
                case .delivery(let later):
                    older.append((event.id, input, state.subscriptions[place].deliveries - UInt64(later)))
                case .emission(let emission): opened.append((event.id, input, emission))
                }
            }
            found[event.id] = (step, around)
        } while: { _ in
            !open.isEmpty
        }
        for (event, input, delivery) in older {
            guard let id = found[event]?.step.inputs[input].subscription, let place = topology.place(ofSubscription: id)
            else { continue }
            restoreCheckpoint { $0.subscriptions[place].deliveries < delivery }
            forward { _ in state.subscriptions[place].deliveries < delivery }
            let subscription = state.subscriptions[place]
            found[event]?.step.resolve(input, subscription.lastEmission, subscription.lastValue)
        }
        let values = values(of: opened.map(\.emission))
        for (event, input, emission) in opened {
            found[event]?.step.resolve(input, emission, values[emission] ?? .notRecorded)
        }
        return found
    }

    private func values(of emissions: [EventID]) -> [EventID: TraceValue] {
        var open = Set(emissions)
        var values: [EventID: TraceValue] = [:]
        if open.isEmpty { return values }
        restoreCheckpoint(before: emissions)
        forward { event in
            if open.remove(event.id) != nil { values[event.id] = event.value }
        } while: { _ in
            !open.isEmpty
        }
        return values
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
        inputs = []
        if let place, event.kind == .emitted || event.kind == .suppressed {
            (inputs, unread) = Self.inputs(of: place, event, way, in: frame, state)
        }
        mainCause =
            place.flatMap { Self.carriedWrite(of: $0, event, in: frame, state)?.id }
            ?? Self.mainCause(event, way, inputs, in: frame, state)
    }

    /// Sets the value of an input that was delivered before its last one.
    mutating func resolve(_ input: Int, _ emission: EventID?, _ value: TraceValue) {
        inputs[input].emission = emission
        inputs[input].value = value
        unread[input] = nil
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
        // Work that the node itself gave to a scheduler is listed as such, or that another one did for the value of an input.
        if let frame, frame.opener == .hopBegan,
            frame.node == event.subject
                || frame.cause != nil && inputs.contains(where: { $0.role == .changed && $0.emission == frame.cause })
        {
            return way.cause
        }
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

    private static func inputs(
        of place: Int, _ event: TraceEvent, _ way: Way, in frame: OpenFrame?, _ state: TraceState
    ) -> ([Input], unread: [Int: Unread]) {
        let topology = state.topology
        let division = topology.runs.division(of: place)
        // A handler's actor receives the value again, without any input.
        if division != .none, event.isReplayed { return ([], [:]) }
        if event.suppressionReason == .disabled { return (heldFeeds(of: place, event, state), [:]) }
        var trigger: Int?
        if case .delivery(_, let id) = way { trigger = topology.place(ofSubscription: id) }
        if let passed = passed(event, of: place, in: frame, topology) {
            let (input, unread) = input(passed.input, at: passed.emission, state)
            return ([input], unread.map { [0: $0] } ?? [:])
        }
        if isWritten(place, topology) { return writtenInputs(of: place, event, trigger, in: frame, state) }
        if let opened = openedInputs(of: place, event, trigger, state) { return opened }
        if division == .none || division == .single, !topology.runs.isZip(place) {
            let last = state.nodes[place].changeOrder
            return (topology.inputs[place].compactMap { input($0, trigger, after: last, state) }, [:])
        }
        let behind = topology.input(behind: event, of: place)
        let run = state.run(of: event, place)
        if topology.runs.hasOneSource(place), let behind {
            return (input(behind, trigger, after: state.lastDelivery(ofRun: run), state).map { [$0] } ?? [], [:])
        }
        guard let run else { return (unknownInputs(of: place, trigger, state), [:]) }
        if topology.runs.isZip(place) { return rowInputs(of: run, event, trigger, state) }
        let inputs = topology.inputs[place].filter { state.run(ofInput: $0) == run }
        let last = state.lastDelivery(ofRun: run)
        return (inputs.compactMap { input($0, trigger, after: last, state) }, [:])
    }

    /// - Parameter last: the position of the previous change of the node, or of its run; 0 if there was none.
    static func input(_ edge: Int, _ trigger: Int?, after last: UInt64, _ state: TraceState) -> Input? {
        let topology = state.topology
        let (input, subscription) = (state.subscriptions[edge], topology.subscriptions[edge])
        let isTrigger = trigger == edge
        let hasChanged = state.hasInputChanged(edge, after: last)
        let isKept = state.keepsValue(ofEnded: edge)
        guard isTrigger || input.life == .alive || input.life == .ended && hasChanged || isKept else { return nil }
        let source = topology.sources[edge]
        if !isTrigger, let write = state.nodes[source].heldWrite, readsHeldWrites(topology.targets[edge], topology) {
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
            isTiming: subscription.isTiming, isOver: isKept)
    }

    /// An input with the value of one of its emissions, which need not be the last one.
    static func input(
        _ edge: Int, at emission: EventID, _ state: TraceState
    ) -> (Input, Unread?) {
        var input = unknownInput(edge, .changed, state.topology)
        input.emission = emission
        let last = state.subscriptions[edge]
        guard last.life == .alive, last.lastEmission == emission else { return (input, .emission(emission)) }
        input.value = last.lastValue
        return (input, nil)
    }

    /// The inputs of a flatMap that emits a value of a signal: that value, after the one that began the signal if the trace shows it.
    /// Nil if the signal is unknown.
    private static func openedInputs(
        of place: Int, _ event: TraceEvent, _ trigger: Int?, _ state: TraceState
    ) -> ([Input], unread: [Int: Unread])? {
        let topology = state.topology
        guard topology.runs.isFlatMap(place), let behind = topology.input(behind: event, of: place) else { return nil }
        let last = lastChange(of: place, behind: behind, state)
        let signal = input(behind, trigger, after: last, state).map { [$0] } ?? []
        guard let opening = state.subscriptions[behind].opening,
            let outer = topology.place(ofSubscription: opening.input)
        else { return (signal, [:]) }
        if state.subscriptions[outer].lastEmission == opening.emission, !opening.hadWaited {
            return ((input(outer, trigger, after: last, state).map { [$0] } ?? []) + signal, [:])
        }
        var earlier = unknownInput(outer, .opened, topology)
        earlier.emission = opening.emission
        return ([earlier] + signal, [0: .emission(opening.emission)])
    }

    /// The position of the previous change of a node, or of the run to which an input belongs; 0 if there was none.
    private static func lastChange(of place: Int, behind: Int, _ state: TraceState) -> UInt64 {
        state.topology.runs.division(of: place) == .single
            ? state.nodes[place].changeOrder : state.lastDelivery(ofRun: state.run(ofInput: behind))
    }

    /// The inputs of a node of which several runs began before the recording: all but the trigger may belong to another run.
    private static func unknownInputs(of place: Int, _ trigger: Int?, _ state: TraceState) -> [Input] {
        let topology = state.topology
        var known: Set<Int> = []
        if let trigger, topology.targets[trigger] == place { known.insert(topology.sources[trigger]) }
        return topology.inputs[place].compactMap { edge in
            if edge == trigger { return input(edge, trigger, after: 0, state) }
            // The signals of a flatMap that are over are no inputs any more.
            guard !topology.runs.subscribesLate(place), known.insert(topology.sources[edge]).inserted else {
                return nil
            }
            return unknownInput(edge, .unknown, topology)
        }
    }

    private static func unknownInput(_ edge: Int, _ role: Input.Role, _ topology: Topology) -> Input {
        let subscription = topology.subscriptions[edge]
        return Input(
            subscription: subscription.id, source: subscription.source, role: role, value: .notRecorded, emission: nil,
            isTiming: subscription.isTiming)
    }

    /// The inputs of a zip: the values of the row that it emits, or those that wait.
    private static func rowInputs(
        of run: Int, _ event: TraceEvent, _ trigger: Int?, _ state: TraceState
    ) -> ([Input], unread: [Int: Unread]) {
        let topology = state.topology
        var (inputs, unread): ([Input], [Int: Unread]) = ([], [:])
        let edges = topology.runs.inputs(ofRun: run)
        for edge in edges {
            guard edge != trigger, let lane = topology.runs.lane(ofInput: edge) else {
                if let input = input(edge, trigger, after: 0, state) { inputs.append(input) }
                continue
            }
            let isEmpty = WaitingValues.isEmptied(edge, by: event, edges, through: trigger)
            guard let waiting = isEmpty ? 0 : state.waiting[lane],
                waiting > 0 || waiting == 0 && event.kind == .suppressed
            else {
                inputs.append(unknownInput(edge, .unknown, topology))
                continue
            }
            guard waiting > 0 else {
                inputs.append(unknownInput(edge, .missing, topology))
                continue
            }
            var input = unknownInput(edge, event.kind == .emitted ? .paired : .waiting, topology)
            if waiting == 1 {
                let last = state.subscriptions[edge]
                (input.emission, input.value) = (last.lastEmission, last.lastValue)
            } else {
                unread[inputs.count] = .delivery(later: waiting - 1)
            }
            inputs.append(input)
        }
        return (inputs, unread)
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

    /// The position of the last value that a run emitted, in the order of the trace, from 1; 0 if there was none, or if it is unknown.
    fileprivate func lastDelivery(ofRun run: Int?) -> UInt64 {
        run.flatMap { topology.runs.output(ofRun: $0) }.map { subscriptions[$0].deliveryOrder } ?? 0
    }

    /// Whether an input has changed since a position, that of the last change of the node that it feeds.
    fileprivate func hasInputChanged(_ edge: Int, after position: UInt64) -> Bool {
        let node = nodes[topology.targets[edge]]
        guard inputChange(edge) > position else { return false }
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
