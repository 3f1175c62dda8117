import WeirTrace

/// The values of a combiner's inputs, as two hashes of 64 bits.
struct InputValues: Hashable {
    let combiner: Int
    let low: UInt64
    let high: UInt64

    init(_ combiner: Int, _ values: [RecordedValue]) {
        var (low, high) = (UInt64(values.count), UInt64(0x5851_F42D_4C95_7F2D))
        for value in values {
            low = value.mixed(into: low)
            high = value.mixed(into: high &+ 0x2545_F491_4F6C_DD1D)
        }
        (self.combiner, self.low, self.high) = (combiner, low, high)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(low ^ UInt64(truncatingIfNeeded: combiner)) }
}

/// The live subscriptions that feed combiners with the values of their inputs.
struct CombinerInputs {
    private struct Inputs {
        /// Ended subscriptions are removed when they outnumber the others.
        var places: [Int32] = []
        var ended = 0
        var isSorted = true
    }

    /// A combiner with more inputs is not compared: an evaluation takes a few bytes of a trace, however many inputs it has.
    static let most = 256

    private var inputs: [Inputs]
    private var isOpen: [Bool]
    private var isListed: [Bool]
    private let targets: [Int]

    init(_ topology: Topology, _ isCombinerInput: [Bool]) {
        inputs = .init(repeating: Inputs(), count: topology.nodeIDs.count)
        isOpen = isCombinerInput
        isListed = isCombinerInput
        targets = topology.targets
        for place in isCombinerInput.indices where isCombinerInput[place] {
            inputs[targets[place]].places.append(Int32(place))
        }
    }

    /// Opens or closes an input when its subscription begins or ends.
    mutating func set(_ place: Int, isOpen opens: Bool) {
        guard isOpen[place] != opens else { return }
        isOpen[place] = opens
        let combiner = targets[place]
        if opens, isListed[place] {
            inputs[combiner].ended -= 1
        } else if opens {
            inputs[combiner].places.append(Int32(place))
            inputs[combiner].isSorted = false
            isListed[place] = true
        } else {
            inputs[combiner].ended += 1
            if inputs[combiner].ended > inputs[combiner].places.count / 2 { takeOutEnded(combiner) }
        }
    }

    /// The open inputs of a combiner, by their indexes; nil if there are too many.
    mutating func open(_ combiner: Int) -> [Int32]? {
        let count = inputs[combiner].places.count
        guard count - inputs[combiner].ended <= Self.most else { return nil }
        if inputs[combiner].ended > 0 { takeOutEnded(combiner) }
        if !inputs[combiner].isSorted {
            inputs[combiner].places.sort()
            inputs[combiner].isSorted = true
        }
        return inputs[combiner].places
    }

    private mutating func takeOutEnded(_ combiner: Int) {
        for place in inputs[combiner].places where !isOpen[Int(place)] { isListed[Int(place)] = false }
        inputs[combiner].places.removeAll { !isOpen[Int($0)] }
        inputs[combiner].ended = 0
    }
}

/// The most combiners on any path to each node, ignoring edges that close a cycle.
struct CombinerHeights {
    private(set) var values: [Int]

    init(_ topology: Topology, _ isCombinerInput: [Bool]) {
        let places = isCombinerInput.indices.filter { isCombinerInput[$0] }
        let edges = places.map { (source: topology.sources[$0], target: topology.targets[$0]) }
        let isFeedback = FeedbackEdges(edges, nodes: topology.nodeIDs.count).isFeedback
        let onward = zip(edges, isFeedback).filter { !$0.1 }.map(\.0)
        values = .init(repeating: 0, count: topology.nodeIDs.count)
        var next = [[Int]](repeating: [], count: values.count)
        var open = values
        for edge in edges { values[edge.target] = 1 }
        for edge in onward {
            next[edge.source].append(edge.target)
            open[edge.target] += 1
        }
        var ready = values.indices.filter { open[$0] == 0 }
        while let node = ready.popLast() {
            for target in next[node] {
                values[target] = max(values[target], values[node] + 1)
                open[target] -= 1
                if open[target] == 0 { ready.append(target) }
            }
        }
    }
}

/// Combiners that wait for the turn to settle: a heap with the lowest first, and by order of arrival for equal heights.
struct WaitingCombiners {
    private struct Entry {
        let rank: Int
        let arrival: Int
        let node: Int

        static func < (left: Entry, right: Entry) -> Bool {
            (left.rank, left.arrival) < (right.rank, right.arrival)
        }
    }

    private var entries: [Entry] = []
    private var waiting: Set<Int> = []
    private var arrivals = 0

    var isEmpty: Bool { entries.isEmpty }

    func contains(_ node: Int) -> Bool { waiting.contains(node) }

    /// Adds a combiner, unless it is waiting already.
    mutating func add(_ node: Int, height: Int) {
        guard waiting.insert(node).inserted else { return }
        arrivals += 1
        entries.append(Entry(rank: height, arrival: arrivals, node: node))
        var place = entries.count - 1
        while place > 0, entries[place] < entries[(place - 1) / 2] {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func popFirst() -> (node: Int, height: Int)? {
        guard let first = entries.first else { return nil }
        waiting.remove(first.node)
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var place = 0
        while true {
            var least = 2 * place + 1
            if least + 1 < entries.count, entries[least + 1] < entries[least] { least += 1 }
            guard least < entries.count, entries[least] < entries[place] else { return (first.node, first.rank) }
            entries.swapAt(place, least)
            place = least
        }
    }
}

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
