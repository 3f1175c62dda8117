import WeirTrace

/// Puts the events of a trace together into turns, each found when it is over.
///
/// Memory is bounded: of a turn beyond `mostFacts` events or `deepest` frames no events are kept, nor of one that grows
/// while all that is open holds `mostOpenFacts`.
final class TurnCollector {
    static let mostFacts = 100_000
    static let mostOpenFacts = 400_000
    static let deepest = 300

    /// What is found.
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
        /// The fact of the delivery that is open; -1: none is.
        var delivery = -1
    }

    private final class ThreadState {
        @exclusivity(unchecked) var thread: UInt32 = 0
        @exclusivity(unchecked) var stimuli: [RecordedTurn.Stimulus] = []
        @exclusivity(unchecked) var turn: RecordedTurn?
        let frames = ScratchArray<Frame>()
    }

    /// By their lanes.
    @exclusivity(unchecked) private var threads: [ThreadState] = []
    /// What the events that were taken have brought to an end, in order; whoever takes it up empties it.
    @exclusivity(unchecked) var found: [Found] = []
    /// Facts of turns that are open or held.
    @exclusivity(unchecked) private(set) var openFacts = 0
    /// Turns to be used again.
    @exclusivity(unchecked) private var spares: [RecordedTurn] = []
    private static let mostSpares = 64

    /// Takes the next event of the trace; `stimulus` is its name, if it begins one.
    func take(_ event: RecordedEvent, stimulus: String) {
        while event.lane >= threads.count { threads.append(ThreadState()) }
        take(event, stimulus, threads[event.lane])
    }

    private func take(_ event: RecordedEvent, _ stimulus: String, _ thread: ThreadState) {
        thread.thread = event.thread
        if thread.frames.isEmpty || thread.frames.last.depth >= event.depth { close(to: event.depth, thread) }
        switch event.kind {
        case .stimulusEnded, .batchEnded, .hopEnded: return
        case .stimulusBegan where thread.frames.isEmpty:
            thread.stimuli.append(RecordedTurn.Stimulus(name: stimulus, depth: event.depth))
        case .deliveryBegan, .deliveryNext, .deliveryEnded: deliver(event, thread)
        default: add(event, thread)
        }
    }

    /// Gives out what is still open.
    func finish() {
        for thread in threads.sorted(by: { $0.thread < $1.thread }) {
            thread.turn?.isIncomplete = true
            close(to: 0, thread)
        }
        threads = []
    }

    /// The turn has been given out, and nobody needs it any more, but perhaps one who holds it.
    func reuse(_ turn: inout RecordedTurn?) {
        if let turn { openFacts -= turn.facts.count }
        if isKnownUniquelyReferenced(&turn), let turn, turn.facts.count < 256, spares.count < Self.mostSpares {
            turn.forget()
            spares.append(turn)
        }
        turn = nil
    }

    @inline(never)
    private func close(to depth: Int, _ thread: ThreadState) {
        while !thread.frames.isEmpty, thread.frames.last.depth >= depth {
            // Its end closes an emission; here it was missing.
            if thread.frames.last.isEmission { thread.turn?.isIncomplete = true }
            thread.frames.removeLast()
        }
        giveIfClosed(thread)
        while let last = thread.stimuli.last, last.depth >= depth {
            thread.stimuli.removeLast()
            if thread.stimuli.isEmpty { found.append(.stimulusEnded(last)) }
        }
    }

    private func giveIfClosed(_ thread: ThreadState) {
        guard thread.frames.isEmpty, let turn = thread.turn else { return }
        thread.turn = nil
        found.append(.turn(turn))
    }

    @inline(never)
    private func add(_ event: RecordedEvent, _ thread: ThreadState) {
        let turn = turn(for: event, thread)
        guard let fact = keep(event, turn) else { return giveIfClosed(thread) }
        if thread.frames.isEmpty {
            turn.addRoot(fact)
        } else {
            let frame = thread.frames.last
            turn.add(fact, to: frame.delivery < 0 ? frame.fact : frame.delivery)
        }
        if event.opensFrame {
            thread.frames.append(Frame(fact: fact, depth: event.depth, isEmission: event.isEmission))
            if thread.frames.count > Self.deepest { leave(turn) }
        }
        giveIfClosed(thread)
    }

    private func turn(for event: RecordedEvent, _ thread: ThreadState) -> RecordedTurn {
        if let turn = thread.turn { return turn }
        let turn = spares.popLast() ?? RecordedTurn()
        turn.stimulus = thread.stimuli.first
        // It lies in frames of which no beginning was seen.
        if event.depth > thread.stimuli.last.map({ $0.depth + 1 }) ?? 0 { turn.isIncomplete = true }
        thread.turn = turn
        return turn
    }

    @inline(never)
    private func deliver(_ event: RecordedEvent, _ thread: ThreadState) {
        let turn = turn(for: event, thread)
        guard !thread.frames.isEmpty, thread.frames.last.isEmission, thread.frames.last.depth == event.depth - 1 else {
            turn.isIncomplete = true
            if turn.isTooLong { found.append(.passing(event)) }
            return giveIfClosed(thread)
        }
        let frame = thread.frames.last
        if frame.delivery >= 0, !turn.isTooLong, event.isStamped { turn.facts[frame.delivery].endTicks = event.ticks }
        if event.kind == .deliveryEnded {
            thread.frames.removeLast()
            return giveIfClosed(thread)
        }
        thread.frames.last.delivery = -1
        guard let fact = keep(event, turn) else { return }
        turn.add(fact, to: frame.fact)
        thread.frames.last.delivery = fact
    }

    private func keep(_ event: RecordedEvent, _ turn: RecordedTurn) -> Int? {
        if !turn.isTooLong, turn.facts.count >= Self.mostFacts || openFacts >= Self.mostOpenFacts { leave(turn) }
        guard !turn.isTooLong else {
            found.append(.passing(event))
            return nil
        }
        turn.facts.append(RecordedTurn.Fact(event: event))
        openFacts += 1
        return turn.facts.count - 1
    }

    /// No more of its events are kept.
    private func leave(_ turn: RecordedTurn) {
        turn.isTooLong = true
        for fact in turn.facts.elements { found.append(.passing(fact.event)) }
        openFacts -= max(0, turn.facts.count - 1)
        turn.keepFirstEvent()
    }
}
