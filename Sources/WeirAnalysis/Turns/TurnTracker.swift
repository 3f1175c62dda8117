import WeirTrace

/// Part of a cascade: work without interruption on one thread, from the event that opens its outermost frame until that ends.
///
/// A cascade is everything that one stimulus causes, hops included. Its first stretch begins with the stimulus. Each hop adds a
/// stretch.
package struct TurnStretch: Sendable, Equatable {
    /// The number of the cascade, from 1.
    package let turn: UInt64
    /// The event that begins the stretch; if the beginning is missing, the first event that is there.
    package let root: EventID
    /// The kind of that event.
    package let kind: EventKind
    /// The name of a stimulus, otherwise empty.
    package let text: String
    /// The node of that event, if it has one.
    package let node: UInt32
    /// The event that a hop names as its cause.
    package let cause: EventID?
    /// Ticks of the first event.
    package let began: UInt64
    /// Ticks of the last event.
    package internal(set) var ended: UInt64
    /// Events in it, with the first and the last.
    package internal(set) var events: UInt64 = 0
    /// Emissions of values.
    package internal(set) var emissions: UInt64 = 0
    /// Deliveries of values to handlers.
    package internal(set) var refreshes: UInt64 = 0
    /// Suppressed values.
    package internal(set) var suppressed: UInt64 = 0
    /// Whether its beginning is missing in the trace.
    package let isBeginningMissing: Bool

    let depth: Int
}

/// Assigns each event to its turn, in one pass and bounded memory.
///
/// A hop belongs to the turn of its cause. For each thread, the tracker remembers the last 65,536 stretches. A hop whose cause
/// is older, or lost, begins a turn of its own.
package struct TurnTracker {
    private static let memory = 65_536

    private struct ThreadState {
        var open: [TurnStretch] = []
        /// The first sequence numbers of stretches, ascending, with their turns.
        var starts: [(sequence: UInt64, turn: UInt64)] = []

        mutating func note(_ sequence: UInt64, _ turn: UInt64) {
            if starts.count >= 2 * TurnTracker.memory { starts.removeFirst(TurnTracker.memory) }
            starts.append((sequence, turn))
        }

        /// The turn of an earlier event, if the stretch around it is still known.
        func turn(of sequence: UInt64) -> UInt64? {
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = (low + high) / 2
                if starts[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? nil : starts[low - 1].turn
        }
    }

    /// The counts of the innermost open stretch of the current thread, apart from the rest: each event changes them.
    private struct Counts {
        var depth = 0
        var turn: UInt64 = 0
        var ended: UInt64 = 0
        var events: UInt64 = 0, emissions: UInt64 = 0, refreshes: UInt64 = 0, suppressed: UInt64 = 0

        init() {}

        init(_ stretch: TurnStretch) {
            (depth, turn, ended) = (stretch.depth, stretch.turn, stretch.ended)
            (events, emissions) = (stretch.events, stretch.emissions)
            (refreshes, suppressed) = (stretch.refreshes, stretch.suppressed)
        }

        func store(into stretch: inout TurnStretch) {
            stretch.ended = ended
            (stretch.events, stretch.emissions) = (events, emissions)
            (stretch.refreshes, stretch.suppressed) = (refreshes, suppressed)
        }
    }

    private var states: [ThreadState] = []
    private var places: [UInt32: Int] = [:]
    private var last: (thread: UInt32, place: Int) = (0, 0)
    /// Whether a stretch is open on the last thread; then `top` has its counts, and `states` older ones.
    private var isOpen = false
    private var top = Counts()
    private var turns: UInt64 = 0
    /// The stretches that have ended since the caller emptied this list.
    package var ended: [TurnStretch] = []

    /// A tracker before the first event.
    package init() {}

    /// Takes the next event and returns the number of its turn; 0: it belongs to none.
    package mutating func take(_ event: TraceEvent, isRefresh: Bool) -> UInt64 {
        let thread = event.id.thread
        if last.thread != thread || states.isEmpty {
            store()
            last = (thread, place(of: thread))
            load()
        }
        let isEnd = event.kind == .stimulusEnded || event.kind == .hopEnded || event.kind == .batchEnded
        while isOpen, event.depth < top.depth || event.depth == top.depth && !isEnd { close(before: event.id.sequence) }
        if event.kind == .hopBegan {
            begin(event, turn: turn(of: event.cause))
        } else if !isOpen {
            guard event.depth > 0 || Self.isRoot(event.kind) else { return 0 }
            begin(event, turn: nil)
        }
        top.events &+= 1
        top.ended = max(top.ended, event.ticks)
        switch event.kind {
        case .emitted: top.emissions &+= 1
        case .suppressed: top.suppressed &+= 1
        default: break
        }
        if isRefresh { top.refreshes &+= 1 }
        let turn = top.turn
        if isEnd, event.depth == top.depth { close(before: event.id.sequence &+ 1) }
        return turn
    }

    /// Ends the stretches that are still open.
    package mutating func finish() {
        store()
        for place in states.indices {
            last = (last.thread, place)
            load()
            while isOpen { close(before: .max) }
        }
    }

    /// Whether an event of this kind without a cause begins a turn.
    private static func isRoot(_ kind: EventKind) -> Bool {
        switch kind {
        case .emitted, .completed, .failed, .stimulusBegan, .batchBegan: true
        default: false
        }
    }

    private static func hasNode(_ kind: EventKind) -> Bool {
        kind == .emitted || kind == .completed || kind == .failed || kind == .hopBegan
    }

    private mutating func place(of thread: UInt32) -> Int {
        if let place = places[thread] { return place }
        places[thread] = states.count
        states.append(ThreadState())
        return states.count - 1
    }

    /// Writes the counts of the innermost open stretch back to it.
    private mutating func store() {
        guard isOpen else { return }
        let open = states[last.place].open.count - 1
        top.store(into: &states[last.place].open[open])
    }

    /// Reads the counts of the last thread's innermost open stretch.
    private mutating func load() {
        guard let open = states[last.place].open.last else {
            isOpen = false
            return
        }
        isOpen = true
        top = Counts(open)
    }

    private func turn(of cause: EventID?) -> UInt64? {
        guard let cause, let place = places[cause.thread] else { return nil }
        return states[place].turn(of: cause.sequence)
    }

    private mutating func begin(_ event: TraceEvent, turn known: UInt64?) {
        let turn: UInt64
        if let known {
            turn = known
        } else {
            turns += 1
            turn = turns
        }
        let isHop = event.kind == .hopBegan
        store()
        states[last.place].open.append(
            TurnStretch(
                turn: turn, root: event.id, kind: event.kind, text: event.text,
                node: Self.hasNode(event.kind) ? event.subject : 0, cause: isHop ? event.cause : nil,
                began: event.ticks, ended: event.ticks, isBeginningMissing: event.depth > 0 && !isHop,
                depth: isHop || event.depth == 0 ? event.depth : 1))
        states[last.place].note(event.id.sequence, turn)
        load()
    }

    private mutating func close(before sequence: UInt64) {
        store()
        guard let stretch = states[last.place].open.popLast() else { return }
        ended.append(stretch)
        // The events after a nested hop belong to the stretch around it.
        if let around = states[last.place].open.last { states[last.place].note(sequence, around.turn) }
        load()
    }
}
