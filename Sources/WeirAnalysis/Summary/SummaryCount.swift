@_spi(Records) import WeirTrace

/// The figures of a `TraceSummary`, counted run by run without an order of the threads.
///
/// It counts what `SummaryCounter` does, from records instead of events, and gives up where a figure depends on more than that.
final class SummaryCount: ChunkCounter {
    struct Node {
        var emissions: UInt64 = 0
        var replays: UInt64 = 0
        var completions: UInt64 = 0
        var failures: UInt64 = 0
        var hops: UInt64 = 0
        var refreshes: UInt64 = 0
        var carriedOn: UInt64 = 0
        var internalDeliveries: UInt64 = 0
        var received: UInt64 = 0
        var handlerNanoseconds: UInt64 = 0
        var slowestHandlerNanoseconds: UInt64 = 0
        var widest = Earliest()
        var longest = Earliest()
    }

    struct Subscription {
        let source: Int32
        let target: Int32
        let handler: Int32
        let isTerminal: Bool
        var hasEnded = false
        var waiting: Int64 = 0
        var waitsForMain = false
        var waitsForOther = false
    }

    struct Handler {
        var deliveries: UInt64 = 0
        var nanoseconds: UInt64 = 0
        var slowest = Earliest()
    }

    struct Thread {
        var events: UInt64 = 0
        var lastSequence: UInt64 = 0
    }

    /// The facts about an open frame that `FrameStack` does not hold.
    struct Open {
        var node: UInt32 = 0
        /// The index of the node that began the chain of emissions; -1: the frame is none.
        var root: Int32 = -1
        var length: Int32 = 0
        /// The delivery under way; `subscription` 0: none.
        var subscription: UInt32 = 0
        var place: Int32 = -1
        var ordinal: UInt32 = 0
        var began: UInt64 = 0
        var beganTicks: UInt64 = 0
        var isTimed = false
        var isUncarried = false
    }

    struct Snapshot {
        let mark: Mark
        let pause: UInt64
        let isAtCheckpoint: Bool
        let number: UInt32
    }

    static let reasons = 16
    private static let mostSnapshots = 10_000

    let nodes: UnsafeMutableBufferPointer<Node>
    let subscriptions: UnsafeMutableBufferPointer<Subscription>
    let handlers: UnsafeMutableBufferPointer<Handler>
    /// How many values went no further, by index of the node and reason.
    let suppressions: UnsafeMutableBufferPointer<UInt64>
    let kinds = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 32)
    private let open = UnsafeMutablePointer<Open>.allocate(capacity: FrameStack.limit)
    private let places: PlaceTable
    private let timeScale: TimeScale

    var stamped: UInt64 = 0
    var lastTicks: UInt64 = 0
    var roots = (emissions: UInt64(0), endings: UInt64(0), batches: UInt64(0), hops: UInt64(0))
    var settlings: [EventKind: UInt64] = [:]
    var threads: [UInt32: Thread] = [:]
    var chains: [Int: EmissionChain] = [:]
    var stimuli: [String: (count: UInt64, first: Mark)] = [:]
    var objects: [UInt32: (tracked: Mark, released: Mark)] = [:]
    var snapshots: [Snapshot] = []

    /// The state of the current thread, from one chunk of a run to the next.
    private struct Here {
        var frames = FrameStack()
        /// The numbers of events; 0: none.
        var stampedEmission: UInt64 = 0
        var hop: UInt64 = 0
        var awaited: UInt64 = 0
        var lastCheckpoint: UInt64 = 0
    }
    private var here = Here()

    init(_ topology: Topology, _ places: PlaceTable, handlers: [Int], timeScale: TimeScale) {
        self.places = places
        self.timeScale = timeScale
        nodes = .allocate(capacity: topology.nodeIDs.count)
        nodes.initialize(repeating: Node())
        suppressions = .allocate(capacity: topology.nodeIDs.count * Self.reasons)
        suppressions.initialize(repeating: 0)
        self.handlers = .allocate(capacity: (handlers.max() ?? -1) + 1)
        self.handlers.initialize(repeating: Handler())
        kinds.initialize(repeating: 0)
        subscriptions = .allocate(capacity: topology.subscriptions.count)
        for (place, subscription) in topology.subscriptions.enumerated() {
            subscriptions.initializeElement(
                at: place,
                to: Subscription(
                    source: Int32(topology.sources[place]), target: Int32(topology.targets[place]),
                    handler: Int32(handlers[place]), isTerminal: !subscription.isInternal))
        }
    }

    deinit {
        nodes.deallocate()
        subscriptions.deallocate()
        handlers.deallocate()
        suppressions.deallocate()
        kinds.deallocate()
        open.deallocate()
    }

    func count(_ header: ChunkHeader, _ records: UnsafeRawBufferPointer, startsRun: Bool) -> UInt64? {
        if startsRun { here = Here() }
        // A local copy: a property would be checked for each record.
        var here = Here()
        swap(&here, &self.here)
        defer { swap(&here, &self.here) }
        var cursor = RecordCursor(records, of: header)
        var (counted, stamped, last): (UInt64, UInt64, UInt64) = (0, 0, header.baseTicks)
        var isFirst = true
        while cursor.next() {
            guard cursor.ticks >= last else { return nil }
            last = cursor.ticks
            if isFirst {
                isFirst = false
                if cursor.rawKind != EventKind.context.rawValue { here.frames.removeAll() }
            }
            counted &+= 1
            if cursor.isStamped { stamped &+= 1 }
            kinds[Int(cursor.rawKind)] &+= 1
            let isKnown: Bool
            switch cursor.rawKind {
            case EventKind.emitted.rawValue: isKnown = emitted(cursor, header.thread, &here)
            case EventKind.suppressed.rawValue: isKnown = suppressed(cursor, here.frames)
            case EventKind.deliveryBegan.rawValue, EventKind.deliveryNext.rawValue:
                isKnown = delivered(cursor, header.thread, &here)
            case EventKind.deliveryEnded.rawValue:
                deliveriesEnded(cursor, header.thread, &here)
                isKnown = true
            case EventKind.subscriptionStarted.rawValue, EventKind.nodeCreated.rawValue,
                EventKind.nodeReleased.rawValue:
                isKnown = true
            case EventKind.subscriptionEnded.rawValue:
                let place = places.subscription(cursor.subject)
                if place >= 0 { subscriptions[place].hasEnded = true }
                isKnown = true
            case EventKind.completed.rawValue, EventKind.failed.rawValue: isKnown = ended(cursor, header.thread, &here)
            default:
                if cursor.rawKind == EventKind.context.rawValue {
                    counted &-= 1
                    if cursor.isStamped { stamped &-= 1 }
                    kinds[Int(cursor.rawKind)] &-= 1
                }
                isKnown = cursor.isSoundRare && takeRare(cursor, header.thread, &here)
            }
            guard isKnown else { return nil }
        }
        guard cursor.isSound else { return nil }
        self.stamped &+= stamped
        if counted > 0 {
            lastTicks = max(lastTicks, last)
            var thread = threads[header.thread] ?? Thread()
            thread.events &+= counted
            thread.lastSequence = max(thread.lastSequence, header.firstSequence &+ counted &- 1)
            threads[header.thread] = thread
        }
        return counted
    }

    // MARK: Emissions

    @inline(__always)
    private func emitted(_ cursor: RecordCursor, _ thread: UInt32, _ here: inout Here) -> Bool {
        let place = places.node(cursor.subject)
        guard place >= 0 else { return false }
        let causing = here.frames.causingPlace
        let cause = causing >= 0 ? here.frames[causing].sequence : here.frames.innermost?.sequence ?? 0
        if cursor.isReplayed {
            nodes[place].replays &+= 1
            here.awaited = cause != 0 && cause == here.hop ? cursor.sequence : 0
        } else {
            noteCarriedOn(here.frames, causing)
            nodes[place].emissions &+= 1
            if cause == 0 { roots.emissions &+= 1 }
            here.awaited = 0
        }
        link(cursor, place, causing, thread, &here, isEnding: false)
        return true
    }

    private func ended(_ cursor: RecordCursor, _ thread: UInt32, _ here: inout Here) -> Bool {
        let place = places.node(cursor.subject)
        guard place >= 0 else { return false }
        if cursor.rawKind == EventKind.completed.rawValue {
            nodes[place].completions &+= 1
        } else {
            nodes[place].failures &+= 1
        }
        if here.frames.depth == 0 { roots.endings &+= 1 }
        link(cursor, place, here.frames.causingPlace, thread, &here, isEnding: true)
        return true
    }

    /// Notes an emission, completion or failure as a link of a chain, and opens its frame.
    @inline(__always)
    private func link(
        _ cursor: RecordCursor, _ place: Int, _ causing: Int, _ thread: UInt32, _ here: inout Here, isEnding: Bool
    ) {
        here.stampedEmission = cursor.isStamped ? cursor.sequence : 0
        var link = Open(node: cursor.subject, root: Int32(place), length: 1)
        if causing >= 0, open[causing].root >= 0 {
            (link.root, link.length) = (open[causing].root, open[causing].length &+ 1)
            let longest = nodes[Int(link.root)].longest
            if link.length >= longest.figure {
                noteChain(link, Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence), here.frames)
            }
        }
        guard cursor.delivers else { return }
        if here.frames.open(.emission, sequence: cursor.sequence, isEnding: isEnding) {
            open[here.frames.count - 1] = link
        }
    }

    private func noteChain(_ link: Open, _ mark: Mark, _ frames: FrameStack) {
        guard nodes[Int(link.root)].longest.offer(UInt64(link.length), at: mark, mark.sequence) else { return }
        let around = (0..<frames.count).filter { open[$0].root >= 0 }.map { open[$0].node }
        chains[Int(link.root)] = EmissionChain(
            length: Int(link.length), deepest: EventID(thread: mark.thread, sequence: mark.sequence),
            nodes: Array(around.suffix(Int(link.length) - 1)) + [link.node])
    }

    @inline(__always)
    private func suppressed(_ cursor: RecordCursor, _ frames: borrowing FrameStack) -> Bool {
        let place = places.node(cursor.subject)
        let reason = Int(cursor.reason)
        guard place >= 0, reason < Self.reasons else { return false }
        // A superseded value is dropped by its own node, and was not written by a handler.
        if reason != SuppressionReason.superseded.rawValue { noteCarriedOn(frames, frames.causingPlace) }
        suppressions[place * Self.reasons + reason] &+= 1
        return true
    }

    /// Counts an emission or suppression within a terminal delivery: the handler carried the value on.
    @inline(__always)
    private func noteCarriedOn(_ frames: borrowing FrameStack, _ causing: Int) {
        guard causing >= 0, open[causing].isUncarried, open[causing].subscription != 0,
            open[causing].subscription == frames[causing].subscription
        else { return }
        // Once for each delivery.
        open[causing].isUncarried = false
        nodes[Int(subscriptions[Int(open[causing].place)].source)].carriedOn &+= 1
    }

    // MARK: Deliveries

    @inline(__always)
    private func delivered(_ cursor: RecordCursor, _ thread: UInt32, _ here: inout Here) -> Bool {
        let frame = here.frames.leaveDelivery()
        let isNext = cursor.rawKind == EventKind.deliveryNext.rawValue
        if cursor.subject == 0 {
            if isNext, frame >= 0 { _ = endDelivery(frame, here.frames[frame].subscription, cursor, thread) }
            here.frames.beginDelivery(to: 0)
            settlings[cursor.kind, default: 0] &+= 1
            return true
        }
        let place = places.subscription(cursor.subject)
        guard frame >= 0, place >= 0 else { return false }
        let emission = here.frames[frame].sequence
        let isOfEnd = here.frames[frame].isEnding
        let former = here.frames.beginDelivery(to: cursor.subject)
        var ordinal: UInt32 = 1
        if isNext {
            let last = endDelivery(frame, former, cursor, thread)
            if last.subscription != 0, last.subscription == former { ordinal = last.ordinal &+ 1 }
        }
        // The first delivery of a stamped emission follows it at once and shares its stamp.
        let isTimed =
            cursor.isStamped || !isNext && emission == here.stampedEmission && emission == cursor.sequence &- 1
        let subscription = subscriptions.baseAddress! + place
        let isTerminal = subscription.pointee.isTerminal
        let now = open + frame
        now.pointee.subscription = cursor.subject
        now.pointee.place = Int32(place)
        now.pointee.ordinal = ordinal
        now.pointee.began = cursor.sequence
        now.pointee.beganTicks = cursor.ticks
        now.pointee.isTimed = isTerminal && isTimed
        now.pointee.isUncarried = isTerminal && !isOfEnd
        // From here on, only deliveries of values count.
        if isOfEnd { return true }
        if here.awaited != 0, here.awaited == emission { subscription.pointee.waiting -= 1 }
        let source = nodes.baseAddress! + Int(subscription.pointee.source)
        if isTerminal { source.pointee.refreshes &+= 1 } else { source.pointee.internalDeliveries &+= 1 }
        let mark = Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence)
        source.pointee.widest.offer(UInt64(ordinal), at: mark, emission)
        if subscription.pointee.target >= 0 { nodes[Int(subscription.pointee.target)].received &+= 1 }
        return true
    }

    @inline(__always)
    private func deliveriesEnded(_ cursor: RecordCursor, _ thread: UInt32, _ here: inout Here) {
        let frame = here.frames.leaveDelivery()
        if frame >= 0 { _ = endDelivery(frame, here.frames[frame].subscription, cursor, thread) }
        here.frames.close(.emission)
    }

    /// Ends the delivery of a frame, and returns what was known of it.
    @inline(__always)
    private func endDelivery(_ frame: Int, _ ended: UInt32, _ cursor: RecordCursor, _ thread: UInt32) -> Open {
        let last = open[frame]
        open[frame].subscription = 0
        guard last.subscription != 0, last.isTimed, cursor.isStamped, last.subscription == ended else { return last }
        let spent = timeScale.nanoseconds(ticks: cursor.ticks - last.beganTicks)
        let subscription = subscriptions[Int(last.place)]
        let node = nodes.baseAddress! + Int(subscription.source)
        node.pointee.handlerNanoseconds &+= spent
        node.pointee.slowestHandlerNanoseconds = max(node.pointee.slowestHandlerNanoseconds, spent)
        let handler = handlers.baseAddress! + Int(subscription.handler)
        handler.pointee.deliveries &+= 1
        handler.pointee.nanoseconds &+= spent
        let mark = Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence)
        if handler.pointee.slowest.mark.thread == 0 || spent >= handler.pointee.slowest.figure {
            handler.pointee.slowest.offer(spent, at: mark, last.began)
        }
        return last
    }

    // MARK: Rare records

    private func takeRare(_ cursor: RecordCursor, _ thread: UInt32, _ here: inout Here) -> Bool {
        let mark = Mark(ticks: cursor.ticks, thread: thread, sequence: cursor.sequence)
        switch cursor.kind {
        case .context:
            // A run begins where no frame is open: all frames are known.
            guard let listed = cursor.openFrames, cursor.isFirst, listed.deeper == 0,
                here.frames.closeUnlisted(listed) == listed.frames.count
            else { return false }
        case .stimulusBegan:
            guard let text = cursor.text, noteStimulus(text, mark) else { return false }
            begin(.stimulus, cursor, &here)
        case .hopBegan:
            if cursor.subject != 0 {
                let place = places.node(cursor.subject)
                guard place >= 0 else { return false }
                nodes[place].hops &+= 1
            }
            if cursor.hopCause == nil { roots.hops &+= 1 }
            here.hop = cursor.sequence
            begin(.hop, cursor, &here)
        case .hopScheduled:
            let place = places.subscription(cursor.subject)
            guard place >= 0 else { break }
            subscriptions[place].waiting += 1
            if cursor.scheduledCount == 1 {
                subscriptions[place].waitsForMain = true
            } else {
                subscriptions[place].waitsForOther = true
            }
        case .batchBegan:
            if here.frames.depth == 0 { roots.batches &+= 1 }
            begin(.batch, cursor, &here)
        case .stimulusEnded: here.frames.close(.stimulus)
        case .hopEnded: here.frames.close(.hop)
        case .batchEnded: here.frames.close(.batch)
        case .checkpoint: here.lastCheckpoint = cursor.sequence
        case .snapshotTaken:
            guard snapshots.count < Self.mostSnapshots, let pause = cursor.snapshotPause else { return false }
            let isAtCheckpoint = here.lastCheckpoint != 0 && here.lastCheckpoint &+ 1 == cursor.sequence
            snapshots.append(
                Snapshot(mark: mark, pause: pause, isAtCheckpoint: isAtCheckpoint, number: cursor.subject))
        case .objectTracked:
            let known = objects[cursor.subject] ?? (Mark(), Mark())
            objects[cursor.subject] = (max(known.tracked, mark), known.released)
        case .objectReleased:
            let known = objects[cursor.subject] ?? (Mark(), Mark())
            objects[cursor.subject] = (known.tracked, max(known.released, mark))
        default: break
        }
        return true
    }

    private func begin(_ opener: FrameStack.Opener, _ cursor: RecordCursor, _ here: inout Here) {
        if here.frames.open(opener, sequence: cursor.sequence) { open[here.frames.count - 1] = Open() }
    }

    /// Counts a stimulus; false if there are more names than a summary keeps apart.
    private func noteStimulus(_ text: String, _ mark: Mark) -> Bool {
        let name = SummaryCounter.stimulusName(text)
        if let known = stimuli[name] {
            stimuli[name] = (known.count &+ 1, min(known.first, mark))
        } else {
            stimuli[name] = (1, mark)
        }
        return stimuli.count <= TraceSummary.maximalStimuli
    }
}
