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

    /// The deliveries of an emission, by target node; -1 is a handler.
    struct Deliveries {
        var removed = NodeList()
        var kept = NodeList()

        /// The fate of work that the node scheduled after it received the value.
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

    /// A list of nodes, nearly always one or none; it must be sorted before a search.
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

    /// The fate of work that was scheduled in the emission.
    func fate(of cause: EventID, node: Int?) -> Fate {
        guard let deliveries = emissions[cause] else { return hasForgotten ? .unknown : .kept }
        return deliveries.fate(of: node)
    }
}
