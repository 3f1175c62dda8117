@_spi(Records) import WeirTrace

/// Selects the events caused by chosen stimuli, also through hops.
///
/// It must see all events, in order, from the first chosen stimulus on. An emission without a cause may be chosen like a
/// stimulus.
///
/// A hop is in the scope if its cause is. A hop whose cause is forgotten (`CascadeMarks`) counts as outside.
struct StimulusScope: Sendable {
    private struct ThreadState {
        /// The open frames, and whether each is in the scope.
        var frames = FrameWalk<Bool>()
        /// Whether each event is in the scope.
        var marks = CascadeMarks<Bool>()
    }

    private var threads: [UInt32: ThreadState] = [:]

    /// Whether the next event is in the scope; `isChosen` marks a chosen stimulus or root emission.
    mutating func contains(_ event: TraceEvent, isChosen: Bool) -> Bool {
        // The cause comes first: it may be on this thread.
        let isHopInside = event.kind == .hopBegan && event.cause.map(wasInside) ?? false
        // Moved, never copied: there may be many spans.
        var state = threads.removeValue(forKey: event.id.thread) ?? ThreadState()
        let isInside = step(event, isChosen: isChosen, isHopInside: isHopInside, &state)
        state.marks.note(isInside, from: event.id.sequence)
        threads[event.id.thread] = state
        return isInside
    }

    private func step(_ event: TraceEvent, isChosen: Bool, isHopInside: Bool, _ state: inout ThreadState) -> Bool {
        var ended: Bool?
        while let closed = state.frames.close(before: event) {
            ended = closed.depth == event.depth ? closed.payload : nil
        }
        let isInside =
            switch event.kind {
            case .hopBegan: isHopInside
            case .stimulusEnded, .hopEnded, .batchEnded: ended ?? state.frames.innermost?.payload ?? false
            default: isChosen || state.frames.innermost?.payload ?? false
            }
        state.frames.follow(event, isInside)
        return isInside
    }

    /// Whether an event seen earlier was inside.
    private func wasInside(_ id: EventID) -> Bool { threads[id.thread]?.marks.mark(of: id.sequence) ?? false }
}
