@_spi(Records) import WeirTrace

/// Assembles the events of a trace into cascades, and holds only unfinished cascades.
///
/// A cascade begins with an emission, completion, stimulus or batch that has no cause. It ends, and is reported, when its last
/// open frame closes. Facts outside of any cascade (created nodes, frames, checkpoints) are skipped.
///
/// The work of a hop belongs to the cascade of the hop's cause, below that cause, whatever its thread and nesting. But a hop may
/// come long after its cause, because of a delay or a busy thread. If that cascade was already reported, or the cause was beyond
/// the item limit, the hop begins a cascade of its own, with `Cascade.isContinuation` set. So the frames open at one time limit the
/// memory.
///
/// Invariants (`checkInvariants`):
///
/// - A cascade is held exactly as long as frames, or a thread's strays, are counted in its `openFrames`.
/// - `places` has only facts of such cascades.
package struct CascadeAssembler {
    /// The facts of an open frame.
    private struct Opened {
        var cascade: Int
        /// Its index in the cascade, if it was kept.
        var fact: Int?
        /// The node that emitted; 0 for other frames.
        var node: UInt32
        var isStamped: Bool
        /// The index of the open delivery, if that was kept.
        var delivery: Int?
    }

    private struct ThreadState {
        /// The open frames; a hop's frame may belong to another cascade than the one around it.
        var frames = FrameWalk<Opened>()
        /// The cascade, without a beginning, of events whose causes are not among the frames.
        var strays: Int?
    }

    private struct Place {
        var cascade: Int
        var fact: Int
    }

    /// The most items of a cascade to keep; the rest are counted.
    package let itemLimit: Int
    private let onCascade: (Cascade) -> Void
    private var threads: [UInt32: ThreadState] = [:]
    private var cascades: [Int: GrowingCascade] = [:]
    private var cascadesBegun = 0
    /// The facts that may be causes of hops: those that opened a frame.
    private var places: [EventID: Place] = [:]

    /// An assembler that passes each finished cascade to `onCascade`.
    package init(itemLimit: Int = 10_000, onCascade: @escaping (Cascade) -> Void) {
        self.itemLimit = max(1, itemLimit)
        self.onCascade = onCascade
    }

    /// Takes the next event of the trace.
    package mutating func take(_ event: TraceEvent) {
        let thread = event.id.thread
        var state = threads.removeValue(forKey: thread) ?? ThreadState()
        settle(event, &state)
        place(event, &state)
        if state.frames.count > 0 || state.strays != nil { threads[thread] = state }
    }

    /// Reports the cascades that are still open, marked as such.
    package mutating func finish() {
        for (_, state) in threads.sorted(by: { $0.key < $1.key }) {
            var state = state
            closeAll(&state)
        }
        threads = [:]
    }

    /// Traps if an invariant of the type does not hold; for tests.
    func checkInvariants() {
        var open: [Int: Int] = [:]
        for state in threads.values {
            for cascade in state.frames.frames.map(\.payload.cascade) + [state.strays].compactMap(\.self) {
                open[cascade, default: 0] += 1
            }
        }
        precondition(open == cascades.mapValues(\.openFrames), "a cascade is held as long as frames are open in it")
        for cascade in cascades.values {
            precondition((1...itemLimit).contains(cascade.count), "some items are kept, and no more than the limit")
        }
        for (id, place) in places {
            precondition(cascades[place.cascade]?[place.fact].id == id, "a place is that of its event")
        }
    }

    // MARK: Ending frames

    /// Closes the frames that have ended before the event, or with it.
    private mutating func settle(_ event: TraceEvent, _ state: inout ThreadState) {
        while let closed = state.frames.close(before: event) {
            left(closed, state, isEnd: event.ends(closed.kind) && closed.depth == event.depth)
        }
        guard event.depth > 0 else { return closeAll(&state) }
        // Frames are missing if the cause is none of them. The cause of a hop, or of an end, is not around it.
        if let cause = event.cause, event.kind != .hopBegan, !event.endsFrame, !Self.isIn(state, cause) {
            closeFrames(&state)
        }
    }

    private static func isIn(_ state: ThreadState, _ cause: EventID) -> Bool {
        let causing = state.frames.causing.map { state.frames.frames[$0].number }
        return state.frames.count == 0 || (causing ?? state.frames.innermost?.number) == cause.sequence
    }

    private mutating func closeAll(_ state: inout ThreadState) {
        closeFrames(&state)
        if let strays = state.strays { release(strays) }
        state.strays = nil
    }

    private mutating func closeFrames(_ state: inout ThreadState) {
        while let closed = state.frames.closeInnermost() { left(closed, state, isEnd: false) }
    }

    /// Takes leave of a frame that was closed, whose end is in the trace or missing.
    private mutating func left(_ closed: FrameWalk<Opened>.Frame, _ state: ThreadState, isEnd: Bool) {
        let cascade = closed.payload.cascade
        if !isEnd, state.frames.innermost?.payload.cascade != cascade { cascades[cascade]?.isEndMissing = true }
        release(cascade)
    }

    private mutating func release(_ number: Int) {
        cascades[number]?.openFrames -= 1
        giveIfOver(number)
    }

    private mutating func giveIfOver(_ number: Int) {
        guard cascades[number]?.openFrames == 0, let cascade = cascades.removeValue(forKey: number) else { return }
        for event in cascade.events where places[event.id]?.cascade == number { places[event.id] = nil }
        onCascade(cascade.cascade)
    }

    // MARK: Adding facts

    private mutating func place(_ event: TraceEvent, _ state: inout ThreadState) {
        switch event.kind {
        case .emitted, .completed, .failed: add(event, opens: event.delivers, &state)
        case .stimulusBegan, .batchBegan: add(event, opens: true, &state)
        case .hopBegan: add(event, to: placeOfHop(event, state), opens: true, &state)
        // The event that comes of a write follows, and represents it.
        case .stimulusEnded, .hopEnded, .batchEnded, .written: break
        case .deliveryBegan, .deliveryNext:
            guard let place = state.frames.delivering(event) else { return add(event, opens: false, &state) }
            let frame = state.frames.frames[place]
            endDelivery(event, of: frame)
            state.frames[place].delivery =
                cascades[frame.payload.cascade]?.keep(event, below: frame.payload.fact, limit: itemLimit)
        case .deliveryEnded:
            guard state.frames.delivering(event) != nil, let closed = state.frames.closeInnermost() else { return }
            endDelivery(event, of: closed)
            left(closed, state, isEnd: true)
        case .suppressed:
            // A superseded delivery belongs to the emission that it interrupts, not to its last subscriber.
            if event.reason == SuppressionReason.superseded.rawValue, let frame = state.frames.innermost?.payload,
                frame.node == event.subject
            {
                _ = cascades[frame.cascade]?.keep(event, below: frame.fact, limit: itemLimit)
            } else {
                add(event, opens: false, &state)
            }
        case .subscriptionStarted, .subscriptionEnded, .nodeCreated, .nodeReleased, .context, .eventsLost, .frame,
            .checkpoint, .objectTracked, .objectReleased, .objectExpected, .snapshotTaken, .hopScheduled:
            add(event, opens: false, &state)
        }
    }

    /// Keeps a fact in its cascade, below its parent, and opens its frame.
    private mutating func add(
        _ event: TraceEvent, to place: (cascade: Int, fact: Int?)? = nil, opens: Bool, _ state: inout ThreadState
    ) {
        guard let (cascade, parent) = place ?? placeOfWhatIsNext(event, &state) else { return }
        let fact = cascades[cascade]?.keep(event, below: parent, limit: itemLimit)
        let around = state.frames.count
        if opens {
            state.frames.open(
                event,
                Opened(
                    cascade: cascade, fact: fact, node: event.isEmission ? event.subject : 0, isStamped: event.isStamped
                ))
        }
        if state.frames.count > around {
            cascades[cascade]?.openFrames += 1
            if let fact { places[event.id] = Place(cascade: cascade, fact: fact) }
        }
        giveIfOver(cascade)
    }

    /// The position of a hop: below its cause, else in a cascade of its own; nil if the frames around it caused it.
    private mutating func placeOfHop(_ event: TraceEvent, _ state: ThreadState) -> (cascade: Int, fact: Int?)? {
        guard let cause = event.cause else { return (begin(event.id.thread), nil) }
        let around = state.frames.innermost?.number
        if cause.thread == event.id.thread, state.frames.count > 0,
            Self.isIn(state, cause) || around == cause.sequence
        {
            return nil
        }
        return places[cause].map { ($0.cascade, $0.fact) } ?? (begin(event.id.thread), nil)
    }

    /// The position of an event in the innermost frame of its thread; nil if it is outside of any cascade.
    private mutating func placeOfWhatIsNext(
        _ event: TraceEvent, _ state: inout ThreadState
    ) -> (cascade: Int, fact: Int?)? {
        if let frame = state.frames.innermost?.payload { return (frame.cascade, frame.delivery ?? frame.fact) }
        if let strays = state.strays { return (strays, nil) }
        if event.cause == nil { return event.beginsCascade ? (begin(event.id.thread), nil) : nil }
        let strays = begin(event.id.thread)
        cascades[strays]?.isBeginningMissing = true
        cascades[strays]?.openFrames = 1
        state.strays = strays
        return (strays, nil)
    }

    private mutating func begin(_ thread: UInt32) -> Int {
        cascadesBegun += 1
        cascades[cascadesBegun] = GrowingCascade(thread: thread)
        return cascadesBegun
    }

    // MARK: Deliveries

    private mutating func endDelivery(_ event: TraceEvent, of frame: FrameWalk<Opened>.Frame) {
        let opened = frame.payload
        guard let delivery = opened.delivery, let began = cascades[opened.cascade]?[delivery], !began.isSettling else {
            return
        }
        // The first delivery of a stamped emission directly follows it and shares its stamp.
        let sharesStamp =
            opened.isStamped && began.kind == .deliveryBegan && began.id.sequence == frame.number &+ 1
        guard began.isStamped || sharesStamp, event.isStamped, event.ticks >= began.ticks else { return }
        cascades[opened.cascade]?.setDeliveryTicks(event.ticks - began.ticks, at: delivery)
    }
}

extension TraceEvent {
    /// Whether it is the end of a frame of this kind.
    fileprivate func ends(_ opener: EventKind) -> Bool {
        switch kind {
        case .stimulusEnded: opener == .stimulusBegan
        case .hopEnded: opener == .hopBegan
        case .batchEnded: opener == .batchBegan
        default: false
        }
    }
}
