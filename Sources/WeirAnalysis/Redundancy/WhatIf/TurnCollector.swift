import WeirTrace

/// Puts the events of a trace together into turns, each given out when it is over.
///
/// Memory is bounded by what is open: of a turn beyond `mostFacts` events or `deepest` frames no events are kept.
struct TurnCollector {
    static let mostFacts = 100_000
    static let deepest = 300

    /// What is given out.
    enum Found {
        case turn(RecordedTurn)
        /// An event of a turn whose events are not kept.
        case passing(TraceEvent, of: RecordedTurn)
        /// The outermost stimulus of a thread has ended.
        case stimulusEnded(RecordedTurn.Stimulus)
    }

    private struct Frame {
        var fact: Int
        var depth: Int
        var isEmission: Bool
        var delivery: Int?
    }

    private struct ThreadState {
        var stimuli: [RecordedTurn.Stimulus] = []
        var turn: RecordedTurn?
        var frames: [Frame] = []
    }

    private var threads: [UInt32: ThreadState] = [:]

    /// Takes the next event of the trace.
    mutating func take(_ event: TraceEvent, _ found: (Found) -> Void) {
        let number = event.id.thread
        var state = threads.removeValue(forKey: number) ?? ThreadState()
        close(to: event.depth, &state, found)
        add(event, &state, found)
        if state.turn != nil || !state.stimuli.isEmpty { threads[number] = state }
    }

    /// Gives out what is still open.
    mutating func finish(_ found: (Found) -> Void) {
        for (_, state) in threads.sorted(by: { $0.key < $1.key }) {
            var state = state
            state.turn?.isIncomplete = true
            close(to: 0, &state, found)
        }
        threads = [:]
    }

    private func close(to depth: Int, _ state: inout ThreadState, _ found: (Found) -> Void) {
        while let last = state.frames.last, last.depth >= depth {
            // Its end closes an emission; here it was missing.
            if last.isEmission { state.turn?.isIncomplete = true }
            state.frames.removeLast()
        }
        if state.frames.isEmpty { giveTurn(&state, found) }
        while let last = state.stimuli.last, last.depth >= depth {
            state.stimuli.removeLast()
            if state.stimuli.isEmpty { found(.stimulusEnded(last)) }
        }
    }

    private func giveTurn(_ state: inout ThreadState, _ found: (Found) -> Void) {
        guard let turn = state.turn else { return }
        state.turn = nil
        found(.turn(turn))
    }

    private func add(_ event: TraceEvent, _ state: inout ThreadState, _ found: (Found) -> Void) {
        switch event.kind {
        case .stimulusEnded, .batchEnded, .hopEnded: return
        case .stimulusBegan where state.frames.isEmpty:
            state.stimuli.append(RecordedTurn.Stimulus(name: event.text, depth: event.depth))
            return
        case .deliveryBegan, .deliveryNext, .deliveryEnded:
            return deliver(event, &state, found)
        default: break
        }
        let turn = turn(for: event, &state)
        guard let fact = keep(event, turn, found) else { return giveIfClosed(&state, found) }
        if let frame = state.frames.last {
            turn.facts[frame.delivery ?? frame.fact].children.append(fact)
        } else {
            turn.roots.append(fact)
        }
        if event.opensFrame {
            let isEmission = event.kind == .emitted || event.kind == .completed || event.kind == .failed
            state.frames.append(Frame(fact: fact, depth: event.depth, isEmission: isEmission))
            if state.frames.count > Self.deepest { leave(turn, found) }
        }
        giveIfClosed(&state, found)
    }

    private func giveIfClosed(_ state: inout ThreadState, _ found: (Found) -> Void) {
        if state.frames.isEmpty { giveTurn(&state, found) }
    }

    private func turn(for event: TraceEvent, _ state: inout ThreadState) -> RecordedTurn {
        if let turn = state.turn { return turn }
        let turn = RecordedTurn(stimulus: state.stimuli.first)
        // It lies in frames of which no beginning was seen.
        if event.depth > state.stimuli.last.map({ $0.depth + 1 }) ?? 0 { turn.isIncomplete = true }
        state.turn = turn
        return turn
    }

    private func deliver(_ event: TraceEvent, _ state: inout ThreadState, _ found: (Found) -> Void) {
        let turn = turn(for: event, &state)
        guard let last = state.frames.indices.last, state.frames[last].isEmission,
            state.frames[last].depth == event.depth - 1
        else {
            turn.isIncomplete = true
            if turn.isTooLong { found(.passing(event, of: turn)) }
            return giveIfClosed(&state, found)
        }
        if let delivery = state.frames[last].delivery, !turn.isTooLong, event.isStamped {
            turn.facts[delivery].endTicks = event.ticks
        }
        if event.kind == .deliveryEnded {
            state.frames.removeLast()
            return giveIfClosed(&state, found)
        }
        state.frames[last].delivery = nil
        guard let fact = keep(event, turn, found) else { return }
        turn.facts[state.frames[last].fact].children.append(fact)
        state.frames[last].delivery = fact
    }

    private func keep(_ event: TraceEvent, _ turn: RecordedTurn, _ found: (Found) -> Void) -> Int? {
        if !turn.isTooLong, turn.facts.count >= Self.mostFacts { leave(turn, found) }
        guard !turn.isTooLong else {
            found(.passing(event, of: turn))
            return nil
        }
        turn.facts.append(RecordedTurn.Fact(event: event))
        return turn.facts.count - 1
    }

    /// No more of its events are kept.
    private func leave(_ turn: RecordedTurn, _ found: (Found) -> Void) {
        turn.isTooLong = true
        let first = turn.facts.first
        for fact in turn.facts { found(.passing(fact.event, of: turn)) }
        turn.facts = first.map { [RecordedTurn.Fact(event: $0.event)] } ?? []
        turn.roots = turn.facts.isEmpty ? [] : [0]
    }
}
