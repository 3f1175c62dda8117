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
    /// What passed last through the subscriptions behind `distinct`.
    var passed: [Int: RecordedValue] = [:]
    var hubs: [Int: Hub] = [:]
    var held: [Int: Held] = [:]
    /// How many frames were marked.
    var screen: UInt64 = 0
    var removed = RemovedCauses()
}

/// Emissions that fall away, or of which not every delivery remains: what they scheduled falls away with them.
///
/// Bounded; when full it forgets, and says so.
struct RemovedCauses {
    enum Fate {
        case kept
        case removed
        case unknown
    }

    /// By the nodes that were fed; -1: a handler.
    struct Deliveries {
        var removed: Set<Int> = []
        var kept: Set<Int> = []

        /// What becomes of work that the node scheduled, having been given the value.
        func fate(of node: Int?) -> Fate {
            if removed.isEmpty { return .kept }
            if kept.isEmpty { return .removed }
            guard let node else { return .unknown }
            switch (removed.contains(node), kept.contains(node)) {
            case (true, false): return .removed
            case (false, true): return .kept
            default: return .unknown
            }
        }
    }

    static let most = 50_000
    private var emissions: [EventID: Deliveries] = [:]
    var isEmpty: Bool { emissions.isEmpty && !hasForgotten }
    private var hasForgotten = false

    mutating func note(_ emission: EventID, _ deliveries: Deliveries) {
        if emissions.count >= Self.most {
            emissions = [:]
            hasForgotten = true
        }
        emissions[emission] = deliveries
    }

    /// What becomes of work that was scheduled in the emission.
    func fate(of cause: EventID, node: Int?) -> Fate {
        guard let deliveries = emissions[cause] else { return hasForgotten ? .unknown : .kept }
        return deliveries.fate(of: node)
    }
}
