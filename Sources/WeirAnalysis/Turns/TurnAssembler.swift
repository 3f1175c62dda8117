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
    private struct Frame {
        var id: EventID
        var opener: EventKind
        /// The node that emitted; 0 for other frames.
        var node: UInt32
        var isStamped: Bool
        var depth: Int
        var turn: Int
        /// Its index in the turn, if it was kept.
        var fact: Int?
        /// The index of the open delivery, if that was kept.
        var delivery: Int?

        var isEmission: Bool { opener == .emitted || opener == .completed || opener == .failed }
        /// Whether it is the cause of events within it, even inside a nested stimulus or batch.
        var isCausing: Bool { isEmission || opener == .hopBegan }
    }

    private struct ThreadState {
        /// The open frames, outermost first; a hop's frame may belong to another turn than the one around it.
        var frames: [Frame] = []
        /// The turn, without a beginning, of events whose causes are not among the frames.
        var strays: Int?
    }

    private struct Place {
        var turn: Int
        var fact: Int
    }

    // Only a damaged or hostile trace nests deeper.
    private let deepest = 10_000
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
        if !state.frames.isEmpty || state.strays != nil { threads[thread] = state }
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
            for turn in state.frames.map(\.turn) + [state.strays].compactMap(\.self) { open[turn, default: 0] += 1 }
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

    /// Closes the frames that must have ended before the event.
    private mutating func settle(_ event: TraceEvent, _ state: inout ThreadState) {
        switch event.kind {
        case .stimulusEnded, .hopEnded, .batchEnded: return
        case .hopBegan:
            // Its cause may be anywhere, but its depth shows which frames are open around it.
            if event.depth == 0 { return closeAll(&state) }
            if let over = state.frames.firstIndex(where: { $0.depth >= event.depth }) { close(from: over, &state) }
        default:
            guard let cause = event.cause else { return closeAll(&state) }
            if Self.innermost(state)?.id == cause { return }
            if let index = state.frames.lastIndex(where: { $0.id == cause }) {
                close(from: index + 1, &state)
            } else if !state.frames.isEmpty {
                closeAll(&state)
            }
        }
    }

    /// The frame that causes the current event.
    private static func innermost(_ state: ThreadState) -> Frame? {
        state.frames.last { $0.isCausing } ?? state.frames.last
    }

    private mutating func closeAll(_ state: inout ThreadState) {
        close(from: 0, &state)
        if let strays = state.strays { release(strays) }
        state.strays = nil
    }

    /// Closes the frames from `index` on; with `isEnd` the first one ends here, and the ends of the others are missing.
    private mutating func close(from index: Int, _ state: inout ThreadState, isEnd: Bool = false) {
        while state.frames.count > index {
            let frame = state.frames.removeLast()
            let isItsEnd = isEnd && state.frames.count == index
            if !isItsEnd, state.frames.last?.turn != frame.turn { turns[frame.turn]?.isEndMissing = true }
            release(frame.turn)
        }
    }

    private mutating func closeInnermost(_ opener: EventKind, _ state: inout ThreadState) {
        guard let index = state.frames.lastIndex(where: { $0.opener == opener }) else { return }
        close(from: index, &state, isEnd: true)
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
        case .stimulusEnded: closeInnermost(.stimulusBegan, &state)
        case .hopEnded: closeInnermost(.hopBegan, &state)
        case .batchEnded: closeInnermost(.batchBegan, &state)
        case .deliveryBegan, .deliveryNext:
            leaveDelivery(&state)
            guard let last = state.frames.indices.last, state.frames[last].isEmission else {
                return add(event, opens: false, &state)
            }
            let frame = state.frames[last]
            endDelivery(event, of: frame)
            state.frames[last].delivery = turns[frame.turn]?.keep(event, below: frame.fact, limit: itemLimit)
        case .deliveryEnded:
            leaveDelivery(&state)
            guard let last = state.frames.indices.last, state.frames[last].isEmission else { return }
            endDelivery(event, of: state.frames[last])
            close(from: last, &state, isEnd: true)
        case .suppressed:
            // A superseded delivery belongs to the emission that it interrupts, not to its last subscriber.
            if event.reason == SuppressionReason.superseded.rawValue, let frame = state.frames.last,
                frame.isEmission, frame.node == event.subject
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
        if opens, state.frames.count < deepest {
            let isEmission = event.kind != .stimulusBegan && event.kind != .hopBegan && event.kind != .batchBegan
            state.frames.append(
                Frame(
                    id: event.id, opener: event.kind, node: isEmission ? event.subject : 0,
                    isStamped: event.isStamped, depth: event.depth, turn: turn, fact: fact))
            turns[turn]?.openFrames += 1
            if let fact { places[event.id] = Place(turn: turn, fact: fact) }
        }
        giveIfOver(turn)
    }

    /// The position of a hop: below its cause, else in a turn of its own; nil if the frames around it caused it.
    private mutating func placeOfHop(_ event: TraceEvent, _ state: ThreadState) -> (turn: Int, fact: Int?)? {
        guard let cause = event.cause else { return (begin(event.id.thread), nil) }
        if cause == Self.innermost(state)?.id || cause == state.frames.last?.id { return nil }
        return places[cause].map { ($0.turn, $0.fact) } ?? (begin(event.id.thread), nil)
    }

    /// The position of an event in the innermost frame of its thread; nil if it is outside of any turn.
    private mutating func placeOfWhatIsNext(
        _ event: TraceEvent, _ state: inout ThreadState
    ) -> (turn: Int, fact: Int?)? {
        if let frame = state.frames.last { return (frame.turn, frame.delivery ?? frame.fact) }
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

    /// Closes all frames within the emission, whose ends may be missing; a delivery's beginning and end both do this.
    private mutating func leaveDelivery(_ state: inout ThreadState) {
        guard let emission = state.frames.lastIndex(where: \.isEmission) else { return }
        close(from: emission + 1, &state)
    }

    private mutating func endDelivery(_ event: TraceEvent, of frame: Frame) {
        guard let delivery = frame.delivery, let began = turns[frame.turn]?[delivery], !began.isSettling else { return }
        // The first delivery of a stamped emission directly follows it and shares its stamp.
        let sharesStamp =
            frame.isStamped && began.kind == .deliveryBegan && began.id.sequence == frame.id.sequence &+ 1
        guard began.isStamped || sharesStamp, event.isStamped, event.ticks >= began.ticks else { return }
        turns[frame.turn]?.setDeliveryTicks(event.ticks - began.ticks, at: delivery)
    }
}
