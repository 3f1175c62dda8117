@_spi(Records) import WeirTrace

/// The state of nodes and subscriptions, counted chunk by chunk, without putting the threads in order.
///
/// It serves `replay --at` in long traces. It decodes no value except each node's last, and so is several times as fast as
/// taking each event. It does not know the order of events of two threads at the same tick, and leaves damage to the reader; in
/// these cases `isSound` is false, and the figures must not be used.
///
/// It is a value type, although copies share its tables: with a class, each record would need an exclusivity check of its
/// frames.
///
/// Invariant: the figures of each node and subscription are those of the events counted so far, in whatever order.
struct StateCount {
    /// The figures of a node; times are in ticks.
    struct Node {
        var emissions: UInt64 = 0
        var refreshes: UInt64 = 0
        var suppressions: UInt64 = 0
        var changeTicks: UInt64 = 0
        var changeSequence: UInt64 = 0
        var valueTicks: UInt64 = 0
        /// The last silent write.
        var silentTicks: UInt64 = 0
        var silentSequence: UInt64 = 0
        var silentThread: UInt32 = 0
        var changeThread: UInt32 = 0
        var valueThread: UInt32 = 0
        var valueChunk: UInt32 = 0
        var valueStart: UInt32 = 0
        var valueEnd: UInt32 = 0
        /// Whether two threads gave it a value at the tick of the last one.
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
        /// The number of the stimulus on its thread, from 1.
        var number: UInt64
    }

    struct Thread {
        var nextSequence: UInt64 = 1
        var ticks: UInt64 = 0
        var stimuli: UInt64 = 0
        /// The stimuli that may be open, outermost first.
        var open = FrameWalk<Stimulus>()
        var last: Stimulus?
    }

    var isSound = true
    private(set) var events: UInt64 = 0
    private(set) var ticks: UInt64
    var unattributedDeliveries: UInt64 = 0
    private(set) var threads: [UInt32: Thread] = [:]
    let nodes: UnsafeMutableBufferPointer<Node>
    let subscriptions: UnsafeMutableBufferPointer<Subscription>
    let placeOfNode: UnsafeMutableBufferPointer<Int32>
    /// By index of the node.
    let storesEqualValues: [Bool]
    /// The index of the observable behind each view's side of a channel, by index of the node.
    let observables: [Int: Int]
    let placeOfSubscription: UnsafeMutableBufferPointer<Int32>
    var frames = FrameStack()
    /// Owns the memory of the tables.
    private let memory: Memory

    private final class Memory {
        private var tables: [UnsafeMutableRawPointer] = []

        func table<Element>(_ count: Int) -> UnsafeMutableBufferPointer<Element> {
            let table = UnsafeMutableBufferPointer<Element>.allocate(capacity: count)
            if let base = table.baseAddress { tables.append(UnsafeMutableRawPointer(base)) }
            return table
        }

        // The elements of the tables need no release.
        deinit { for table in tables { table.deallocate() } }
    }

    /// Nil if ids are so high that the tables would take too much memory.
    init?(_ topology: Topology, startTicks: UInt64) {
        let lastNode = topology.nodeIDs.last ?? 0
        let lastSubscription = topology.subscriptions.last?.id ?? 0
        guard max(lastNode, lastSubscription) < 4_000_000 else { return nil }
        ticks = startTicks
        storesEqualValues = topology.storesEqualValues
        observables = Dictionary(
            uniqueKeysWithValues: topology.nodeIDs.indices.compactMap { place in
                guard topology.definitions.nodes[topology.nodeIDs[place]]?.kind == .channel,
                    let input = topology.inputs[place].last
                else { return nil }
                return (place, topology.sources[input])
            })
        memory = Memory()
        nodes = memory.table(topology.nodeIDs.count)
        nodes.initialize(repeating: Node())
        subscriptions = memory.table(topology.subscriptions.count)
        for (place, subscription) in topology.subscriptions.enumerated() {
            subscriptions.initializeElement(
                at: place,
                to: Subscription(source: Int32(topology.sources[place]), isTerminal: !subscription.isInternal))
        }
        placeOfNode = memory.table(Int(lastNode) + 1)
        placeOfNode.initialize(repeating: -1)
        for (place, id) in topology.nodeIDs.enumerated() { placeOfNode[Int(id)] = Int32(place) }
        placeOfSubscription = memory.table(Int(lastSubscription) + 1)
        placeOfSubscription.initialize(repeating: -1)
        for (place, subscription) in topology.subscriptions.enumerated() {
            placeOfSubscription[Int(subscription.id)] = Int32(place)
        }
    }

    /// Counts the events of a chunk that are before `end`; false if the figures cannot be used.
    mutating func count(_ header: ChunkHeader, _ records: UnsafeRawBufferPointer, before end: UInt64) -> Bool {
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
            case EventKind.emitted.rawValue: countEmission(cursor, header)
            case EventKind.suppressed.rawValue: countSuppression(cursor, header.thread)
            case EventKind.deliveryBegan.rawValue, EventKind.deliveryNext.rawValue: countDelivery(cursor, header.thread)
            case EventKind.deliveryEnded.rawValue: endDeliveries()
            case EventKind.subscriptionStarted.rawValue: mention(subscription: cursor.subject, now, header.thread)
            case EventKind.subscriptionEnded.rawValue: self.end(subscription: cursor.subject, now, header.thread)
            case EventKind.nodeCreated.rawValue: mention(cursor.subject) { _ in }
            case EventKind.nodeReleased.rawValue: release(cursor.subject)
            case EventKind.completed.rawValue, EventKind.failed.rawValue:
                mention(cursor.subject) { _ in }
                if cursor.delivers { open(.emission, cursor, isEnding: true) }
            default:
                if cursor.rawKind == EventKind.context.rawValue { counted &-= 1 }
                countRare(cursor, &thread)
            }
        }
        guard isOver || cursor.isSound, isSound else { return fail() }
        events &+= counted
        if counted > 0, last > ticks { ticks = last }
        thread.ticks = last
        thread.nextSequence = isOver ? .max : header.firstSequence &+ counted
        thread.open.settle(in: frames)
        threads[header.thread] = thread
        return true
    }

    private mutating func fail() -> Bool {
        isSound = false
        return false
    }
}
