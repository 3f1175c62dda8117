/// The values given to operators with a memory, in order.
struct Memories {
    private struct Step: Equatable {
        /// The index of a subscription; for a node that depends on more than single writes, -1 minus its index.
        let key: Int
        let value: RecordedValue
    }

    private var steps: [Step] = []

    mutating func append(_ value: RecordedValue, to key: Int) { steps.append(Step(key: key, value: value)) }

    mutating func removeAll() { if !steps.isEmpty { steps.removeAll(keepingCapacity: steps.count < 256) } }

    /// The least key whose values differ from the other's, or their order; nil if there is none.
    ///
    /// - Parameters:
    ///   - isIgnored: Whether a key does not matter.
    ///   - maySkip: Whether values of a key may be missing here.
    func difference(
        from other: Memories, except isIgnored: (Int) -> Bool = { _ in false },
        maySkip: (Int) -> Bool = { _ in false }
    ) -> Int? {
        // Nearly always even the order across keys is the same.
        if steps == other.steps { return nil }
        let (own, others) = (grouped, other.grouped)
        return Set(own.keys).union(others.keys).filter { key in
            if own[key] == others[key] || isIgnored(key) { return false }
            return !(maySkip(key) && Self.isPart(own[key] ?? [], of: others[key] ?? []))
        }.min()
    }

    /// Whether values are among others, in their order.
    private static func isPart(_ values: [RecordedValue], of others: [RecordedValue]) -> Bool {
        var rest = others[...]
        return values.allSatisfy { value in
            guard let place = rest.firstIndex(of: value) else { return false }
            rest = rest[(place + 1)...]
            return true
        }
    }

    private var grouped: [Int: [RecordedValue]] { Dictionary(grouping: steps, by: \.key).mapValues { $0.map(\.value) } }
}
