/// The values that operators with a memory were given, one after the other.
struct Memories {
    private struct Step: Equatable {
        /// The place of a subscription; of a node with ways of its own, -1 less its place.
        let key: Int
        let value: RecordedValue
    }

    private var steps: [Step] = []

    mutating func append(_ value: RecordedValue, to key: Int) { steps.append(Step(key: key, value: value)) }

    mutating func removeAll() { if !steps.isEmpty { steps.removeAll(keepingCapacity: steps.count < 256) } }

    /// The least key that was given other values, or in another order, than it was there; nil: there is none.
    func difference(from other: Memories) -> Int? {
        // Nearly always even the order among them is the same.
        if steps == other.steps { return nil }
        let (own, others) = (grouped, other.grouped)
        return Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }.min()
    }

    private var grouped: [Int: [RecordedValue]] { Dictionary(grouping: steps, by: \.key).mapValues { $0.map(\.value) } }
}
