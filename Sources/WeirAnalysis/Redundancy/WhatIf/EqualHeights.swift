/// The combiners of one height that wait together, whose order a remedy may change.
///
/// The core evaluates combiners of equal height in the order in which their inputs update, so in the order of subscriptions. A combiner
/// that replaces a combineLatest subscribes at another moment than the combineLatest does. The order does not matter unless what follows from
/// one of them reaches another one, or a node that the other one's effects reach, too.
struct EqualHeights {
    private struct Evaluated {
        let node: Int
        let height: Int
    }

    /// The evaluations of which effects may still follow: each is lower than the one before it.
    private var evaluated: [Evaluated] = []
    /// For each combiner, those with which it has waited.
    private var peers: [Int: Set<Int>] = [:]
    /// For each written node, the combiners with peers whose effects have reached it.
    private var reached: [Int: Set<Int>] = [:]

    /// Notes that a combiner evaluates next while others of its height wait.
    mutating func evaluates(_ node: Int, height: Int, besides others: [Int]) {
        while let last = evaluated.last, last.height <= height { evaluated.removeLast() }
        evaluated.append(Evaluated(node: node, height: height))
        for other in others {
            peers[node, default: []].insert(other)
            peers[other, default: []].insert(node)
        }
    }

    /// Whether the order of some combiners matters, now that one is about to wait.
    func decides(combiner: Int) -> Bool {
        !peers.isEmpty && evaluated.contains { peers[$0.node]?.contains(combiner) == true }
    }

    /// Whether it matters, now that a node is written or emits.
    mutating func decides(node: Int) -> Bool {
        if peers.isEmpty { return false }
        for one in evaluated {
            guard let others = peers[one.node] else { continue }
            if reached[node]?.isDisjoint(with: others) == false { return true }
            reached[node, default: []].insert(one.node)
        }
        return false
    }
}
