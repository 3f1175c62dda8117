@_spi(Records) import WeirTrace

/// What `why-not` needs to know of a whole recording, counted chunk by chunk without an order of the threads: who wrote to
/// which nodes, and when nodes and subscriptions came and went.
///
/// The figures are those of `HandlerWrites` and `TraceState`, which read event by event.
final class WhyNotCount: ChunkCounter {
    struct Node {
        var suppressions: UInt64 = 0
        /// When it was first mentioned, other than by a subscription.
        var mentioned = First()
        var released = First()
        /// Its first value, new or replayed.
        var emitted = First()
        /// Whether it had a new value, or one that went no further.
        var isWritten = false
        var isMade = false
        /// Whether code outside of all handlers wrote to it.
        var isSetElsewhere = false
        let access: HandlerWrites.Access
    }

    struct Subscription {
        var mentioned = First()
        var ended = First()
        var lastStart = Latest()
        var lastEnd = Latest()
        let target: Int32
        let isTerminal: Bool
        /// The node that its code wrote last.
        var written: Int32 = -1
    }

    let nodes: UnsafeMutableBufferPointer<Node>
    let subscriptions: UnsafeMutableBufferPointer<Subscription>
    private let places: PlaceTable
    /// From this time on, the first stimulus is sought.
    private let after: UInt64
    /// From this time on, all events are counted. What threads did earlier in the same chunks tells little: the others may have
    /// undone it since then. Only ends count, since a delivery that they overtook may be counted.
    private let start: UInt64
    /// The last emission without a cause.
    private(set) var lastRoot = Latest()
    private(set) var lastStimulus = Latest()
    /// The first stimulus from the given time on, and the number of those before it.
    private(set) var firstStimulus = First()
    private(set) var stimuliBefore: UInt64 = 0
    private(set) var stimuli: UInt64 = 0
    private var writes: Set<HandlerWrites.Write> = []

    init(_ topology: Topology, _ places: PlaceTable, stimuliFrom after: UInt64, from start: UInt64) {
        self.places = places
        (self.after, self.start) = (after, start)
        nodes = .allocate(capacity: topology.nodeIDs.count)
        for (place, access) in HandlerWrites.access(topology).enumerated() {
            nodes.initializeElement(at: place, to: Node(access: access))
        }
        subscriptions = .allocate(capacity: topology.subscriptions.count)
        for (place, subscription) in topology.subscriptions.enumerated() {
            subscriptions.initializeElement(
                at: place,
                to: Subscription(target: Int32(topology.targets[place]), isTerminal: !subscription.isInternal))
        }
    }

    deinit {
        nodes.deallocate()
        subscriptions.deallocate()
    }

    func count(_ header: ChunkHeader, _ records: UnsafeRawBufferPointer, startsRun: Bool) -> UInt64? {
        var cursor = RecordCursor(records, of: header)
        var frames = FrameStack()
        let thread = header.thread
        var (counted, last): (UInt64, UInt64) = (0, header.baseTicks)
        while cursor.next() {
            // A stamp may be so large that the clock wraps.
            guard cursor.ticks >= last else { return nil }
            last = cursor.ticks
            counted &+= 1
            switch cursor.rawKind {
            case EventKind.emitted.rawValue:
                emitted(cursor, thread, frames)
                if cursor.delivers { frames.open(.emission, sequence: cursor.sequence) }
            case EventKind.suppressed.rawValue:
                let place = node(of: cursor)
                guard place >= 0 else { break }
                let node = nodes.baseAddress! + place
                node.pointee.suppressions &+= 1
                node.pointee.isWritten = true
                node.pointee.mentioned.offer(cursor, thread)
                if cursor.reason == SuppressionReason.echoed.rawValue { node.pointee.emitted.offer(cursor, thread) }
                // A superseded value was written earlier, somewhere else.
                if cursor.reason != SuppressionReason.superseded.rawValue { wrote(place, frames) }
            case EventKind.deliveryBegan.rawValue, EventKind.deliveryNext.rawValue:
                frames.beginDelivery(to: cursor.subject)
                let place = subscription(of: cursor)
                if place >= 0, cursor.subject != 0 { subscriptions[place].mentioned.offer(cursor, thread) }
            case EventKind.deliveryEnded.rawValue:
                frames.leaveDelivery()
                frames.close(.emission)
            case EventKind.subscriptionStarted.rawValue:
                let place = subscription(of: cursor)
                guard place >= 0 else { break }
                subscriptions[place].mentioned.offer(cursor, thread)
                subscriptions[place].lastStart.offer(
                    Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence))
            case EventKind.subscriptionEnded.rawValue:
                let place = places.subscription(cursor.subject)
                guard place >= 0 else { break }
                subscriptions[place].ended.offer(cursor, thread)
                subscriptions[place].lastEnd.offer(
                    Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence))
            case EventKind.nodeCreated.rawValue:
                let place = node(of: cursor)
                guard place >= 0 else { break }
                nodes[place].mentioned.offer(cursor, thread)
                nodes[place].isMade = true
            case EventKind.nodeReleased.rawValue:
                let place = places.node(cursor.subject)
                if place >= 0 { nodes[place].released.offer(cursor, thread) }
            case EventKind.completed.rawValue, EventKind.failed.rawValue:
                let place = node(of: cursor)
                if place >= 0 { nodes[place].mentioned.offer(cursor, thread) }
                if cursor.delivers { frames.open(.emission, sequence: cursor.sequence, isEnding: true) }
            default:
                guard cursor.isSoundRare, frames.take(rare: cursor) else { return nil }
                if cursor.kind == .context { counted &-= 1 }
                if cursor.kind == .stimulusBegan { stimulusBegan(cursor, thread) }
            }
        }
        return cursor.isSound ? counted : nil
    }

    private func stimulusBegan(_ cursor: RecordCursor, _ thread: UInt32) {
        stimuli &+= 1
        lastStimulus.offer(Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence))
        if cursor.ticks < after { stimuliBefore &+= 1 } else { firstStimulus.offer(cursor, thread) }
    }

    @inline(__always)
    private func emitted(_ cursor: RecordCursor, _ thread: UInt32, _ frames: borrowing FrameStack) {
        if !cursor.isReplayed, frames.depth == 0, cursor.ticks >= lastRoot.ticks {
            lastRoot.offer(Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence))
        }
        let place = node(of: cursor)
        guard place >= 0 else { return }
        let node = nodes.baseAddress! + place
        node.pointee.emitted.offer(cursor, thread)
        if cursor.isReplayed { return }
        node.pointee.isWritten = true
        wrote(place, frames)
    }

    /// The index of the node that a record is about; -1 if there is none, or if it is not counted.
    @inline(__always)
    private func node(of cursor: RecordCursor) -> Int { cursor.ticks < start ? -1 : places.node(cursor.subject) }

    /// As above, of the subscription.
    @inline(__always)
    private func subscription(of cursor: RecordCursor) -> Int {
        cursor.ticks < start ? -1 : places.subscription(cursor.subject)
    }

    @inline(__always)
    private func wrote(_ node: Int, _ frames: borrowing FrameStack) {
        let causing = frames.causingPlace
        let id = causing < 0 ? 0 : frames[causing].subscription
        guard id != 0 else {
            if nodes[node].access == .always { nodes[node].isSetElsewhere = true }
            return
        }
        guard nodes[node].access != .never else { return }
        if frames[causing].opener == .hop, nodes[node].access == .atOnce { return }
        let place = places.subscription(id)
        guard place >= 0 else { return }
        let subscription = subscriptions.baseAddress! + place
        // A subscription is meant to make its target emit: only writes to other nodes come from its code.
        if !subscription.pointee.isTerminal, subscription.pointee.target == Int32(node) { return }
        if subscription.pointee.written == Int32(node) { return }
        subscription.pointee.written = Int32(node)
        writes.insert(HandlerWrites.Write(subscription: place, node: node))
    }

    /// Adds the figures of another part of the trace.
    func add(_ other: WhyNotCount) {
        for place in nodes.indices {
            let more = other.nodes[place]
            nodes[place].suppressions &+= more.suppressions
            nodes[place].mentioned.offer(more.mentioned)
            nodes[place].released.offer(more.released)
            nodes[place].emitted.offer(more.emitted)
            nodes[place].isWritten = nodes[place].isWritten || more.isWritten
            nodes[place].isMade = nodes[place].isMade || more.isMade
            nodes[place].isSetElsewhere = nodes[place].isSetElsewhere || more.isSetElsewhere
        }
        for place in subscriptions.indices {
            subscriptions[place].mentioned.offer(other.subscriptions[place].mentioned)
            subscriptions[place].ended.offer(other.subscriptions[place].ended)
            subscriptions[place].lastStart.offer(other.subscriptions[place].lastStart)
            subscriptions[place].lastEnd.offer(other.subscriptions[place].lastEnd)
        }
        lastRoot.offer(other.lastRoot)
        lastStimulus.offer(other.lastStimulus)
        firstStimulus.offer(other.firstStimulus)
        stimuliBefore &+= other.stimuliBefore
        stimuli &+= other.stimuli
        writes.formUnion(other.writes)
    }

    /// The writes, each once.
    var handlerWrites: [HandlerWrites.Write: UInt64] { Dictionary(uniqueKeysWithValues: writes.map { ($0, 1) }) }

    var nodesSetElsewhere: Set<Int> { Set(nodes.indices.filter { nodes[$0].isSetElsewhere }) }

    /// The lives of nodes and subscriptions just before an event; nil if they depend on the order of two threads.
    ///
    /// - Parameters:
    ///   - suppressed: How many values of each node went no further from the event on, by index.
    ///   - isWhole: Whether all events before this one were counted.
    func state(
        before event: TraceEvent, _ topology: Topology, startTicks: UInt64, suppressed: [Int: UInt64], isWhole: Bool
    ) -> PriorState? {
        let mark = Mark(event)
        var isSure = true
        func happened(_ first: First) -> Bool {
            guard let happened = first.isBefore(mark) else {
                isSure = false
                return false
            }
            return happened
        }
        var state = TraceState(topology, startTicks: startTicks)
        for (place, node) in nodes.enumerated() {
            let hasEmitted = happened(node.emitted)
            if happened(node.mentioned) || hasEmitted { state.nodes[place].life = .alive }
            if hasEmitted { state.nodes[place].lastChange = node.emitted.id }
            state.nodes[place].suppressions = node.suppressions &- (suppressed[place] ?? 0)
        }
        for (place, subscription) in subscriptions.enumerated() {
            let hasEnded = happened(subscription.ended)
            if happened(subscription.mentioned) {
                // After its end, a mention is no beginning.
                guard let isFirst = subscription.mentioned.isBefore(subscription.ended.mark) else { return nil }
                if isFirst { state.begin(place) }
            }
            if hasEnded { state.end(place) }
        }
        for (place, node) in nodes.enumerated() where happened(node.released) { state.nodes[place].life = .released }
        guard isSure else { return nil }
        if isWhole { return PriorState(state) }
        return PriorState(
            state,
            unknownNodes: Set(nodes.indices.filter { state.nodes[$0].life == .unmentioned && !nodes[$0].isMade }),
            unknownSubscriptions: Set(
                subscriptions.indices.filter { place in
                    let (life, counted) = (state.subscriptions[place].life, subscriptions[place])
                    return life == .unmentioned && counted.lastStart.id == nil
                }))
    }
}

/// The first of many events, found without an order of them.
struct First {
    private(set) var mark = Mark(ticks: .max)
    /// Whether an event of another thread happened at the same time.
    private(set) var isTied = false

    var id: EventID? { mark.thread == 0 ? nil : EventID(thread: mark.thread, sequence: mark.sequence) }

    @inline(__always)
    mutating func offer(_ cursor: RecordCursor, _ thread: UInt32) {
        guard cursor.ticks <= mark.ticks else { return }
        offer(Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence))
    }

    mutating func offer(_ other: First) {
        guard other.mark.thread != 0 else { return }
        let wasTied = other.isTied && other.mark.ticks <= mark.ticks
        offer(other.mark)
        isTied = isTied || wasTied
    }

    private mutating func offer(_ mark: Mark) {
        guard mark.ticks <= self.mark.ticks else { return }
        isTied = mark.ticks == self.mark.ticks && self.mark.thread != 0 && (isTied || mark.thread != self.mark.thread)
        if self.mark.thread == 0 || mark < self.mark { self.mark = mark }
    }

    /// Whether it is before another event; nil if time does not tell.
    func isBefore(_ other: Mark) -> Bool? {
        guard mark.thread != 0 else { return false }
        guard mark.ticks == other.ticks, other.thread != 0 else { return mark.ticks < other.ticks }
        return mark.thread == other.thread && !isTied ? mark.sequence < other.sequence : nil
    }
}
