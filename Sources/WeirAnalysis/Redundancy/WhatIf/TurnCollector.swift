import WeirTrace

/// Puts the events of a trace together into turns, each given out when it is over.
///
/// Memory is bounded: of a turn beyond `mostFacts` events or `deepest` frames no events are kept, nor of one that grows
/// while all that is open holds `mostOpenFacts`.
struct TurnCollector {
    static let mostFacts = 100_000
    static let mostOpenFacts = 400_000
    static let deepest = 300

    /// What is given out.
    enum Found {
        case turn(RecordedTurn)
        /// An event of a turn whose events are not kept.
        case passing(RecordedEvent)
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
        var thread: UInt32 = 0
        var stimuli: [RecordedTurn.Stimulus] = []
        var turn: RecordedTurn?
        var frames: [Frame] = []
    }

    /// By their lanes.
    private var threads: [ThreadState] = []
    /// Facts of turns that are open or held.
    private(set) var openFacts = 0
    /// A turn to be used again.
    private var spare: RecordedTurn?

    /// Takes the next event of the trace; `stimulus` is its name, if it begins one.
    mutating func take(_ event: RecordedEvent, stimulus: String, _ found: (Found) -> Void) {
        let lane = event.lane
        while lane >= threads.count { threads.append(ThreadState()) }
        threads[lane].thread = event.thread
        if let last = threads[lane].frames.last, last.depth >= event.depth { close(to: event.depth, lane, found) }
        if threads[lane].frames.isEmpty { close(to: event.depth, lane, found) }
        switch event.kind {
        case .stimulusEnded, .batchEnded, .hopEnded: return
        case .stimulusBegan where threads[lane].frames.isEmpty:
            threads[lane].stimuli.append(RecordedTurn.Stimulus(name: stimulus, depth: event.depth))
        case .deliveryBegan, .deliveryNext, .deliveryEnded: deliver(event, lane, found)
        default: add(event, lane, found)
        }
    }

    /// Gives out what is still open.
    mutating func finish(_ found: (Found) -> Void) {
        for lane in threads.indices.sorted(by: { threads[$0].thread < threads[$1].thread }) {
            threads[lane].turn?.isIncomplete = true
            close(to: 0, lane, found)
        }
        threads = []
    }

    /// The turn has been given out, and nobody needs it any more, but perhaps one who holds it.
    mutating func reuse(_ turn: inout RecordedTurn?) {
        if let turn { openFacts -= turn.facts.count }
        if isKnownUniquelyReferenced(&turn), let turn, turn.facts.count < 256 {
            turn.forget()
            spare = turn
        }
        turn = nil
    }

    private mutating func close(to depth: Int, _ lane: Int, _ found: (Found) -> Void) {
        while let last = threads[lane].frames.last, last.depth >= depth {
            // Its end closes an emission; here it was missing.
            if last.isEmission { threads[lane].turn?.isIncomplete = true }
            threads[lane].frames.removeLast()
        }
        giveIfClosed(lane, found)
        while let last = threads[lane].stimuli.last, last.depth >= depth {
            threads[lane].stimuli.removeLast()
            if threads[lane].stimuli.isEmpty { found(.stimulusEnded(last)) }
        }
    }

    private mutating func giveIfClosed(_ lane: Int, _ found: (Found) -> Void) {
        guard threads[lane].frames.isEmpty, let turn = threads[lane].turn else { return }
        threads[lane].turn = nil
        found(.turn(turn))
    }

    private mutating func add(_ event: RecordedEvent, _ lane: Int, _ found: (Found) -> Void) {
        let turn = turn(for: event, lane)
        guard let fact = keep(event, turn, found) else { return giveIfClosed(lane, found) }
        if let frame = threads[lane].frames.last {
            turn.add(fact, to: frame.delivery ?? frame.fact)
        } else {
            turn.roots.append(fact)
        }
        if event.opensFrame {
            threads[lane].frames.append(Frame(fact: fact, depth: event.depth, isEmission: event.isEmission))
            if threads[lane].frames.count > Self.deepest { leave(turn, found) }
        }
        giveIfClosed(lane, found)
    }

    private mutating func turn(for event: RecordedEvent, _ lane: Int) -> RecordedTurn {
        if let turn = threads[lane].turn { return turn }
        let turn = spare ?? RecordedTurn()
        spare = nil
        turn.stimulus = threads[lane].stimuli.first
        // It lies in frames of which no beginning was seen.
        if event.depth > threads[lane].stimuli.last.map({ $0.depth + 1 }) ?? 0 { turn.isIncomplete = true }
        threads[lane].turn = turn
        return turn
    }

    private mutating func deliver(_ event: RecordedEvent, _ lane: Int, _ found: (Found) -> Void) {
        let turn = turn(for: event, lane)
        guard let last = threads[lane].frames.indices.last, threads[lane].frames[last].isEmission,
            threads[lane].frames[last].depth == event.depth - 1
        else {
            turn.isIncomplete = true
            if turn.isTooLong { found(.passing(event)) }
            return giveIfClosed(lane, found)
        }
        if let delivery = threads[lane].frames[last].delivery, !turn.isTooLong, event.isStamped {
            turn.facts[delivery].endTicks = event.ticks
        }
        if event.kind == .deliveryEnded {
            threads[lane].frames.removeLast()
            return giveIfClosed(lane, found)
        }
        threads[lane].frames[last].delivery = nil
        guard let fact = keep(event, turn, found) else { return }
        turn.add(fact, to: threads[lane].frames[last].fact)
        threads[lane].frames[last].delivery = fact
    }

    private mutating func keep(_ event: RecordedEvent, _ turn: RecordedTurn, _ found: (Found) -> Void) -> Int? {
        if !turn.isTooLong, turn.facts.count >= Self.mostFacts || openFacts >= Self.mostOpenFacts { leave(turn, found) }
        guard !turn.isTooLong else {
            found(.passing(event))
            return nil
        }
        turn.facts.append(RecordedTurn.Fact(event: event))
        openFacts += 1
        return turn.facts.count - 1
    }

    /// No more of its events are kept.
    private mutating func leave(_ turn: RecordedTurn, _ found: (Found) -> Void) {
        turn.isTooLong = true
        for fact in turn.facts { found(.passing(fact.event)) }
        openFacts -= max(0, turn.facts.count - 1)
        turn.facts = turn.facts.first.map { [RecordedTurn.Fact(event: $0.event)] } ?? []
        turn.roots = turn.facts.isEmpty ? [] : [0]
    }
}
