import WeirTrace

/// Emissions that fall away, or of which not every delivery remains: what they scheduled falls away with them.
///
/// Bounded; when full it forgets, and says so. Shared by the replays of one remedy, so that no turn copies it.
final class RemovedCauses {
    enum Fate {
        case kept
        case removed
        case unknown
    }

    /// By the nodes that were fed; -1: a handler.
    struct Deliveries {
        var removed = NodeList()
        var kept = NodeList()

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

    /// Nodes, nearly always one or none; sorted before one is looked for.
    struct NodeList {
        private var first: Int?
        private var others: [Int] = []

        var isEmpty: Bool { first == nil }

        mutating func append(_ node: Int) {
            if first == nil { first = node } else if first != node, others.last != node { others.append(node) }
        }

        mutating func sort() { if others.count > 1 { others.sort() } }

        func contains(_ node: Int) -> Bool {
            if first == node || others.isEmpty { return first == node }
            var (low, high) = (0, others.count)
            while low < high {
                let middle = (low + high) / 2
                if others[middle] < node { low = middle + 1 } else { high = middle }
            }
            return low < others.count && others[low] == node
        }
    }

    static let most = 50_000
    private let most: Int
    @exclusivity(unchecked) private var emissions: [EventID: Deliveries] = [:]
    init(most: Int) { self.most = most }

    var isEmpty: Bool { emissions.isEmpty && !hasForgotten }
    @exclusivity(unchecked) private var hasForgotten = false

    func note(_ emission: EventID, _ deliveries: Deliveries) {
        if emissions.count >= most {
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
