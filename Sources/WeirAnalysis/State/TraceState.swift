@_spi(Records) import WeirTrace

/// The state of a traced program at one moment: each node's value, the live subscriptions, and each thread's open frames.
///
/// It takes events one by one, in the order of the trace. A copy is a snapshot; the two share memory until one of them changes.
/// Memory grows with nodes, subscriptions and open frames.
///
/// Invariants (`checkInvariants`):
///
/// - The live counts of a node agree with the lives of its subscriptions.
package struct TraceState: Sendable {
    /// The nodes and subscriptions, with the indexes that the arrays below use.
    package let topology: Topology
    /// The state of each node.
    package internal(set) var nodes: [NodeState]
    /// The state of each subscription.
    package internal(set) var subscriptions: [SubscriptionState]
    /// How many events were taken.
    package internal(set) var order: UInt64 = 0
    /// The last event that was taken.
    package internal(set) var lastEvent: EventID?
    /// The current time in ticks: the latest of all events taken.
    package internal(set) var ticks: UInt64
    /// How many stimuli have begun.
    package internal(set) var stimuli: UInt64 = 0
    /// The last stimulus that began, open or not.
    package internal(set) var lastStimulus: OpenFrame?
    /// Deliveries through subscriptions that the trace does not define.
    package internal(set) var unattributedDeliveries: UInt64 = 0
    private var threads: [FrameWalk<OpenFrame>] = []
    /// The last event of the kind `written` of each thread that has one.
    private var writes: [UInt32: TraceEvent] = [:]
    private var placeOfThread = SlotTable()
    /// The values that wait in zips.
    var waiting: WaitingValues
    /// The last write since its last emission that a batch held back, by index of the node.
    var heldWrites: [Int: HeldWrite] = [:]
    /// The values that wait in a flatMap for earlier signals to end, by the id of the subscription that delivered them.
    private var queued: [UInt32: QueuedValues] = [:]
    /// The run of each input whose node subscribes to inputs late, by index of the subscription; empty if there is no such node.
    private var lateRuns: [Int32]

    /// The moment before the first event; `startTicks` is when the recording began.
    package init(_ topology: Topology, startTicks: UInt64) {
        self.topology = topology
        ticks = startTicks
        nodes = topology.nodeIDs.map { NodeState(value: topology.definitions.nodes[$0]?.value ?? .notRecorded) }
        subscriptions = .init(repeating: SubscriptionState(), count: topology.subscriptions.count)
        waiting = WaitingValues(topology.runs)
        lateRuns = topology.runs.areLate ? .init(repeating: -1, count: topology.subscriptions.count) : []
    }

    /// The open frames of a thread, outermost first.
    package func openFrames(ofThread thread: UInt32) -> [OpenFrame] {
        placeOfThread[thread].map { threads[$0].frames.map(\.payload) } ?? []
    }

    /// The last event of the kind `written` of a thread.
    func lastWrite(ofThread thread: UInt32) -> TraceEvent? { writes[thread] }

    /// Opens frames on a thread without any event so far.
    mutating func open(_ frames: [OpenFrame], onThread number: UInt32) {
        let thread = place(ofThread: number)
        for frame in frames { threads[thread].open(frame.opener, frame.id.sequence, at: frame.depth, frame) }
    }

    /// Closes all frames, and forgets the last events of the kind `written`.
    mutating func closeFrames() {
        threads.removeAll()
        placeOfThread = SlotTable()
        writes.removeAll()
    }

    /// Takes an event of the kind `written` without its place in the trace.
    mutating func write(_ event: TraceEvent) { writes[event.id.thread] = event }

    /// Takes the next event of the trace.
    package mutating func take(_ event: TraceEvent) {
        order &+= 1
        lastEvent = event.id
        if event.ticks > ticks { ticks = event.ticks }
        let thread = place(ofThread: event.id.thread)
        threads[thread].settle(before: event)
        if topology.runs.laneCount > 0 { waiting.follow(event, onThread: thread) }
        switch event.kind {
        case .emitted: takeEmission(event, thread)
        case .completed, .failed: mention(event.subject) { $0.lastEnd = event.id }
        case .suppressed:
            mention(event.subject) { node in
                node.suppressions &+= 1
                node.lastSuppression = event.id
                node.suppressionReason = event.reason
                node.heldWrite = event.reason == SuppressionReason.batched.rawValue ? event.id : nil
            }
            takeSilentWrite(event, thread)
            hold(event)
            takeRow(event)
            queue(event)
        case .deliveryBegan, .deliveryNext: takeDelivery(event, thread)
        case .subscriptionStarted:
            let order = order
            mentionSubscription(event.subject) { ($0.start, $0.startOrder) = (event.id, order) }
            beginInput(event, thread)
        case .subscriptionEnded: endSubscription(event)
        case .nodeCreated: mention(event.subject) { _ in }
        case .nodeReleased:
            if let place = topology.place(ofNode: event.subject) { nodes[place].life = .released }
        case .stimulusBegan:
            stimuli &+= 1
            lastStimulus = OpenFrame(event, stimulusNumber: stimuli)
        case .written: writes[event.id.thread] = event
        case .context, .eventsLost, .deliveryEnded, .stimulusEnded, .hopBegan, .hopEnded, .batchBegan, .batchEnded,
            .frame, .checkpoint,
            .objectTracked, .objectReleased, .objectExpected, .snapshotTaken, .hopScheduled:
            break
        }
        threads[thread].follow(event, OpenFrame(event, stimulusNumber: event.kind == .stimulusBegan ? stimuli : 0))
    }

    private mutating func takeEmission(_ event: TraceEvent, _ thread: Int) {
        guard let place = topology.place(ofNode: event.subject) else { return }
        // Changed in place: taking the state out and putting it back would copy the value.
        nodes[place].value = event.value
        if nodes[place].life == .unmentioned { nodes[place].life = .alive }
        guard !event.isReplayed else { return }
        nodes[place].lastChange = event.id
        if nodes[place].heldWrite != nil { nodes[place].heldWrite = nil }
        if nodes[place].silentWrite != nil { (nodes[place].silentWrite, nodes[place].silentTicks) = (nil, 0) }
        if !heldWrites.isEmpty { heldWrites[place] = nil }
        nodes[place].changeTicks = event.ticks
        nodes[place].changeOrder = order
        let frame = threads[thread].frames.last?.payload
        nodes[place].changeBatch = frame?.opener == .batchBegan ? frame?.id : nil
        nodes[place].emissions &+= 1
        takeRow(event)
    }

    private mutating func takeSilentWrite(_ event: TraceEvent, _ thread: Int) {
        guard let place = topology.place(ofNode: event.subject) else { return }
        switch event.suppressionReason {
        case .echoed:
            // The observable is delivering the value that this side sent.
            guard let frame = threads[thread].frames.last?.payload, frame.opener == .emitted else { return }
            nodes[place].value = frame.value
        case .equal: if !topology.storesEqualValues[place] { return }
        default: return
        }
        (nodes[place].silentWrite, nodes[place].silentTicks) = (event.id, event.ticks)
    }

    private mutating func hold(_ event: TraceEvent) {
        guard event.suppressionReason == .batched, let place = topology.place(ofNode: event.subject) else { return }
        heldWrites[place] = HeldWrite(event)
    }

    /// Follows an event of a zip.
    private mutating func takeRow(_ event: TraceEvent) {
        guard topology.runs.laneCount > 0, let place = topology.place(ofNode: event.subject),
            topology.runs.isZip(place)
        else { return }
        let inputs = run(of: event, place).map { topology.runs.inputs(ofRun: $0) }
        guard let inputs else {
            for input in topology.inputs[place] { topology.runs.lane(ofInput: input).map { waiting[$0] = nil } }
            return
        }
        let isInHop = event.deliveringTo == 0
        waiting.take(
            event, inputs, through: isInHop ? nil : topology.input(behind: event, of: place), topology.runs)
    }

    private mutating func beginInput(_ event: TraceEvent, _ thread: Int) {
        guard let place = topology.place(ofSubscription: event.subject) else { return }
        if let lane = topology.runs.lane(ofInput: place) { waiting[lane] = 0 }
        let node = topology.targets[place]
        guard node >= 0, let outer = topology.input(behind: event, of: node) else { return }
        if topology.runs.isFlatMap(node) { subscriptions[place].opening = opening(event, outer, thread) }
        if topology.runs.division(of: node) == .late, let run = run(ofInput: outer) { setRun(run, ofLateInput: place) }
    }

    /// The value for which a flatMap subscribes: the one that is being delivered, or else the one that has waited longest.
    private mutating func opening(_ event: TraceEvent, _ opener: Int, _ thread: Int) -> SubscriptionState.Opening? {
        if event.deliveringTo != 0, let frame = threads[thread].frames.last?.payload, frame.id == event.cause,
            frame.opener == .emitted
        {
            return .init(input: topology.subscriptions[opener].id, emission: frame.id)
        }
        guard let outer = subscriptions[opener].opening?.input, let emission = queued[outer]?.next() else { return nil }
        return .init(input: outer, emission: emission, hadWaited: true)
    }

    private mutating func queue(_ event: TraceEvent) {
        guard event.suppressionReason == .waiting, event.deliveringTo != 0, let emission = event.cause,
            let place = topology.place(ofNode: event.subject), topology.runs.isFlatMap(place)
        else { return }
        queued[event.deliveringTo, default: QueuedValues()].add(emission)
    }

    private mutating func takeDelivery(_ event: TraceEvent, _ thread: Int) {
        let frame = threads[thread].delivering(event)
        if let frame { threads[thread][frame].subscription = event.subject }
        if event.isSettling { return }
        guard let place = topology.place(ofSubscription: event.subject) else {
            if !event.deliversEnd { unattributedDeliveries &+= 1 }
            return
        }
        begin(place)
        if event.deliversEnd { return }
        subscriptions[place].deliveries &+= 1
        if let lane = topology.runs.lane(ofInput: place) { waiting.add(lane) }
        subscriptions[place].lastEmission = event.cause
        subscriptions[place].deliveryOrder = order
        subscriptions[place].lastValue = frame.map { threads[thread][$0].value } ?? .notRecorded
        if Meaning.isRefresh(isTerminal: !topology.subscriptions[place].isInternal, isEnding: event.deliversEnd) {
            nodes[topology.sources[place]].refreshes &+= 1
        }
    }

    // MARK: Runs

    /// The number of the run that an event of a cold node belongs to; nil: unknown.
    func run(of event: TraceEvent, _ node: Int) -> Int? {
        if let input = topology.input(behind: event, of: node) { return run(ofInput: input) }
        guard topology.runs.division(of: node) == .single else { return nil }
        return topology.inputs[node].first.flatMap { topology.runs.run(ofInput: $0) }
    }

    /// The number of the run to which an input belongs; nil: unknown.
    func run(ofInput place: Int) -> Int? {
        if let run = topology.runs.run(ofInput: place) { return run }
        return lateRuns.isEmpty || lateRuns[place] < 0 ? nil : Int(lateRuns[place])
    }

    /// Sets the run of an input to which its node subscribed late; nil: unknown.
    mutating func setRun(_ run: Int?, ofLateInput place: Int) {
        if !lateRuns.isEmpty { lateRuns[place] = Int32(run ?? -1) }
    }

    /// Whether a node goes on using the last value of an input that has ended.
    func keepsValue(ofEnded place: Int) -> Bool {
        let input = subscriptions[place]
        return input.life == .ended && input.deliveryOrder > 0 && topology.keepsValue(place, endedFor: input.endReason)
    }

    private mutating func endSubscription(_ event: TraceEvent) {
        guard let place = topology.place(ofSubscription: event.subject) else { return }
        end(place)
        subscriptions[place].end = event.id
        subscriptions[place].endReason = event.reason
    }

    /// Ends the subscription at this index.
    mutating func end(_ place: Int) {
        let wasAlive = subscriptions[place].life == .alive
        subscriptions[place].life = .ended
        if wasAlive { countLive(place, -1) }
    }

    private mutating func mention(_ id: UInt32, _ change: (inout NodeState) -> Void) {
        guard let place = topology.place(ofNode: id) else { return }
        if nodes[place].life == .unmentioned { nodes[place].life = .alive }
        change(&nodes[place])
    }

    private mutating func mentionSubscription(_ id: UInt32, _ change: (inout SubscriptionState) -> Void) {
        guard let place = topology.place(ofSubscription: id) else { return }
        begin(place)
        change(&subscriptions[place])
    }

    /// Marks the subscription at this index as alive, when it is first mentioned.
    mutating func begin(_ place: Int) {
        guard subscriptions[place].life == .unmentioned else { return }
        subscriptions[place].life = .alive
        countLive(place, 1)
        let source = topology.sources[place]
        if nodes[source].life == .unmentioned { nodes[source].life = .alive }
        let target = topology.targets[place]
        if target >= 0, nodes[target].life == .unmentioned { nodes[target].life = .alive }
    }

    private mutating func countLive(_ place: Int, _ change: Int) {
        if topology.subscriptions[place].isInternal {
            nodes[topology.sources[place]].liveEdges += change
        } else {
            nodes[topology.sources[place]].liveHandlers += change
        }
    }

    private mutating func place(ofThread number: UInt32) -> Int {
        if let place = placeOfThread[number] { return place }
        placeOfThread[number] = threads.count
        threads.append(FrameWalk())
        return threads.count - 1
    }

    /// Traps if an invariant of the type does not hold; for tests.
    func checkInvariants() {
        for thread in threads { thread.checkInvariants() }
        for (place, node) in nodes.enumerated() {
            let live = topology.outputs[place].filter { subscriptions[$0].life == .alive }
            precondition(live.count == node.liveHandlers + node.liveEdges, "live counts agree with the subscriptions")
        }
    }
}

/// Values in the order in which they came.
private struct QueuedValues: Sendable {
    private var emissions: [EventID] = []
    private var taken = 0

    mutating func add(_ emission: EventID) { emissions.append(emission) }

    mutating func next() -> EventID? {
        guard taken < emissions.count else { return nil }
        taken += 1
        defer {
            if taken > 64, 2 * taken > emissions.count {
                emissions.removeFirst(taken)
                taken = 0
            }
        }
        return emissions[taken - 1]
    }
}

extension TraceEvent {
    /// Whether it begins something, and no frame is open around it.
    package var isOutermost: Bool { depth == 0 && (isEmission || opensFrame) }
}
