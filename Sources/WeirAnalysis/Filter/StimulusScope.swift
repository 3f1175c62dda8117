import WeirTrace

/// Selects the events caused by chosen stimuli, also through hops.
///
/// It must see all events, in order, from the first chosen stimulus on. An emission without a cause may be chosen like a
/// stimulus.
///
/// A hop is in the scope if its cause is. The scope is kept as spans of event numbers, the last `longestMemory` of each thread;
/// a hop whose cause lies further back counts as outside.
struct StimulusScope: Sendable {
    private struct ThreadState {
        /// The open frames, and whether each is in the scope.
        var frames = FrameWalk<Bool>()
        /// Numbers of the events inside the scope, in order.
        var spans: [ClosedRange<UInt64>] = []
        var wasInside = false
    }

    static let longestMemory = 65_536

    private var threads: [UInt32: ThreadState] = [:]

    /// Whether the next event is in the scope; `isChosen` marks a chosen stimulus or root emission.
    mutating func contains(_ event: TraceEvent, isChosen: Bool) -> Bool {
        // The cause comes first: it may be on this thread.
        let isHopInside = event.kind == .hopBegan && event.cause.map(wasInside) ?? false
        // Moved, never copied: there may be many spans.
        var state = threads.removeValue(forKey: event.id.thread) ?? ThreadState()
        let isInside = step(event, isChosen: isChosen, isHopInside: isHopInside, &state)
        note(isInside, event.id.sequence, &state)
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
        if event.kind == .deliveryEnded, state.frames.delivering(event) != nil {
            state.frames.closeInnermost()
        } else {
            state.frames.open(event, isInside)
        }
        return isInside
    }

    private func note(_ isInside: Bool, _ sequence: UInt64, _ state: inout ThreadState) {
        defer { state.wasInside = isInside }
        guard isInside else { return }
        if state.wasInside, let last = state.spans.last, last.upperBound <= sequence {
            state.spans[state.spans.count - 1] = last.lowerBound...sequence
            return
        }
        // Removed in halves, so that the cost per event stays small.
        if state.spans.count >= 2 * Self.longestMemory { state.spans.removeFirst(Self.longestMemory) }
        state.spans.append(sequence...sequence)
    }

    /// Whether an event seen earlier was inside.
    private func wasInside(_ id: EventID) -> Bool {
        guard let spans = threads[id.thread]?.spans else { return false }
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].upperBound < id.sequence { low = middle + 1 } else { high = middle }
        }
        return low < spans.count && spans[low].contains(id.sequence)
    }
}
