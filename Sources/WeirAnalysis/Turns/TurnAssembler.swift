import WeirTrace

/// Assembles the events of a trace into turns, and holds only unfinished turns.
///
/// A turn begins with an emission, completion, stimulus or batch that has no cause. It ends, and is reported, when its last
/// open frame closes. Facts outside of any turn (created nodes, frames, checkpoints) are skipped.
///
/// The work of a hop belongs to the turn of the hop's cause, below that cause, whatever its thread and nesting. But a hop may
/// come long after its cause, because of a delay or a busy thread. If that turn was already reported, or the cause was beyond
/// the item limit, the hop begins a turn of its own, with `Turn.isContinuation` set. So the frames open at one time limit the
/// memory.
///
/// Invariants (`checkInvariants`):
///
/// - A turn is held exactly as long as frames, or a thread's strays, are counted in its `openFrames`.
/// - `places` has only facts of such turns.
public struct TurnAssembler {
    /// What is known of an open frame.
    private struct Opened {
        var turn: Int
        /// Its index in the turn, if it was kept.
        var fact: Int?
        /// The node that emitted; 0 for other frames.
        var node: UInt32
        var isStamped: Bool
        /// The index of the open delivery, if that was kept.
        var delivery: Int?
    }

    private struct ThreadState {
        /// The open frames; a hop's frame may belong to another turn than the one around it.
        var frames = FrameWalk<Opened>()
        /// The turn, without a beginning, of events whose causes are not among the frames.
        var strays: Int?
    }

    private struct Place {
        var turn: Int
        var fact: Int
    }

    /// The most items of a turn to keep; the rest are counted.
    public let itemLimit: Int
    private let onTurn: (Turn) -> Void
    private var threads: [UInt32: ThreadState] = [:]
    private var turns: [Int: GrowingTurn] = [:]
    private var turnsBegun = 0
    /// The facts that may be causes of hops: those that opened a frame.
    private var places: [EventID: Place] = [:]

    /// An assembler that passes each finished turn to `onTurn`.
    public init(itemLimit: Int = 10_000, onTurn: @escaping (Turn) -> Void) {
        self.itemLimit = max(1, itemLimit)
        self.onTurn = onTurn
    }

    /// Takes the next event of the trace.
    public mutating func take(_ event: TraceEvent) {
        let thread = event.id.thread
        var state = threads.removeValue(forKey: thread) ?? ThreadState()
        settle(event, &state)
        place(event, &state)
        if state.frames.count > 0 || state.strays != nil { threads[thread] = state }
    }

    /// Reports the turns that are still open, marked as such.
    public mutating func finish() {
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
            for turn in state.frames.frames.map(\.payload.turn) + [state.strays].compactMap(\.self) {
                open[turn, default: 0] += 1
            }
        }
        precondition(open == turns.mapValues(\.openFrames), "a turn is held as long as frames are open in it")
        for turn in turns.values {
            precondition((1...itemLimit).contains(turn.count), "some items are kept, and no more than the limit")
        }
        for (id, place) in places {
            precondition(turns[place.turn]?[place.fact].id == id, "a place is that of its event")
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
        let turn = closed.payload.turn
        if !isEnd, state.frames.innermost?.payload.turn != turn { turns[turn]?.isEndMissing = true }
        release(turn)
    }

    private mutating func release(_ number: Int) {
        turns[number]?.openFrames -= 1
        giveIfOver(number)
    }

    private mutating func giveIfOver(_ number: Int) {
        guard turns[number]?.openFrames == 0, let turn = turns.removeValue(forKey: number) else { return }
        for event in turn.events where places[event.id]?.turn == number { places[event.id] = nil }
        onTurn(turn.turn)
    }

    // MARK: Adding facts

    private mutating func place(_ event: TraceEvent, _ state: inout ThreadState) {
        switch event.kind {
        case .emitted, .completed, .failed: add(event, opens: event.delivers, &state)
        case .stimulusBegan, .batchBegan: add(event, opens: true, &state)
        case .hopBegan: add(event, to: placeOfHop(event, state), opens: true, &state)
        case .stimulusEnded, .hopEnded, .batchEnded: break
        case .deliveryBegan, .deliveryNext:
            guard let place = state.frames.delivering(event) else { return add(event, opens: false, &state) }
            let frame = state.frames.frames[place]
            endDelivery(event, of: frame)
            state.frames[place].delivery =
                turns[frame.payload.turn]?.keep(event, below: frame.payload.fact, limit: itemLimit)
        case .deliveryEnded:
            guard state.frames.delivering(event) != nil, let closed = state.frames.closeInnermost() else { return }
            endDelivery(event, of: closed)
            left(closed, state, isEnd: true)
        case .suppressed:
            // A superseded delivery belongs to the emission that it interrupts, not to its last subscriber.
            if event.reason == SuppressionReason.superseded.rawValue, let frame = state.frames.innermost?.payload,
                frame.node == event.subject
            {
                _ = turns[frame.turn]?.keep(event, below: frame.fact, limit: itemLimit)
            } else {
                add(event, opens: false, &state)
            }
        case .subscriptionStarted, .subscriptionEnded, .nodeCreated, .nodeReleased, .context, .eventsLost, .frame,
            .checkpoint, .objectTracked, .objectReleased, .objectExpected, .snapshotTaken, .hopScheduled:
            add(event, opens: false, &state)
        }
    }

    /// Keeps a fact in its turn, below its parent, and opens its frame.
    private mutating func add(
        _ event: TraceEvent, to place: (turn: Int, fact: Int?)? = nil, opens: Bool, _ state: inout ThreadState
    ) {
        guard let (turn, parent) = place ?? placeOfWhatIsNext(event, &state) else { return }
        let fact = turns[turn]?.keep(event, below: parent, limit: itemLimit)
        let around = state.frames.count
        if opens {
            state.frames.open(
                event,
                Opened(
                    turn: turn, fact: fact, node: event.isEmission ? event.subject : 0, isStamped: event.isStamped))
        }
        if state.frames.count > around {
            turns[turn]?.openFrames += 1
            if let fact { places[event.id] = Place(turn: turn, fact: fact) }
        }
        giveIfOver(turn)
    }

    /// The position of a hop: below its cause, else in a turn of its own; nil if the frames around it caused it.
    private mutating func placeOfHop(_ event: TraceEvent, _ state: ThreadState) -> (turn: Int, fact: Int?)? {
        guard let cause = event.cause else { return (begin(event.id.thread), nil) }
        let around = state.frames.innermost?.number
        if cause.thread == event.id.thread, state.frames.count > 0,
            Self.isIn(state, cause) || around == cause.sequence
        {
            return nil
        }
        return places[cause].map { ($0.turn, $0.fact) } ?? (begin(event.id.thread), nil)
    }

    /// The position of an event in the innermost frame of its thread; nil if it is outside of any turn.
    private mutating func placeOfWhatIsNext(
        _ event: TraceEvent, _ state: inout ThreadState
    ) -> (turn: Int, fact: Int?)? {
        if let frame = state.frames.innermost?.payload { return (frame.turn, frame.delivery ?? frame.fact) }
        if let strays = state.strays { return (strays, nil) }
        if event.cause == nil { return Self.roots.contains(event.kind) ? (begin(event.id.thread), nil) : nil }
        let strays = begin(event.id.thread)
        turns[strays]?.isBeginningMissing = true
        turns[strays]?.openFrames = 1
        state.strays = strays
        return (strays, nil)
    }

    /// The kinds of event that begin a turn; a hop does as well if its cause is not in one.
    private static let roots: Set<EventKind> = [.emitted, .completed, .failed, .stimulusBegan, .batchBegan]

    private mutating func begin(_ thread: UInt32) -> Int {
        turnsBegun += 1
        turns[turnsBegun] = GrowingTurn(thread: thread)
        return turnsBegun
    }

    // MARK: Deliveries

    private mutating func endDelivery(_ event: TraceEvent, of frame: FrameWalk<Opened>.Frame) {
        let opened = frame.payload
        guard let delivery = opened.delivery, let began = turns[opened.turn]?[delivery], !began.isSettling else {
            return
        }
        // The first delivery of a stamped emission directly follows it and shares its stamp.
        let sharesStamp =
            opened.isStamped && began.kind == .deliveryBegan && began.id.sequence == frame.number &+ 1
        guard began.isStamped || sharesStamp, event.isStamped, event.ticks >= began.ticks else { return }
        turns[opened.turn]?.setDeliveryTicks(event.ticks - began.ticks, at: delivery)
    }
}

extension TraceEvent {
    /// Whether it is the end of a stimulus, hop or batch.
    fileprivate var endsFrame: Bool { kind == .stimulusEnded || kind == .hopEnded || kind == .batchEnded }

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
