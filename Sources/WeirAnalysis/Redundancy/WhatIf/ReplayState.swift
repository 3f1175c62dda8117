import WeirTrace

/// What replays of one remedy carry from turn to turn: how the changed program differs from the recorded one.
///
/// A replay changes a copy of what it touches, and hands that over when it comes to its end.
final class ReplayState {
    /// A refresh that is held until the screen is over.
    struct Held {
        var began: UInt64
        var screen: UInt64
        var ticks: UInt64

        func lasting(_ ticks: UInt64) -> Held { Held(began: began, screen: screen, ticks: ticks) }
    }

    /// Values of nodes that differ from the recorded ones.
    @exclusivity(unchecked) var values: [Int: RecordedValue] = [:]
    /// What passed last through the subscriptions behind `removeDuplicates`.
    @exclusivity(unchecked) var passed: [Int: RecordedValue] = [:]
    @exclusivity(unchecked) var hubs = SharedRuns()
    @exclusivity(unchecked) var held: [Int: Held] = [:]
    /// How many frames were marked.
    @exclusivity(unchecked) var screen: UInt64 = 0
    let removed: RemovedCauses

    init(mostRemoved: Int = RemovedCauses.most) { removed = RemovedCauses(most: mostRemoved) }
}
