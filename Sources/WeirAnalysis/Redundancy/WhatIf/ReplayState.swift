import WeirTrace

/// What replays of one remedy carry from turn to turn: how the changed program differs from the recorded one.
struct ReplayState {
    /// A source that is shared: who hears the one run that is left.
    struct Hub {
        /// The subscription whose recorded run goes on for all.
        var run: Int
        var members: [Int]
        /// The run would go on where the recorded one has ended, or end where a recorded one went on.
        var isBeyondRecord = false
    }

    /// A refresh that is held until the screen is over.
    struct Held {
        var began: UInt64
        var screen: UInt64
        var ticks: UInt64
    }

    /// Values of nodes that differ from the recorded ones.
    var values: [Int: RecordedValue] = [:]
    /// What passed last through the subscriptions behind `removeDuplicates`.
    var passed: [Int: RecordedValue] = [:]
    var hubs: [Int: Hub] = [:]
    var held: [Int: Held] = [:]
    /// How many frames were marked.
    var screen: UInt64 = 0
    let removed = RemovedCauses()
}
