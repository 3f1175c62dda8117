import WeirTrace

/// What a state tells of nodes and subscriptions, counted chunk by chunk, without putting the threads in order.
///
/// It serves `replay --at` in long traces: it decodes no value but each node's last, and so is several times as fast as
/// taking up each event. What two threads did at one and the same tick has no order that it knows, and what is damaged
/// it leaves to the reader; then `isSound` is false, and its figures are not to be used.
///
/// Invariant: of each node and subscription, its figures are those of the events counted so far, whichever their order.
final class StateCount {
    /// What is known of a node; times are in ticks.
    struct Node {
        var emissions: UInt64 = 0
        var refreshes: UInt64 = 0
        var suppressions: UInt64 = 0
        var changeTicks: UInt64 = 0
        var changeSequence: UInt64 = 0
        var valueTicks: UInt64 = 0
        var changeThread: UInt32 = 0
        var valueThread: UInt32 = 0
        var valueChunk: UInt32 = 0
        var valueStart: UInt32 = 0
        var valueEnd: UInt32 = 0
        /// Two threads gave it a value at the tick of the last one.
        var hasValueTie = false
        var hasChangeTie = false
        var isMentioned = false
        var isReleased = false
    }

    struct Subscription {
        var firstTicks: UInt64 = .max
        var firstThread: UInt32 = 0
        var endTicks: UInt64 = .max
        var endThread: UInt32 = 0
        var source: Int32
        var isTerminal: Bool
    }

    struct Stimulus {
        var sequence: UInt64
        var ticks: UInt64
        var text: String
        var depth: Int
        /// Which of its thread's stimuli it is, from 1.
        var number: UInt64
    }

    struct Thread {
        var nextSequence: UInt64 = 1
        var ticks: UInt64 = 0
        var stimuli: UInt64 = 0
        /// The stimuli that may be open, outermost first.
        var open: [Stimulus] = []
        var last: Stimulus?
    }

    private(set) var isSound = true
    private(set) var events: UInt64 = 0
    private(set) var ticks: UInt64
    private(set) var unattributedDeliveries: UInt64 = 0
    private(set) var threads: [UInt32: Thread] = [:]
    let nodes: UnsafeMutableBufferPointer<Node>
    let subscriptions: UnsafeMutableBufferPointer<Subscription>
    private let topology: Topology
    private let placeOfNode: UnsafeMutableBufferPointer<Int32>
    private let placeOfSubscription: UnsafeMutableBufferPointer<Int32>
    private var frames = CountedFrames()

    /// Nil where ids are so high that tables would take too much memory.
    init?(_ topology: Topology, startTicks: UInt64) {
        let lastNode = topology.nodeIDs.last ?? 0
        let lastSubscription = topology.subscriptions.last?.id ?? 0
        guard max(lastNode, lastSubscription) < 4_000_000 else { return nil }
        self.topology = topology
        ticks = startTicks
        nodes = .allocate(capacity: topology.nodeIDs.count)
        nodes.initialize(repeating: Node())
        subscriptions = .allocate(capacity: topology.subscriptions.count)
        for (place, subscription) in topology.subscriptions.enumerated() {
            subscriptions.initializeElement(
                at: place,
                to: Subscription(source: Int32(topology.sources[place]), isTerminal: !subscription.isInternal))
        }
        placeOfNode = .allocate(capacity: Int(lastNode) + 1)
        placeOfNode.initialize(repeating: -1)
        for (place, id) in topology.nodeIDs.enumerated() { placeOfNode[Int(id)] = Int32(place) }
        placeOfSubscription = .allocate(capacity: Int(lastSubscription) + 1)
        placeOfSubscription.initialize(repeating: -1)
        for (place, subscription) in topology.subscriptions.enumerated() {
            placeOfSubscription[Int(subscription.id)] = Int32(place)
        }
    }

    deinit {
        nodes.deallocate()
        subscriptions.deallocate()
        placeOfNode.deallocate()
        placeOfSubscription.deallocate()
    }

    /// Counts the events of a chunk that are before `end`; false where the figures are of no use.
    func count(_ header: ChunkHeader, _ records: UnsafeRawBufferPointer, before end: UInt64) -> Bool {
        var thread = threads[header.thread] ?? Thread()
        guard header.firstSequence == thread.nextSequence, header.baseTicks >= thread.ticks else { return fail() }
        var cursor = RecordCursor(records, of: header)
        var last = header.baseTicks
        var counted: UInt64 = 0
        var isOver = false
        frames.removeAll()
        while cursor.next() {
            let now = cursor.ticks
            // A stamp may be so large that the clock wraps.
            guard now >= last else { return fail() }
            if now >= end {
                isOver = true
                break
            }
            last = now
            counted &+= 1
            switch cursor.rawKind {
            case 1: countEmission(cursor, header)
            case 2: mention(cursor.subject) { $0.suppressions &+= 1 }
            case 3, 4: countDelivery(cursor, header.thread)
            case 5: frames.endDeliveries()
            case 6: mention(subscription: cursor.subject, now, header.thread)
            case 7: self.end(subscription: cursor.subject, now, header.thread)
            case 8: mention(cursor.subject) { _ in }
            case 9: release(cursor.subject)
            case 10, 11:
                mention(cursor.subject) { _ in }
                if cursor.delivers { frames.open(.ending) }
            default:
                if cursor.rawKind == EventKind.context.rawValue { counted &-= 1 }
                countRare(cursor, &thread)
            }
        }
        guard isOver || cursor.isSound, isSound, !frames.isTooDeep else { return fail() }
        events &+= counted
        if counted > 0, last > ticks { ticks = last }
        thread.ticks = last
        thread.nextSequence = isOver ? .max : header.firstSequence &+ counted
        closeStimuli(&thread)
        threads[header.thread] = thread
        return true
    }

    private func fail() -> Bool {
        isSound = false
        return false
    }

    @inline(__always)
    private func place(of id: UInt32) -> Int? {
        guard Int(id) < placeOfNode.count else { return nil }
        let place = placeOfNode[Int(id)]
        return place < 0 ? nil : Int(place)
    }

    @inline(__always)
    private func mention(_ id: UInt32, _ change: (inout Node) -> Void) {
        guard let place = place(of: id) else { return }
        nodes[place].isMentioned = true
        change(&nodes[place])
    }

    @inline(__always)
    private func countEmission(_ cursor: RecordCursor, _ header: ChunkHeader) {
        if cursor.delivers { frames.open(.emission) }
        guard let place = place(of: cursor.subject) else { return }
        let node = nodes.baseAddress! + place
        let (ticks, thread) = (cursor.ticks, header.thread)
        node.pointee.isMentioned = true
        if node.pointee.valueThread == thread || ticks > node.pointee.valueTicks || node.pointee.valueThread == 0 {
            // A second value of this thread at the same tick does not settle a tie with another thread.
            if ticks > node.pointee.valueTicks { node.pointee.hasValueTie = false }
            node.pointee.valueTicks = ticks
            node.pointee.valueThread = thread
            node.pointee.valueChunk = UInt32(truncatingIfNeeded: header.index)
            let body = cursor.bodyBounds
            node.pointee.valueStart = UInt32(truncatingIfNeeded: body.lowerBound)
            node.pointee.valueEnd = UInt32(truncatingIfNeeded: body.upperBound)
        } else if ticks == node.pointee.valueTicks {
            node.pointee.hasValueTie = true
        }
        if cursor.isReplayed { return }
        node.pointee.emissions &+= 1
        let isLater = node.pointee.changeThread == thread || ticks > node.pointee.changeTicks
        if isLater || node.pointee.changeThread == 0 {
            if ticks > node.pointee.changeTicks { node.pointee.hasChangeTie = false }
            node.pointee.changeTicks = ticks
            node.pointee.changeSequence = cursor.sequence
            node.pointee.changeThread = thread
        } else if ticks == node.pointee.changeTicks {
            node.pointee.hasChangeTie = true
        }
    }

    @inline(__always)
    private func countDelivery(_ cursor: RecordCursor, _ thread: UInt32) {
        let isOfEnd = frames.beginDelivery() == .ending
        let id = cursor.subject
        if id == 0 { return }
        guard Int(id) < placeOfSubscription.count, placeOfSubscription[Int(id)] >= 0 else {
            if !isOfEnd { unattributedDeliveries &+= 1 }
            return
        }
        let subscription = subscriptions.baseAddress! + Int(placeOfSubscription[Int(id)])
        if subscription.pointee.firstTicks > cursor.ticks { note(subscription, cursor.ticks, thread) }
        if !isOfEnd, subscription.pointee.isTerminal { nodes[Int(subscription.pointee.source)].refreshes &+= 1 }
    }

    private func subscription(_ id: UInt32) -> UnsafeMutablePointer<Subscription>? {
        guard Int(id) < placeOfSubscription.count, placeOfSubscription[Int(id)] >= 0 else { return nil }
        return subscriptions.baseAddress! + Int(placeOfSubscription[Int(id)])
    }

    private func mention(subscription id: UInt32, _ ticks: UInt64, _ thread: UInt32) {
        guard let subscription = subscription(id), subscription.pointee.firstTicks > ticks else { return }
        note(subscription, ticks, thread)
    }

    /// Something was heard of a subscription; after its end, that is no beginning.
    private func note(_ subscription: UnsafeMutablePointer<Subscription>, _ ticks: UInt64, _ thread: UInt32) {
        if subscription.pointee.endThread == thread, subscription.pointee.endTicks <= ticks { return }
        subscription.pointee.firstTicks = ticks
        subscription.pointee.firstThread = thread
    }

    private func end(subscription id: UInt32, _ ticks: UInt64, _ thread: UInt32) {
        guard let subscription = subscription(id), ticks < subscription.pointee.endTicks else { return }
        subscription.pointee.endTicks = ticks
        subscription.pointee.endThread = thread
    }

    private func release(_ id: UInt32) {
        guard let place = place(of: id) else { return }
        nodes[place].isReleased = true
    }

    private func countRare(_ cursor: RecordCursor, _ thread: inout Thread) {
        switch cursor.kind {
        case .context:
            guard let open = cursor.openFrames, cursor.isFirst else {
                isSound = false
                return
            }
            frames.restore(open)
        case .eventsLost: isSound = false
        case .stimulusBegan:
            guard let text = cursor.text else {
                isSound = false
                return
            }
            thread.stimuli &+= 1
            closeStimuli(&thread)
            let stimulus = Stimulus(
                sequence: cursor.sequence, ticks: cursor.ticks, text: text, depth: frames.depth, number: thread.stimuli)
            if thread.open.count >= 256 { thread.open.removeFirst() }
            thread.open.append(stimulus)
            thread.last = stimulus
            frames.open(.stimulus, cursor.sequence)
        case .stimulusEnded: frames.close(.stimulus)
        case .hopBegan:
            if !cursor.isSoundHop { isSound = false }
            frames.open(.hop)
        case .hopEnded: frames.close(.hop)
        case .batchBegan: frames.open(.batch)
        case .batchEnded: frames.close(.batch)
        case .checkpoint: if cursor.text == nil { isSound = false }
        default: break
        }
    }

    /// Forgets stimuli that are open no longer.
    private func closeStimuli(_ thread: inout Thread) {
        let open = frames.stimuli
        thread.open.removeAll { !open.contains($0.sequence) }
    }
}
