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
