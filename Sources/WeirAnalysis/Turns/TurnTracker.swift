import WeirTrace

/// Part of a turn: work without interruption on one thread, from the event that opens its outermost frame until that ends.
///
/// A turn is everything that one stimulus causes. Its first stretch begins with the stimulus. Each hop adds a stretch.
public struct TurnStretch: Sendable, Equatable {
    /// The number of the turn, from 1.
    public let turn: UInt64
    /// The event that begins the stretch; if the beginning is missing, the first event that is there.
    public let root: EventID
    /// The kind of that event.
    public let kind: EventKind
    /// The name of a stimulus, otherwise empty.
    public let text: String
    /// The node of that event, if it has one.
    public let node: UInt32
    /// The event that a hop names as its cause.
    public let cause: EventID?
    /// Ticks of the first event.
    public let began: UInt64
    /// Ticks of the last event.
    public internal(set) var ended: UInt64
    /// Events in it, with the first and the last.
    public internal(set) var events: UInt64 = 0
    /// Emissions of values.
    public internal(set) var emissions: UInt64 = 0
    /// Deliveries of values to handlers.
    public internal(set) var refreshes: UInt64 = 0
    /// Suppressed values.
    public internal(set) var suppressed: UInt64 = 0
    /// Whether its beginning is missing in the trace.
    public let isBeginningMissing: Bool

    let depth: Int
}

/// Assigns each event to its turn, in one pass and bounded memory.
///
/// A hop belongs to the turn of its cause. For each thread, the tracker remembers the last 65,536 stretches. A hop whose cause
/// is older, or lost, begins a turn of its own.
public struct TurnTracker {
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

    private var states: [ThreadState] = []
    private var places: [UInt32: Int] = [:]
    private var last: (thread: UInt32, place: Int) = (0, 0)
    private var turns: UInt64 = 0
    /// The stretches that have ended since the caller emptied this list.
    public var ended: [TurnStretch] = []

    /// A tracker before the first event.
    public init() {}

    /// Takes the next event and returns the number of its turn; 0: it belongs to none.
    public mutating func take(_ event: TraceEvent, isRefresh: Bool) -> UInt64 {
        let thread = event.id.thread
        if last.thread != thread || states.isEmpty { last = (thread, place(of: thread)) }
        let place = last.place
        let isEnd = event.kind == .stimulusEnded || event.kind == .hopEnded || event.kind == .batchEnded
        while let top = states[place].open.last, event.depth < top.depth || event.depth == top.depth && !isEnd {
            close(place, before: event.id.sequence)
        }
        if event.kind == .hopBegan {
            begin(event, place, turn: turn(of: event.cause))
        } else if states[place].open.isEmpty {
            guard event.depth > 0 || Self.roots.contains(event.kind) else { return 0 }
            begin(event, place, turn: nil)
        }
        guard let open = states[place].open.indices.last else { return 0 }
        states[place].open[open].events += 1
        states[place].open[open].ended = max(states[place].open[open].ended, event.ticks)
        switch event.kind {
        case .emitted: states[place].open[open].emissions += 1
        case .suppressed: states[place].open[open].suppressed += 1
        default: break
        }
        if isRefresh { states[place].open[open].refreshes += 1 }
        let turn = states[place].open[open].turn
        if isEnd, event.depth == states[place].open[open].depth { close(place, before: event.id.sequence &+ 1) }
        return turn
    }

    /// Ends the stretches that are still open.
    public mutating func finish() {
        for place in states.indices { while !states[place].open.isEmpty { close(place, before: .max) } }
    }

    /// The kinds of event without a cause that begin a turn.
    private static let roots: Set<EventKind> = [.emitted, .completed, .failed, .stimulusBegan, .batchBegan]

    private static func hasNode(_ kind: EventKind) -> Bool {
        kind == .emitted || kind == .completed || kind == .failed || kind == .hopBegan
    }

    private mutating func place(of thread: UInt32) -> Int {
        if let place = places[thread] { return place }
        places[thread] = states.count
        states.append(ThreadState())
        return states.count - 1
    }

    private func turn(of cause: EventID?) -> UInt64? {
        guard let cause, let place = places[cause.thread] else { return nil }
        return states[place].turn(of: cause.sequence)
    }

    private mutating func begin(_ event: TraceEvent, _ place: Int, turn known: UInt64?) {
        let turn: UInt64
        if let known {
            turn = known
        } else {
            turns += 1
            turn = turns
        }
        let isHop = event.kind == .hopBegan
        states[place].open.append(
            TurnStretch(
                turn: turn, root: event.id, kind: event.kind, text: event.text,
                node: Self.hasNode(event.kind) ? event.subject : 0, cause: isHop ? event.cause : nil,
                began: event.ticks, ended: event.ticks, isBeginningMissing: event.depth > 0 && !isHop,
                depth: isHop || event.depth == 0 ? event.depth : 1))
        states[place].note(event.id.sequence, turn)
    }

    private mutating func close(_ place: Int, before sequence: UInt64) {
        guard let stretch = states[place].open.popLast() else { return }
        ended.append(stretch)
        // What follows a nested hop belongs to the stretch around it.
        if let around = states[place].open.last { states[place].note(sequence, around.turn) }
    }
}
