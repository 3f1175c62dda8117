import WeirTrace

/// Snapshots of a trace's state, in the order of the trace, at even distances that grow with their cost.
///
/// Invariants (`checkInvariants`):
///
/// - The first is at position 0.
/// - Each other one is at a multiple of `spacing`, without a gap up to the last.
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
        // The arrays of a state; shared texts are not counted.
        bytesEach =
            first.state.nodes.count * MemoryLayout<NodeState>.stride
            + first.state.subscriptions.count * (MemoryLayout<SubscriptionState>.stride + 4) + 4096
    }

    var count: Int { kept.count }
    var bytes: Int { kept.count * bytesEach }

    /// The position of the next checkpoint to keep, for a timeline at `position`.
    func nextDue(after position: UInt64) -> UInt64 {
        let last = kept[kept.count - 1].state.order
        return max(last, position / spacing * spacing) + spacing
    }

    /// Keeps a checkpoint if it directly follows the last one.
    mutating func keep(_ state: TraceState, _ place: TracePosition) {
        guard state.order == kept[kept.count - 1].state.order + spacing else { return }
        kept.append(Checkpoint(state: state, place: place))
        while kept.count > 2, bytes > byteLimit {
            spacing *= 2
            kept = kept.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        }
    }

    /// The last checkpoint that meets a condition, which must hold for the first ones up to some checkpoint.
    func last(where isBefore: (Checkpoint) -> Bool) -> Checkpoint {
        var (low, high) = (0, kept.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if isBefore(kept[middle]) { low = middle } else { high = middle }
        }
        return kept[low]
    }

    /// The position of the last checkpoint up to a position.
    func nearest(upTo position: UInt64) -> UInt64 { last { $0.state.order <= position }.state.order }

    func checkInvariants() {
        for (place, checkpoint) in kept.enumerated() {
            precondition(checkpoint.state.order == UInt64(place) * spacing, "checkpoints lie at even distances")
        }
    }
}
