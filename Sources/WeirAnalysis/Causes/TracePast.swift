@_spi(Records) import WeirTrace

/// The facts before an event of a closed and undamaged trace, read backwards from the event.
///
/// It reads chunks, latest first, only until all that was asked for is known. That takes the same time in a trace of any length
/// and of any number of interleaving threads, unless the question is about something that happened long before.
///
/// Events of different threads are ordered by their times. `isUnsure` is set if an answer depends on the order of two at the
/// same time, on frames nested too deep, or on more chunks than `mostReads`; all answers must then be found in another way.
///
/// Two rules hold because threads record what they do in order, and stamp the beginning of each chunk: nothing is recorded of a
/// node before its creation, or delivered through a subscription before its beginning; and an end that another thread recorded
/// during a delivery is in a chunk that reaches beyond the beginning of the delivery.
final class TracePast {
    let reader: TraceReader
    let topology: Topology
    var isUnsure = false

    private var filter = RecordFilter()
    private var wantedNodes: [UInt8]
    private var wantedSubscriptions: [UInt8]
    /// Holds only facts of the current step.
    var state: TraceState
    private var readsLeft: Int

    /// Deeper frames may have been left out of a chunk's `context`.
    static let deepest = 200

    /// Nil if the trace cannot be read backwards, or if ids are so high that the tables would take too much memory.
    ///
    /// - Parameter mostReads: How often a chunk may be read. Reading all events with their state takes longer.
    init?(_ reader: TraceReader, _ topology: Topology, mostReads: Int? = nil) {
        let last = max(topology.nodeIDs.last ?? 0, topology.subscriptions.last?.id ?? 0)
        guard last < 1 << 22, reader.canSkipEvents else { return nil }
        self.reader = reader
        self.topology = topology
        wantedNodes = .init(repeating: 0, count: Int(topology.nodeIDs.last ?? 0) + 1)
        wantedSubscriptions = .init(repeating: 0, count: Int(topology.subscriptions.last?.id ?? 0) + 1)
        filter.subjects = (
            .init(repeating: false, count: wantedNodes.count), .init(repeating: false, count: wantedSubscriptions.count)
        )
        state = TraceState(topology, startTicks: reader.header.startTicks)
        readsLeft = mostReads ?? 8 * reader.eventChunkCount + 1024
    }

    // MARK: Limits

    /// A moment: before an event, or before a time.
    struct Limit {
        let ticks: UInt64
        /// Events of this thread from this number on are after the moment.
        var event: EventID?

        /// Whether an event is before the moment; nil: another thread's event at the same time.
        fileprivate func follows(_ other: TraceEvent) -> Bool? {
            guard let event else { return other.ticks < ticks }
            if other.id.thread == event.thread { return other.id.sequence < event.sequence }
            return other.ticks == ticks ? nil : other.ticks < ticks
        }

        /// A time after all events before the moment.
        fileprivate var end: UInt64 { event == nil || ticks == .max ? ticks : ticks + 1 }
    }

    /// A chunk is read before its events are sought in it again; false: too many were read.
    private func mayRead() -> Bool {
        readsLeft -= 1
        if readsLeft < 0 { isUnsure = true }
        return readsLeft >= 0
    }

    // MARK: Events

    /// The event with this id, and the one before it on its thread; nil if there is no such event.
    func event(_ id: EventID) -> (event: TraceEvent, before: TraceEvent?)? {
        guard mayRead(), var found = reader.event(id) else { return nil }
        if found.before == nil, id.sequence > 1 {
            guard mayRead() else { return nil }
            found.before = reader.event(EventID(thread: id.thread, sequence: id.sequence - 1))?.event
        }
        return found
    }

    /// The last change of one of the nodes before a moment; nil if there was none.
    func lastChange(of nodes: [UInt32], before limit: Limit) -> EventID? {
        let places = nodes.compactMap { topology.place(ofNode: $0) }
        var facts = Facts()
        for place in places { facts.nodes[place] = NodeFacts() }
        search(before: limit, &facts) { facts, unread in
            facts.nodes.values.contains { $0.change.ticks > unread }
                || facts.nodes.values.allSatisfy { $0.created.ticks > unread }
        }
        var latest = Latest()
        for node in facts.nodes.values { latest.offer(node.change) }
        if latest.isTied { isUnsure = true }
        return latest.id
    }

    /// The value of the node with this index before a moment, and its last change.
    func held(by place: Int, before limit: Limit) -> (value: TraceValue, change: EventID?) {
        var facts = Facts()
        facts.nodes[place] = NodeFacts()
        search(before: limit, &facts) { facts, unread in
            guard let node = facts.nodes[place] else { return true }
            return node.created.ticks > unread || node.change.ticks > unread && node.emitted.ticks > unread
        }
        let node = facts.nodes[place] ?? NodeFacts()
        if node.change.isTied || node.emitted.isTied { isUnsure = true }
        let initial = topology.definitions.nodes[topology.nodeIDs[place]]?.value ?? .notRecorded
        return (node.emitted.id == nil ? initial : value(of: node), node.echo?.event ?? node.change.id)
    }

    /// The last value of a node.
    func value(of facts: NodeFacts) -> TraceValue {
        guard let echo = facts.echo else { return facts.value }
        return echo.emission.flatMap { event($0)?.event.value } ?? .notRecorded
    }

    /// The first change of one of the nodes after a moment; nil if there is none.
    func firstChange(of nodes: [UInt32], after limit: Limit) -> TraceEvent? {
        var facts = Facts()
        for node in nodes { topology.place(ofNode: node).map { facts.nodes[$0] = NodeFacts() } }
        let places = Array(facts.nodes.keys)
        want(places, [], true)
        defer { want(places, [], false) }
        var first: TraceEvent?
        var chunks = ForwardChunks(reader, from: limit.ticks)
        while !isUnsure, first.map({ $0.ticks >= chunks.earliestUnread ?? .max }) ?? true, mayRead(),
            let chunk = chunks.next()
        {
            guard mentions(chunk, before: .max) else { continue }
            reader.forEachEvent(in: chunk.header, passing: filter) { event in
                guard event.kind == .emitted, !event.isReplayed, isWanted(event) else { return true }
                guard let isBefore = limit.follows(event) else {
                    isUnsure = true
                    return false
                }
                if isBefore { return true }
                if let known = first, known.ticks == event.ticks { isUnsure = true }
                if event.ticks < first?.ticks ?? .max { first = event }
                return false
            }
        }
        if chunks.isBroken { isUnsure = true }
        return first
    }

    // MARK: Causes

    /// The event with this id and all its causes; nil if the trace has no such event.
    func step(of id: EventID) -> CauseStep? {
        guard let found = event(id) else { return nil }
        let event = found.event
        guard event.depth < Self.deepest else { return giveUp() }
        var opener: TraceEvent?
        if let cause = event.cause, cause.thread == id.thread, event.kind != .hopBegan {
            opener = self.event(cause)?.event
            guard opener?.opensFrame == true else { return giveUp() }
        }
        // Which writes a batch held back then, only the whole state tells.
        if event.suppressionReason == .disabled, isPerhapsInBatch(event, opener) { return giveUp() }
        let frames = opener.map { [OpenFrame($0)] } ?? []
        let limit = Limit(ticks: event.ticks, event: id)
        var facts = Facts()
        if let place = event.isOfNode ? topology.place(ofNode: event.subject) : nil {
            let trigger: UInt32? =
                if case .delivery(_, let id) = CauseStep.way(of: event, openedBy: frames.first?.opener) { id } else {
                    nil
                }
            if CauseStep.passed(event, of: place, in: frames.first, topology) == nil {
                facts.add(place, event, trigger: trigger, run: run(of: event, place, before: limit), topology)
                if let opener { facts.askForHeldWrite(event, inside: opener, topology) }
            }
            if !facts.areSettled { search(before: limit, &facts) { $0.settle($1, self) } }
            if event.kind == .suppressed || event.kind == .emitted && !event.isReplayed, topology.runs.isZip(place),
                let run = state.run(of: event, place)
            {
                countWaiting(in: run, of: place, before: limit)
            }
        }
        defer { state.waiting.forget() }
        guard !isUnsure, facts.apply(to: &state, self) else { return giveUp() }
        if let opener, facts.needsFrames(inside: opener.id, state) { return giveUp() }
        state.open(frames, onThread: id.thread)
        if let before = found.before, before.kind == .written { state.write(before) }
        defer { facts.remove(from: &state) }
        var step = CauseStep(event, before: state)
        for (input, unread) in step.unread {
            guard let edge = topology.place(ofSubscription: step.inputs[input].subscription),
                let emission = emission(of: unread, edge, before: limit)
            else { return giveUp() }
            step.resolve(input, emission, self.event(emission)?.event.value ?? .notRecorded)
        }
        return isUnsure ? nil : step
    }

    /// Whether a batch may have been open around an event.
    private func isPerhapsInBatch(_ event: TraceEvent, _ opener: TraceEvent?) -> Bool {
        var (event, opener) = (event, opener)
        for _ in 0..<Self.deepest {
            guard let around = opener else { return event.depth > 0 }
            if around.kind == .batchBegan || event.depth > around.depth + 1 { return true }
            guard around.kind != .hopBegan, let cause = around.cause, cause.thread == around.id.thread else {
                return around.depth > 0
            }
            (event, opener) = (around, self.event(cause)?.event)
        }
        return true
    }

    /// The emission of a value that an input gave; nil: unsure.
    private func emission(of unread: CauseStep.Unread, _ edge: Int, before limit: Limit) -> EventID? {
        switch unread {
        case .delivery(let later): delivery(later, beforeLastThrough: edge, before: limit)
        case .emission(let emission): emission
        }
    }

    /// The number of the run that an event of a node belongs to, as `TraceState` finds it.
    private func run(of event: TraceEvent, _ place: Int, before limit: Limit) -> Int? {
        guard topology.runs.division(of: place) == .late, let behind = topology.input(behind: event, of: place) else {
            return state.run(of: event, place)
        }
        var input = behind
        for _ in 0...Facts.mostOpeners {
            if let run = topology.runs.run(ofInput: input) { return run }
            var facts = Facts()
            facts.inputs[input] = InputFacts()
            search(before: limit, &facts) { facts, unread in facts.inputs[input]?.started.ticks ?? .max > unread }
            guard let opener = facts.inputs[input]?.opener, let next = topology.place(ofSubscription: opener),
                topology.targets[next] == place
            else { return nil }
            input = next
        }
        isUnsure = true
        return nil
    }

    private func giveUp() -> CauseStep? {
        isUnsure = true
        return nil
    }

    // MARK: Searching

    /// Reads chunks from a moment back until `isEnough`, which gets the latest time of events that were not read.
    private func search(before limit: Limit, _ facts: inout Facts, _ isEnough: (inout Facts, UInt64) -> Bool) {
        search(before: limit, nodes: facts.nodes.keys, subscriptions: facts.inputs.keys) {
            facts.take($0, topology)
        } isEnough: {
            isEnough(&facts, $0)
        }
    }

    /// As above, for the events of nodes and subscriptions, by index.
    func search(
        before limit: Limit, nodes: some Collection<Int>, subscriptions: some Collection<Int>,
        _ take: (TraceEvent) -> Void, isEnough: (UInt64) -> Bool
    ) {
        let (nodes, subscriptions) = (Array(nodes), Array(subscriptions))
        want(nodes, subscriptions, true)
        defer { want(nodes, subscriptions, false) }
        var chunks = BackwardChunks(reader, before: limit.end)
        var (read, nextCheck) = (0, 1)
        while !isUnsure, mayRead(), let chunk = chunks.next() {
            read += 1
            if mentions(chunk, before: limit.end) {
                reader.forEachEvent(in: chunk.header, passing: filter) { event in
                    let isBefore = limit.follows(event)
                    if isBefore == false { return false }
                    guard isWanted(event) else { return true }
                    if isBefore == nil { isUnsure = true }
                    take(event)
                    return !isUnsure
                }
            }
            // With many facts, each check takes a while.
            guard read >= nextCheck, let unread = chunks.latestUnread else { continue }
            if isEnough(unread) { return }
            nextCheck = read + 1 + read / 8
        }
        if chunks.isBroken { isUnsure = true }
    }

    private func want(_ nodes: [Int], _ subscriptions: [Int], _ isWanted: Bool) {
        for place in nodes {
            let id = Int(topology.nodeIDs[place])
            wantedNodes[id] = isWanted ? 1 : 0
            filter.subjects?.nodes[id] = isWanted
        }
        for place in subscriptions {
            let id = Int(topology.subscriptions[place].id)
            wantedSubscriptions[id] = isWanted ? 1 : 0
            filter.subjects?.subscriptions[id] = isWanted
        }
    }

    /// Whether an event is about one of the wanted subjects.
    private func isWanted(_ event: TraceEvent) -> Bool {
        switch event.kind {
        case .emitted, .suppressed, .nodeCreated:
            Int(event.subject) < wantedNodes.count && wantedNodes[Int(event.subject)] > 0
        case .deliveryBegan, .deliveryNext, .subscriptionStarted, .subscriptionEnded:
            Int(event.subject) < wantedSubscriptions.count && wantedSubscriptions[Int(event.subject)] > 0
        default: false
        }
    }

    /// Whether a chunk contains a wanted event before a time.
    private func mentions(_ chunk: BackwardChunks.Chunk, before end: UInt64) -> Bool {
        wantedNodes.withUnsafeBufferPointer { nodes in
            wantedSubscriptions.withUnsafeBufferPointer { mentions(chunk, before: end, nodes, $0) }
        }
    }

    private func mentions(
        _ chunk: BackwardChunks.Chunk, before end: UInt64, _ nodes: UnsafeBufferPointer<UInt8>,
        _ subscriptions: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var cursor = RecordCursor(chunk.records, of: chunk.header)
        var (last, isFound, isRising) = (chunk.header.baseTicks, false, true)
        @inline(__always) func take(_ kind: UInt8, _ subject: UInt32, _ ticks: UInt64) {
            // A stamp may be so large that the clock wraps.
            isRising = isRising && ticks >= last
            last = ticks
            let wanted: UnsafeBufferPointer<UInt8>
            switch kind {
            case EventKind.emitted.rawValue, EventKind.suppressed.rawValue, EventKind.nodeCreated.rawValue:
                wanted = nodes
            case EventKind.deliveryBegan.rawValue, EventKind.deliveryNext.rawValue,
                EventKind.subscriptionStarted.rawValue, EventKind.subscriptionEnded.rawValue:
                wanted = subscriptions
            default: return
            }
            if Int(subject) < wanted.count, wanted[Int(subject)] > 0, ticks < end { isFound = true }
        }
        repeat {
            _ = cursor.passDeliveries(most: 128) { tag, subject, ticks, _, _ in
                take(tag & TraceFormat.EventFlag.kindMask, subject, ticks)
            }
            if isFound || !isRising || last >= end || !cursor.next() { break }
            take(cursor.rawKind, cursor.subject, cursor.ticks)
        } while !isFound && isRising && last < end
        if !isRising { isUnsure = true }
        if !cursor.isSound || last > chunk.latest { isUnsure = true }
        return isFound
    }
}
