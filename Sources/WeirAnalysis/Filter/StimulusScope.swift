import WeirTrace

/// Selects the events caused by chosen stimuli, also through hops.
///
/// It must see all events, in order, from the first chosen stimulus on. An emission without a cause may be chosen like a
/// stimulus.
///
/// A hop is in the scope if its cause is. The scope is kept as spans of event numbers, the last `longestMemory` of each thread;
/// a hop whose cause lies further back counts as outside.
struct StimulusScope: Sendable {
    /// A stimulus or hop that is open on a thread.
    private struct Frame {
        var isHop: Bool
        var isInside: Bool
    }

    private struct ThreadState {
        /// Outermost first.
        var frames: [Frame] = []
        /// Numbers of the events inside the scope, in order.
        var spans: [ClosedRange<UInt64>] = []
        var wasInside = false
    }

    static let longestMemory = 65_536
    // Only a damaged or hostile trace nests deeper.
    private static let deepest = 10_000

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
        switch event.kind {
        case .stimulusBegan:
            // It is a root: frames that still seem open have ended without a record of their end.
            if event.cause == nil { state.frames = [] }
            return open(isHop: false, isInside: isChosen || state.frames.last?.isInside ?? false, &state)
        case .hopBegan:
            if event.depth == 0 { state.frames = [] }
            return open(isHop: true, isInside: isHopInside, &state)
        case .stimulusEnded: return close(isHop: false, &state)
        case .hopEnded: return close(isHop: true, &state)
        default:
            if event.cause == nil { state.frames = [] }
            // A root emission ends with the next event that has no cause.
            return isChosen ? open(isHop: false, isInside: true, &state) : state.frames.last?.isInside ?? false
        }
    }

    private func open(isHop: Bool, isInside: Bool, _ state: inout ThreadState) -> Bool {
        if state.frames.count < Self.deepest { state.frames.append(Frame(isHop: isHop, isInside: isInside)) }
        return isInside
    }

    private func close(isHop: Bool, _ state: inout ThreadState) -> Bool {
        guard let index = state.frames.lastIndex(where: { $0.isHop == isHop }) else { return false }
        defer { state.frames.removeSubrange(index...) }
        return state.frames[index].isInside
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
