@_spi(Records) import WeirTrace

/// Part of a cascade: work without interruption on one thread, from the event that opens its outermost frame until that ends.
///
/// The first stretch of a cascade begins with its stimulus. Each hop adds a stretch.
package struct CascadeStretch: Sendable, Equatable {
    /// The number of the cascade, from 1.
    package let cascade: UInt64
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
    package private(set) var ended: UInt64
    /// Events in it, with the first and the last.
    package private(set) var events: UInt64 = 0
    /// Emissions of values.
    package private(set) var emissions: UInt64 = 0
    /// Deliveries of values to handlers.
    package private(set) var refreshes: UInt64 = 0
    /// Suppressed values.
    package private(set) var suppressed: UInt64 = 0
    /// Whether its beginning is missing in the trace.
    package let isBeginningMissing: Bool

    fileprivate init(_ cascade: UInt64, from event: TraceEvent) {
        let isHop = event.kind == .hopBegan
        self.cascade = cascade
        (root, kind, text) = (event.id, event.kind, event.text)
        node = event.isEmission || isHop ? event.subject : 0
        cause = isHop ? event.cause : nil
        (began, ended) = (event.ticks, event.ticks)
        isBeginningMissing = event.depth > 0 && !isHop
    }

    @inline(__always)
    fileprivate mutating func count(_ event: TraceEvent, isRefresh: Bool) {
        events &+= 1
        ended = max(ended, event.ticks)
        switch event.kind {
        case .emitted: emissions &+= 1
        case .suppressed: suppressed &+= 1
        default: break
        }
        if isRefresh { refreshes &+= 1 }
    }
}

/// Numbers the cascades, and assigns each event to its own, in one pass and bounded memory.
///
/// A hop belongs to the cascade of its cause. A hop whose cause is lost, or forgotten (`CascadeMarks`), begins a cascade of its own.
package final class CascadeTracker {
    private final class ThreadState {
        /// The open stretches: the outermost frame, and hops inside it.
        @exclusivity(unchecked) var stretches = FrameWalk<CascadeStretch>()
        @exclusivity(unchecked) var marks = CascadeMarks<UInt64>()
    }

    private var threads: [UInt32: ThreadState] = [:]
    /// In the order of their first events.
    private var inOrder: [ThreadState] = []
    private var last: (thread: UInt32, state: ThreadState)?
    private var cascades: UInt64 = 0
    /// The stretches that have ended since the caller emptied this list.
    package var ended: [CascadeStretch] = []

    /// A tracker before the first event.
    package init() {}

    /// Takes the next event and returns the number of its cascade; 0: it belongs to none.
    package func take(_ event: TraceEvent, isRefresh: Bool) -> UInt64 {
        let thread = state(of: event.id.thread)
        while var closed = thread.stretches.close(before: event) {
            // The end of a frame belongs to it.
            let isEnd = event.endsFrame && closed.depth == event.depth
            if isEnd { closed.payload.count(event, isRefresh: isRefresh) }
            close(closed.payload, before: isEnd ? event.id.sequence &+ 1 : event.id.sequence, thread)
            if isEnd { return closed.payload.cascade }
        }
        if event.kind == .hopBegan || thread.stretches.count == 0 {
            guard event.depth > 0 || event.beginsCascade else { return 0 }
            begin(event, thread)
        }
        let innermost = thread.stretches.count - 1
        thread.stretches[innermost].count(event, isRefresh: isRefresh)
        return thread.stretches[innermost].cascade
    }

    /// Ends the stretches that are still open.
    package func finish() {
        for thread in inOrder {
            while let closed = thread.stretches.closeInnermost() { close(closed.payload, before: .max, thread) }
        }
    }

    @inline(__always)
    private func state(of thread: UInt32) -> ThreadState {
        if let last, last.thread == thread { return last.state }
        let state = threads[thread] ?? newState(of: thread)
        last = (thread, state)
        return state
    }

    private func newState(of thread: UInt32) -> ThreadState {
        let state = ThreadState()
        threads[thread] = state
        inOrder.append(state)
        return state
    }

    private func begin(_ event: TraceEvent, _ thread: ThreadState) {
        let isHop = event.kind == .hopBegan
        var known: UInt64?
        if isHop, let cause = event.cause { known = threads[cause.thread]?.marks.mark(of: cause.sequence) }
        if known == nil { cascades += 1 }
        let cascade = known ?? cascades
        // A frame whose beginning is missing is an outermost one.
        thread.stretches.open(
            event.kind, event.id.sequence, at: isHop ? event.depth : 0, CascadeStretch(cascade, from: event))
        thread.marks.note(cascade, from: event.id.sequence)
    }

    private func close(_ stretch: CascadeStretch, before sequence: UInt64, _ thread: ThreadState) {
        ended.append(stretch)
        // The events after a nested hop belong to the stretch around it.
        if let around = thread.stretches.innermost { thread.marks.note(around.payload.cascade, from: sequence) }
    }
}

/// The scope of cascades on one thread: which mark each of its events has, and so each hop that follows from it.
///
/// A frame passes its mark on to the events in it, and a hop takes over the mark of its cause. A mark is the number of a cascade or
/// stimulus, or whether it is a chosen one. The last 65,536 changes are kept; earlier events have no mark.
struct CascadeMarks<Mark: Equatable> {
    private var starts: [(sequence: UInt64, mark: Mark)] = []

    private static var most: Int { 65_536 }

    /// Notes the mark of the events from this number on.
    mutating func note(_ mark: Mark, from sequence: UInt64) {
        if starts.last?.mark == mark { return }
        // Removed in halves, so that the cost per event stays small.
        if starts.count >= 2 * Self.most { starts.removeFirst(Self.most) }
        starts.append((sequence, mark))
    }

    /// The mark of an earlier event; nil: it has none, or that is forgotten.
    func mark(of sequence: UInt64) -> Mark? {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : starts[low - 1].mark
    }
}

extension CascadeMarks: Sendable where Mark: Sendable {}

extension TraceEvent {
    /// Whether it begins a cascade if nothing caused it.
    var beginsCascade: Bool {
        switch kind {
        case .emitted, .completed, .failed, .stimulusBegan, .batchBegan, .hopBegan: true
        default: false
        }
    }
}
