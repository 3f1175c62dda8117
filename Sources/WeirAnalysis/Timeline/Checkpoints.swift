import WeirTrace

/// Snapshots of a trace's state, in the order of the trace, at even distances that grow with their cost.
///
/// Invariants (`checkInvariants`): the first is at position 0; each other one lies at a multiple of `spacing`, and none of
/// these is missing up to the last.
struct Checkpoints {
    struct Checkpoint {
        let state: TraceState
        let place: TracePosition
    }

    static let leastSpacing: UInt64 = 4096

    private(set) var spacing: UInt64
    private var kept: [Checkpoint]
    private let byteLimit: Int
    private let bytesEach: Int

    init(byteLimit: Int, spacing: UInt64 = leastSpacing, first: Checkpoint) {
        self.byteLimit = byteLimit
        self.spacing = spacing
        kept = [first]
        // The arrays of a state; texts that are shared with others are not counted.
        bytesEach =
            first.state.nodes.count * MemoryLayout<NodeState>.stride
            + first.state.subscriptions.count * MemoryLayout<SubscriptionState>.stride + 4096
    }

    var count: Int { kept.count }
    var bytes: Int { kept.count * bytesEach }

    /// The position at which the next checkpoint is to be kept by one who is at `position`.
    func nextDue(after position: UInt64) -> UInt64 {
        let last = kept[kept.count - 1].state.order
        return max(last, position / spacing * spacing) + spacing
    }

    /// Keeps a checkpoint, if it is the one that follows the last.
    mutating func keep(_ state: TraceState, _ place: TracePosition) {
        guard state.order == kept[kept.count - 1].state.order + spacing else { return }
        kept.append(Checkpoint(state: state, place: place))
        while kept.count > 2, bytes > byteLimit {
            spacing *= 2
            kept = kept.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        }
    }

    /// The last checkpoint that meets a condition; all up to some one do, and the first does in any case.
    func last(where isBefore: (Checkpoint) -> Bool) -> Checkpoint {
        var (low, high) = (0, kept.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if isBefore(kept[middle]) { low = middle } else { high = middle }
        }
        return kept[low]
    }

    /// Where the last checkpoint up to a position lies.
    func nearest(upTo position: UInt64) -> UInt64 { last { $0.state.order <= position }.state.order }

    func checkInvariants() {
        for (place, checkpoint) in kept.enumerated() {
            precondition(checkpoint.state.order == UInt64(place) * spacing, "checkpoints lie at even distances")
        }
    }
}
