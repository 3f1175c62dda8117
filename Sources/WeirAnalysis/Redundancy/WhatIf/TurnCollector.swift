@_spi(Records) import WeirTrace

/// Assembles the events of a trace into turns, each of which is reported when it is complete.
///
/// A turn that another one caused, which is still open on its thread, is reported after that one.
///
/// Memory is limited: no events are kept of a turn with more than `mostFacts` events or `deepest` frames. The same holds for a
/// turn that grows while `mostOpenFacts` facts are open.
final class TurnCollector {
    static let mostFacts = 100_000
    static let mostOpenFacts = 400_000
    private static let mostHeld = 4096
    static let deepest = 300

    /// A result of the collector.
    enum Found {
        case turn(RecordedTurn)
        /// An event of a turn whose events are not kept.
        case passing(RecordedEvent)
        /// The outermost stimulus of a thread has ended.
        case stimulusEnded(RecordedTurn.Stimulus)
    }

    private struct Opened {
        var fact: Int
        /// The fact of the open delivery; -1 if there is none.
        var delivery = -1
    }

    private final class ThreadState {
        @exclusivity(unchecked) var thread: UInt32 = 0
        /// The stimuli around the turn.
        @exclusivity(unchecked) var stimuli = FrameWalk<RecordedTurn.Stimulus>()
        @exclusivity(unchecked) var turn: RecordedTurn?
        @exclusivity(unchecked) var frames = FrameWalk<Opened>()
    }

    /// Indexed by lane.
    @exclusivity(unchecked) private var threads: [ThreadState] = []
    /// Turns, events and stimuli completed by the events so far, in order; the caller empties it.
    @exclusivity(unchecked) var found: [Found] = []
    /// Results completed while a turn that caused some of them is open, in order.
    @exclusivity(unchecked) private var held: [Found] = []
    /// The number of facts in turns that are open or held.
    @exclusivity(unchecked) private(set) var openFacts = 0
    /// Turns to reuse.
    @exclusivity(unchecked) private var spares: [RecordedTurn] = []
    private static let mostSpares = 64

    /// Takes the next event of the trace; `stimulus` is the name of the stimulus that it begins, if any.
    func take(_ event: RecordedEvent, stimulus: String) {
        while event.lane >= threads.count { threads.append(ThreadState()) }
        take(event, stimulus, threads[event.lane])
    }

    private func take(_ event: RecordedEvent, _ stimulus: String, _ thread: ThreadState) {
        thread.thread = event.thread
        if thread.frames.innermost.map({ $0.depth >= event.depth }) ?? true { close(before: event, thread) }
        switch event.kind {
        case .stimulusEnded, .batchEnded, .hopEnded: return
        case .stimulusBegan where thread.frames.count == 0:
            thread.stimuli.open(event, RecordedTurn.Stimulus(name: stimulus, depth: event.depth))
        case .deliveryBegan, .deliveryNext, .deliveryEnded: deliver(event, thread)
        default: add(event, thread)
        }
    }

    /// Reports the turns that are still open, as incomplete.
    func finish() {
        for thread in threads.sorted(by: { $0.thread < $1.thread }) {
            thread.turn?.isIncomplete = true
            close(before: RecordedEvent(), thread)
        }
        threads = []
        reportHeld()
    }

    /// Reports a result, in order, except that turns come after those that caused them.
    private func report(_ new: Found) {
        if held.isEmpty, !new.isCaused { return found.append(new) }
        held.append(new)
        while let place = nextHeld {
            held[place].turn?.awaited = nil
            found.append(held.remove(at: place))
        }
        if held.count >= Self.mostHeld || openFacts >= Self.mostOpenFacts / 2 { reportHeld() }
    }

    /// The index of the first held result, or of the one that comes before it; nil: there is none, or its cause is still open.
    private var nextHeld: Int? {
        guard var place = held.indices.first else { return nil }
        // A damaged trace may have turns that cause each other.
        for _ in held.indices {
            guard let cause = held[place].turn?.awaited else { return place }
            if threads.contains(where: { $0.turn === cause }) { return nil }
            guard let before = held.firstIndex(where: { $0.turn === cause }) else { return place }
            place = before
        }
        return place
    }

    private func reportHeld() {
        for result in held { result.turn?.awaited = nil }
        found += held
        held = []
    }

    /// Takes back a turn that was reported; reuses it unless it is large or somebody else still holds it.
    func reuse(_ turn: inout RecordedTurn?) {
        if let turn { openFacts -= turn.facts.count }
        if isKnownUniquelyReferenced(&turn), let turn, turn.facts.count < 256, spares.count < Self.mostSpares {
            turn.forget()
            spares.append(turn)
        }
        turn = nil
    }

    @inline(never)
    private func close(before event: RecordedEvent, _ thread: ThreadState) {
        while let closed = thread.frames.close(before: event) {
            // An emission is closed by its end; here the end is missing.
            if closed.isEmission { thread.turn?.isIncomplete = true }
        }
        giveIfClosed(thread)
        while let closed = thread.stimuli.close(before: event) {
            if thread.stimuli.count == 0 { report(.stimulusEnded(closed.payload)) }
        }
    }

    private func giveIfClosed(_ thread: ThreadState) {
        guard thread.frames.count == 0, let turn = thread.turn else { return }
        thread.turn = nil
        report(.turn(turn))
    }

    @inline(never)
    private func add(_ event: RecordedEvent, _ thread: ThreadState) {
        let turn = turn(for: event, thread)
        if let cause = event.kind == .hopBegan ? event.cause : nil, cause.thread != event.thread,
            let other = threads.first(where: { $0.thread == cause.thread })?.turn, !other.facts.isEmpty,
            other.facts[0].event.sequence <= cause.sequence
        {
            turn.awaited = other
        }
        guard let fact = keep(event, turn) else { return giveIfClosed(thread) }
        if let around = thread.frames.innermost?.payload {
            turn.add(fact, to: around.delivery < 0 ? around.fact : around.delivery)
        } else {
            turn.addRoot(fact)
        }
        thread.frames.open(event, Opened(fact: fact))
        if thread.frames.count > Self.deepest { leave(turn) }
        giveIfClosed(thread)
    }

    private func turn(for event: RecordedEvent, _ thread: ThreadState) -> RecordedTurn {
        if let turn = thread.turn { return turn }
        let turn = spares.popLast() ?? RecordedTurn()
        turn.stimulus = thread.stimuli.frames.first?.payload
        // The event is inside frames without a recorded beginning.
        if event.depth > thread.stimuli.innermost.map({ $0.depth + 1 }) ?? 0 { turn.isIncomplete = true }
        thread.turn = turn
        return turn
    }

    @inline(never)
    private func deliver(_ event: RecordedEvent, _ thread: ThreadState) {
        let turn = turn(for: event, thread)
        guard let place = thread.frames.delivering(event) else {
            turn.isIncomplete = true
            if turn.isTooLong { report(.passing(event)) }
            return giveIfClosed(thread)
        }
        let frame = thread.frames[place]
        if frame.delivery >= 0, !turn.isTooLong, event.isStamped { turn.facts[frame.delivery].endTicks = event.ticks }
        if event.kind == .deliveryEnded {
            thread.frames.closeInnermost()
            return giveIfClosed(thread)
        }
        thread.frames[place].delivery = -1
        guard let fact = keep(event, turn) else { return }
        turn.add(fact, to: frame.fact)
        thread.frames[place].delivery = fact
    }

    private func keep(_ event: RecordedEvent, _ turn: RecordedTurn) -> Int? {
        if !turn.isTooLong, turn.facts.count >= Self.mostFacts || openFacts >= Self.mostOpenFacts { leave(turn) }
        guard !turn.isTooLong else {
            report(.passing(event))
            return nil
        }
        turn.facts.append(RecordedTurn.Fact(event: event))
        openFacts += 1
        return turn.facts.count - 1
    }

    /// Stops keeping events of a turn.
    private func leave(_ turn: RecordedTurn) {
        turn.isTooLong = true
        for fact in turn.facts.elements { report(.passing(fact.event)) }
        openFacts -= max(0, turn.facts.count - 1)
        turn.keepFirstEvent()
    }
}

extension TurnCollector.Found {
    fileprivate var turn: RecordedTurn? { if case .turn(let turn) = self { turn } else { nil } }

    /// Whether it is a turn with a cause in another turn that may be open.
    fileprivate var isCaused: Bool { turn?.awaited != nil }
}
