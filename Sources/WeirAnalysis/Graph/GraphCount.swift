@_spi(Records) import WeirTrace

/// The figures of the graph of a whole recording, counted chunk by chunk without an order of the threads.
///
/// The figures are those of `TraceState`, `HandlerWrites` and `EarlyEnds`, which read event by event.
final class GraphCount: ChunkCounter {
    struct Node {
        var emissions: UInt64 = 0
        var refreshes: UInt64 = 0
        var suppressions: UInt64 = 0
        var emitted = Mark()
        /// Its release last ended a subscription then.
        var ended = Mark()
        let access: HandlerWrites.Access
    }

    struct Subscription {
        var deliveries: UInt64 = 0
        let source: Int32
        let target: Int32
        let isTerminal: Bool
        /// The node that its code wrote last, and how often since it last wrote another one.
        var written: Int32 = -1
        var writes: UInt64 = 0
    }

    let nodes: UnsafeMutableBufferPointer<Node>
    let subscriptions: UnsafeMutableBufferPointer<Subscription>
    private let places: PlaceTable
    private var writes: [HandlerWrites.Write: UInt64] = [:]

    init(_ topology: Topology, _ places: PlaceTable) {
        self.places = places
        nodes = .allocate(capacity: topology.nodeIDs.count)
        for (place, access) in HandlerWrites.access(topology).enumerated() {
            nodes.initializeElement(at: place, to: Node(access: access))
        }
        subscriptions = .allocate(capacity: topology.subscriptions.count)
        for (place, subscription) in topology.subscriptions.enumerated() {
            subscriptions.initializeElement(
                at: place,
                to: Subscription(
                    source: Int32(topology.sources[place]), target: Int32(topology.targets[place]),
                    isTerminal: !subscription.isInternal))
        }
    }

    deinit {
        nodes.deallocate()
        subscriptions.deallocate()
    }

    func count(_ header: ChunkHeader, _ records: UnsafeRawBufferPointer, startsRun: Bool) -> UInt64? {
        var cursor = RecordCursor(records, of: header)
        var frames = FrameStack()
        var (counted, last): (UInt64, UInt64) = (0, header.baseTicks)
        while cursor.next() {
            // A stamp may be so large that the clock wraps.
            guard cursor.ticks >= last else { return nil }
            last = cursor.ticks
            counted &+= 1
            switch cursor.rawKind {
            case EventKind.emitted.rawValue:
                emitted(cursor, header.thread, frames)
                if cursor.delivers { frames.open(.emission, sequence: cursor.sequence) }
            case EventKind.suppressed.rawValue:
                let place = places.node(cursor.subject)
                guard place >= 0 else { break }
                nodes[place].suppressions &+= 1
                // A superseded value was written earlier, somewhere else.
                if cursor.reason != SuppressionReason.superseded.rawValue { wrote(place, frames) }
            case EventKind.deliveryBegan.rawValue, EventKind.deliveryNext.rawValue: delivered(cursor.subject, &frames)
            case EventKind.deliveryEnded.rawValue:
                frames.leaveDelivery()
                frames.close(.emission)
            case EventKind.subscriptionStarted.rawValue, EventKind.nodeCreated.rawValue,
                EventKind.nodeReleased.rawValue:
                break
            case EventKind.subscriptionEnded.rawValue:
                guard cursor.reason == SubscriptionEndReason.sourceReleased.rawValue else { break }
                let place = places.subscription(cursor.subject)
                guard place >= 0 else { break }
                let node = nodes.baseAddress! + Int(subscriptions[place].source)
                let mark = Mark(ticks: cursor.ticks, thread: header.thread, sequence: cursor.sequence)
                node.pointee.ended = max(node.pointee.ended, mark)
            case EventKind.completed.rawValue, EventKind.failed.rawValue:
                if cursor.delivers { frames.open(.emission, sequence: cursor.sequence, isEnding: true) }
            default:
                guard cursor.isSoundRare, frames.take(rare: cursor) else { return nil }
                if cursor.kind == .context { counted &-= 1 }
            }
        }
        return cursor.isSound ? counted : nil
    }

    @inline(__always)
    private func emitted(_ cursor: RecordCursor, _ thread: UInt32, _ frames: borrowing FrameStack) {
        let place = places.node(cursor.subject)
        if cursor.isReplayed { return }
        guard place >= 0 else { return }
        let node = nodes.baseAddress! + place
        node.pointee.emissions &+= 1
        if cursor.ticks >= node.pointee.emitted.ticks {
            let mark = Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence)
            if mark > node.pointee.emitted { node.pointee.emitted = mark }
        }
        wrote(place, frames)
    }

    @inline(__always)
    private func wrote(_ node: Int, _ frames: borrowing FrameStack) {
        let causing = frames.causingPlace
        guard causing >= 0 else { return }
        let id = frames[causing].subscription
        guard id != 0, nodes[node].access != .never else { return }
        if frames[causing].opener == .hop, nodes[node].access == .atOnce { return }
        let place = places.subscription(id)
        guard place >= 0 else { return }
        let subscription = subscriptions.baseAddress! + place
        // A subscription is meant to make its target emit: only writes to other nodes come from its code.
        if !subscription.pointee.isTerminal, subscription.pointee.target == Int32(node) { return }
        if subscription.pointee.written != Int32(node) {
            keepWrites(of: place)
            subscription.pointee.written = Int32(node)
        }
        subscription.pointee.writes &+= 1
    }

    @inline(__always)
    private func delivered(_ id: UInt32, _ frames: inout FrameStack) {
        frames.leaveDelivery()
        let causing = frames.causingPlace
        let isOfEnd = id != 0 && causing >= 0 && frames[causing].isEnding
        frames.beginDelivery(to: id)
        let place = places.subscription(id)
        guard place >= 0, id != 0, !isOfEnd else { return }
        let subscription = subscriptions.baseAddress! + place
        subscription.pointee.deliveries &+= 1
        if Meaning.isRefresh(isTerminal: subscription.pointee.isTerminal, isEnding: false) {
            nodes[Int(subscription.pointee.source)].refreshes &+= 1
        }
    }

    private func keepWrites(of place: Int) {
        let subscription = subscriptions[place]
        guard subscription.writes > 0 else { return }
        writes[HandlerWrites.Write(subscription: place, node: Int(subscription.written)), default: 0] &+=
            subscription.writes
        subscriptions[place].writes = 0
    }

    /// Adds the figures of another part of the trace.
    func add(_ other: GraphCount) {
        for place in nodes.indices {
            let more = other.nodes[place]
            nodes[place].emissions &+= more.emissions
            nodes[place].refreshes &+= more.refreshes
            nodes[place].suppressions &+= more.suppressions
            nodes[place].emitted = max(nodes[place].emitted, more.emitted)
            nodes[place].ended = max(nodes[place].ended, more.ended)
        }
        for place in subscriptions.indices { subscriptions[place].deliveries &+= other.subscriptions[place].deliveries }
        writes.merge(other.allWrites, uniquingKeysWith: &+)
    }

    /// How often each write was seen.
    var allWrites: [HandlerWrites.Write: UInt64] {
        for place in subscriptions.indices { keepWrites(of: place) }
        return writes
    }
}

extension GraphBuilder {
    /// A builder of the graph of a whole recording, and the state with its figures; everything else in that state is missing.
    ///
    /// It is nil if the trace cannot be counted without an order of its events: then let a builder take all of them.
    package static func counting(
        _ reader: TraceReader, _ topology: Topology, reporting report: PassProgress.Report? = nil
    ) -> (builder: GraphBuilder, state: TraceState)? {
        guard let places = PlaceTable(topology) else { return nil }
        let expected = UInt64(reader.eventChunkCount)
        let counted = reader.countChunks(
            inRuns: false, reporting: { report?(PassProgress(events: UInt64($0), expectedEvents: expected)) },
            { GraphCount(topology, places) })
        guard let (counters, events) = counted else { return nil }
        counters[0].add(counters[1])
        guard let ends = EarlyEnds(topology, counters[0]) else { return nil }
        let builder = GraphBuilder(topology, HandlerWrites(topology, counters[0].allWrites), ends)
        return (builder, TraceState(topology, counters[0], events: events, startTicks: reader.header.startTicks))
    }
}

extension TraceState {
    fileprivate init(_ topology: Topology, _ count: GraphCount, events: UInt64, startTicks: UInt64) {
        self.init(topology, startTicks: startTicks)
        order = events
        for (place, node) in count.nodes.enumerated() {
            (nodes[place].emissions, nodes[place].refreshes) = (node.emissions, node.refreshes)
            nodes[place].suppressions = node.suppressions
        }
        for (place, counted) in count.subscriptions.enumerated() {
            subscriptions[place].deliveries = counted.deliveries
        }
    }
}

extension EarlyEnds {
    /// The ends that were counted; nil if time alone does not put them in order.
    fileprivate init?(_ topology: Topology, _ count: GraphCount) {
        self.init(topology)
        guard count.nodes.contains(where: { $0.ended.ticks > 0 }) else { return }
        let marks = count.nodes.flatMap { [$0.emitted, $0.ended] }.filter { $0.thread > 0 }.sorted()
        if Mark.areTied(marks) { return nil }
        func rank(_ mark: Mark) -> UInt64 {
            mark.thread == 0 ? 0 : UInt64(marks.partitioningIndex { $0 >= mark }) + 1
        }
        set(ends: count.nodes.map { rank($0.ended) }, lastEmissions: count.nodes.map { rank($0.emitted) })
    }
}

extension [Mark] {
    /// The first index of a sorted array at which a condition holds.
    fileprivate func partitioningIndex(where isBehind: (Mark) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
