import WeirTrace

/// Puts the events of a trace together into turns, holding one unfinished turn per thread.
///
/// A turn begins with an emission or a stimulus that has no cause. Facts outside of any turn (nodes that are
/// made, frames, checkpoints) are passed over.
///
/// Invariants: a thread's `frames` are its open stimuli and emissions, outermost first; their levels rise;
/// they are empty exactly when the thread has no unfinished turn or one whose beginning is missing.
public struct TurnAssembler {
    private struct Frame {
        var id: EventID
        var node: UInt32
        var isStimulus: Bool
        var isStamped: Bool
        var level: Int
        /// Index of the delivery that is under way, if it was kept.
        var delivery: Int?
        var isDelivering = false
        var inner: Int { level + (isDelivering ? 2 : 1) }
    }

    private struct ThreadState {
        var turn: Turn
        var frames: [Frame] = []
    }

    // Only a damaged or hostile trace nests deeper.
    private let deepest = 10_000
    /// So many items of a turn are kept; the rest are counted.
    public let itemLimit: Int
    private let onTurn: (Turn) -> Void
    private var threads: [UInt32: ThreadState] = [:]

    /// An assembler that gives each finished turn to `onTurn`.
    public init(itemLimit: Int = 10_000, onTurn: @escaping (Turn) -> Void) {
        self.itemLimit = max(1, itemLimit)
        self.onTurn = onTurn
    }

    /// Takes the next event of the trace.
    public mutating func take(_ event: TraceEvent) {
        let thread = event.id.thread
        var current: ThreadState
        // Moved, never copied: a turn may hold thousands of items.
        if var open = threads.removeValue(forKey: thread), settle(event, &open) {
            current = consume open
        } else {
            let isEnd = event.kind == .stimulusEnded || event.kind == .deliveryEnded
            let begins = event.kind == .emitted || event.kind == .stimulusBegan
            guard begins || (event.cause != nil && !isEnd) else { return }
            current = ThreadState(turn: Turn(thread: thread))
            current.turn.isBeginningMissing = event.cause != nil
        }
        place(event, &current)
        if current.frames.isEmpty && !current.turn.isBeginningMissing {
            onTurn(current.turn)
        } else {
            threads[thread] = current
        }
    }

    /// Gives out the turns that are still open, marked so.
    public mutating func finish() {
        for (_, state) in threads.sorted(by: { $0.key < $1.key }) { giveUnfinished(state) }
        threads = [:]
    }

    /// Traps where an invariant of the type does not hold; for tests.
    func checkInvariants() {
        for state in threads.values {
            precondition(
                !state.frames.isEmpty || state.turn.isBeginningMissing, "an open turn has open frames")
            precondition(state.turn.items.count <= itemLimit, "no more items are kept than the limit")
            for (outer, inner) in zip(state.frames, state.frames.dropFirst()) {
                precondition(outer.level < inner.level, "the levels of open frames rise")
            }
        }
    }

    private func giveUnfinished(_ state: ThreadState) {
        guard !state.turn.items.isEmpty else { return }
        var turn = state.turn
        turn.isEndMissing = !state.frames.isEmpty
        onTurn(turn)
    }

    /// Closes the frames that the event shows to be over; false: the turn itself is over.
    private func settle(_ event: TraceEvent, _ state: inout ThreadState) -> Bool {
        if event.kind == .stimulusEnded { return true }
        guard let cause = event.cause else {
            giveUnfinished(state)
            return false
        }
        // An open emission is the cause of all within it, also of what a stimulus inside of it holds.
        let innermost = state.frames.lastIndex { !$0.isStimulus } ?? state.frames.indices.last
        if let innermost, state.frames[innermost].id == cause { return true }
        if let index = state.frames.lastIndex(where: { $0.id == cause }) {
            state.frames.removeSubrange((index + 1)...)
            return true
        }
        if state.frames.isEmpty { return true }
        giveUnfinished(state)
        return false
    }

    private func place(_ event: TraceEvent, _ state: inout ThreadState) {
        let level = state.frames.last?.inner ?? 0
        switch event.kind {
        case .emitted:
            _ = keep(event, level, &state.turn)
            guard event.delivers, state.frames.count < deepest else { return }
            state.frames.append(
                Frame(
                    id: event.id, node: event.subject, isStimulus: false, isStamped: event.isStamped,
                    level: level))
        case .stimulusBegan:
            _ = keep(event, level, &state.turn)
            guard state.frames.count < deepest else { return }
            state.frames.append(
                Frame(id: event.id, node: 0, isStimulus: true, isStamped: event.isStamped, level: level))
        case .stimulusEnded:
            guard let index = state.frames.lastIndex(where: \.isStimulus) else { return }
            state.frames.removeSubrange(index...)
        case .deliveryBegan, .deliveryNext:
            leaveInnerStimuli(&state)
            guard let last = state.frames.indices.last, !state.frames[last].isStimulus else {
                _ = keep(event, level, &state.turn)
                return
            }
            endDelivery(event, &state)
            state.frames[last].isDelivering = true
            state.frames[last].delivery = keep(event, state.frames[last].level + 1, &state.turn)
        case .deliveryEnded:
            leaveInnerStimuli(&state)
            guard let last = state.frames.last, !last.isStimulus else { return }
            endDelivery(event, &state)
            state.frames.removeLast()
        case .suppressed:
            // A superseded delivery belongs to the emission that it interrupts, not to its last subscriber.
            let frame = state.frames.last
            let interrupts =
                event.reason == SuppressionReason.superseded.rawValue && frame?.node == event.subject
            _ = keep(event, interrupts ? (frame?.level ?? 0) + 1 : level, &state.turn)
        case .subscriptionStarted, .subscriptionEnded, .nodeCreated, .nodeReleased, .context, .eventsLost,
            .frame,
            .checkpoint, .objectTracked, .objectReleased:
            _ = keep(event, level, &state.turn)
        }
    }

    /// A delivery's end is the end of every stimulus within it, should its own end be missing.
    private func leaveInnerStimuli(_ state: inout ThreadState) {
        guard let emission = state.frames.lastIndex(where: { !$0.isStimulus }) else { return }
        state.frames.removeSubrange((emission + 1)...)
    }

    private func endDelivery(_ event: TraceEvent, _ state: inout ThreadState) {
        guard let frame = state.frames.last, let index = frame.delivery else { return }
        let began = state.turn.items[index].event
        // The first delivery of a stamped emission follows it at once and shares its stamp.
        let sharesStamp =
            frame.isStamped && began.kind == .deliveryBegan && began.id.sequence == frame.id.sequence &+ 1
        guard began.isStamped || sharesStamp, event.isStamped, event.ticks >= began.ticks else { return }
        state.turn.items[index].deliveryTicks = event.ticks - began.ticks
    }

    private func keep(_ event: TraceEvent, _ level: Int, _ turn: inout Turn) -> Int? {
        guard turn.items.count < itemLimit else {
            turn.omitted &+= 1
            return nil
        }
        turn.items.append(Turn.Item(event: event, level: level))
        return turn.items.count - 1
    }
}
