import WeirTrace

/// Emissions that lose some or all of their deliveries: the work that these scheduled falls away too.
///
/// Its size is limited: when full, it drops all entries and then reports `unknown`. The replays of one remedy share it, so that
/// no turn copies it.
final class RemovedCauses {
    enum Fate {
        case kept
        case removed
        case unknown
    }

    /// The deliveries of an emission, by subscription.
    struct Deliveries {
        var removed = SubscriptionList()
        var kept = SubscriptionList()

        /// The fate of work that a node scheduled, or the handler of a subscription if that is known.
        func fate(of work: Work, _ targets: [Int]) -> Fate {
            if removed.isEmpty { return .kept }
            if kept.isEmpty { return .removed }
            if let subscription = work.subscription {
                if removed.contains(subscription) { return .removed }
                if kept.contains(subscription) { return .kept }
            }
            guard let node = work.node else { return .unknown }
            switch (removed.contains(target: node, targets), kept.contains(target: node, targets)) {
            case (true, false): return .removed
            case (false, true): return .kept
            default: return .unknown
            }
        }
    }

    /// Scheduled work: the node that runs it, and the subscription through which its value came; nil: unknown.
    struct Work {
        let node: Int?
        let subscription: Int?
    }

    /// A list of subscriptions, nearly always one or none; it must be sorted before a search.
    struct SubscriptionList {
        private var first: Int?
        private var others: [Int] = []

        var isEmpty: Bool { first == nil }

        mutating func append(_ subscription: Int) {
            if first == nil {
                first = subscription
            } else if first != subscription, others.last != subscription {
                others.append(subscription)
            }
        }

        mutating func sort() { if others.count > 1 { others.sort() } }

        func contains(target node: Int, _ targets: [Int]) -> Bool {
            first.map { targets[$0] == node } == true || others.contains { targets[$0] == node }
        }

        func contains(_ subscription: Int) -> Bool {
            if first == subscription || others.isEmpty { return first == subscription }
            var (low, high) = (0, others.count)
            while low < high {
                let middle = (low + high) / 2
                if others[middle] < subscription { low = middle + 1 } else { high = middle }
            }
            return low < others.count && others[low] == subscription
        }
    }

    static let most = 50_000
    private let most: Int
    @exclusivity(unchecked) private var emissions: [EventID: Deliveries] = [:]
    init(most: Int) { self.most = most }

    /// The values that no longer wait for an actor.
    @exclusivity(unchecked) private var handovers: Set<Handover> = []

    var isEmpty: Bool { emissions.isEmpty && handovers.isEmpty && !hasForgotten }
    @exclusivity(unchecked) private var hasForgotten = false

    func note(_ emission: EventID, _ deliveries: Deliveries) {
        if emissions.count >= most {
            emissions = [:]
            hasForgotten = true
        }
        emissions[emission] = deliveries
    }

    func note(_ handover: Handover) {
        if handovers.count >= most {
            handovers = []
            hasForgotten = true
        }
        handovers.insert(handover)
    }

    /// The fate of a value that arrives later.
    func fate(of handover: Handover) -> Fate {
        if handovers.contains(handover) || emissions[handover.emission]?.removed.contains(handover.subscription) == true
        {
            return .removed
        }
        return hasForgotten ? .unknown : .kept
    }

    /// The fate of work that was scheduled in the emission.
    func fate(of cause: EventID, _ work: Work, _ targets: [Int]) -> Fate {
        guard let deliveries = emissions[cause] else { return hasForgotten ? .unknown : .kept }
        return deliveries.fate(of: work, targets)
    }
}
