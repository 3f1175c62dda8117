/// The combiners of one height that a turn evaluates, whose order a remedy may change.
///
/// The core evaluates combiners of equal height in the order in which their inputs update, so in the order of subscriptions. A
/// combiner that replaces a combineLatest subscribes at another moment than the combineLatest does. The order does not matter
/// unless the effects of one combiner reach another one, or a node that the effects of the other one reach, too.
///
/// Each operation takes constant time, but for the number of open evaluations, however many combiners wait.
struct EqualHeights {
    private struct Evaluated {
        let node: Int
        let height: Int
    }

    private struct Reached: Hashable {
        let node: Int
        let height: Int
    }

    /// The evaluations whose effects may still follow: each is lower than the one before it.
    private var open: [Evaluated] = []
    /// The heights of the combiners that have evaluated.
    private var heights: [Int: Int] = [:]
    /// For each written node, and each height, the combiner whose effects have reached it.
    private var reached: [Reached: Int] = [:]

    /// Notes that a combiner evaluates next.
    mutating func evaluates(_ node: Int, height: Int) {
        while let last = open.last, last.height <= height { open.removeLast() }
        open.append(Evaluated(node: node, height: height))
        heights[node] = height
    }

    /// Whether the order of some combiners matters, now that one is updated that waits already or has evaluated.
    func decides(combiner: Int, height: Int, isWaiting: Bool) -> Bool {
        guard isWaiting || heights[combiner] == height else { return false }
        return open.contains { $0.height == height && $0.node != combiner }
    }

    /// Whether it matters, now that a node is written or emits.
    mutating func decides(node: Int) -> Bool {
        for one in open {
            let former = reached.updateValue(one.node, forKey: Reached(node: node, height: one.height))
            if let former, former != one.node { return true }
        }
        return false
    }
}
