import WeirTrace

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
